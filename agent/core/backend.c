// SPDX-License-Identifier: MIT
#include "agent/core/backend.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "agent/core/descriptors.h"
#include "agent/core/facts.h"
#include "agent/core/log.h"
#include "agent/core/real.h"
#include "agent/sigsafe/handler.h"
#include "agent/sigsafe/simulated.h"
#include "agent/sigsafe/syscall.h"
#include "agent/sigsafe/trigger.h"

/* Before this, a sigtrap event kills a thread that has SIGTRAP blocked. */
#define KERNEL_SAFE_SIGTRAP 5019

/* These hang when a clock event disables itself. */
#define KERNEL_BAD_REFRESH(kernel) ((kernel) == 6016 || (kernel) == 6017)

/* A window costs two signals and some timer programming, 100 us of CPU time on
 * a slow virtual machine: later than this is later than us. */
#define LATE_NS 1000000u

#define DEFAULT_CYCLES_PER_US 1000u

static long open_perf(enum td_trigger trigger, uint64_t period, uint32_t tid)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.sample_period = period,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.disabled = 1,
		.wakeup_events = 1,
	};

	if (trigger == TD_TRIGGER_SIGTRAP) {
		attr.sigtrap = 1;
		attr.remove_on_exec = 1;
		attr.sig_data = td_signal.cookie;
	}
	return td_syscall6(SYS_perf_event_open, (long)&attr, (long)tid, -1, -1,
			   PERF_FLAG_FD_CLOEXEC, 0);
}

/* Who has the signal already?  A handler is somebody's; ignoring it is not. */
static bool signal_is_free(int number)
{
	struct sigaction action;

	return td_real()->sigaction(number, NULL, &action) == 0 &&
	       (action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN);
}

/* 0 if an event of this kind can be opened, else -errno. */
static long try_perf(enum td_trigger trigger, uint64_t period)
{
	long fd = open_perf(trigger, period, 0);

	if (fd < 0)
		return fd;
	td_syscall1(SYS_close, fd);
	return 0;
}

static const char *why_not_sigtrap(void)
{
	if (td_facts_kernel() < KERNEL_SAFE_SIGTRAP)
		return "kernel before 5.19";
	if (!signal_is_free(SIGTRAP))
		return "SIGTRAP is taken";
	if (td_facts_traced())
		return "a debugger is attached";
	return NULL;
}

/* Below this many ticks the jitter of a period is lost in rounding to them. */
#define TIMER_TICKS 2u

/* The tick: POSIX CPU timers are looked at no more often. */
static uint64_t tick_ns(void)
{
	struct timespec tick;

	return clock_getres(CLOCK_MONOTONIC_COARSE, &tick) == 0 ? (uint64_t)tick.tv_nsec
								: 0;
}

static int choose_timer(struct td_backend_choice *choice, long error)
{
	choice->trigger = TD_TRIGGER_TIMER;
	td_signal.number = SIGPROF;
	snprintf(
		choice->reason + strlen(choice->reason),
		sizeof(choice->reason) - strlen(choice->reason),
		"; perf_event_open refused (%s): POSIX CPU timers, a sample every %llu ms at most, no windows",
		strerror((int)-error),
		(unsigned long long)(TIMER_TICKS * tick_ns() / 1000000));
	if (signal_is_free(SIGPROF))
		return 0;
	snprintf(choice->reason, sizeof(choice->reason),
		 "SIGPROF is taken by somebody else in this process (another profiler?)");
	return -EBUSY;
}

static int choose_trigger(struct td_backend_choice *choice)
{
	const char *obstacle = why_not_sigtrap();
	uint64_t period = choice->plan.long_period;
	long error;

	td_signal.cookie = (uint64_t)(uintptr_t)&td_signal ^ (uint64_t)getpid() << 48;
	if (!obstacle && (error = try_perf(TD_TRIGGER_SIGTRAP, period)) == 0) {
		choice->trigger = TD_TRIGGER_SIGTRAP;
		td_signal.number = SIGTRAP;
		return 0;
	}
	error = try_perf(TD_TRIGGER_SIGNAL, period);
	if (error || !signal_is_free(SIGPROF))
		return choose_timer(choice, error ? error : -EBUSY);
	choice->trigger = TD_TRIGGER_SIGNAL;
	td_signal.number = SIGPROF;
	if (obstacle)
		snprintf(choice->reason + strlen(choice->reason),
			 sizeof(choice->reason) - strlen(choice->reason),
			 "; SIGPROF because %s", obstacle);
	return 0;
}

