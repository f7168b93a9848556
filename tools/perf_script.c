// SPDX-License-Identifier: MIT
#include "tools/perf_script.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The name's column: names of threads have up to 15 characters, blanks too. */
#define COMM_WIDTH 16

/* A number at *at and `end` behind it; moves *at behind both.  Returns 1 or 0. */
static int number(const char **at, int base, const char *end, uint64_t *value)
{
	char *stop;

	errno = 0;
	*value = strtoull(*at, &stop, base);
	if (stop == *at || errno || strncmp(stop, end, strlen(end)) != 0)
		return 0;
	*at = stop + strlen(end);
	return 1;
}

static const char *skip_blanks(const char *at)
{
	return at + strspn(at, " ");
}

static int id(const char **at, const char *end, int32_t *value)
{
	uint64_t wide;

	if (!number(at, 10, end, &wide))
		return 0;
	*value = (int32_t)wide;
	return 1;
}

/* "      comm pid/tid [cpu] seconds.nanoseconds: "; returns the rest or NULL. */
static const char *parse_start(const char *text, struct td_perf_line *line)
{
	const char *at = text, *name;
	uint64_t seconds, nanoseconds;
	size_t length = strnlen(text, COMM_WIDTH + 1);

	if (length <= COMM_WIDTH || text[COMM_WIDTH] != ' ')
		return NULL;
	name = skip_blanks(text);
	length = name < text + COMM_WIDTH ? (size_t)(text + COMM_WIDTH - name) : 0;
	if (length > sizeof(line->comm) - 1)
		length = sizeof(line->comm) - 1;
	memcpy(line->comm, name, length);
	at = text + COMM_WIDTH;
	line->cpu = -1;
	if (!id(&at, "/", &line->pid) || !id(&at, " ", &line->tid))
		return NULL;
	at = skip_blanks(at);
	if (*at == '[') {
		at++;
		if (!id(&at, "] ", &line->cpu))
			return NULL;
	}
	if (!number(&at, 10, ".", &seconds) || !number(&at, 10, ": ", &nanoseconds) ||
	    nanoseconds >= 1000000000 || seconds > UINT64_MAX / 2000000000)
		return NULL;
	line->time_ns = seconds * 1000000000 + nanoseconds;
	return at;
}

/* "[0x1000(0x2000) @ 0x3000 fe:00 1 2]: r-xp /path", a space in the path or not */
static void parse_mmap(const char *at, struct td_perf_line *line)
{
	const char *rights;

	at = strchr(at, '[');
	if (!at)
		return;
	at++;
	if (!number(&at, 16, "(", &line->start) ||
	    !number(&at, 16, ") @ ", &line->length) ||
	    !number(&at, 16, "", &line->file_offset))
		return;
	rights = strstr(at, "]: ");
	if (!rights)
		return;
	rights += 3;
	line->path = strchr(rights, ' ');
	if (!line->path || !memchr(rights, 'x', (size_t)(line->path - rights)))
		return;
	line->path++;
	if (line->pid >= 0 && line->length && *line->path &&
	    line->start + line->length > line->start)
		line->kind = TD_PERF_MMAP;
}

/* "(pid:tid):(parent:thread)": the new one first */
static void parse_fork(const char *at, struct td_perf_line *line)
{
	int32_t pid, tid, parent;

	if (!id(&at, ":", &pid) || !id(&at, "):(", &tid) || !id(&at, ":", &parent))
		return;
	line->pid = pid;
	line->tid = tid;
	line->parent = parent;
	line->kind = TD_PERF_FORK;
}

static void parse_record(const char *at, struct td_perf_line *line)
{
	if (strncmp(at, "MMAP", 4) == 0) {
		parse_mmap(at, line);
	} else if (strncmp(at, "FORK(", 5) == 0) {
		parse_fork(at + 5, line);
	} else if (strncmp(at, "COMM exec:", 10) == 0) {
		line->kind = TD_PERF_EXEC;
	} else if (strncmp(at, "LOST", 4) == 0) {
		at = strpbrk(at, "0123456789");
		line->kind = TD_PERF_LOST;
		if (at)
			line->lost = strtoull(at, NULL, 10);
	}
}

