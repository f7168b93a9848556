/* SPDX-License-Identifier: MIT */
/*
 * The state of the agent in this process.  Written at start (and again in a
 * forked child), before threads of ours exist; constant afterwards unless a
 * field says otherwise.
 */
#ifndef TD_CORE_CORE_H
#define TD_CORE_CORE_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "agent/core/confined.h"
#include "agent/sigsafe/syscall.h"
#include "agent/sigsafe/thread.h"
#include "decoder/options.h"

/* How threads are interrupted and read. */
struct td_backend_choice {
	enum td_backend backend;
	enum td_trigger trigger;
	const struct td_counter_ops *counters;
	/* The cycles event of the PMU, by type of cores. */
	uint64_t cycles[TD_CORE_TYPES];
	bool both; /* a hybrid's small cores are counted beside the large ones */
	struct td_strobe_plan plan;       /* of perf triggers */
	struct td_strobe_plan timer_plan; /* of threads that only got a timer */
	enum td_windows windows;          /* who cuts them */
	struct td_strobe_plan vernier_plan;
	bool back; /* who opens a window goes back to the program by itself (leave.h) */
	char reason[192];
};

/* Hardware counters: what interrupts are cycles, not time. */
static inline bool td_backend_has_cycles(const struct td_backend_choice *choice)
{
	return choice->backend == TD_BACKEND_METRICS ||
	       choice->backend == TD_BACKEND_EVENTS;
}

/* Why the measurement ended before the program. */
enum td_down {
	TD_DOWN_NOT,
	TD_DOWN_SIGNAL, /* the program reads our signal from a descriptor */
	TD_DOWN_TRACED, /* it lets its parent trace it, who would see our signals */
	/* from here on not one system call is made any more */
	TD_DOWN_SECCOMP,  /* it is about to forbid some, perhaps by death, or has been
			   * started with some forbidden that we need */
	TD_DOWN_DISPATCH, /* it is about to have them sent to itself */
};

struct td_core {
	struct td_options options;
	struct td_backend_choice choice;
	char path[2 * TD_PATH_MAX]; /* of the profile, "" if it has no name */
	uint32_t pid;
	uint64_t seed;
	enum td_confinement confinement; /* at the start */
	bool quiet;          /* a child of a profiled process: no report of its own */
	atomic_bool running; /* between start and finish */
	atomic_int down;     /* enum td_down; set once, while running */
};

extern struct td_core td_core;

/* May system calls be forbidden to us?  Context: any. */
static inline bool td_core_is_mute(void)
{
	return atomic_load(&td_core.down) >= TD_DOWN_SECCOMP;
}

/* False in a child that was made by a system call of its own (vfork, clone, a raw fork):
 * our threads are not its threads, and the kernel's mappings are not in it.  False,
 * without asking the kernel, if system calls may be forbidden.
 * Context: any. */
static inline bool td_core_is_here(void)
{
	return !td_core_is_mute() && (uint32_t)td_syscall0(SYS_getpid) == td_core.pid;
}

/* True in such a child: its actions and masks are its own, while our memory may be its
 * parent's.  Context: any. */
static inline bool td_core_is_elsewhere(void)
{
	return td_core.pid && !td_core_is_mute() && !td_core_is_here();
}

/*
 * The one lock of the agent: thread list, profile's thread records, signal
 * dispositions.  Taken with all signals blocked, so that no handler of the
 * program can run, and want it, while we hold it.  Context: normal.
 */
void td_core_lock(sigset_t *saved);
void td_core_unlock(const sigset_t *saved);

/* Adds a line to the profile's header, as soon as there is one, and says it if the
 * process is not quiet. */
__attribute__((format(printf, 1, 2))) void td_core_note(const char *format, ...);

#endif
