// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/report_adding.h"
#include "decoder/reserve.h"
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
	if (thread->last_ns > process->end_ns && !process->header.end_ns && adding->shown)
		process->end_ns = thread->last_ns;
	report->cpu_ns += thread->cpu_ns;
	report->windows += thread->windows;
	for (unsigned i = 0; i < TD_REJECT_MAX; i++)
		report->rejected[i] += thread->rejected[i];
	for (unsigned i = 0; i < TD_LOST_MAX; i++)
		report->lost[i] += thread->lost[i];
	report->unread += thread->unread;
}

/* Of a process that stands for many: the thread that takes those of that name.  NULL:
 * none yet. */
static struct td_report_thread *folded_thread(const struct td_report *report,
					      size_t threads, uint32_t process,
					      const char *name)
{
	size_t count = 0;

	for (size_t i = 0; i < threads; i++) {
		struct td_report_thread *thread = &report->thread[i];

		if (thread->process == process && (strcmp(thread->name, name) == 0 ||
						   ++count == TD_REPORT_THREADS_FOLDED))
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
	struct td_report_thread *copy = NULL;

	if (name && adding->folded)
		copy = folded_thread(report, report->threads, adding->process, name);
	if (copy) {
		fold_thread(&copy->record, thread);
		free(name);
		return copy;
	}
	if (!name || td_reserve(&report->thread, report->threads, sizeof(*copy)) < 0) {
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

/* 1 if readers need not see them apart. */
static int alike(const struct td_file_header *a, const struct td_file_header *b)
{
	return strcmp(a->labels, b->labels) == 0 && strcmp(a->host, b->host) == 0 &&
	       strcmp(a->exe, b->exe) == 0 && a->backend == b->backend &&
	       a->simulated == b->simulated && a->period_unit == b->period_unit &&
	       a->long_period == b->long_period;
}

/* The first of `processes` that is like it; SIZE_MAX: none. */
static size_t find_alike(const struct td_report *report, size_t processes,
			 const struct td_file_header *header)
{
	for (size_t i = 0; i < processes; i++)
		if (alike(&report->process[i].header, header))
			return i;
	return SIZE_MAX;
}

static void add_totals(uint64_t into[TD_COUNTERS_MAX],
		       const uint64_t from[TD_COUNTERS_MAX])
{
	for (unsigned i = 0; i < TD_COUNTERS_MAX; i++)
		into[i] += from[i];
}

/* `into` stands for both, and shows the first of them. */
static void join_processes(struct td_report_process *into, struct td_report_process *from)
{
	if (from->header.start_realtime_ns < into->header.start_realtime_ns) {
		char *path = into->path;

		into->header = from->header;
		into->path = from->path;
		into->fate = from->fate;
		into->end_ns = from->end_ns;
		from->path = path;
	}
	into->profiles += from->profiles;
	into->samples += from->samples;
	into->cpu_ns += from->cpu_ns;
	into->threads += from->threads;
	add_totals(into->total, from->total);
	td_groups_take(&into->groups, &from->groups);
	free(from->path);
}

/* Leaves one process of those that are alike; to[i] is where i has gone. */
static void fold_processes(struct td_report *report, uint32_t *to)
{
	size_t kept = 0;

	for (size_t i = 0; i < report->processes; i++) {
		struct td_report_process *from = &report->process[i];
		size_t found = find_alike(report, kept, &from->header);

		to[i] = (uint32_t)(found == SIZE_MAX ? kept : found);
		if (found == SIZE_MAX) {
			report->process[kept++] = *from;
			continue;
		}
		join_processes(&report->process[found], from);
	}
	report->processes = kept;
}

/* Takes what `from` has. */
static void join_threads(struct td_report_thread *into, struct td_report_thread *from)
{
	fold_thread(&into->record, &from->record);
	add_totals(into->total, from->total);
	td_groups_take(&into->groups, &from->groups);
	if (!into->history) {
		into->history = from->history;
	} else {
		if (from->history)
			td_history_add(into->history, from->history);
		free(from->history);
	}
	free(from->name);
}

/* The threads of processes that have become one, likewise. */
static void fold_threads(struct td_report *report, const uint32_t *process, uint32_t *to)
{
	size_t kept = 0;

	for (size_t i = 0; i < report->threads; i++) {
		struct td_report_thread thread = report->thread[i], *into = NULL;

		thread.process = process[thread.process];
		if (report->process[thread.process].profiles > 1)
			into = folded_thread(report, kept, thread.process, thread.name);
		to[i] = (uint32_t)(into ? (size_t)(into - report->thread) : kept);
		if (into)
			join_threads(into, &thread);
		else
			report->thread[kept++] = thread;
	}
	report->threads = kept;
	/* a list of parts may have a thread more than once */
	for (size_t i = 0; i < report->parts; i++)
		report->part[i].thread = to[report->part[i].thread];
}

/* From now on processes that are alike are one. */
static int fold(struct td_report *report)
{
	uint32_t *process = calloc(report->processes + 1, sizeof(*process));
	uint32_t *thread = calloc(report->threads + 1, sizeof(*thread));
	int err = process && thread ? 0 : -ENOMEM;

	if (!err) {
		fold_processes(report, process);
		fold_threads(report, process, thread);
		report->folded = 1;
	}
	free(process);
	free(thread);
	return err;
}

int td_report_expect(struct td_report *report, size_t profiles)
{
	if (report->folded || profiles + report->processes <= TD_REPORT_PROCESSES_APART)
		return 0;
	return fold(report);
}

/* What a process shows is this profile's. */
static int show(struct td_report_adding *adding, struct td_report_process *process,
		const char *path, enum td_fate fate)
{
	const struct td_file_header *header = &adding->profile->header;
	char *clean = td_text_clean(path, strlen(path));

	if (!clean)
		return -ENOMEM;
	free(process->path);
	process->path = clean;
	process->header = *header;
	process->fate = fate;
	process->end_ns = header->end_ns ? header->end_ns : header->start_ns;
	adding->shown = 1;
	return 0;
}

/* Makes the profile part of a process that there is. */
static int join_process(struct td_report_adding *adding, size_t index, const char *path,
			enum td_fate fate)
{
	struct td_report_process *process = &adding->report->process[index];

	adding->process = (uint32_t)index;
	adding->folded = 1;
	process->profiles++;
	if (process->mixed || adding->profile->header.start_realtime_ns >=
				      process->header.start_realtime_ns)
		return 0;
	return show(adding, process, path, fate);
}

static int new_process(struct td_report_adding *adding, const char *path,
		       enum td_fate fate)
{
	struct td_report *report = adding->report;
	struct td_report_process *process;

	if (td_reserve(&report->process, report->processes, sizeof(*process)) < 0)
		return -ENOMEM;
	adding->process = (uint32_t)report->processes;
	process = &report->process[report->processes++];
	*process = (struct td_report_process){.profiles = 1};
	return show(adding, process, path, fate);
}

int td_report_add_process(struct td_report_adding *adding, const char *path,
			  enum td_fate fate)
{
	struct td_report *report = adding->report;
	const struct td_file_header *header = &adding->profile->header;
	size_t found = SIZE_MAX;

	report->profiles++;
	report->simulated |= header->simulated != 0;
	report->has_time &= header->period_unit == TD_UNIT_NS && header->long_period;
	if (td_report_expect(report, 1) < 0)
		return -ENOMEM;
	if (report->folded)
		found = find_alike(report, report->processes, header);
	if (found == SIZE_MAX && report->processes == TD_REPORT_PROCESSES_MAX) {
		found = report->processes - 1;
		report->process[found].mixed = 1;
	}
	if (found == SIZE_MAX)
		return new_process(adding, path, fate);
	return join_process(adding, found, path, fate);
}

void td_report_history(const struct td_report *report, size_t process,
		       struct td_history *history)
{
	memset(history, 0, sizeof(*history));
	for (size_t i = 0; i < report->threads; i++)
		if (report->thread[i].process == process && report->thread[i].history)
			td_history_add(history, report->thread[i].history);
}
