// SPDX-License-Identifier: MIT
#include "decoder/report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/report_adding.h"
#include "decoder/report_groups.h"
#include "decoder/report_log.h"
#include "decoder/report_notes.h"
#include "decoder/reserve.h"
#include "decoder/text.h"

struct td_report *td_report_new(const struct td_report_query *query)
{
	struct td_report *report = calloc(1, sizeof(*report));

	if (!report)
		return NULL;
	report->query = *query;
	report->has_time = 1;
	return report;
}

void td_report_free(struct td_report *report)
{
	td_report_groups_free(report);
	for (size_t i = 0; i < report->processes; i++)
		free(report->process[i].path);
	for (size_t i = 0; i < report->threads; i++) {
		free(report->thread[i].name);
		free(report->thread[i].history);
	}
	for (size_t i = 0; i < report->modules; i++)
		free(report->module[i].path);
	for (size_t i = 0; i < (report->rows ? report->rows : report->functions); i++) {
		free(report->function[i].name);
		td_groups_free(report->function[i].groups);
		free(report->function[i].total.groups);
		free(report->function[i].jit);
	}
	for (size_t i = 0; i < report->notes; i++)
		free(report->note[i]);
	free(report->process);
	free(report->thread);
	free(report->module);
	free(report->function);
	free(report->part);
	free(report->note);
	td_paths_free(&report->paths);
	td_report_log_free(report->log);
	td_hash_free(&report->by_place);
	td_hash_free(&report->by_module);
	free(report);
}

int td_report_note(struct td_report *report, char *note)
{
	if (!note)
		return -ENOMEM;
	for (size_t i = 0; i < report->notes; i++) {
		if (strcmp(report->note[i], note) == 0) {
			free(note);
			return 0;
		}
	}
	if (report->notes >= TD_REPORT_NOTES_MAX) {
		report->notes_left++;
		free(note);
		return 0;
	}
	if (td_reserve(&report->note, report->notes, sizeof(*report->note)) < 0) {
		free(note);
		return -ENOMEM;
	}
	report->note[report->notes++] = note;
	return 0;
}

int td_report_counter(const struct td_report *report, const char *name)
{
	for (unsigned i = 0; i < report->counters; i++) {
		if (strcmp(report->counter[i].name, name) == 0)
			return (int)i;
	}
	return -1;
}

const char *td_report_module(const struct td_report *report,
			     const struct td_report_function *function)
{
	if (function->module == TD_NO_MODULE)
		return "";
	return report->module[function->module].path;
}

int td_report_wants(const struct td_report *report, const struct td_file_thread *thread)
{
	const char *asked = report->query.thread;
	char tid[16];

	if (!asked)
		return 1;
	snprintf(tid, sizeof(tid), "%u", thread->tid);
	return strcmp(asked, tid) == 0 || strcmp(asked, thread->name) == 0;
}

int td_report_is_rounded(const struct td_report_adding *adding)
{
	return adding->profile->header.backend == TD_BACKEND_METRICS &&
	       adding->counter[0] == 0;
}

static int add_counter(struct td_report *report, const struct td_file_counter *counter)
{
	int known = td_report_counter(report, counter->name);

	if (known >= 0)
		return known;
	if (report->counters == TD_COUNTERS_MAX)
		return -1;
	report->counter[report->counters] = *counter;
	return (int)report->counters++;
}

/*
 * The variances are relative to a window's first counter, so only profiles with
 * the same one can be added up; of others the windows do not count.
 */
static int map_counters(struct td_report_adding *adding)
{
	struct td_report *report = adding->report;
	const struct td_file_header *header = &adding->profile->header;
	int compatible = !report->counters || !header->counters ||
			 strcmp(report->counter[0].name, header->counter[0].name) == 0;

	for (unsigned i = 0; i < TD_COUNTERS_MAX; i++) {
		adding->counter[i] = -1;
		if (i < header->counters && header->counter[i].name[0] && compatible)
			adding->counter[i] = add_counter(report, &header->counter[i]);
	}
	if (compatible)
		return 0;
	return td_report_note(
		report,
		td_text_format("pid %u measured against \"%s\" instead of \"%s\": "
			       "its counters are left out",
			       header->pid, header->counter[0].name,
			       report->counter[0].name));
}

/* The report's plan is that of its first profile with groups. */
static int map_groups(struct td_report_adding *adding)
{
	const struct td_profile *profile = adding->profile;
	struct td_groups_plan *all = &adding->report->plan, plan;

	td_groups_read(&plan, &profile->header);
	if (!plan.groups)
		return 0;
	td_groups_own_cost(profile, adding->group_cost);
	if (!all->groups)
		td_groups_adopt(all, &plan, adding->counter);
	adding->groups = td_groups_match(all, &plan);
	if (adding->groups)
		return 0;
	return td_report_note(
		adding->report,
		td_text_format("pid %u counted other groups of events: its level 2 is "
			       "left out",
			       profile->header.pid));
}

