/* SPDX-License-Identifier: MIT */
/*
 * What can be found out about this machine, without judging it.  Numbers that
 * the machine does not tell are -1.
 *
 * Context: normal.
 */
#ifndef TD_TOOLS_FACTS_H
#define TD_TOOLS_FACTS_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#define TD_FACT_TEXT 512
#define TD_FACT_UNKNOWN INT_MIN /* paranoid: -1 is one of its values */

struct td_facts {
	char kernel[128];
	int kernel_major, kernel_minor;
	char cpu[128];
	bool hypervisor; /* the CPU says that it is a virtual one */

	int paranoid;        /* kernel.perf_event_paranoid, or TD_FACT_UNKNOWN */
	bool perfmon;        /* CAP_PERFMON or CAP_SYS_ADMIN: paranoid does not bind */
	int seccomp;         /* mode of this process: 0 none, 1 strict, 2 filter */
	int64_t sample_rate; /* kernel.perf_event_max_sample_rate, a second */
	int64_t mlock_kb;    /* kernel.perf_event_mlock_kb */
	uint64_t files_soft; /* RLIMIT_NOFILE; UINT64_MAX: no limit */
	uint64_t files_hard;
	uint64_t memlock; /* RLIMIT_MEMLOCK, soft, bytes */
	int64_t tick_ns;  /* of the scheduler: what CPU timers resolve */

	/* what opening it gave: 0 or errno */
	int sigtrap_error; /* perf task-clock, user mode, sigtrap */
	int clock_error;   /* the same without sigtrap */
	int cycles_error;  /* hardware cycles, user mode */
	int metrics_error; /* slots with one topdown event, as a group; ENOENT: not
			      offered */
	int events_error;  /* a group of this CPU's events beside sampled cycles, all
			      the time on its counters; ENOENT: no tables for it */
	int precise_error; /* cycles with the instruction itself and its weight (PEBS) */
	int timer_error;   /* POSIX timer on this thread's CPU time */

	bool sysfs;          /* /sys lists PMUs, of whatever kind */
	bool pmu;            /* a CPU PMU among them */
	bool slots;          /* it has the slots event */
	uint32_t slots_type; /* perf_event_attr.type of that PMU */
	int topdown_events;  /* it has so many topdown-* events */
	int rdpmc;           /* its rdpmc setting: 0 never, 1 with an event, 2 always */
	int max_precise;     /* instructions are sampled so precisely; 2: the right one */
	char core_cpus[64];  /* of a hybrid processor: "0-11", the large cores */
	char atom_cpus[64];  /* the small ones; "": it is not hybrid */
	bool strobe;         /* a patched kernel's format/strobe_period is there */
	bool user_access;    /* it is kernel.perf_user_access that says so (aarch64) */

	/* what the way back in user mode needs; nothing of it but on x86_64 */
	bool x86_64;
	bool xsave;        /* the kernel has turned it on */
	bool shadow_stack; /* this process has one */

	char family[24];    /* of the event tables, "": this CPU is in none */
	int event_wanted;   /* events of its first group, which is level 1 */
	int event_counters; /* of these such a group can have; 0 none */
	bool smt;           /* two hardware threads of a core are on */
	bool watchdog;      /* the NMI watchdog is on: it takes a counter */

	/* what the agent took in a program that does nothing, with the default settings,
	 * as in a profile's header; agent_backend 0: it could not be asked */
	unsigned agent_backend, agent_trigger, agent_level;
	bool agent_windows;
	bool agent_both; /* the cores of both types */
	char agent_reason[192];

	char directory[TD_FACT_TEXT];       /* for profiles */
	char directory_fault[TD_FACT_TEXT]; /* "": it can be written */
	char library[TD_FACT_TEXT];
	char library_fault[TD_FACT_TEXT]; /* "": it was found */
};

/* Tries and reads; opens events for a moment and may make the directory. */
void td_facts_gather(struct td_facts *facts);

/* The part of it that is about kernel and processor: runs no program, writes nothing. */
void td_facts_machine(struct td_facts *facts);

struct perf_event_attr;

/* Opens an event of user mode for this thread, in the group of `leader` (-1: one of its
 * own, disabled); fills in the rest of `attr`.  A descriptor or -errno. */
int td_facts_open(struct perf_event_attr *attr, int leader);

/* The part of it that is about groups of events; the PMUs are known already. */
void td_facts_events(struct td_facts *facts);

/* The part that is about the PMUs, which `directory` of /sys lists. */
void td_facts_pmus(struct td_facts *facts, const char *directory);

/* The part that the agent tells; library and directory are known already. */
void td_facts_agent(struct td_facts *facts);

#endif
