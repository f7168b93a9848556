// SPDX-License-Identifier: MIT
#include "agent/core/backend.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "agent/core/cores.h"
#include "agent/core/events.h"
#include "agent/core/events_open.h"
#include "agent/core/facts.h"
#include "agent/core/log.h"
#include "agent/core/interrupt.h"
#include "agent/core/metrics.h"
#include "agent/core/plan.h"
#include "agent/core/real.h"
#include "agent/core/vernier.h"
#include "agent/sigsafe/descriptors.h"
#include "agent/sigsafe/groups.h"
#include "agent/sigsafe/handler.h"
#include "agent/sigsafe/leave.h"
#include "agent/sigsafe/metrics.h"
#include "agent/sigsafe/simulated.h"
#include "agent/sigsafe/vernier.h"
#include "decoder/registers.h"

/* Before this, a sigtrap event kills a thread that has SIGTRAP blocked. */
#define KERNEL_SAFE_SIGTRAP 5019

static struct td_metrics_machine metrics_machine;
static char no_groups[192]; /* why not, if somebody looked */

/* Who has the signal already?  A handler is somebody's; ignoring it is not. */
static bool is_free(const struct sigaction *action)
{
	return action->sa_handler == SIG_DFL || action->sa_handler == SIG_IGN;
}

