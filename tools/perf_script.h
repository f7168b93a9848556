/* SPDX-License-Identifier: MIT */
/*
 * Reads the lines that `perf script` prints of a perf.data, when asked for
 *
 *	-G --no-demangle --no-inline --ns --show-mmap-events --show-task-events
 *	--show-lost-events -F comm,pid,tid,[cpu,]time,event,ip,sym,symoff,period
 *
 * and the lines of its --header-only.  What a perf.data names (paths, symbols) is
 * untrusted: nothing here trusts a length or a number.
 *
 * Context: normal; pure functions.
 */
#ifndef TD_TOOLS_PERF_SCRIPT_H
#define TD_TOOLS_PERF_SCRIPT_H

#include <stdint.h>

enum td_perf_kind {
	TD_PERF_OTHER, /* nothing of interest */
	TD_PERF_SAMPLE,
	TD_PERF_MMAP, /* executable */
	TD_PERF_EXEC, /* the process became another program */
	TD_PERF_FORK, /* pid, tid: the new thread; parent: its process */
	TD_PERF_LOST,
};

/* One line; the strings point into it. */
struct td_perf_line {
	enum td_perf_kind kind;
	char comm[16];
	int32_t pid;
	int32_t tid;
	int32_t cpu; /* -1: not recorded */
	uint64_t time_ns;

	/* SAMPLE: one counter of it */
	uint64_t period;
	const char *event;
	uint64_t ip;
	int has_symbol;
	uint64_t offset; /* of ip in the symbol */

	/* MMAP */
	uint64_t start;
	uint64_t length;
	uint64_t file_offset;
	const char *path;

	int32_t parent; /* FORK */
	uint64_t lost;  /* LOST: records */
};

/* Reads the line, without its newline, and cuts it into strings. */
void td_perf_parse(char *text, struct td_perf_line *line);

/*
 * The name of our counter for perf's event: "retiring" for "topdown-retiring:u"
 * or "cpu/topdown-retiring/u", "cpu_time" for "task-clock"; what we have no name
 * for keeps its own.  `size` is at least 2; a long name is cut.
 */
void td_perf_counter(const char *event, char *name, unsigned size);

/* An event as the header has it. */
struct td_perf_event {
	char name[64];
	uint64_t period;  /* of the one that samples; 0: counted only */
	int is_frequency; /* the period is one: samples a second */
	int has_cpu;      /* samples have their CPU */
	int has_read;     /* samples read the whole group */
};

/* Reads a line "# event : ..."; returns 1, or 0 for another line. */
int td_perf_parse_event(const char *text, struct td_perf_event *event);

#endif
