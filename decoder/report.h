/* SPDX-License-Identifier: MIT */
/*
 * The report's model: any number of profiles added up, their code places named
 * and merged into functions, with everything that the text, JSON and CSV
 * reports print.  Merging is plain addition, keyed by module (path and
 * build-id) and function; what is divided is divided last.
 *
 *	report = td_report_new(&query);
 *	td_report_add(report, &profile, path, fate);	as often as there are files
 *	td_report_finish(report);
 *	...
 *	td_report_free(report);
 *
 * All strings in the model are clean (text.h) unless said otherwise.
 *
 * Context: normal; no globals, no output.
 */
#ifndef TD_DECODER_REPORT_H
#define TD_DECODER_REPORT_H

#include "decoder/check.h"
#include "decoder/groups.h"
#include "decoder/hash.h"
#include "decoder/history.h"
#include "decoder/latencies.h"
#include "decoder/own_cost.h"
#include "decoder/paths.h"
#include "decoder/profile.h"
#include "decoder/separate.h"
#include "decoder/topdown.h"

enum td_sort {
	TD_SORT_SAMPLES,
	TD_SORT_CPU_TIME,
	TD_SORT_WINDOWS,
	TD_SORT_NAME,
	TD_SORT_TOTAL,
	TD_SORT_NODE, /* + enum td_node */
};

struct td_report_query {
	const char *module;   /* glob over path or base name; NULL: all */
	const char *thread;   /* thread id or name; NULL: all */
	unsigned sort;        /* enum td_sort */
	size_t top;           /* functions to keep, 0: all */
	double min_share;     /* of all samples, 0..1 */
	uint64_t min_windows; /* fewer windows prove nothing (td_report_is_vague()) */
	const char *jitdump;  /* file or directory, see jit_names.h; NULL: look for it */
	int parts;            /* keep which thread each sample and path is of */
};

/* What has become of a process; a profile alone cannot tell all of them. */
enum td_fate {
	TD_FATE_EXITED,
	TD_FATE_EXEC,
	TD_FATE_RUNNING,
	TD_FATE_KILLED,  /* it is gone and did not end its profile */
	TD_FATE_UNKNOWN, /* RUNNING on another host */
};

/*
 * Memory does not grow with the number of profiles.  Of more processes than APART, all
 * of one program on one host, with the same labels and measured alike, are one
 * together, with one thread for each name of a thread; where that leaves more than MAX,
 * the last one takes the rest.
 */
#define TD_REPORT_PROCESSES_APART 64u
#define TD_REPORT_PROCESSES_MAX 128u
#define TD_REPORT_THREADS_FOLDED 64u /* names of threads that are told apart in one */
#define TD_REPORT_NOTES_MAX 64u

struct td_report_process {
	struct td_file_header header; /* strings as in the file: not clean */
	size_t profiles; /* that it is of; if more than 1, all but the sums is of the one
			  * that started first */
	int mixed;       /* 1: they are not alike, so nothing of the header is theirs */
	char *path;      /* of the profile */
	enum td_fate fate;
	uint64_t end_ns; /* CLOCK_MONOTONIC: the end, or the last sample */
	uint64_t samples;
	uint64_t cpu_ns;
	uint32_t threads;
	uint64_t total[TD_COUNTERS_MAX];        /* of the threads asked for */
	struct td_topdown_value node[TD_NODES]; /* of total[] */
	struct td_groups *groups;               /* as the report's */
};

struct td_report_thread {
	struct td_file_thread record;
	char *name;
	uint32_t process;                       /* index */
	uint64_t total[TD_COUNTERS_MAX];        /* by the report's counters */
	struct td_topdown_value node[TD_NODES]; /* of total[] */
	struct td_history *history;             /* NULL: none */
	struct td_groups *groups;               /* as the report's */
};

struct td_report_module {
	struct td_file_object object; /* path as in the file: not clean */
	char *path;
};

/* A rate per second of CPU time. */
struct td_report_rate {
	int present;
	int interval; /* 0: low and high are not known */
	struct td_estimate estimate;
};

/*
 * A function with all that it calls: of the samples that have it on their path,
 * and of the windows whose ends have a call of it in common.  Where it calls
 * itself, each counts once.
 */