/* "0" is no period, of whatever unit. */
static bool in_cycles(const struct td_period *period)
{
	return period->unit == TD_UNIT_CYCLES && period->value;
}

/* The clock measures time: a period in cycles is turned into one. */
static uint64_t to_ns(const struct td_period *period)
{
	uint64_t cycles_per_us;

	if (period->unit == TD_UNIT_NS)
		return period->value;
	cycles_per_us = td_facts_cycles_per_us();
	if (!cycles_per_us)
		cycles_per_us = DEFAULT_CYCLES_PER_US;
	return period->value * 1000 / cycles_per_us;
}

static void make_plans(const struct td_options *options, struct td_backend_choice *choice)
{
	choice->plan = (struct td_strobe_plan){
		.long_period = to_ns(&options->long_period),
		.short_period = to_ns(&options->short_period),
		.shortest = TD_TASK_CLOCK_SHORTEST_NS,
		.late = LATE_NS,
		.jitter_percent = options->jitter,
	};
	if (choice->plan.long_period < TD_TASK_CLOCK_SHORTEST_NS)
		choice->plan.long_period = TD_TASK_CLOCK_SHORTEST_NS;
	/* of one unit the options saw to it */
	if (choice->plan.short_period > choice->plan.long_period)
		choice->plan.short_period = choice->plan.long_period;
	choice->timer_plan = choice->plan;
	choice->timer_plan.short_period = 0;
	if (choice->timer_plan.long_period < TIMER_TICKS * tick_ns())
		choice->timer_plan.long_period = TIMER_TICKS * tick_ns();
}

static bool machine_has_slots(void)
{
	return access("/sys/bus/event_source/devices/cpu/events/slots", F_OK) == 0 ||
	       access("/sys/bus/event_source/devices/cpu_core/events/slots", F_OK) == 0;
}

/* The program's own declaration, if it has one that we understand. */
static const struct td_simulation *find_simulation(void)
{
	const struct td_simulation *program = dlsym(RTLD_DEFAULT, TD_SIM_SYMBOL);

	if (!program || program->version != TD_SIMULATION_VERSION ||
	    program->phases > TD_SIM_PHASES_MAX || !program->phase || !program->self)
		return NULL;
	return program;
}

static void choose_counters(const struct td_options *options,
			    struct td_backend_choice *choice)
{
	const char *slots =
		machine_has_slots()
			? "the hardware's top-down counters are not used by this version"
			: "this machine offers no top-down counters (no slots event)";

	choice->backend = TD_BACKEND_CLOCK;
	choice->counters = &td_clock_counters;
	if (options->pmu == TD_PMU_CLOCK) {
		snprintf(choice->reason, sizeof(choice->reason), "TDAGENT_PMU=clock");
		return;
	}
	td_simulated_program = find_simulation();
	if (td_simulated_program) {
		choice->backend = TD_BACKEND_SIMULATED;
		choice->counters = &td_simulated_counters;
		snprintf(choice->reason, sizeof(choice->reason),
			 "the program declares a simulation");
	} else if (options->pmu == TD_PMU_SIMULATED) {
		snprintf(choice->reason, sizeof(choice->reason),
			 "TDAGENT_PMU=simulated, but the program declares no simulation");
	} else {
		snprintf(choice->reason, sizeof(choice->reason), "%s", slots);
	}
}

int td_backend_choose(const struct td_options *options, struct td_backend_choice *choice)
{
	memset(choice, 0, sizeof(*choice));
	make_plans(options, choice);
	choose_counters(options, choice);
	return choose_trigger(choice);
}

static const struct td_file_counter simulated_names[] = {
	{"slots", "slots"},
	{"retiring", "slots"},
	{"bad_speculation", "slots"},
	{"frontend_bound", "slots"},
	{"backend_bound", "slots"},
	{"heavy_operations", "slots"},
	{"branch_mispredicts", "slots"},
	{"fetch_latency", "slots"},
	{"memory_bound", "slots"},
};

static const struct td_file_counter clock_names[TD_CLOCK_COUNTERS] = {
	{"cpu_time", "ns"}, {"faults", "1"}, {"switches", "1"}};

_Static_assert(sizeof(simulated_names) / sizeof(simulated_names[0]) + TD_CLOCK_COUNTERS ==
		       TD_SIMULATED_COUNTERS,
	       "a name for each counter");

uint32_t td_backend_counters(const struct td_backend_choice *choice)
{
	return choice->backend == TD_BACKEND_SIMULATED ? TD_SIMULATED_COUNTERS
						       : TD_CLOCK_COUNTERS;
}