/* The report's event is that of its first profile with one. */
static int map_latencies(struct td_report_adding *adding)
{
	const struct td_file_header *header = &adding->profile->header;
	struct td_report *report = adding->report;
	const char *event = td_latencies_event(header);

	if (!event)
		return 0;
	if (!report->latency_event[0])
		memcpy(report->latency_event, event, sizeof(report->latency_event));
	adding->latencies = strcmp(report->latency_event, event) == 0;
	if (!adding->latencies)
		return td_report_note(report,
				      td_text_format("pid %u has retire latencies of %s: "
						     "they are left out",
						     header->pid, event));
	report->latencies_lost += header->latencies_lost;
	return 0;
}

/*
 * A sample stands for the long period before it and the windows that it opens.
 * A POSIX timer is looked at once a tick: it comes half a tick late on average.
 */
static double sample_time(const struct td_profile *profile)
{
	const struct td_file_header *header = &profile->header;
	int cpu_time = td_profile_counter(profile, "cpu_time");
	double period = (double)header->long_period, sum = 0, windows = 0;
	double together = header->burst > 1 ? header->burst : 1;

	if (header->trigger == TD_TRIGGER_PERF)
		return period; /* which is the window */
	if (header->trigger == TD_TRIGGER_TIMER)
		period += (double)header->resolution_ns / 2;
	for (size_t i = 0; cpu_time >= 0 && i < profile->places; i++) {
		const struct td_file_place *place = profile->place[i].place;

		if (place->group == TD_GROUP_LATENCY)
			continue;
		sum += (double)place->sum[cpu_time].sum;
		windows += (double)place->windows;
	}
	if (windows > 0)
		return period + together * sum / windows;
	return period + together * (double)header->short_period;
}

/* For the reader; each profile's windows have lost their own. */
static void add_own_cost(const struct td_report_adding *adding)
{
	struct td_own_cost *all = &adding->report->own_cost;
	const struct td_own_cost *one = &adding->own_cost;
	uint64_t windows = all->windows + one->windows;

	if (!one->windows)
		return;
	for (unsigned i = 0; i < adding->profile->header.counters; i++) {
		int c = adding->counter[i];

		if (c >= 0)
			all->mean[c] = (all->mean[c] * (double)all->windows +
					one->mean[i] * (double)one->windows) /
				       (double)windows;
	}
	all->windows = windows;
}

/* A thread whose record is used for another one belongs to nobody in particular. */
static int thread_wanted(void *context, uint32_t tid)
{
	const struct td_report_adding *adding = context;
	const struct td_profile *profile = adding->profile;

	if (!adding->report->query.thread)
		return 1;
	for (size_t i = 0; i < profile->threads; i++) {
		if (profile->thread[i]->tid == tid &&
		    td_report_wants(adding->report, profile->thread[i]))
			return 1;
	}
	return 0;
}

/* Of a hybrid processor a profile is read for cores of one type. */
static void note_cores(struct td_report *report, const struct td_profile *profile)
{
	if (!profile->header.small_group)
		return;
	report->hybrid = 1;
	report->cores = profile->cores;
	report->elsewhere += profile->elsewhere;
}

int td_report_add(struct td_report *report, const struct td_profile *profile,
		  const char *path, enum td_fate fate)
{
	struct td_report_adding adding = {.report = report, .profile = profile};
	int err = td_report_add_process(&adding, path, fate);

	if (!err)
		err = map_counters(&adding);
	if (!err)
		err = map_groups(&adding);
	if (!err)
		err = map_latencies(&adding);
	if (!err)
		err = td_report_notes(report, profile);
	note_cores(report, profile);
	td_own_cost_of(profile, &adding.own_cost);
	adding.sample_ns = sample_time(profile);
	add_own_cost(&adding);
	adding.index = calloc(profile->threads + 1, sizeof(*adding.index));
	adding.row = calloc(profile->places + 1, sizeof(*adding.row));
	if (!adding.row || !adding.index)
		err = -ENOMEM;
	else
		memset(adding.index, 0xff, profile->threads * sizeof(*adding.index));
	if (!err)
		err = td_report_add_threads(&adding);
	if (!err)
		err = td_jit_names_read(&adding.names, profile, path,
					report->query.jitdump);
	if (!err)
		err = td_report_add_places(&adding);
	if (!err)
		err = td_report_add_paths(&adding);
	if (!err && adding.groups)
		err = td_report_groups_add(report, profile, adding.group_cost,
					   adding.process, adding.index);
	free(adding.row);
	free(adding.index);
	if (!err)
		err = td_report_log_add(report, profile, td_report_row_number,
					thread_wanted, &adding);
	td_jit_names_free(&adding.names);
	return err;
}