static bool signal_is_free(int number)
{
	struct sigaction action;

	return td_real()->sigaction(number, NULL, &action) == 0 && is_free(&action);
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

/* How often the kernel may move a thread to the other type of cores while it looks. */
#define MOVES_MOST 5

static int choose_timer(struct td_backend_choice *choice, long error)
{
	choice->trigger = TD_TRIGGER_TIMER;
	td_signal.number = SIGPROF;
	snprintf(
		choice->reason + strlen(choice->reason),
		sizeof(choice->reason) - strlen(choice->reason),
		"; perf_event_open refused (%s): POSIX CPU timers, a sample every %llu ms at most, no windows",
		strerror((int)-error),
		(unsigned long long)(td_plan_timer_ns() / 1000000));
	if (signal_is_free(SIGPROF))
		return 0;
	snprintf(choice->reason, sizeof(choice->reason),
		 "SIGPROF is taken by somebody else in this process (another profiler?)");
	return -EBUSY;
}

static int choose_trigger(struct td_backend_choice *choice)
{
	const char *obstacle = why_not_sigtrap();
	long error;

	if (!obstacle && (error = td_interrupt_try(choice, TD_TRIGGER_SIGTRAP)) == 0) {
		choice->trigger = TD_TRIGGER_SIGTRAP;
		td_signal.number = SIGTRAP;
		return 0;
	}
	error = td_interrupt_try(choice, TD_TRIGGER_SIGNAL);
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

/* The program's own declaration, if it has one that we understand. */
static const struct td_simulation *find_simulation(void)
{
	const struct td_simulation *program = dlsym(RTLD_DEFAULT, TD_SIM_SYMBOL);

	if (!program || program->version != TD_SIMULATION_VERSION ||
	    program->phases > TD_SIM_PHASES_MAX || !program->phase || !program->self)
		return NULL;
	return program;
}

static void use_counters(struct td_backend_choice *choice, enum td_backend backend,
			 const struct td_counter_ops *counters, const char *reason)
{
	choice->backend = backend;
	choice->counters = counters;
	snprintf(choice->reason, sizeof(choice->reason), "%s", reason);
}

static void add_reason(struct td_backend_choice *choice, const char *text)
{
	size_t length = strlen(choice->reason);

	snprintf(choice->reason + length, sizeof(choice->reason) - length, "; %s", text);
}

/* Groups of events; otherwise what stands in the way is added to `why`. */
static int use_events(const struct td_options *options, struct td_backend_choice *choice,
		      char *why, size_t size)
{
	bool any = options->pmu == TD_PMU_AUTO;
	char text[sizeof(choice->reason)] = "";
	size_t used;
	int error;

	if (!any && options->pmu != TD_PMU_EVENTS)
		return -ENOENT;
	error = td_events_detect(options, text, sizeof(text));
	if (error) {
		snprintf(no_groups, sizeof(no_groups), "%s", text);
		used = any ? strlen(why) : 0;
		snprintf(why + used, size - used, "%s%s", used ? "; " : "", text);
		return error;
	}
	td_events_reason(text, sizeof(text));
	for (unsigned i = 0; i < TD_CORE_TYPES; i++)
		choice->cycles[i] = td_events_cycles(i);
	choice->both = td_events_on_both();
	use_counters(choice, TD_BACKEND_EVENTS, &td_groups_ops, text);
	if (any)
		add_reason(choice, why);
	return 0;
}

/* *large: on large ones as well. */
static bool may_run_on_small(bool *large)
{
	struct td_cores cores[TD_CORE_TYPES];

	if (!td_cores_find(cores))
		return false;
	*large = CPU_COUNT(&cores[TD_CORES_LARGE].cpus) > 0;
	return CPU_COUNT(&cores[TD_CORES_SMALL].cpus) > 0;
}

/* The best that was asked for and that is here; the clock is everywhere. */
static void choose_counters(const struct td_options *options,
			    struct td_backend_choice *choice)
{
	char why[sizeof(choice->reason)] = "TDAGENT_PMU=clock";
	bool any = options->pmu == TD_PMU_AUTO, large = true;

	/* PERF_METRICS of level 1 alone, and level 2 is asked for */
	if (any && options->level == TD_LEVEL_2 &&
	    td_metrics_detect(&metrics_machine, why, sizeof(why)) == 0 &&
	    td_metrics_shape.nodes == TD_FIELDS_LEVEL1) {
		snprintf(why, sizeof(why), "PERF_METRICS has no level 2 here");
		if (use_events(options, choice, why, sizeof(why)) == 0)
			return;
	}
	/* what is counted beside the registers is fixed */
	if (any && (options->events[0] || options->level == TD_LEVEL_0)) {
		snprintf(why, sizeof(why), "as %s demands",
			 options->events[0] ? "TDAGENT_EVENTS" : "TDAGENT_LEVEL");
		if (use_events(options, choice, why, sizeof(why)) == 0)
			return;
	}
	/* the registers are the large cores' alone; so are the vernier's rings */
	if (any && may_run_on_small(&large) &&
	    (!large || options->windows != TD_WINDOWS_BY_VERNIER)) {
		snprintf(why, sizeof(why), "registers are of large cores only");
		if (use_events(options, choice, why, sizeof(why)) == 0 &&
		    (choice->both || !large))
			return;
	}
	if ((any || options->pmu == TD_PMU_METRICS) &&
	    td_metrics_detect(&metrics_machine, why, sizeof(why)) == 0) {
		choice->cycles[TD_CORES_LARGE] = metrics_machine.cycles;
		use_counters(choice, TD_BACKEND_METRICS, metrics_machine.counters,
			     td_metrics_reader(&metrics_machine));
		/* whole totals and each window of level 1 are worth more than turns */
		if (any && options->level == TD_LEVEL_AUTO &&
		    td_metrics_shape.nodes == TD_FIELDS_LEVEL1)
			add_reason(choice, "level 2 is not in them, TDAGENT_LEVEL=2 "
					   "counts it by groups of events");
		return;
	}
	if (use_events(options, choice, why, sizeof(why)) == 0)
		return;
	if (any || options->pmu == TD_PMU_SIMULATED)
		td_simulated_program = find_simulation();
	if (td_simulated_program) {
		use_counters(choice, TD_BACKEND_SIMULATED, &td_simulated_counters,
			     "the program declares a simulation");
		return;
	}
	if (options->pmu == TD_PMU_SIMULATED)
		snprintf(why, sizeof(why),
			 "TDAGENT_PMU=simulated, but the program declares no simulation");
	use_counters(choice, TD_BACKEND_CLOCK, &td_clock_counters, why);
}

/* May user mode not read the counters?  A strobe has a system call in each window then.
 */
static bool is_read_by_kernel(const struct td_backend_choice *choice)
{
	if (choice->backend == TD_BACKEND_EVENTS)
		return td_groups_shapes->by_read;
	return choice->counters == &td_metrics_read_counters;
}

static bool wants_vernier(const struct td_options *options,
			  const struct td_backend_choice *choice)
{
	if (options->windows == TD_WINDOWS_AUTO) /* its rings are of one type of cores */
		return is_read_by_kernel(choice) && !choice->both;
	return options->windows == TD_WINDOWS_BY_VERNIER;
}

static int try_vernier(struct td_backend_choice *choice, char *why, size_t size)
{
	const char *obstacle = NULL;

	if (choice->trigger == TD_TRIGGER_TIMER)
		obstacle = "no vernier without perf events";
	if (choice->backend == TD_BACKEND_SIMULATED)
		obstacle = "no vernier of simulated counters";
	if (!obstacle)
		return td_vernier_try(choice, &metrics_machine, why, size);
	snprintf(why, size, "%s", obstacle);
	return -EOPNOTSUPP;
}

/* Instead of who else reads the counters, the first `old` characters; the rest, why this
 * trigger for example, stays. */
static void say_by_kernel(struct td_backend_choice *choice, size_t old)
{
	char *reason = choice->reason, rest[sizeof(choice->reason)];
	size_t size = sizeof(choice->reason), length;

	snprintf(rest, sizeof(rest), "%s", reason + old);
	if (choice->backend == TD_BACKEND_EVENTS)
		td_events_reason(reason, size);
	else
		snprintf(reason, size,
			 "SLOTS and PERF_METRICS as the kernel reads them%s%s",
			 is_read_by_kernel(choice) ? ", because " : "",
			 is_read_by_kernel(choice) ? td_metrics_obstacle(&metrics_machine)
						   : "");
	length = strlen(reason);
	snprintf(reason + length, size - length, "%s", rest);
}

/* So much of the reason says who reads the counters. */
static size_t reader_length(const struct td_backend_choice *choice)
{
	char text[sizeof(choice->reason)];

	if (choice->backend != TD_BACKEND_EVENTS)
		return strcspn(choice->reason, ";");
	td_events_reason(text, sizeof(text));
	return strlen(text);
}

/* The strobe where the vernier cannot. */
static void choose_windows(const struct td_options *options,
			   struct td_backend_choice *choice)
{
	size_t reader = reader_length(choice);
	char why[128] = "";

	choice->windows = TD_WINDOWS_RDPMC;
	if (!wants_vernier(options, choice))
		return;
	if (try_vernier(choice, why, sizeof(why))) {
		add_reason(choice, why);
		return;
	}
	choice->windows = TD_WINDOWS_VERNIER;
	choice->both = false; /* its rings are of one type of cores */
	if (td_backend_has_cycles(choice))
		say_by_kernel(choice, reader);
	snprintf(why, sizeof(why), "%srings emptied each %u ms of CPU time or earlier",
		 td_vernier_alternates()
			 ? "by a period that alternates, so windows are of one length; "
			 : "",
		 (unsigned)(td_vernier_shape.tick_ns / 1000000));
	add_reason(choice, why);
	if (!td_backend_has_cycles(choice))
		return;
	/* a strobe's windows have a cost of their own: they do not go into one log with
	 * these, so a thread without a ring has samples only */
	choice->plan.short_period = 0;
}

/* By it a process knows its own signals, also from those of who it was forked from. */
static void make_cookie(void)
{
	td_signal.cookie = (uint64_t)(uintptr_t)&td_signal ^ (uint64_t)getpid() << 48;
}

bool td_backend_inherit(const struct td_backend_choice *choice)
{
	if (choice->trigger == TD_TRIGGER_TIMER || !td_signal.number ||
	    !is_free(&td_program_action))
		return false;
	make_cookie();
	return true;
}

int td_backend_choose_timer(const struct td_options *options,
			    struct td_backend_choice *choice)
{
	memset(choice, 0, sizeof(*choice));
	td_simulated_program = NULL;
	make_cookie();
	use_counters(choice, TD_BACKEND_CLOCK, &td_clock_counters,
		     "a seccomp filter ends who opens perf events");
	td_plan_make(options, choice);
	choice->windows = TD_WINDOWS_RDPMC;
	return choose_timer(choice, -EPERM);
}

static void say_which_cores(struct td_backend_choice *choice)
{
	char text[160];

	if (td_backend_has_cycles(choice) &&
	    td_cores_say(choice->both, text, sizeof(text)))
		add_reason(choice, text);
}

/* Not in bursts: the next window would open on the way of the one before. */
static void choose_return(const struct td_options *options,
			  struct td_backend_choice *choice)
{
	choice->back = options->back == TD_RETURN_USER && td_backend_has_cycles(choice) &&
		       !is_read_by_kernel(choice) &&
		       choice->windows == TD_WINDOWS_RDPMC &&
		       choice->trigger != TD_TRIGGER_TIMER && choice->plan.short_period &&
		       choice->plan.burst <= 1 && td_leave_can();
	if (choice->back)
		add_reason(choice, "back in user mode");
}

int td_backend_choose(const struct td_options *options, struct td_backend_choice *choice)
{
	int error;

	memset(choice, 0, sizeof(*choice));
	td_simulated_program = NULL;
	make_cookie();
	choose_counters(options, choice);
	for (int i = 0; i < MOVES_MOST && choice->backend == TD_BACKEND_CLOCK; i++)
		if (td_cores_were_left())
			choose_counters(options, choice);
	td_plan_make(options, choice);
	error = choose_trigger(choice);
	if (error)
		return error;
	choose_windows(options, choice);
	td_plan_lengthen(choice);
	if (choice->backend == TD_BACKEND_EVENTS)
		td_events_note_asked(options);
	say_which_cores(choice);
	choose_return(options, choice);
	return 0;
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
	if (choice->windows == TD_WINDOWS_VERNIER)
		return td_vernier_counters();
	switch (choice->backend) {
	case TD_BACKEND_METRICS:
		return 1 + td_metrics_shape.nodes + td_metrics_shape.extras;
	case TD_BACKEND_EVENTS:
		return td_events_counters();
	case TD_BACKEND_SIMULATED:
		return TD_SIMULATED_COUNTERS;
	default:
		return TD_CLOCK_COUNTERS;
	}
}

static uint32_t describe_counters(const struct td_backend_choice *choice,
				  struct td_file_header *header)
{
	struct td_file_counter *counter = header->counter;

	switch (choice->backend) {
	case TD_BACKEND_METRICS:
		header->slots_a_cycle = td_metrics_shape.width;
		header->raw_totals = choice->windows == TD_WINDOWS_RDPMC;
		td_metrics_names(counter);
		return td_metrics_shape.nodes > TD_FIELDS_LEVEL1 ? 2 : 1;
	case TD_BACKEND_EVENTS:
		td_events_describe(header, choice->both);
		return header->level;
	case TD_BACKEND_SIMULATED:
		header->simulated = 1;
		memcpy(counter, simulated_names, sizeof(simulated_names));
		counter += sizeof(simulated_names) / sizeof(simulated_names[0]);
		memcpy(counter, clock_names, sizeof(clock_names));
		return 2;
	default:
		memcpy(counter, clock_names, sizeof(clock_names));
		return 0;
	}
}

/* The file tells the event of the trigger, too. */
static enum td_trigger trigger_in_file(const struct td_backend_choice *choice)
{
	if (!td_backend_has_cycles(choice) || choice->windows == TD_WINDOWS_VERNIER)
		return choice->trigger;
	switch (choice->trigger) {
	case TD_TRIGGER_SIGTRAP:
		return TD_TRIGGER_CYCLES_SIGTRAP;
	case TD_TRIGGER_SIGNAL:
		return TD_TRIGGER_CYCLES_SIGNAL;
	default:
		return choice->trigger;
	}
}

/* Why groups of events are not what counts. */
static const char *why_no_groups(const struct td_options *options,
				 const struct td_backend_choice *choice)
{
	static const char *const chosen[] = {
		[TD_PMU_METRICS] = "TDAGENT_PMU=metrics",
		[TD_PMU_CLOCK] = "TDAGENT_PMU=clock",
		[TD_PMU_SIMULATED] = "TDAGENT_PMU=simulated",
		[TD_PMU_EVENTS] = NULL,
	};

	if (chosen[options->pmu])
		return chosen[options->pmu];
	return no_groups[0] ? no_groups : choice->reason;
}

/* Options that have nothing to act on: without a word they seem to have found nothing. */
static void note_unused(const struct td_options *options,
			const struct td_backend_choice *choice, unsigned level)
{
	bool deep = options->level == TD_LEVEL_1 || options->level == TD_LEVEL_2;

	if (options->events[0] && choice->backend != TD_BACKEND_EVENTS)
		td_core_note("TDAGENT_EVENTS is not counted: %s",
			     why_no_groups(options, choice));
	if (deep && !level)
		td_core_note("TDAGENT_LEVEL=%d has no effect, there is no top-down: %s",
			     options->level == TD_LEVEL_1 ? 1 : 2, choice->reason);
}

static const struct td_strobe_plan *plan_of(const struct td_backend_choice *choice)
{
	if (choice->trigger == TD_TRIGGER_TIMER)
		return &choice->timer_plan;
	return choice->windows == TD_WINDOWS_VERNIER ? &choice->vernier_plan
						     : &choice->plan;
}

void td_backend_describe(const struct td_options *options,
			 const struct td_backend_choice *choice,
			 struct td_file_header *header)
{
	bool timer = choice->trigger == TD_TRIGGER_TIMER;
	bool cycles = !timer && td_backend_has_cycles(choice);
	const struct td_strobe_plan *plan = plan_of(choice);

	header->backend = choice->backend;
	header->trigger = trigger_in_file(choice);
	header->windows = choice->windows;
	header->signal = (uint32_t)td_signal.number;
	header->period_unit = cycles ? TD_UNIT_CYCLES : TD_UNIT_NS;
	header->long_period = plan->long_period;
	header->short_period = plan->short_period;
	header->jitter_percent = plan->jitter_percent;
	header->resolution_ns = timer ? td_plan_tick_ns() : cycles ? 0 : plan->shortest;
	header->burst = choice->windows == TD_WINDOWS_VERNIER ? 1 : plan->burst;
	if (header->burst < options->burst)
		td_core_note("no bursts: %s", plan->short_period
						      ? "the kernel cuts the windows"
						      : "there are no windows");
	header->seed = td_core.seed;
	header->level = describe_counters(choice, header);
	memcpy(header->reason, choice->reason, sizeof(header->reason));
	/* samples that nobody took: a report cannot know */
	if (!choice->both && td_backend_has_cycles(choice))
		td_cores_note_others(choice->windows == TD_WINDOWS_VERNIER &&
						     options->pmu == TD_PMU_AUTO
					     ? ": the vernier is of large ones alone; "
					       "TDAGENT_WINDOWS=rdpmc is of both"
					     : "");
	if (cycles)
		td_cores_note_low_power();
	note_unused(options, choice, header->level);
	td_plan_note(options, choice, header->period_unit);
}

static void close_counters(struct td_thread *thread)
{
	if (thread->groups)
		td_events_close(thread);
	else if (thread->registers.slots_fd >= 0)
		td_metrics_close(thread);
}

int td_backend_open(struct td_thread *thread, uint32_t tid)
{
	const struct td_backend_choice *choice = &td_core.choice;
	int error = -ENOSYS;

	if (choice->windows == TD_WINDOWS_VERNIER) {
		error = td_vernier_open(choice, thread, tid);
		if (!error)
			return 0;
		td_debug(TD_DEBUG_THREADS, "thread %u: no ring (%s), signals instead",
			 tid, strerror(-error));
	}
	thread->registers.slots_fd = -1;
	thread->counters = choice->counters;
	thread->plan = &choice->plan;
	if (td_backend_has_cycles(choice) && choice->windows == TD_WINDOWS_VERNIER) {
		/* neither its windows nor its totals go together with the others' */
		thread->counters = &td_no_counters;
	} else if (choice->backend == TD_BACKEND_METRICS) {
		error = td_metrics_open(&metrics_machine, thread, tid);
		if (error)
			return error;
	} else if (choice->backend == TD_BACKEND_EVENTS) {
		error = td_events_open(thread->groups_room, thread, tid, thread->cores);
		if (error)
			return error;
	}
	if (choice->trigger != TD_TRIGGER_TIMER) {
		error = td_interrupt_open_event(choice, thread, tid);
		if (!error && thread->groups)
			error = td_events_start(thread);
		if (!error)
			return 0;
		td_debug(TD_DEBUG_THREADS, "thread %u: no event (%s), trying a timer",
			 tid, strerror(-error));
	}
	if (thread->counters != &td_no_counters && td_backend_has_cycles(choice)) {
		/* time and cycles do not mix in one profile's counters */
		td_interrupt_close(thread);
		close_counters(thread);
		thread->counters = &td_no_counters;
	}
	thread->plan = &choice->timer_plan;
	return td_interrupt_open_timer(thread, tid);
}

void td_backend_close(struct td_thread *thread)
{
	td_interrupt_close(thread);
	if (thread->by_vernier)
		td_vernier_close(thread);
	else
		close_counters(thread);
}

void td_backend_renumber(struct td_thread *thread, int from, int to)
{
	struct td_registers *registers = &thread->registers;

	if (thread->fd == from)
		thread->fd = to;
	if (registers->slots_fd == from)
		registers->slots_fd = to;
	for (uint32_t i = 0; i < TD_COUNTERS_MAX; i++)
		if (registers->member_fd[i] == from)
			registers->member_fd[i] = to;
	td_events_renumber(thread, from, to);
	td_vernier_renumber(thread->vernier, from, to);
}

void td_backend_forget(struct td_thread *thread)
{
	td_descriptor_close(thread->fd);
	td_descriptor_close(thread->registers.slots_fd);
	for (uint32_t i = 0; i < TD_COUNTERS_MAX; i++)
		td_descriptor_close(thread->registers.member_fd[i]);
	td_events_forget(thread);
	td_vernier_leave_parent(thread->vernier);
}
