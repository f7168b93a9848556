/* SPDX-License-Identifier: MIT */
/*
 * Every option of tdagent, once.  td_option_table drives the parsing of the
 * environment (TDAGENT_LONG), the options of `tdagent run` (--long), --help,
 * and the check that the manual names each of them.
 *
 * Context: normal.  Pure functions on their arguments; no environment, no
 * output, no allocation.
 */
#ifndef TD_DECODER_OPTIONS_H
#define TD_DECODER_OPTIONS_H

#include <stddef.h>
#include <stdint.h>

#include "decoder/format.h"

struct td_period {
	uint64_t value; /* 0: none (the short period only: no windows) */
	enum td_unit unit;
};

enum td_pmu_choice {
	TD_PMU_AUTO,
	TD_PMU_METRICS,
	TD_PMU_CLOCK,
	TD_PMU_SIMULATED,
	TD_PMU_EVENTS,
};
enum td_level_choice {
	TD_LEVEL_AUTO, /* level 2 where level 1 points there */
	TD_LEVEL_1,
	TD_LEVEL_2,
	TD_LEVEL_0, /* no top-down: rates of events */
};
enum td_windows_choice {
	TD_WINDOWS_AUTO,
	TD_WINDOWS_BY_RDPMC,
	TD_WINDOWS_BY_VERNIER,
};
/* How the handler that opens a window goes back to the program. */
enum td_return {
	TD_RETURN_SIGRETURN,
	TD_RETURN_USER, /* by itself, in user mode, where it can (default) */
};
enum td_report_to { TD_REPORT_STDERR, TD_REPORT_NONE, TD_REPORT_FILE };
enum td_children {
	TD_CHILDREN_QUIET,  /* profiled, each in its file, no report (default) */
	TD_CHILDREN_REPORT, /* profiled, each prints its own report */
	TD_CHILDREN_OFF,    /* not profiled */
};
/* Under a seccomp filter that was there before the program. */
enum td_seccomp {
	TD_SECCOMP_PROBE, /* a child tries what it ends (default) */
	TD_SECCOMP_TRUST, /* it ends nothing */
	TD_SECCOMP_OFF,   /* not profiled */
};
/* TDAGENT_DEBUG: a comma-separated list of these, or "all" */
enum td_debug {
	TD_DEBUG_CORE = 1 << 0,
	TD_DEBUG_THREADS = 1 << 1,
	TD_DEBUG_STORE = 1 << 2,
	TD_DEBUG_STROBE = 1 << 3,
};

#define TD_PATH_MAX 1024

/*
 * Periods with hardware counters, unless given: cycles of user mode.  A window costs two
 * interrupts and two signals, some 20,000 cycles; every 3,000,000 that is below 1 %.
 */
#define TD_LONG_CYCLES 3000000
#define TD_SHORT_CYCLES 2000

/* Events from one retire latency to the next, unless asked for otherwise. */
#define TD_LATENCY_PERIOD 1000000u
#define TD_LATENCY_PERIOD_LEAST 1000u

struct td_options {
	struct td_period long_period;
	struct td_period short_period;
	/* 0: nobody asked for that period, the backend may have a better one */
	int long_given;
	int short_given;
	uint32_t jitter; /* percent of the long period, 0..100 */
	uint32_t burst;  /* windows after each long period, 1..TD_BURST_MAX */
	enum td_pmu_choice pmu;
	enum td_windows_choice windows;
	enum td_return back;
	enum td_level_choice level;
	char events[TD_PATH_MAX]; /* further ones, with commas; "": none */
	char latency[80]; /* EVENT or EVENT@PERIOD, see TD_LATENCY_PERIOD; "": none */
	char labels[sizeof(((struct td_file_header *)0)->labels)]; /* label_list.h */
	char output[TD_PATH_MAX]; /* "": the default directory */
	enum td_report_to report;
	char report_file[TD_PATH_MAX];
	enum td_children children;
	enum td_seccomp seccomp;
	int callpath;   /* 1: take call paths */
	unsigned debug; /* enum td_debug, or-ed */
	uint64_t seed;  /* 0: from the clock */
	/* How messages name options: "--long" where `command` is set, but TDAGENT_LONG
	 * where a variable gave it (a bit for each entry of the table). */
	int command;
	uint32_t variables;
};

struct td_option {
	const char *name;     /* "LONG": TDAGENT_LONG and --long */
	const char *argument; /* "PERIOD", for --help */
	const char *fallback; /* the default, in words, for --help; behind a comma what it
				 is with hardware counters */
	const char *help;     /* one line */
	/*
	 * 0, or -EINVAL with `options` unchanged and `why` filled: what was wrong
	 * and what to write, without the option's name.
	 */
	int (*parse)(struct td_options *options, const char *value, char *why,
		     size_t size);
};

extern const struct td_option td_option_table[];
extern const size_t td_option_count;

/* NULL if no option has this name (upper case, without TDAGENT_). */
const struct td_option *td_option_find(const char *name);

/* The option whose name was probably meant, or NULL. */
const struct td_option *td_option_nearest(const char *name);

/* "--long" for a command's user, else "TDAGENT_LONG". */
#define TD_OPTION_NAME 32 /* bytes, with the end */
void td_option_spell(const struct td_option *option, int command,
		     char text[TD_OPTION_NAME]);

/* Sets every default. */
void td_options_init(struct td_options *options);

/*
 * Sets one option; `name` without the TDAGENT_ prefix, in upper case.
 * Returns 0, -ENOENT for a name that is not in the table or -EINVAL for a bad
 * value; then `why` holds one line without newline that names the option, says
 * what was wrong and what would be right, and `options` is unchanged.
 */
int td_options_set(struct td_options *options, const char *name, const char *value,
		   char *why, size_t size);

/* The same for the argument of a command that has this option: 0 or -EINVAL. */
int td_options_argument(struct td_options *options, const struct td_option *option,
			const char *value, char *why, size_t size);

/*
 * What no option can tell alone; call it after all have been set.
 * Returns 0, or -EINVAL with `why` as above: the short period is longer than
 * the long one.  Periods in different units are not compared: only the backend
 * knows the clock rate.
 */
int td_options_check(const struct td_options *options, char *why, size_t size);

/*
 * Reads "1000000" (cycles), "300", "10us", "1ms", "2s", "500ns".
 * Returns 0 or -EINVAL (no such form, or more than 64 bits).
 */
int td_period_parse(const char *text, struct td_period *period);

/* Writes "10us" or "300 cycles": exact, in the largest unit that divides. */
void td_period_print(const struct td_period *period, char *text, size_t size);

/*
 * Expands %p (pid), %e (the base name of `program`) and %% in `pattern`.
 * Returns 0, or -EINVAL for another % or -ENAMETOOLONG.
 */
int td_output_expand(const char *pattern, uint32_t pid, const char *program, char *path,
		     size_t size);

#endif
