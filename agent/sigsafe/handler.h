/* SPDX-License-Identifier: MIT */
/*
 * The signal handler, and what the program wanted the same signal to do.
 */
#ifndef TD_SIGSAFE_HANDLER_H
#define TD_SIGSAFE_HANDLER_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "agent/sigsafe/thread.h"

/* The signal that the trigger sends and how to know it from others; constant
 * after the start. */
struct td_signal {
	int number;      /* 0: the agent has no handler */
	uint64_t cookie; /* si_perf_data or si_value of ours */
};

/* What an empty window's own signal has in its cookie besides. */
#define TD_EMPTY_MARK 1u
#define TD_SMALL_MARK 2u /* in the cookie of a thread on small cores */

extern struct td_signal td_signal;

/* Of a thread's part on cores of this type. */
static inline uint64_t td_handler_cookie(enum td_core_type cores)
{
	return td_signal.cookie ^ (cores == TD_CORES_SMALL ? TD_SMALL_MARK : 0);
}

/* Of the stack that the calling thread was born with what is far enough from its end
 * (core/stacks.h); size 0: not known.  Its lowest address is `end`. */
struct td_own_stack {
	uint64_t end, start, size;
};
extern __thread struct td_own_stack td_own_stack
	__attribute__((tls_model("initial-exec")));

/* Is there room below `sp` for all that our signals take at most?  Context: any. */
static inline bool td_own_stack_has_room(uint64_t sp)
{
	return sp - td_own_stack.start < td_own_stack.size;
}

/* Is `sp` on that stack, and nearer to its end?  Context: any. */
static inline bool td_own_stack_has_no_room(uint64_t sp)
{
	return sp - td_own_stack.end < td_own_stack.start - td_own_stack.end;
}

/* All threads ever profiled, newest first; entries are only added. */
extern _Atomic(struct td_thread *) td_threads;

/*
 * What the program has set for our signal; the kernel has our handler
 * instead.  Written by core with all signals blocked, under its lock; a
 * handler on another thread may see a mixture for an instant, as it could
 * with the kernel's own.
 */
extern struct sigaction td_program_action;

/* The kernel's struct sigaction. */
struct td_kernel_action {
	void *handler;
	unsigned long flags;
	void *restorer;
	uint64_t mask;
};

/* Does this signal, of number td_signal.number, come of our trigger?  Context: any, on
 * the thread that got it. */
bool td_handler_is_ours(const siginfo_t *info);

/* Takes what is pending of ours on this thread.  Context: any, the signal blocked or
 * the thread stopped. */
void td_handler_drain(void);

/* The process's handler for td_signal.number.  Context: signal. */
void td_handler(int number, siginfo_t *info, void *context);

#endif
