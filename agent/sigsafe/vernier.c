// SPDX-License-Identifier: MIT
#include "agent/sigsafe/vernier.h"

#include <errno.h>
#include <fcntl.h>
#include <time.h>

#include "agent/sigsafe/clock.h"
#include "agent/sigsafe/handler.h"
#include "agent/sigsafe/latency.h"
#include "agent/sigsafe/syscall.h"
#include "agent/sigsafe/trigger.h"
#include "agent/sigsafe/vernier_window.h"

/* How often to look for the end of somebody else's drain. */
#define PATIENCE 10000u

/* Windows between two ticks that a step is made for. */
#define LAPS_MIN 4u
#define LAPS_MAX 4096u

#define LATENESS_ONE 64u
#define LATENESS_MOST (16 * LATENESS_ONE)

struct td_vernier_shape td_vernier_shape;

/* The group's members in the order of their counts. */
static int member(const struct td_thread *thread, uint32_t place)
{
	return thread->vernier->fd[thread->vernier->active][place];
}

/* As for the trigger: the program may have closed it and have the number itself. */
static bool is_ours(const struct td_thread *thread, uint32_t place)
{
	int fd = member(thread, place);

	return fd >= 0 && td_syscall3(SYS_fcntl, fd, F_GETSIG, 0) == thread->fd_mark;
}

static bool group_is_ours(const struct td_thread *thread)
{
	const struct td_vernier_shape *shape = &td_vernier_shape;

	return is_ours(thread, 0) && is_ours(thread, shape->sampler) &&
	       (td_vernier_samplers(shape) < 2 || is_ours(thread, shape->sampler + 1));
}

/* Of the leader alone: then all start at one moment, and have run equally long. */
static long control(const struct td_thread *thread, unsigned long request)
{
	return td_syscall3(SYS_ioctl, member(thread, 0), request, 0);
}

static bool claim(struct td_vernier *vernier)
{
	uint32_t is_free = TD_VERNIER_FREE;

	/* acquire: what the last holder wrote, and release in unclaim() with it */
	return atomic_compare_exchange_strong_explicit(
		&vernier->claim, &is_free, TD_VERNIER_CLAIMED, memory_order_acquire,
		memory_order_relaxed);
}

static void unclaim(struct td_vernier *vernier, enum td_vernier_claim then)
{
	atomic_store_explicit(&vernier->claim, then, memory_order_release);
}

static bool read_now(const struct td_thread *thread, struct td_vernier_reading *reading)
{
	struct td_vernier_group group;
	uint32_t values = td_vernier_shape.values[thread->vernier->active];
	long n = td_syscall3(SYS_read, member(thread, 0), &group, sizeof(group));

	return n >= (long)(3 + values) * 8 &&
	       td_vernier_window_reading(reading, &group, values,
					 td_clock_now(CLOCK_MONOTONIC));
}

/* What the ring had no room for since its last record, when no further record
 * will tell. */
static void count_unrecorded(struct td_thread *thread,
			     const struct td_vernier_reading *now)
{
	struct td_vernier *vernier = thread->vernier;
	uint32_t length = td_vernier_shape.sampler;

	if (vernier->was_full && vernier->period)
		thread->places.record->lost[TD_LOST_RING] +=
			(now->value[length] - vernier->last.value[length]) /
			vernier->period;
}

/* The records that are there; the group may run on. */
static void take_records(struct td_thread *thread)
{
	struct td_vernier *vernier = thread->vernier;
	uint64_t used = td_ring_used(&vernier->ring);
	struct td_ring_record record;

	vernier->used += used;
	vernier->was_full |= used + sizeof(record) > vernier->ring.size;
	while (td_ring_next(&vernier->ring, &record))
		td_vernier_window_record(thread, &record);
}

/* Empties the ring of the stopped group, and reads what came after its last record. */
static void take_all(struct td_thread *thread, bool last)
{
	struct td_vernier *vernier = thread->vernier;
	struct td_vernier_reading now;

	take_records(thread);
	td_latency_take(thread);
	td_vernier_window_cut(thread);
	if (!read_now(thread, &now))
		return;
	if (last)
		count_unrecorded(thread, &now);
	if (now.enabled - vernier->last.enabled > now.running - vernier->last.running)
		thread->places.record->unread++;
	td_vernier_window_total(thread, &now);
}

/* A period holds until the next tick, and short runs have few: with all of the jitter
 * the samples of one thread would weigh more than another's. */