/* "5633f347a424 name+0x84" or "5633f347a424 [unknown]" */
static int parse_address(const char *at, struct td_perf_line *line)
{
	const char *plus = NULL;

	at = skip_blanks(at);
	if (!number(&at, 16, "", &line->ip))
		return 0;
	for (const char *next = at; (next = strstr(next, "+0x")) != NULL; next++)
		plus = next;
	if (!plus)
		return 1;
	plus++;
	line->has_symbol = number(&plus, 16, "", &line->offset) && !*skip_blanks(plus) &&
			   line->offset <= line->ip;
	return 1;
}

/* "1013650  task-clock:u:  5633f347a424 ..." */
static void parse_sample(char *at, struct td_perf_line *line)
{
	const char *rest = skip_blanks(at);
	char *event, *end;

	if (!number(&rest, 10, " ", &line->period))
		return;
	event = at + (skip_blanks(rest) - at);
	end = strchr(event, ' ');
	if (!end || end == event || end[-1] != ':')
		return;
	end[-1] = '\0';
	line->event = event;
	if (parse_address(end, line))
		line->kind = TD_PERF_SAMPLE;
}

void td_perf_parse(char *text, struct td_perf_line *line)
{
	static const char record[] = "PERF_RECORD_";
	const char *rest;

	memset(line, 0, sizeof(*line));
	rest = parse_start(text, line);
	if (!rest)
		return;
	rest = skip_blanks(rest);
	if (strncmp(rest, record, sizeof(record) - 1) == 0)
		parse_record(rest + sizeof(record) - 1, line);
	else
		parse_sample(text + (rest - text), line);
}

/* Without the PMU before it and the modifiers behind it. */
static size_t plain_name(const char **event)
{
	const char *slash = strchr(*event, '/');

	if (slash)
		*event = slash + 1;
	return strcspn(*event, slash ? "/" : ":");
}

void td_perf_counter(const char *event, char *name, unsigned size)
{
	static const char *const names[][2] = {
		{"topdown-retiring", "retiring"},
		{"topdown-bad-spec", "bad_speculation"},
		{"topdown-fe-bound", "frontend_bound"},
		{"topdown-be-bound", "backend_bound"},
		{"topdown-heavy-ops", "heavy_operations"},
		{"topdown-br-mispredict", "branch_mispredicts"},
		{"topdown-fetch-lat", "fetch_latency"},
		{"topdown-mem-bound", "memory_bound"},
		{"task-clock", "cpu_time"},
		{"cpu-clock", "cpu_time"},
		{"page-faults", "faults"},
		{"faults", "faults"},
		{"context-switches", "switches"},
		{"cs", "switches"},
		{"cpu-cycles", "cycles"},
	};
	size_t length = plain_name(&event);

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strncmp(event, names[i][0], length) == 0 && !names[i][0][length]) {
			snprintf(name, size, "%s", names[i][1]);
			return;
		}
	}
	snprintf(name, size, "%.*s", (int)(length < 256 ? length : 256), event);
}

/* The number behind "KEY = ", 0 without one. */
static uint64_t value_of(const char *text, const char *key)
{
	const char *at = strstr(text, key);

	return at ? strtoull(at + strlen(key), NULL, 10) : 0;
}

int td_perf_parse_event(const char *text, struct td_perf_event *event)
{
	static const char start[] = "# event : name = ";
	const char *type, *end;
	size_t length;

	if (strncmp(text, start, sizeof(start) - 1) != 0)
		return 0;
	text += sizeof(start) - 1;
	/* names of events with parameters have commas themselves */
	end = strstr(text, ", ");
	length = end ? (size_t)(end - text) : strlen(text);
	if (length >= sizeof(event->name))
		length = sizeof(event->name) - 1;
	memset(event, 0, sizeof(*event));
	memcpy(event->name, text, length);
	event->period = value_of(text, "{ sample_period, sample_freq } = ");
	event->is_frequency = value_of(text, ", freq = ") != 0;
	type = strstr(text, "sample_type = ");
	length = type ? strcspn(type, ",\n") : 0;
	event->has_cpu = length && memmem(type, length, "|CPU", 4) != NULL;
	event->has_read = length && memmem(type, length, "|READ", 5) != NULL;
	return 1;
}
