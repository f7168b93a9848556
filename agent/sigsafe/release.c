// SPDX-License-Identifier: MIT
#include "agent/sigsafe/release.h"

#include <linux/perf_event.h>
#include <string.h>

#include "agent/sigsafe/groups.h"
#include "agent/sigsafe/handler.h"
#include "agent/sigsafe/metrics.h"
#include "agent/sigsafe/random.h"

void td_capture_now(struct td_thread *thread)
{
	if (thread->registers.mapped)
		td_metrics_capture(&thread->registers, &thread->capture);
}

void td_release_fill(struct td_thread *thread, bool empty)
{
	struct td_release *release = &thread->release;
	const long arm[5] = {SYS_ioctl, thread->fd, PERF_EVENT_IOC_PERIOD,
			     (long)&release->period, 0};
	const long signal_myself[5] = {SYS_rt_tgsigqueueinfo, td_syscall0(SYS_getpid),
				       atomic_load(&thread->tid), td_signal.number,
				       (long)&release->to_myself};

	release->to_myself.si_signo = td_signal.number;
	release->to_myself.si_code = SI_QUEUE;
	release->to_myself.si_value.sival_ptr =
		(void *)(td_handler_cookie(thread->cores) ^ TD_EMPTY_MARK);
	memcpy(release->call, empty ? signal_myself : arm, sizeof(release->call));
	release->empty = empty;
}

void td_release_now(struct td_thread *thread)
{
	struct td_release *release = &thread->release;

	release->wanted = false;
	if (thread->groups)
		td_groups_pass(
			(unsigned)td_random_below(&thread->random, TD_GROUPS_DITHER));
	thread->counters->reset(thread);
	release->error = td_syscall4(release->call[0], release->call[1], release->call[2],
				     release->call[3], release->call[4]);
	if (thread->groups)
		td_groups_pass(TD_GROUPS_PASS);
}
