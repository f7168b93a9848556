/* SPDX-License-Identifier: MIT */
/*
 * The triggers of the clock: perf's task-clock event, which interrupts user
 * mode exactly where a period ends, and POSIX CPU timers, which the kernel
 * looks at once a scheduler tick only.
 */
#ifndef TD_SIGSAFE_TRIGGER_H
#define TD_SIGSAFE_TRIGGER_H

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>

#include "agent/sigsafe/syscall.h"
#include "agent/sigsafe/thread.h"

/* perf's hrtimer grants no shorter period (kernel/events/core.c). */
#define TD_TASK_CLOCK_SHORTEST_NS 10000u

/* thread->fd is the event, F_SETSIG thread->fd_mark on it. */
extern const struct td_trigger_ops td_perf_trigger;
/*
 * The same event, one signal for each arming: a period of 10 us that goes on
 * by itself interrupts our handler ten times, which costs more than the handler.
 * Not where a clock event that disables itself hangs the kernel: 6.16 and 6.17.
 */
#define TD_PERF_ONCE_HANGS(kernel) ((kernel) == 6016 || (kernel) == 6017)
extern const struct td_trigger_ops td_perf_once_trigger;
/* thread->timer is the timer's kernel id. */
extern const struct td_trigger_ops td_timer_trigger;

/*
 * What td_perf_trigger does, without the call.  Context: signal, on the thread.
 *
 * The program may close any descriptor and get its number for a file of its own:
 * an ioctl on that would be ours to answer for.
 */
static inline bool td_perf_is_ours(const struct td_thread *thread, int fd)
{
	return fd >= 0 && td_syscall3(SYS_fcntl, fd, F_GETSIG, 0) == thread->fd_mark;
}

/* The counters' leader as well: it is reset in the handler. */
static inline bool td_perf_is_usable(const struct td_thread *thread)
{
	return td_perf_is_ours(thread, thread->fd) &&
	       td_perf_is_ours(thread, thread->registers.slots_fd);
}

static inline int td_perf_arm(struct td_thread *thread, const uint64_t *period)
{
	if (!td_perf_is_ours(thread, thread->fd))
		return -EBADF;
	return (int)td_syscall3(SYS_ioctl, thread->fd, PERF_EVENT_IOC_PERIOD, period);
}

#endif
