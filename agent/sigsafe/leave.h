/* SPDX-License-Identifier: MIT */
/*
 * The way from the handler into the window and back to the program, in user mode.
 *
 * A return to user mode costs the pipeline some tens of cycles, different ones each time
 * (an edge).  A handler that leaves by sigreturn has two of them between the arming of
 * the window's period and the program: of the arming itself, and sigreturn's.  Both
 * eat into the period, so how much of it was the program's is known to some 20 cycles
 * only.  Here the period is looked at behind the first, and there is no second: the
 * handler restores what it was interrupted with by itself.  From where the window is
 * open until its period ends nothing runs but the program and a few instructions of
 * ours, the same each time.
 *
 * What sigreturn restores is: the signal mask (a system call, before the window), vector
 * state (XRSTOR, before the window), registers, flags, and where to go on (RET).
 * Where there is more to it, or it is not sure, the handler leaves as any other:
 * td_leave_may().
 */
#ifndef TD_SIGSAFE_LEAVE_H
#define TD_SIGSAFE_LEAVE_H

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#include "agent/sigsafe/thread.h"

#ifdef __x86_64__

/* What is in a section of its own: linkers say where it begins and ends. */
#define TD_LEAVE_SECTION "td_leaving"
extern const char td_leave_begin[] __asm__("__start_td_leaving")
	__attribute__((visibility("hidden")));
extern const char td_leave_end[] __asm__("__stop_td_leaving")
	__attribute__((visibility("hidden")));

/* Can handlers of this process do it at all?  Context: normal. */
bool td_leave_can(void);

/* Once, before the first signal; otherwise td_leave_may() is false.  Context: normal. */
void td_leave_setup(void);
extern bool td_leave_is_set_up; /* nothing else need be asked where it is not */

/* Can the handler that interrupted this go back to it by itself?  Context: signal. */
bool td_leave_may(const ucontext_t *interrupted);

/*
 * Opens the prepared window (thread->release) and goes back to the program, with its
 * mask.  Signals of the program that come meanwhile come before.  If it returns, the
 * handler is to leave as any other: true, with the window still to be opened, where
 * td_leave_may() is false, a signal of the program waits or the mask cannot be set;
 * false, without one, where a signal that came meanwhile has made it void.  Context:
 * signal, the last thing in the handler.
 */
bool td_leave(struct td_thread *thread, const ucontext_t *interrupted);

/* Is that the way to the program and not yet the program?  Then the period was over
 * before there was anything of it; or the window is an empty one, which ends here. */
static inline bool td_leave_covers(uint64_t ip)
{
	return ip - (uint64_t)td_leave_begin <
	       (uint64_t)td_leave_end - (uint64_t)td_leave_begin;
}

#else

#define td_leave_is_set_up false

static inline bool td_leave_can(void)
{
	return false;
}

static inline void td_leave_setup(void)
{
}

static inline bool td_leave_may(const ucontext_t *interrupted)
{
	(void)interrupted;
	return false;
}

static inline bool td_leave(struct td_thread *thread, const ucontext_t *interrupted)
{
	(void)thread;
	(void)interrupted;
	return true;
}

static inline bool td_leave_covers(uint64_t ip)
{
	(void)ip;
	return false;
}

#endif

#endif
