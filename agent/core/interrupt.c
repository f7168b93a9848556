// SPDX-License-Identifier: MIT
#include "agent/core/interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <time.h>

#include "agent/core/facts.h"
#include "agent/sigsafe/descriptors.h"
#include "agent/sigsafe/handler.h"
#include "agent/sigsafe/syscall.h"
#include "agent/sigsafe/trigger.h"

/* `cycles`: of the metrics' windows, not of time. */
static long open_perf(const struct td_backend_choice *choice, enum td_trigger trigger,
		      uint32_t tid, bool cycles, enum td_core_type cores)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = cycles ? PERF_TYPE_HARDWARE : PERF_TYPE_SOFTWARE,
		.config = cycles ? choice->cycles[cores] : PERF_COUNT_SW_TASK_CLOCK,
		.config1 = cycles ? TD_ARCH_USER_READING : 0,
		.sample_period = choice->plan.long_period,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.disabled = 1,
		.wakeup_events = 1,
	};

	if (td_descriptors_are_few()) /* a timer needs none */
		return -EMFILE;
	if (trigger == TD_TRIGGER_SIGTRAP) {
		attr.sigtrap = 1;
		attr.remove_on_exec = 1;
		attr.sig_data = td_handler_cookie(cores);
	}
	return td_syscall6(SYS_perf_event_open, (long)&attr, (long)tid, -1, -1,
			   PERF_FLAG_FD_CLOEXEC, 0);
}

long td_interrupt_try(const struct td_backend_choice *choice, enum td_trigger trigger)
{
	long fd = open_perf(choice, trigger, 0, td_backend_has_cycles(choice),
			    TD_CORES_LARGE);

	if (fd < 0)
		return fd;
	td_syscall1(SYS_close, fd);
	return 0;
}

/* Sends the event's signal to its own thread, asynchronously. */
static int route_signal(int fd, uint32_t tid)
{
	struct f_owner_ex owner = {.type = F_OWNER_TID, .pid = (pid_t)tid};

	if (fcntl(fd, F_SETOWN_EX, &owner) != 0 || fcntl(fd, F_SETFL, O_ASYNC) != 0)
		return -errno;
	return 0;
}

/* A clock event disarms itself, which is cheaper; changing a counter's period is
 * cheaper than scheduling it out and in. */
static const struct td_trigger_ops *operations(bool cycles)
{
	if (cycles || TD_PERF_ONCE_HANGS(td_facts_kernel()))
		return &td_perf_trigger;
	return &td_perf_once_trigger;
}

int td_interrupt_open_event(const struct td_backend_choice *choice,
			    struct td_thread *thread, uint32_t tid)
{
	bool cycles = td_backend_has_cycles(choice) && !thread->by_vernier;
	long fd = open_perf(choice, choice->trigger, tid, cycles, thread->cores);
	int error = 0;

	thread->fd = thread->timer = -1;
	if (fd < 0)
		return (int)fd;
	thread->trigger = operations(cycles);
	thread->fd = td_descriptor_hide((int)fd);
	thread->fd_mark = td_signal.number;
	thread->refreshed = false;
	if (td_descriptor_is_scarce(thread->fd, 7))
		error = -EMFILE;
	/* Of a sigtrap event this is only the mark by which we know it again. */
	if (!error && fcntl(thread->fd, F_SETSIG, thread->fd_mark) != 0)
		error = -errno;
	if (!error && choice->trigger == TD_TRIGGER_SIGNAL)
		error = route_signal(thread->fd, tid);
	if (error)
		td_interrupt_close(thread);
	return error;
}

/* The CPU-time clock of any thread of this process (linux/posix-timers.h). */
static clockid_t clock_of(uint32_t tid)
{
	return (clockid_t)(~tid << 3 | 6);
}

int td_interrupt_open_timer(struct td_thread *thread, uint32_t tid)
{
	struct sigevent event = {
		.sigev_notify = SIGEV_THREAD_ID,
		.sigev_signo = td_signal.number,
		.sigev_value.sival_ptr = (void *)td_signal.cookie,
	};

	thread->fd = thread->timer = -1;
	thread->trigger = &td_timer_trigger;
	event._sigev_un._tid = (pid_t)tid;
	return (int)td_syscall3(SYS_timer_create, clock_of(tid), &event, &thread->timer);
}

void td_interrupt_close(struct td_thread *thread)
{
	td_descriptor_close(thread->fd);
	if (thread->timer >= 0)
		td_syscall1(SYS_timer_delete, thread->timer);
	thread->fd = thread->timer = -1;
}
