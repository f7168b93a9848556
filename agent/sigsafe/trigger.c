// SPDX-License-Identifier: MIT
#include "agent/sigsafe/trigger.h"

#include <stddef.h>
#include <time.h>

#include "agent/sigsafe/syscall.h"

static bool perf_is_usable(const struct td_thread *thread)
{
	return td_perf_is_usable(thread);
}

static int arm_perf(struct td_thread *thread, uint64_t period)
{
	return td_perf_arm(thread, &period);
}

static int refresh_perf(struct td_thread *thread, uint64_t period)
{
	int error = arm_perf(thread, period);

	if (error)
		return error;
	thread->refreshed = true;
	return (int)td_syscall3(SYS_ioctl, thread->fd, PERF_EVENT_IOC_REFRESH, 1);
}

static int enable_perf(struct td_thread *thread, uint64_t period)
{
	int error = arm_perf(thread, period);

	return error ? error
		     : (int)td_syscall3(SYS_ioctl, thread->fd, PERF_EVENT_IOC_ENABLE, 0);
}

/*
 * A period that goes on interrupts our handler and the kernel as well, at up to 50 us
 * each on a virtual machine: the shortest one that leaves time for anything else.
 */
#define GOES_ON_LEAST_NS 100000u

/*
 * One signal, then the event disables itself.  A refresh adds to those that are due
 * already, and one too many would be so for ever: periods would go on in our handlers,
 * and send signals that say nothing.  So only where the last one has come for certain,
 * or none was ever asked for: a thread that blocks the signal from its start on would
 * be interrupted for all its life, as often as its first period says.  Another start,
 * also after a stop and behind a signal that waited, adds none: if none is due, periods
 * go on until the next signal, whose handler says that one is.
 */
static int start_perf_once(struct td_thread *thread, uint64_t period)
{
	if (!thread->refreshed)
		return refresh_perf(thread, period);
	return enable_perf(thread, period > GOES_ON_LEAST_NS ? period : GOES_ON_LEAST_NS);
}

static void stop_perf(struct td_thread *thread)
{
	if (td_perf_is_ours(thread, thread->fd))
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

const struct td_trigger_ops td_perf_trigger = {.start = enable_perf,
					       .arm = arm_perf,
					       .change = arm_perf,
					       .usable = perf_is_usable,
					       .stop = stop_perf,
					       .echoes = true};
const struct td_trigger_ops td_perf_once_trigger = {.start = start_perf_once,
						    .arm = refresh_perf,
						    .change = arm_perf,
						    .stop = stop_perf};
const struct td_trigger_ops td_timer_trigger = {
	.start = set_timer, .arm = set_timer, .change = set_timer, .stop = stop_timer};
