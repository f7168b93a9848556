// SPDX-License-Identifier: MIT
#include "agent/core/plan.h"

#include <time.h>

#include "agent/core/events.h"
#include "agent/core/facts.h"
#include "agent/core/log.h"
#include "agent/sigsafe/metrics.h"
#include "agent/sigsafe/trigger.h"

/* A window costs two signals and some timer programming, 100 us of CPU time on
 * a slow virtual machine: later than this is later than us. */
#define LATE_NS 1000000u

#define DEFAULT_CYCLES_PER_US 1000u

#define METRICS_SHORTEST                                                                 \
	6u /* the rest of the handler takes 3; others may end in it: no harm */
#define EVENTS_SHORTEST 98u /* likewise 96; TD_GROUPS_PASS says why so many */
#define EVENTS_SPARE 42u    /* of them before the length begins, on the way back */
/* A sample itself is some 1,000 instructions in user mode: a period that is not
 * much longer would end in the handler, interrupt after interrupt. */
#define METRICS_LONG_MIN 10000u
/* An interrupt that is 500 instructions of 4 cycles late ends a window 2,062 cycles too
 * late, in the lab; without, 53.  A throttled one takes millions. */
#define METRICS_LATE 20000u
#define METRICS_EMPTY_EVERY 64u
#define METRICS_CPU_EVERY 16u /* CPU time is not one of the counters */

/* Below this many ticks the jitter of a period is lost in rounding to them. */
#define TIMER_TICKS 2u

static uint64_t long_was_shorter;  /* the long period asked for, if it was too short */
static uint64_t short_was_shorter; /* likewise */
static bool short_was_longer;      /* than the long one, and was cut to it */

/* The tick: POSIX CPU timers are looked at no more often. */
uint64_t td_plan_tick_ns(void)
{
	struct timespec tick;

	return clock_getres(CLOCK_MONOTONIC_COARSE, &tick) == 0 ? (uint64_t)tick.tv_nsec
								: 0;
}

uint64_t td_plan_timer_ns(void)
{
	return TIMER_TICKS * td_plan_tick_ns();
}

static uint64_t cycles_per_us(void)
{
	uint64_t known = td_facts_cycles_per_us();

	return known ? known : DEFAULT_CYCLES_PER_US;
}

static uint64_t to_ns(const struct td_period *period)
{
	return period->unit == TD_UNIT_NS ? period->value
					  : period->value * 1000 / cycles_per_us();
}

static uint64_t to_cycles(const struct td_period *period)
{
	return period->unit == TD_UNIT_CYCLES ? period->value
					      : period->value * cycles_per_us() / 1000;
}

/* The clock measures time: a period in cycles is turned into one. */
static void plan_in_time(const struct td_options *options, struct td_strobe_plan *plan)
{
	*plan = (struct td_strobe_plan){
		.long_period = to_ns(&options->long_period),
		.short_period = to_ns(&options->short_period),
		.shortest = TD_TASK_CLOCK_SHORTEST_NS,
		.late = LATE_NS,
		.jitter_percent = options->jitter,
	};
	if (plan->long_period < TD_TASK_CLOCK_SHORTEST_NS)
		plan->long_period = TD_TASK_CLOCK_SHORTEST_NS;
}

static void plan_in_cycles(const struct td_options *options, enum td_backend backend,
			   struct td_strobe_plan *plan)
{
	*plan = (struct td_strobe_plan){
		.long_period = options->long_given ? to_cycles(&options->long_period)
						   : TD_LONG_CYCLES,
		.short_period = options->short_given ? to_cycles(&options->short_period)
						     : TD_SHORT_CYCLES,
		.shortest = METRICS_SHORTEST,
		.late = METRICS_LATE,
		.jitter_percent = options->jitter,
		.cpu_every = METRICS_CPU_EVERY,
		.empty_every = METRICS_EMPTY_EVERY,
	};
	if (backend == TD_BACKEND_EVENTS) {
		plan->leavings = td_events_leavings();
		plan->shortest = EVENTS_SHORTEST;
		plan->spare = EVENTS_SPARE;
		plan->shorter = td_events_in_parts();
	} else {
		plan->leavings = td_metrics_shape.extras ? 1 + td_metrics_shape.nodes : 0;
		plan->threads = td_metrics_shape.threads;
	}
	long_was_shorter = plan->long_period < METRICS_LONG_MIN ? plan->long_period : 0;
	if (long_was_shorter)
		plan->long_period = METRICS_LONG_MIN;
}

static void finish_plan(struct td_strobe_plan *plan, uint32_t burst)
{
	plan->spread = plan->long_period / 100 * plan->jitter_percent;
	plan->burst = plan->short_period ? burst : 1;
}

void td_plan_make(const struct td_options *options, struct td_backend_choice *choice)
{
	plan_in_time(options, &choice->timer_plan);
	choice->timer_plan.short_period = 0;
	if (choice->timer_plan.long_period < td_plan_timer_ns())
		choice->timer_plan.long_period = td_plan_timer_ns();
	if (td_backend_has_cycles(choice))
		plan_in_cycles(options, choice->backend, &choice->plan);
	else
		plan_in_time(options, &choice->plan);
	/* of one unit the options saw to it */
	short_was_longer = choice->plan.short_period > choice->plan.long_period;
	if (short_was_longer)
		choice->plan.short_period = choice->plan.long_period;
	finish_plan(&choice->plan, options->burst);
	finish_plan(&choice->timer_plan, 1);
}

/* Random lengths from the shortest on that is granted up to twice the mean tell functions
 * apart, and own costs from the program: they must not all be one.  0: there are none, or
 * the kernel cuts them. */
void td_plan_lengthen(struct td_backend_choice *choice)
{
	struct td_strobe_plan *plan = &choice->plan;
	uint64_t least = plan->shortest - plan->shortest / 4;

	short_was_shorter = td_backend_has_cycles(choice) && plan->short_period < least
				    ? plan->short_period
				    : 0;
	if (short_was_shorter)
		plan->short_period = least;
}

/* Asked for in another unit than the trigger's; 0 has none. */
static bool is_foreign(const struct td_period *period, int given, enum td_unit unit)
{
	return given && period->value && period->unit != unit;
}

/* A period in another unit than the trigger's was converted at a clock rate
 * that need not be the present one. */
static void note_conversion(const struct td_options *options, enum td_unit unit)
{
	bool converted = is_foreign(&options->long_period, options->long_given, unit) ||
			 is_foreign(&options->short_period, options->short_given, unit);

	if (converted)
		td_core_note("periods in %s were turned into %s at %llu MHz%s",
			     unit == TD_UNIT_NS ? "cycles" : "time",
			     unit == TD_UNIT_NS ? "time" : "cycles",
			     (unsigned long long)cycles_per_us(),
			     short_was_longer
				     ? "; TDAGENT_SHORT was longer than TDAGENT_LONG"
				     : "");
}

void td_plan_note(const struct td_options *options,
		  const struct td_backend_choice *choice, enum td_unit unit)
{
	note_conversion(options, unit);
	if (unit != TD_UNIT_CYCLES)
		return;
	if (long_was_shorter)
		td_core_note("a sample every %llu cycles would measure little but the "
			     "measuring: the long period is %u cycles",
			     (unsigned long long)long_was_shorter, METRICS_LONG_MIN);
	if (short_was_shorter)
		td_core_note(
			"windows of %llu cycles would hardly hold any of the program: "
			"their mean length is %llu cycles",
			(unsigned long long)short_was_shorter,
			(unsigned long long)choice->plan.short_period);
}