static uint64_t next_period(struct td_thread *thread)
{
	const struct td_strobe_plan *plan = thread->plan;
	uint64_t spread = plan->long_period / 400 * plan->jitter_percent;

	return plan->long_period - spread + td_random_below(&thread->random, 2 * spread);
}

/* A tick that falls into the kernel is not sent, and comes one period later: how long
 * the longest of the last ones took, LATENESS_ONE for what was asked for.  Forgets an
 * eighth with each. */
static void note_lateness(struct td_vernier *vernier)
{
	uint64_t took = vernier->last.running - vernier->phase_start;
	uint64_t late = vernier->lateness / 8 * 7;

	if (vernier->asked_ns && took * LATENESS_ONE / vernier->asked_ns > late)
		late = took * LATENESS_ONE / vernier->asked_ns;
	if (late < LATENESS_ONE)
		late = LATENESS_ONE;
	if (late > LATENESS_MOST)
		late = LATENESS_MOST;
	vernier->lateness = (uint32_t)late;
}

/* Windows until the next tick, which has been asked for, as often as they came since the
 * last one. */
static uint64_t next_laps(struct td_thread *thread)
{
	struct td_vernier *vernier = thread->vernier;
	uint64_t took = vernier->last.running - vernier->phase_start;
	uint64_t tick = vernier->asked_ns ? vernier->asked_ns : vernier->tick_ns;

	if (took < vernier->tick_ns / 4)
		return tick / (thread->plan->long_ns + 1);
	return vernier->laps * tick / took * vernier->lateness / LATENESS_ONE;
}

/* What lengths are to change by until the next tick: by twice the mean, or for the sake
 * of short functions by half or a quarter of that.  The clock cannot tell short ones
 * apart. */
static uint64_t next_sweep(struct td_thread *thread)
{
	struct td_vernier *vernier = thread->vernier;
	const struct td_strobe_plan *plan = thread->plan;
	uint64_t sweep = 2 * plan->short_period;
	uint32_t halvings;

	vernier->apart_ns = td_vernier_shape.delay_ns;
	vernier->later = !vernier->shorter;
	if (td_vernier_shape.delay_ns)
		return sweep;
	halvings = (uint32_t)td_random_below(&thread->random, 3);
	if (halvings == 2) {
		/* the shorter one starts later and overtakes the other half-way */
		vernier->later = vernier->shorter;
		vernier->apart_ns = sweep / 8 * plan->long_ns / plan->long_period;
	}
	return sweep >> halvings;
}

/* So much longer is the other one's period. */
static uint64_t next_step(struct td_thread *thread)
{
	uint64_t laps = next_laps(thread), step;

	if (laps < LAPS_MIN)
		laps = LAPS_MIN;
	if (laps > LAPS_MAX)
		laps = LAPS_MAX;
	step = next_sweep(thread) / laps;
	return 1 + step / 2 + td_random_below(&thread->random, step);
}

static int set_period(const struct td_thread *thread, uint32_t which, uint64_t period)
{
	if (which >= td_vernier_samplers(&td_vernier_shape))
		return 0;
	return (int)td_syscall3(SYS_ioctl,
				member(thread, td_vernier_shape.sampler + which),
				PERF_EVENT_IOC_PERIOD, &period);
}

/* A new period begins when it is set; where the group stands still meanwhile, it is known
 * at which count. */
static int begin_period(struct td_thread *thread, uint32_t which, uint64_t period)
{
	struct td_vernier *vernier = thread->vernier;
	uint32_t count = td_vernier_shape.sampler + which;
	struct td_vernier_reading now;
	int error = set_period(thread, which, period);

	vernier->due[which] = UINT64_MAX;
	if (!error && read_now(thread, &now))
		vernier->due[which] = now.value[count];
	return error;
}

/* One of them starts later: the clock cannot tell apart what is nearer, and short lengths
 * are met twice.  Stopped one after the other, software clocks would lose their distance,
 * and nobody asks them when they were due. */
static int set_apart(struct td_thread *thread)
{
	struct td_vernier *vernier = thread->vernier;
	uint32_t later = vernier->later;
	uint64_t start, period = later == vernier->shorter ? vernier->period
							   : vernier->longer_period;
	int error;

	if (td_vernier_samplers(&td_vernier_shape) < 2 || !vernier->apart_ns)
		return 0;
	start = td_clock_now(CLOCK_MONOTONIC);
	while (td_clock_now(CLOCK_MONOTONIC) - start < vernier->apart_ns)
		;
	if (td_vernier_shape.delay_ns)
		return set_period(thread, later, period);
	control(thread, PERF_EVENT_IOC_DISABLE);
	error = begin_period(thread, later, period);
	control(thread, PERF_EVENT_IOC_ENABLE);
	return error;
}

