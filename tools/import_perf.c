// SPDX-License-Identifier: MIT
/*
 * A perf.data is read by perf itself: its binary format is perf's own, what `perf
 * script` prints is documented.
 */
#include "tools/import_perf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tools/perf_script.h"
#include "tools/pipe.h"

struct importing {
	const char *perf;
	const char *input;
	struct td_import *import;
	struct td_perf_event event[TD_COUNTERS_MAX];
	int counter[TD_COUNTERS_MAX]; /* of each event */
	unsigned events;
	unsigned too_many; /* further events */
	char cmdline[1024];
	time_t captured; /* 0: not known */

	/* the sample whose counters are being read */
	int pending;
	struct td_import_sample sample;
	uint64_t seen; /* bits of counters */
	char comm[16];
	uint64_t samples;
	uint64_t total[TD_COUNTERS_MAX];
	uint64_t lost;
};

static int say(const char *object, const char *why)
{
	fprintf(stderr, "tdagent import: %s: %s\n", object, why);
	return -1;
}

/* What all of perf's commands share.  Returns 0 or -1, said. */
static int start(const struct importing *at, struct td_pipe *pipe,
		 const char *const *argv)
{
	int err = td_pipe_open(pipe, argv);

	if (!err)
		return 0;
	return say(at->perf,
		   err == -ENOENT ? "is not there; see --perf" : strerror(-err));
}

/* Likewise; `err` is why the reading ended before the output. */
static int end(const struct importing *at, struct td_pipe *pipe, int err)
{
	int status = td_pipe_close(pipe);

	if (err == -EINVAL)
		return say(at->input, "perf printed an event that its header lacks");
	if (err)
		return say(at->input, strerror(-err));
	return status ? say(at->input, "perf cannot read it") : 0;
}

static void copy_fact(char *to, size_t size, const char *text)
{
	const char *value = strstr(text, " : ");
	size_t length = value ? strlen(value) : 0;

	/* perf writes a blank behind each word of a command */
	while (length > 3 && value[length - 1] == ' ')
		length--;
	if (value)
		snprintf(to, size, "%.*s", (int)(length - 3), value + 3);
}

/* One line of the file's header. */
static void read_fact(struct importing *at, const char *line)
{
	struct td_file_header *header = td_import_header(at->import);
	struct td_perf_event event;
	struct tm tm = {.tm_isdst = -1};

	if (td_perf_parse_event(line, &event)) {
		if (at->events < TD_COUNTERS_MAX)
			at->event[at->events++] = event;
		else
			at->too_many++;
	} else if (strncmp(line, "# hostname", 10) == 0) {
		copy_fact(header->host, sizeof(header->host), line);
	} else if (strncmp(line, "# os release", 12) == 0) {
		copy_fact(header->kernel, sizeof(header->kernel), line);
	} else if (strncmp(line, "# cpudesc", 9) == 0) {
		copy_fact(header->cpu, sizeof(header->cpu), line);
	} else if (strncmp(line, "# cmdline", 9) == 0) {
		copy_fact(at->cmdline, sizeof(at->cmdline), line);
	} else if (strncmp(line, "# captured on", 13) == 0 && strstr(line, " : ")) {
		if (strptime(strstr(line, " : ") + 3, "%a %b %d %H:%M:%S %Y", &tm))
			at->captured = mktime(&tm);
	}
}

static int read_facts(struct importing *at)
{
	const char *const argv[] = {at->perf,  "script",        "-i",
				    at->input, "--header-only", NULL};
	struct td_pipe pipe;
	char *line;

	if (start(at, &pipe, argv) < 0)
		return -1;
	while ((line = td_pipe_line(&pipe)) != NULL)
		read_fact(at, line);
	return end(at, &pipe, 0);
}

static const struct td_perf_event *sampler_of(const struct importing *at)
{
	for (unsigned i = 0; i < at->events; i++) {
		if (at->event[i].period)
			return &at->event[i];
	}
	return NULL;
}

/* Can windows be made of these events? */
static int check_events(const struct importing *at)
{
	const char *input = at->input;
	unsigned samplers = 0;

	for (unsigned i = 0; i < at->events; i++)
		samplers += at->event[i].period != 0;
	if (!at->events || !samplers)
		return say(input, "has no event that samples");
	if (at->too_many)
		return say(input, "has more than 16 events");
	if (samplers > 1 || (at->events > 1 && !sampler_of(at)->has_read))
		return say(input, "its events are not sampled as one group: record with "
				  "-e '{FIRST,SECOND,...}:S'");
	return 0;
}

