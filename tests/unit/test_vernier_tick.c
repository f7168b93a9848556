// SPDX-License-Identifier: MIT
/* The vernier's tick: who arms it, and what it learns from how late the last one came. */
#include "agent/sigsafe/vernier.h"

#include <check.h>
#include <string.h>
#include <unistd.h>

#include "agent/sigsafe/vernier_window.h"
#include "tests/unit/memory_store.h"
#include "tests/unit/unit.h"

#define TICK_NS 250000000u
#define VALUES 2u /* cycles A and B */

static struct td_thread thread;
static struct td_vernier vernier;
static struct td_strobe_plan plan;
static _Alignas(8) uint8_t data[4096];
static struct perf_event_mmap_page page;
static int group[2];   /* a pipe stands for its descriptors: counts to read */
static uint64_t ran;   /* by the group's counts */
static uint64_t armed; /* the latest period */
static unsigned stops; /* of the trigger */

static int arm(struct td_thread *self, uint64_t period)
{
	(void)self;
	armed = period;
	return 0;
}

static void stop(struct td_thread *self)
{
	(void)self;
	stops++;
}

static void setup(void)
{
	static const struct td_trigger_ops trigger = {.arm = arm, .stop = stop};

	memory_store_open(1, 64);
	memset(&thread, 0, sizeof(thread));
	memset(&vernier, 0, sizeof(vernier));
	memset(&page, 0, sizeof(page));
	memory_store_add_thread(&thread.places);
	plan = (struct td_strobe_plan){
		.long_period = 100000, .short_period = 1000, .long_ns = 100000};
	td_vernier_shape = (struct td_vernier_shape){.groups = 1,
						     .values = {VALUES},
						     .shared = VALUES,
						     .scale = 1,
						     .windows = true,
						     .tick_ns = TICK_NS};
	thread.plan = &plan;
	thread.vernier = &vernier;
	thread.trigger = &trigger;
	td_random_seed(&thread.random, 1, 1);
	vernier.ring =
		(struct td_ring){.page = &page, .data = data, .size = sizeof(data)};
	vernier.tick_ns = TICK_NS;
	vernier.ticked = true;
	ck_assert_int_eq(pipe(group), 0);
	vernier.fd[0][0] = vernier.fd[0][1] = group[0];
	ran = 0;
	stops = 0;
}

static void teardown(void)
{
	close(group[0]);
	close(group[1]);
	memory_store_close();
}

/* The thread's own ticks go on as before: nobody else's drains stand in for them. */
START_TEST(a_tick_during_a_drain_comes_again)
{
	vernier.claim = TD_VERNIER_CLAIMED;
	vernier.tick_ns = 3000000;
	td_vernier_tick(&thread, 0, false);
	ck_assert_uint_eq(armed, 3000000);
	ck_assert_uint_eq(thread.places.record->samples, 0);
	ck_assert_uint_eq(vernier.claim, TD_VERNIER_CLAIMED);
}
END_TEST

/* The tick that was to come after `asked` comes after `took`; `laps` windows were opened
 * meanwhile.  A pipe is no event, so nothing starts again. */
static void tick_after(uint64_t asked, uint64_t took, uint32_t laps)
{
	struct td_vernier_group counts = {.events = VALUES};

	ran += took;
	counts.enabled = counts.running = counts.value[0] = counts.value[1] = ran;
	ck_assert_int_gt(write(group[1], &counts, (3 + VALUES) * sizeof(uint64_t)), 0);
	vernier.asked_ns = asked;
	vernier.laps = laps;
	vernier.phase_start = vernier.last.running;
	td_vernier_tick(&thread, 0, false);
	ck_assert_uint_eq(vernier.asked_ns, armed);
	ck_assert_uint_eq(stops, 1);
	stops = 0;
	atomic_store(&thread.stopped, false);
}

/* By what was asked for then, not by what is asked for next. */
START_TEST(ticks_are_late_by_what_was_asked)
{
	for (unsigned i = 0; i < 20; i++) {
		tick_after(300000000, 300000000, 0);
		ck_assert_uint_eq(vernier.lateness, 64);
	}
	tick_after(200000000, 400000000, 0);
	ck_assert_uint_eq(vernier.lateness, 128);
	tick_after(200000000, 200000000, 0);
	ck_assert_uint_eq(vernier.lateness, 112);
}
END_TEST

/* In windows that come until the tick that is asked for next, lengths grow by half to one
 * and a half of what they are to, or of a half or a quarter of that. */
START_TEST(lengths_grow_until_the_next_tick)
{
	double most = 0, grown;

	for (unsigned i = 0; i < 400; i++) {
		tick_after(TICK_NS, TICK_NS, 50);
		grown = (double)(vernier.longer_period - vernier.period) * 50 *
			(double)armed / TICK_NS;
		ck_assert_double_ge(grown, 2000 / 4. / 2);
		ck_assert_double_le(grown, 1.5 * 2000 + 2 * 62);
		most = grown > most ? grown : most;
	}
	ck_assert_double_ge(most, 1.3 * 2000);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {a_tick_during_a_drain_comes_again,
				      ticks_are_late_by_what_was_asked,
				      lengths_grow_until_the_next_tick, NULL};

	return unit_main_between("vernier_tick", tests, setup, teardown);
}