struct td_report_total {
	uint64_t samples;
	struct td_estimate share; /* of all samples */
	/* Windows that were opened in it, and of those that did not leave it: where
	 * many do, the others can hold something of what runs in between. */
	uint64_t opened;
	uint64_t windows;
	uint64_t counted[TD_COUNTERS_MAX]; /* windows that sum[] is of */
	struct td_file_sum sum[TD_COUNTERS_MAX];
	uint64_t rounded;
	struct td_path_groups
		*groups; /* windows of groups behind the first; NULL: none */
	struct td_topdown_value node[TD_NODES];
};

/* One row.  Before td_report_finish(): one code place. */
struct td_report_function {
	char *name;
	uint32_t module;  /* index, or TD_NO_MODULE */
	uint32_t kind;    /* enum td_place_kind */
	uint64_t address; /* its start: ELF address; JIT and UNKNOWN: run-time address, 0
			     of JIT code that its compiler has named */
	uint64_t region;
	uint64_t samples;
	uint64_t windows; /* valid ones */
	uint64_t rejected[TD_REJECT_MAX];
	uint64_t counted[TD_COUNTERS_MAX]; /* windows that sum[] is of */
	struct td_file_sum sum[TD_COUNTERS_MAX];
	uint64_t rounded; /* slots of 8-bit windows, own cost included */
	double cpu_ns;
	struct td_estimate share; /* of all samples */
	struct td_report_rate faults;
	struct td_report_rate switches;
	struct td_topdown_value node[TD_NODES];
	uint32_t part; /* index + 1 of its first part, 0: none */
	/* From the log of windows, if there is one; else node[] is of sum[], and evidence
	 * says by which windows: OWN, or NONE. */
	enum td_evidence evidence;
	double identifiability;       /* 0..1; negative: not known */
	uint64_t own;                 /* windows in the log that it has for itself */
	uint64_t told;                /* windows in the log that open or close in it */
	double visit;                 /* mean cycles from entry to exit; 0: not known */
	uint32_t number;              /* while windows are assigned */
	size_t id;                    /* the order in which rows were made */
	char *jit;                    /* JIT: its name by the compiler; until finish */
	struct td_report_total total; /* with call paths only */
	struct td_groups *groups;     /* windows of groups behind the first; NULL: none */
	struct td_latencies latencies;
};
#define TD_NO_MODULE UINT32_MAX

/*
 * What one thread has of a function, or of the paths that end at a node.  Both
 * have their parts as a list, in which a thread may stand more than once.
 */
struct td_report_part {
	uint32_t thread; /* index */
	uint32_t next;   /* index + 1 of the function's next part, 0: none */
	uint64_t samples;
	uint64_t windows; /* valid ones */
	double cpu_ns;
};

struct td_report {
	struct td_report_query query; /* its strings are the caller's */

	struct td_report_process *process;
	size_t processes;
	size_t profiles; /* added up; processes, or more where some are folded */
	int folded;      /* processes that are alike are one */
	struct td_report_thread *thread; /* those that the query asks for */
	size_t threads;
	struct td_report_module *module;
	size_t modules;
	struct td_report_function
		*function;           /* after finish: sorted, what is asked first */
	size_t functions;            /* those that are asked for */
	size_t rows;                 /* after finish: all that there are */
	size_t functions_all;        /* before top, module and min_share */
	struct td_report_part *part; /* if the query asks for parts */
	size_t parts;
	char **note;
	size_t notes;
	size_t notes_left; /* out, above TD_REPORT_NOTES_MAX */

	struct td_file_counter counter[TD_COUNTERS_MAX];
	unsigned counters;
	struct td_topdown_map map;
	struct td_groups_plan plan; /* groups of events, if there are any */
	int hybrid;                 /* 1: it is what ran on cores of one of two types: */
	enum td_core_type cores;
	uint64_t elsewhere;       /* samples on the others, which are left out */
	struct td_groups *groups; /* all windows of the logs, NULL: report_groups.h */
	struct td_groups *uncut;  /* with their own cost, or NULL: report_groups.h */
	char latency_event[TD_EVENT_NAME]; /* clean; "": no retire latencies */
	struct td_latencies latencies;
	uint64_t latencies_lost; /* records that found no room */
	int simulated;
	int has_time; /* cpu_ns of functions is known: periods are times */

