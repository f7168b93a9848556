/* SPDX-License-Identifier: MIT */
/*
 * Who cuts a thread's windows: the strobe by signals, or the vernier by the
 * kernel.  The two have the same life; their contracts are in their headers.
 * With a thread goes its part on small cores, which only the strobe knows.
 */
#ifndef TD_SIGSAFE_ENGINE_H
#define TD_SIGSAFE_ENGINE_H

#include "agent/sigsafe/strobe.h"
#include "agent/sigsafe/vernier.h"

/* The thread's signal at `ip`; `how`: enum td_signal_how.  Context: signal, on the
 * thread. */
static inline void td_engine_signal(struct td_thread *thread, uint64_t ip, unsigned how)
{
	if (thread->by_vernier)
		td_vernier_tick(thread, ip, how & TD_SIGNAL_DELAYED);
	else
		td_strobe_signal(thread, ip, how);
}

/* Returns 0 or -errno.  Context: normal, on the thread. */
static inline int td_engine_start(struct td_thread *thread)
{
	if (thread->small)
		atomic_store(&thread->small->stopped,
			     td_strobe_start(thread->small) != 0);
	return thread->by_vernier ? td_vernier_start(thread) : td_strobe_start(thread);
}

/* The same for another thread, whose first signal may come at once. */
static inline int td_engine_start_other(struct td_thread *thread)
{
	if (thread->by_vernier)
		return td_vernier_start(thread);
	if (thread->small)
		atomic_store(&thread->small->stopped,
			     thread->small->trigger->start(
				     thread->small,
				     td_strobe_first_period(thread->small)) != 0);
	return thread->trigger->start(thread, td_strobe_first_period(thread));
}

/* Context: normal, on the thread. */
static inline void td_engine_stop(struct td_thread *thread)
{
	if (thread->small)
		td_strobe_stop(thread->small);
	if (thread->by_vernier)
		td_vernier_stop(thread);
	else
		td_strobe_stop(thread);
}

/* The same for another thread, which may be in its handler just now. */
static inline void td_engine_stop_other(struct td_thread *thread)
{
	atomic_store(&thread->stopped, true);
	if (thread->by_vernier)
		td_vernier_stop(thread);
	else
		thread->trigger->stop(thread);
}

/* The program blocks our signal.  Context: any, on the thread, with the signal blocked.
 */
static inline void td_engine_block(struct td_thread *thread)
{
	if (thread->small)
		td_strobe_block(thread->small);
	if (thread->by_vernier)
		td_vernier_drain_over(thread, 1);
	else
		td_strobe_block(thread);
}

/* The same, and none of ours is sent until a period begins anew (one may wait already).
 * Context: any, on the thread, with all signals blocked. */
static inline void td_engine_pause(struct td_thread *thread)
{
	td_engine_block(thread);
	if (thread->small)
		thread->small->trigger->stop(thread->small);
	thread->trigger->stop(thread);
}

/* By the thread or its part on small cores alone. */
static inline void td_engine_begin_period(struct td_thread *thread)
{
	if (thread->by_vernier)
		thread->trigger->start(thread, thread->vernier->tick_ns);
	else
		td_strobe_resume(thread);
}

static inline void td_engine_resume(struct td_thread *thread)
{
	if (thread->small)
		td_strobe_resume(thread->small);
	td_engine_begin_period(thread);
}

/* The thread's signal came where the stack has room for this and no more: a period begins
 * anew.  Context: signal, on the thread. */
static inline void td_engine_skip(struct td_thread *thread)
{
	if (!thread->by_vernier)
		td_strobe_block(thread);
	thread->trigger->stop(thread);
	td_engine_begin_period(thread);
}

#endif