void td_backend_describe(const struct td_options *options,
			 const struct td_backend_choice *choice,
			 struct td_file_header *header)
{
	bool timer = choice->trigger == TD_TRIGGER_TIMER;
	const struct td_strobe_plan *plan = timer ? &choice->timer_plan : &choice->plan;
	struct td_file_counter *counter = header->counter;

	header->backend = choice->backend;
	header->trigger = choice->trigger;
	header->signal = (uint32_t)td_signal.number;
	header->period_unit = TD_UNIT_NS;
	header->long_period = plan->long_period;
	header->short_period = plan->short_period;
	header->jitter_percent = plan->jitter_percent;
	header->resolution_ns = timer ? tick_ns() : plan->shortest;
	header->seed = td_core.seed;
	if (choice->backend == TD_BACKEND_SIMULATED) {
		header->simulated = 1;
		header->level = 2;
		memcpy(counter, simulated_names, sizeof(simulated_names));
		counter += sizeof(simulated_names) / sizeof(simulated_names[0]);
	}
	memcpy(counter, clock_names, sizeof(clock_names));
	memcpy(header->reason, choice->reason, sizeof(header->reason));
	if (in_cycles(&options->long_period) || in_cycles(&options->short_period))
		td_core_note("periods in cycles were turned into time at %llu MHz%s",
			     (unsigned long long)(td_facts_cycles_per_us()
							  ? td_facts_cycles_per_us()
							  : DEFAULT_CYCLES_PER_US),
			     to_ns(&options->short_period) > choice->plan.long_period
				     ? "; TDAGENT_SHORT was longer than TDAGENT_LONG"
				     : "");
}

/* Sends the event's signal to its own thread, asynchronously. */
static int route_signal(int fd, uint32_t tid)
{
	struct f_owner_ex owner = {.type = F_OWNER_TID, .pid = (pid_t)tid};

	if (fcntl(fd, F_SETOWN_EX, &owner) != 0 || fcntl(fd, F_SETFL, O_ASYNC) != 0)
		return -errno;
	return 0;
}

static int open_event(struct td_thread *thread, uint32_t tid)
{
	enum td_trigger trigger = td_core.choice.trigger;
	long fd = open_perf(trigger, td_core.choice.plan.long_period, tid);
	int error = 0;

	if (fd < 0)
		return (int)fd;
	fd = td_descriptor_hide((int)fd);
	thread->fd = (int)fd;
	thread->fd_mark = td_signal.number;
	/* Of a sigtrap event this is only the mark by which we know it again. */
	if (fcntl(thread->fd, F_SETSIG, thread->fd_mark) != 0)
		error = -errno;
	if (!error && trigger == TD_TRIGGER_SIGNAL)
		error = route_signal(thread->fd, tid);
	if (error)
		td_backend_close(thread);
	return error;
}

/* The CPU-time clock of any thread of this process (linux/posix-timers.h). */
static clockid_t clock_of(uint32_t tid)
{
	return (clockid_t)(~tid << 3 | 6);
}

static int open_timer(struct td_thread *thread, uint32_t tid)
{
	struct sigevent event = {
		.sigev_notify = SIGEV_THREAD_ID,
		.sigev_signo = td_signal.number,
		.sigev_value.sival_ptr = (void *)td_signal.cookie,
	};

	event._sigev_un._tid = (pid_t)tid;
	return (int)td_syscall3(SYS_timer_create, clock_of(tid), &event, &thread->timer);
}

int td_backend_open(struct td_thread *thread, uint32_t tid)
{
	int error = -ENOSYS;

	thread->fd = thread->timer = -1;
	thread->counters = td_core.choice.counters;
	if (td_core.choice.trigger != TD_TRIGGER_TIMER) {
		thread->trigger = KERNEL_BAD_REFRESH(td_facts_kernel())
					  ? &td_perf_trigger
					  : &td_perf_once_trigger;
		thread->plan = &td_core.choice.plan;
		error = open_event(thread, tid);
		if (!error)
			return 0;
		td_debug(TD_DEBUG_THREADS, "thread %u: no event (%s), trying a timer",
			 tid, strerror(-error));
	}
	thread->trigger = &td_timer_trigger;
	thread->plan = &td_core.choice.timer_plan;
	return open_timer(thread, tid);
}

void td_backend_close(struct td_thread *thread)
{
	td_descriptor_close(thread->fd);
	if (thread->timer >= 0)
		td_syscall1(SYS_timer_delete, thread->timer);
	thread->fd = thread->timer = -1;
}