/* Lengths grow or fall by that.  Software clocks are stopped and started one after
 * the other whenever the thread is switched out and in, which makes B later: A first. */
static uint32_t next_shorter(struct td_thread *thread)
{
	const struct td_vernier_shape *shape = &td_vernier_shape;

	if (td_vernier_samplers(shape) < 2 || shape->delay_ns)
		return 0;
	return (uint32_t)td_random_below(&thread->random, 2);
}

static int rephase(struct td_thread *thread)
{
	struct td_vernier *vernier = thread->vernier;
	uint64_t period = next_period(thread);
	int error;

	vernier->shorter = next_shorter(thread);
	vernier->period = period;
	vernier->longer_period = period + next_step(thread);
	error = set_period(thread, vernier->shorter, period);
	if (!error && td_vernier_shape.windows)
		error = set_period(thread, !vernier->shorter, vernier->longer_period);
	for (uint32_t which = 0; which < td_vernier_samplers(&td_vernier_shape); which++)
		vernier->due[which] =
			vernier->last.value[td_vernier_shape.sampler + which];
	vernier->laps = 0;
	vernier->used = 0;
	vernier->was_full = false;
	vernier->helped = false;
	vernier->throttled = false;
	vernier->phase_start = vernier->last.running;
	return error;
}

/* Groups take turns.  Each goes on from what it has counted before. */
static int next_group(struct td_thread *thread)
{
	struct td_vernier *vernier = thread->vernier;
	uint64_t took = vernier->last.running - vernier->phase_start;

	if (td_vernier_shape.groups < 2)
		return 0;
	td_vernier_window_leave(thread);
	vernier->active = (vernier->active + 1) % td_vernier_shape.groups;
	if (!group_is_ours(thread))
		return -EBADF;
	if (!read_now(thread, &vernier->last))
		return -EIO;
	vernier->sampled = vernier->last;
	vernier->phase_start = vernier->last.running - took; /* for the next step */
	return 0;
}

static int start_group(struct td_thread *thread)
{
	int error = next_group(thread);

	if (!error)
		error = rephase(thread);
	if (!error)
		error = (int)control(thread, PERF_EVENT_IOC_ENABLE);
	return error ? error : set_apart(thread);
}

static void give_up(struct td_thread *thread, enum td_lost why)
{
	thread->places.record->lost[why]++;
	atomic_store(&thread->stopped, true);
	thread->trigger->stop(thread);
}

/* Three eighths of the ring are full at the next tick, at the rate since the latest
 * re-phasing.  A ring that is full may have missed as many records again. */
static void pace(struct td_vernier *vernier)
{
	uint64_t took = vernier->last.running - vernier->phase_start;
	uint64_t tick = 2 * vernier->tick_ns, used = vernier->used;

	if (used && took * (vernier->ring.size / 8 * 3) / used < tick)
		tick = took * (vernier->ring.size / 8 * 3) / used;
	if (vernier->was_full)
		tick /= 2;
	if (tick > td_vernier_shape.tick_ns)
		tick = td_vernier_shape.tick_ns;
	if (tick < TD_TASK_CLOCK_SHORTEST_NS)
		tick = TD_TASK_CLOCK_SHORTEST_NS;
	vernier->tick_ns = tick;
}

/* The claim is ours.  False if there is nothing more to be done. */
static bool stop_and_take(struct td_thread *thread)
{
	if (!group_is_ours(thread)) {
		give_up(thread, TD_LOST_CLOSED);
		return false;
	}
	control(thread, PERF_EVENT_IOC_DISABLE);
	take_all(thread, false);
	note_lateness(thread->vernier);
	pace(thread->vernier);
	return true;
}

static void go_on(struct td_thread *thread)
{
	int error = start_group(thread);

	if (error)
		give_up(thread, error == -EBADF ? TD_LOST_CLOSED : TD_LOST_REARM);
}

static void drain(struct td_thread *thread)
{
	if (stop_and_take(thread))
		go_on(thread);
}

void td_vernier_drain(struct td_thread *thread)
{
	if (!claim(thread->vernier))
		return;
	if (!atomic_load(&thread->stopped))
		drain(thread);
	unclaim(thread->vernier, TD_VERNIER_FREE);
}

static bool is_over(const struct td_thread *thread, unsigned quarters)
{
	const struct td_ring *ring = &thread->vernier->ring;

	return !atomic_load(&thread->stopped) &&
	       td_ring_used(ring) > ring->size / 4 * quarters;
}

