// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/report_adding.h"
#include "decoder/text.h"

/* Complete totals: of the thread, its process and all that is reported. */
static void add_complete(struct td_report_adding *adding,
			 const struct td_file_thread *thread,
			 struct td_report_thread *copy)
{
	struct td_report *report = adding->report;
	struct td_report_process *process = &report->process[adding->process];

	for (unsigned i = 0; i < adding->profile->header.counters; i++) {
		int c = adding->counter[i];

		if (c < 0)
			continue;
		copy->total[c] += thread->total[i];
		process->total[c] += thread->total[i];
		report->total[c] += thread->total[i];
	}
	if (td_report_is_rounded(adding))
		report->total_rounded += thread->total[0];
}

static const struct td_file_timeline *timeline_of(const struct td_profile *profile,
						  const struct td_file_thread *thread)
{
	for (size_t i = 0; i < profile->timelines; i++) {
		if (profile->timeline[i].thread == thread)
			return profile->timeline[i].timeline;
	}
	return NULL;
}

static int add_history(struct td_report_adding *adding,
		       const struct td_file_thread *thread, struct td_report_thread *copy)
{
	const struct td_file_timeline *timeline = timeline_of(adding->profile, thread);
	struct td_history history;

	if (!timeline)
		return 0;
	td_history_read(&history, timeline, adding->profile->header.counters,
			adding->counter);
	td_history_add(&adding->report->process[adding->process].history, &history);
	if (!copy->history)
		copy->history = calloc(1, sizeof(*copy->history));
	if (!copy->history)
		return -ENOMEM;
	td_history_add(copy->history, &history);
	return 0;
}

static void add_thread_totals(struct td_report_adding *adding,
			      const struct td_file_thread *thread)
{
	struct td_report *report = adding->report;
	struct td_report_process *process = &report->process[adding->process];

	process->threads += thread->threads;
	report->threads_all += thread->threads;
	process->cpu_ns += thread->cpu_ns;
	if (thread->last_ns > process->end_ns && !process->header.end_ns &&
	    process->profiles == 1)
		process->end_ns = thread->last_ns;
	report->cpu_ns += thread->cpu_ns;
	report->windows += thread->windows;
	for (unsigned i = 0; i < TD_REJECT_MAX; i++)
		report->rejected[i] += thread->rejected[i];
	for (unsigned i = 0; i < TD_LOST_MAX; i++)
		report->lost[i] += thread->lost[i];
	report->unread += thread->unread;
}

/* Another thread of the process that stands for many, in the record of its name. */
static struct td_report_thread *folded_thread(struct td_report_adding *adding,
					      const char *name)
{
	struct td_report *report = adding->report;
	size_t count = 0;

	for (size_t i = report->threads; adding->folded && i-- > 0;) {
		struct td_report_thread *thread = &report->thread[i];

		if (thread->process != adding->process)
			break;
		if (strcmp(thread->name, name) == 0 ||
		    ++count == TD_REPORT_THREADS_FOLDED)
			return thread;
	}
	return NULL;
}

static void fold_thread(struct td_file_thread *into, const struct td_file_thread *from)
{
	into->state = TD_THREAD_FOLDED;
	into->threads += from->threads;
	into->cpu_ns += from->cpu_ns;
	into->samples += from->samples;
	into->windows += from->windows;
	into->unread += from->unread;
	for (unsigned i = 0; i < TD_REJECT_MAX; i++)
		into->rejected[i] += from->rejected[i];
	for (unsigned i = 0; i < TD_LOST_MAX; i++)
		into->lost[i] += from->lost[i];
}

/* Takes `name`; NULL without memory. */
static struct td_report_thread *copy_thread(struct td_report_adding *adding,
					    const struct td_file_thread *thread,
					    char *name)
{
	struct td_report *report = adding->report;
	struct td_report_thread *copy = name ? folded_thread(adding, name) : NULL;

	if (copy) {
		fold_thread(&copy->record, thread);
		free(name);
		return copy;
	}
	if (!name ||
	    td_report_reserve(&report->thread, report->threads, sizeof(*copy)) < 0) {
		free(name);
		return NULL;
	}
	copy = &report->thread[report->threads++];
	*copy = (struct td_report_thread){
		.record = *thread, .process = adding->process, .name = name};
	return copy;
}

static int add_thread(struct td_report_adding *adding, size_t index)
{
	const struct td_file_thread *thread = adding->profile->thread[index];
	struct td_report *report = adding->report;
	struct td_report_thread *copy;

	if (!td_report_wants(report, thread))
		return 0;
	copy = copy_thread(adding, thread,
			   td_text_clean(thread->name, sizeof(thread->name)));
	if (!copy)
		return -ENOMEM;
	adding->index[index] = (uint32_t)(copy - report->thread);
	add_thread_totals(adding, thread);
	add_complete(adding, thread, copy);
	return add_history(adding, thread, copy);
}

int td_report_add_threads(struct td_report_adding *adding)
{
	int err = 0;

	for (size_t i = 0; i < adding->profile->threads && !err; i++)
		err = add_thread(adding, i);
	return err;
}

int td_report_add_process(struct td_report_adding *adding, const char *path,
			  enum td_fate fate)
{
	struct td_report *report = adding->report;
	const struct td_file_header *header = &adding->profile->header;
	struct td_report_process *process;

	report->profiles++;
	report->simulated |= header->simulated != 0;
	report->has_time &= header->period_unit == TD_UNIT_NS && header->long_period;
	if (report->processes == TD_REPORT_PROCESSES_MAX) {
		adding->process = TD_REPORT_PROCESSES_MAX - 1;
		adding->folded = 1;
		report->process[adding->process].profiles++;
		return 0;
	}
	if (td_report_reserve(&report->process, report->processes, sizeof(*process)) < 0)
		return -ENOMEM;
	adding->process = (uint32_t)report->processes;
	process = &report->process[report->processes++];
	*process = (struct td_report_process){
		.header = *header, .profiles = 1, .fate = fate};
	process->end_ns = header->end_ns ? header->end_ns : header->start_ns;
	process->path = td_text_clean(path, strlen(path));
	return process->path ? 0 : -ENOMEM;
}