	/* totals over the threads asked for */
	uint64_t threads_all; /* folded ones included */
	uint64_t samples;
	double sampled_ns; /* CPU time that they stand for, if has_time */
	uint64_t windows;
	uint64_t rejected[TD_REJECT_MAX];
	uint64_t lost[TD_LOST_MAX];
	uint64_t cpu_ns;
	struct td_own_cost own_cost; /* of the windows; taken out of all sums */
	uint64_t total[TD_COUNTERS_MAX];
	uint64_t total_rounded; /* slots of total[] that 8-bit fractions tell of */
	uint64_t counted[TD_COUNTERS_MAX];
	struct td_file_sum sum[TD_COUNTERS_MAX];
	uint64_t rounded;
	uint64_t unread;    /* samples whose period is not in total[] */
	int total_complete; /* node[] is of total[], not of the windows */
	struct td_topdown_value node[TD_NODES];
	struct td_check check;

	/* windows of the logs, and what their regression says of all of them */
	struct td_report_log *log;
	int separated; /* 1: functions' node[] are from it */
	struct td_separate_cost cost;
	uint64_t told, own; /* windows used, those of one function alone */
	struct td_paths paths;
	int has_paths;        /* at least one profile has call paths: total is of those */
	size_t without_paths; /* profiles that have none */

	struct td_hash by_place;
	struct td_hash by_module;
};

/* NULL without memory. */
struct td_report *td_report_new(const struct td_report_query *query);

/*
 * Says that so many profiles will be added: if they are too many to be told apart, the
 * report need not begin with that.  0 or -ENOMEM.
 */
int td_report_expect(struct td_report *report, size_t profiles);

/* Adds a profile; nothing of it is referred to afterwards.  0 or -ENOMEM. */
int td_report_add(struct td_report *report, const struct td_profile *profile,
		  const char *path, enum td_fate fate);

/* Names, merges, estimates, selects and sorts.  Once; 0 or -ENOMEM. */
int td_report_finish(struct td_report *report);

void td_report_free(struct td_report *report);

/* Adds a note unless the report has it already, or has enough of them.  Takes `note`;
 * 0 or -ENOMEM. */
int td_report_note(struct td_report *report, char *note);

/* The timeline of a process, by its index: of its threads that are asked for. */
void td_report_history(const struct td_report *report, size_t process,
		       struct td_history *history);

/* 1 when memory_bound is any full resource of these cores (data/events, "resource"). */
int td_report_is_resource(const struct td_report *report);

/* The report's counter of that name, or -1. */
int td_report_counter(const struct td_report *report, const char *name);

/* A node's part of the own cost, 0..1; negative where it is not known. */
double td_report_own_part(const struct td_report *report, int node);

/*
 * The top-down that a reader wants to see of the function: its own, or that of its
 * total (*total becomes 1) where it has none, or one that is told from its callers
 * less well than the total is known.
 */
const struct td_topdown_value *td_report_answer(const struct td_report_function *f,
						int *total);

/*
 * The top-down of one call path with all that it calls: a node of td_paths_tree().
 * Nothing is present where no window was inside it.
 */
void td_report_path_values(const struct td_report *report,
			   const struct td_path_node *node,
			   struct td_topdown_value value[TD_NODES]);

/*
 * 1 when a function's value is too uncertain to act on: half its interval is more
 * than 10 points, it has fewer windows than the query wants, or it is known only
 * together with the function's callers, of which no interval says how far its own is.
 */
int td_report_is_vague(const struct td_report *report,
		       const struct td_report_function *function, int node);

/*
 * 1 when the report has retire latencies.  Where each one is 0 the processor or the
 * kernel does not tell them: 0 is none then, and a note says so.
 */
int td_report_has_latencies(const struct td_report *report);

/* 1 when the report has top-down values at all. */
int td_report_has_topdown(const struct td_report *report);

/* The module's path, "" for code without one. */
const char *td_report_module(const struct td_report *report,
			     const struct td_report_function *function);

/* The value of the enumeration for a sort key as the command line has it, or -1. */
int td_report_sort(const char *name);

#endif