void td_vernier_drain_over(struct td_thread *thread, unsigned quarters)
{
	struct td_vernier *vernier = thread->vernier;

	/* the ring is looked at under the claim alone: it may be unmapped otherwise */
	if (!claim(vernier))
		return;
	if (is_over(thread, quarters))
		drain(thread);
	unclaim(vernier, TD_VERNIER_FREE);
}

/* The other thread's program runs on meanwhile, and we may lose the CPU at any time: its
 * group stops only if its tick is missing for the second time, and not for what has
 * been recorded. */
static void help(struct td_thread *other)
{
	struct td_vernier *vernier = other->vernier;

	if (!claim(vernier))
		return;
	if (is_over(other, 2)) {
		take_records(other);
		if (vernier->helped)
			drain(other);
		else
			vernier->helped = true;
	}
	unclaim(vernier, TD_VERNIER_FREE);
}

/* Those who block their ticks: who does not has emptied his ring before it is half
 * full.  What comes until our next tick finds room in the other half. */
static void help_others(const struct td_thread *self)
{
	for (struct td_thread *t = atomic_load(&td_threads); t; t = t->next)
		if (t != self && atomic_load(&t->tid) && t->vernier)
			help(t);
}

static void set_tick(struct td_thread *thread)
{
	uint64_t mean = thread->vernier->tick_ns;
	uint64_t tick = mean - mean / 4 + td_random_below(&thread->random, mean / 2);
	int error = thread->trigger->arm(thread, tick);

	thread->vernier->asked_ns = tick;
	if (error)
		give_up(thread, error == -EBADF ? TD_LOST_CLOSED : TD_LOST_REARM);
}

/* The group runs again last of all: what we do is no part of the program. */
static void take_turn(struct td_thread *thread, uint64_t ip, bool delayed)
{
	struct td_vernier *vernier = thread->vernier;

	if (!vernier->ticked && !delayed)
		td_vernier_window_sample(thread, ip);
	vernier->ticked = true;
	if (!stop_and_take(thread))
		return;
	thread->places.record->cpu_ns = td_clock_thread_cpu(); /* exactly */
	set_tick(thread);
	help_others(thread);
	if (!atomic_load(&thread->stopped))
		go_on(thread);
}

void td_vernier_tick(struct td_thread *thread, uint64_t ip, bool delayed)
{
	if (!claim(thread->vernier)) {
		/* somebody empties it just now, and has the random numbers, too */
		thread->trigger->arm(thread, thread->vernier->tick_ns);
		return;
	}
	take_turn(thread, ip, delayed);
	unclaim(thread->vernier, TD_VERNIER_FREE);
}

/* A first tick anywhere in the first period, by the clock. */
static uint64_t first_tick(struct td_thread *thread)
{
	uint64_t tick = td_random_below(&thread->random, thread->plan->long_ns);

	if (tick > thread->vernier->tick_ns)
		tick = thread->vernier->tick_ns;
	return tick > TD_TASK_CLOCK_SHORTEST_NS ? tick : TD_TASK_CLOCK_SHORTEST_NS;
}

int td_vernier_start(struct td_thread *thread)
{
	struct td_vernier *vernier = thread->vernier;
	uint64_t tick = first_tick(thread);
	int error;

	vernier->waiting = false;
	vernier->active =
		(uint32_t)td_random_below(&thread->random, td_vernier_shape.groups);
	if (!read_now(thread, &vernier->last))
		return -EIO;
	vernier->sampled = vernier->last;
	error = start_group(thread);
	if (error)
		return error;
	unclaim(vernier, TD_VERNIER_FREE); /* from now on the tick may come */
	error = thread->trigger->start(thread, tick);
	if (!error)
		return 0;
	td_vernier_stop(thread);
	return error;
}

static bool wait_for_claim(struct td_vernier *vernier)
{
	for (unsigned i = 0; i < PATIENCE; i++) {
		if (claim(vernier))
			return true;
		if (atomic_load(&vernier->claim) == TD_VERNIER_CLOSED)
			return false;
		td_syscall0(SYS_sched_yield);
	}
	return false;
}

bool td_vernier_stop(struct td_thread *thread)
{
	struct td_vernier *vernier = thread->vernier;

	atomic_store(&thread->stopped, true);
	thread->trigger->stop(thread);
	if (!wait_for_claim(vernier))
		return false;
	if (group_is_ours(thread)) {
		control(thread, PERF_EVENT_IOC_DISABLE);
		take_all(thread, true);
	}
	unclaim(vernier, TD_VERNIER_CLOSED);
	return true;
}