static const char *unit_of(const char *counter)
{
	static const char *const slots[] = {"slots",
					    "retiring",
					    "bad_speculation",
					    "frontend_bound",
					    "backend_bound",
					    "heavy_operations",
					    "branch_mispredicts",
					    "fetch_latency",
					    "memory_bound"};

	for (size_t i = 0; i < sizeof(slots) / sizeof(slots[0]); i++) {
		if (strcmp(counter, slots[i]) == 0)
			return "slots";
	}
	return strcmp(counter, "cpu_time") == 0 ? "ns" : "1";
}

/* The event that the others are related to: slots, else CPU time, else what samples. */
static unsigned first_event(const struct importing *at)
{
	static const char *const first[] = {"slots", "cpu_time"};
	char name[24];

	for (unsigned k = 0; k < 2; k++) {
		for (unsigned i = 0; i < at->events; i++) {
			td_perf_counter(at->event[i].name, name, sizeof(name));
			if (strcmp(name, first[k]) == 0)
				return i;
		}
	}
	return (unsigned)(sampler_of(at) - at->event);
}

static void add_counter(struct importing *at, unsigned event)
{
	struct td_file_header *header = td_import_header(at->import);
	char name[24];

	td_perf_counter(at->event[event].name, name, sizeof(name));
	/* the same event twice, say for user and for kernel mode: two counters */
	for (unsigned i = 0; i < header->counters; i++) {
		if (strcmp(header->counter[i].name, name) == 0)
			snprintf(name, sizeof(name), "%.23s", at->event[event].name);
	}
	at->counter[event] = td_import_counter(at->import, name, unit_of(name));
}

static int has_counter(const struct td_file_header *header, const char *name)
{
	for (unsigned i = 0; i < header->counters; i++) {
		if (strcmp(header->counter[i].name, name) == 0)
			return (int)i;
	}
	return -1;
}

static void add_counters(struct importing *at)
{
	const struct td_perf_event *sampler = sampler_of(at);
	struct td_file_header *header = td_import_header(at->import);
	unsigned first = first_event(at);

	add_counter(at, first);
	for (unsigned i = 0; i < at->events; i++) {
		if (i != first)
			add_counter(at, i);
	}
	if (!sampler->is_frequency)
		td_import_period(at->import, at->counter[sampler - at->event],
				 sampler->period);
	header->trigger = TD_TRIGGER_PERF;
	header->backend = TD_BACKEND_EVENTS;
	if (strcmp(header->counter[0].name, "cpu_time") == 0)
		header->backend = TD_BACKEND_CLOCK;
	if (strcmp(header->counter[0].name, "slots") == 0 &&
	    has_counter(header, "retiring") >= 0) {
		header->backend = TD_BACKEND_METRICS;
		header->level = has_counter(header, "heavy_operations") >= 0 ? 2 : 1;
	}
	snprintf(header->agent, sizeof(header->agent), "%s", PACKAGE_STRING);
	snprintf(header->command, sizeof(header->command), "%s", at->cmdline);
	snprintf(header->reason, sizeof(header->reason),
		 "imported from perf, which sampled %s%llu %s",
		 sampler->is_frequency ? "with a frequency of " : "every ",
		 (unsigned long long)sampler->period, sampler->name);
	if (!sampler->has_cpu)
		td_import_note(
			at->import,
			"the samples do not tell their CPU: windows of threads that "
			"moved may be mixed (perf record --sample-cpu)");
}

static int flush_sample(struct importing *at)
{
	if (!at->pending)
		return 0;
	at->pending = 0;
	at->samples++;
	for (unsigned i = 0; i < TD_COUNTERS_MAX; i++)
		at->total[i] += at->sample.count[i];
	return td_import_sample(at->import, &at->sample);
}

static int same_sample(const struct importing *at, const struct td_perf_line *line,
		       int counter)
{
	const struct td_import_sample *sample = &at->sample;

	return at->pending && sample->pid == line->pid && sample->tid == line->tid &&
	       sample->time_ns == line->time_ns && sample->ip == line->ip &&
	       sample->cpu == line->cpu && !(at->seen >> counter & 1);
}

static int take_counter(struct importing *at, const struct td_perf_line *line)
{
	int counter = -1, err = 0;

	for (unsigned i = 0; i < at->events && counter < 0; i++) {
		if (strcmp(at->event[i].name, line->event) == 0)
			counter = at->counter[i];
	}
	if (counter < 0)
		return -EINVAL;
	if (!same_sample(at, line, counter)) {
		err = flush_sample(at);
		snprintf(at->comm, sizeof(at->comm), "%s", line->comm);
		at->sample = (struct td_import_sample){
			.thread = at->comm,
			.pid = line->pid,
			.tid = line->tid,
			.cpu = line->cpu,
			.time_ns = line->time_ns,
			.ip = line->ip,
			.has_symbol = line->has_symbol,
			.offset = line->offset,
		};
		at->seen = 0;
		at->pending = 1;
	}
	at->sample.count[counter] = line->period;
	at->seen |= (uint64_t)1 << counter;
	return err;
}

