// SPDX-License-Identifier: MIT
#include "agent/sigsafe/trigger.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <time.h>

#include "agent/sigsafe/syscall.h"

/* The program may close any descriptor and get its number for a file of its
 * own: an ioctl on that would be ours to answer for. */
static bool is_ours(const struct td_thread *thread)
{
	return thread->fd >= 0 &&
	       td_syscall3(SYS_fcntl, thread->fd, F_GETSIG, 0) == thread->fd_mark;
}

static int arm_perf(struct td_thread *thread, uint64_t period)
{
	if (!is_ours(thread))
		return -EBADF;
	return (int)td_syscall3(SYS_ioctl, thread->fd, PERF_EVENT_IOC_PERIOD, &period);
}

/* One signal, then the event disables itself.  A refresh adds to those that are
 * due already: only for an event whose last signal has come. */
static int arm_perf_once(struct td_thread *thread, uint64_t period)
{
	int error = arm_perf(thread, period);

	return error ? error
		     : (int)td_syscall3(SYS_ioctl, thread->fd, PERF_EVENT_IOC_REFRESH, 1);
}

static int start_perf(struct td_thread *thread, uint64_t period)
{
	int error = arm_perf(thread, period);

	return error ? error
		     : (int)td_syscall3(SYS_ioctl, thread->fd, PERF_EVENT_IOC_ENABLE, 0);
}

static void stop_perf(struct td_thread *thread)
{
	if (is_ours(thread))
		td_syscall3(SYS_ioctl, thread->fd, PERF_EVENT_IOC_DISABLE, 0);
}

static int set_timer(struct td_thread *thread, uint64_t ns)
{
	struct itimerspec value = {
		.it_value = {.tv_sec = (time_t)(ns / 1000000000u),
			     .tv_nsec = (long)(ns % 1000000000u)},
	};

	return (int)td_syscall4(SYS_timer_settime, thread->timer, 0, &value, NULL);
}

static void stop_timer(struct td_thread *thread)
{
	set_timer(thread, 0);
}

const struct td_trigger_ops td_perf_trigger = {.start = start_perf,
					       .arm = arm_perf,
					       .change = arm_perf,
					       .stop = stop_perf,
					       .echoes = true};
const struct td_trigger_ops td_perf_once_trigger = {.start = arm_perf_once,
						    .arm = arm_perf_once,
						    .change = arm_perf,
						    .stop = stop_perf};
const struct td_trigger_ops td_timer_trigger = {
	.start = set_timer, .arm = set_timer, .change = set_timer, .stop = stop_timer};