static int take_line(struct importing *at, const struct td_perf_line *line)
{
	int err;

	if (line->kind == TD_PERF_SAMPLE)
		return take_counter(at, line);
	err = flush_sample(at);
	if (err)
		return err;
	switch (line->kind) {
	case TD_PERF_MMAP:
		return td_import_map(at->import, line->pid, line->start, line->length,
				     line->file_offset, line->path);
	case TD_PERF_EXEC:
		return td_import_exec(at->import, line->pid);
	case TD_PERF_FORK:
		return td_import_fork(at->import, line->pid, line->parent);
	case TD_PERF_LOST:
		at->lost += line->lost;
		td_import_gap(at->import);
		return 0;
	default:
		return 0;
	}
}

static int read_samples(struct importing *at)
{
	const char *fields = sampler_of(at)->has_cpu
				     ? "comm,pid,tid,cpu,time,event,ip,sym,symoff,period"
				     : "comm,pid,tid,time,event,ip,sym,symoff,period";
	const char *const argv[] = {at->perf,
				    "script",
				    "-i",
				    at->input,
				    "-G",
				    "--no-demangle",
				    "--no-inline",
				    "--ns",
				    "--show-mmap-events",
				    "--show-task-events",
				    "--show-lost-events",
				    "-F",
				    fields,
				    NULL};
	struct td_pipe pipe;
	struct td_perf_line line;
	char *text;
	int err = 0;

	if (start(at, &pipe, argv) < 0)
		return -1;
	while (!err && (text = td_pipe_line(&pipe)) != NULL) {
		td_perf_parse(text, &line);
		err = take_line(at, &line);
	}
	if (!err)
		err = flush_sample(at);
	return end(at, &pipe, err);
}

/* "0123abcd path" */
static void read_build_id(struct importing *at, char *line)
{
	unsigned char id[32];
	size_t size = 0;
	unsigned byte;

	while (size < sizeof(id) && sscanf(line + 2 * size, "%2x", &byte) == 1 &&
	       line[2 * size] != ' ')
		id[size++] = (unsigned char)byte;
	if (size && line[2 * size] == ' ')
		td_import_build_id(at->import, line + 2 * size + 1, id, size);
}

static int read_build_ids(struct importing *at)
{
	const char *const argv[] = {at->perf, "buildid-list", "-i", at->input, NULL};
	struct td_pipe pipe;
	char *line;

	if (start(at, &pipe, argv) < 0)
		return -1;
	while ((line = td_pipe_line(&pipe)) != NULL)
		read_build_id(at, line);
	return end(at, &pipe, 0);
}

/* The mean period in the only two units that a profile has; 0 for another one. */
static void set_period(struct importing *at)
{
	struct td_file_header *header = td_import_header(at->import);
	int time = has_counter(header, "cpu_time"),
	    cycles = has_counter(header, "cycles");
	int counter = time >= 0 ? time : cycles;

	header->period_unit = time >= 0 ? TD_UNIT_NS : TD_UNIT_CYCLES;
	if (counter >= 0 && at->samples)
		header->long_period =
			(at->total[counter] + at->samples / 2) / at->samples;
	header->short_period = header->long_period;
}

/* After the samples: when and how much. */
static int conclude(struct importing *at)
{
	struct td_file_header *header = td_import_header(at->import);
	uint64_t duration = header->end_ns - header->start_ns;

	if (!at->samples)
		return say(at->input, "has no samples");
	set_period(at);
	/* the file is written last */
	if (at->captured > 0)
		header->start_realtime_ns =
			(uint64_t)at->captured * 1000000000u - duration;
	if (at->lost)
		td_import_note(at->import, "perf lost %llu records",
			       (unsigned long long)at->lost);
	return 0;
}

int td_import_perf(struct td_import *import, const char *perf, const char *input)
{
	struct importing at = {.perf = perf, .input = input, .import = import};

	if (read_facts(&at) < 0 || check_events(&at) < 0)
		return -1;
	add_counters(&at);
	if (read_samples(&at) < 0 || read_build_ids(&at) < 0)
		return -1;
	return conclude(&at);
}
