// SPDX-License-Identifier: MIT
/* The strobe's state machine, with a trigger and counters made of variables. */
#include <stdlib.h>
#include <string.h>

#include "agent/sigsafe/callpath.h"
#include "agent/sigsafe/groups.h"
#include "agent/sigsafe/leave.h"
#include "agent/sigsafe/timeline.h"
#include "tests/unit/fake_strobe.h"

START_TEST(counts_a_window)
{
	signal_at(here, 1200000, 70);
	ck_assert(thread.in_window);
	ck_assert_uint_eq(record()->samples, 1);
	ck_assert_uint_eq(record()->total[0], 1200000);
	ck_assert_uint_eq(record()->total[1], 70);
	signal_at(here, 2500, 3);
	ck_assert(!thread.in_window);
	ck_assert_uint_eq(record()->windows, 1);
	ck_assert_uint_eq(place_of(here)->samples, 1);
	ck_assert_uint_eq(place_of(here)->windows, 1);
	ck_assert_uint_eq(place_of(here)->sum[0].sum, 2500);
	ck_assert_uint_eq(place_of(here)->sum[1].sum, 3);
	ck_assert_double_eq(place_of(here)->sum[1].squares, 9);
	ck_assert_double_eq(place_of(here)->sum[1].cross, 7500);
	signal_at(here, 1200000, 5); /* the window and what came after it */
	ck_assert_uint_eq(record()->total[0], 1200000 + 2500 + 1200000);
}
END_TEST

static void expect_reject(enum td_reject cause)
{
	ck_assert_uint_eq(record()->windows, 0);
	for (unsigned i = 0; i < TD_REJECT_MAX; i++) {
		ck_assert_uint_eq(record()->rejected[i], i == cause);
		ck_assert_uint_eq(place_of(here)->rejected[i], i == cause);
	}
	ck_assert_uint_eq(place_of(here)->samples, 1);
	ck_assert_uint_eq(place_of(here)->sum[0].sum, 0);
	ck_assert(!thread.in_window);
}

START_TEST(rejects_another_function)
{
	signal_at(here, 1200000, 0);
	signal_at(there, 2500, 0);
	expect_reject(TD_REJECT_FUNCTION);
}
END_TEST

START_TEST(rejects_late)
{
	signal_at(here, 1200000, 0);
	signal_at(here, 2 * 1000 + 5000 + 1, 0);
	expect_reject(TD_REJECT_LATE);
}
END_TEST

START_TEST(rejects_early)
{
	signal_at(here, 1200000, 0);
	signal_at(here, thread.window.requested - 1, 0);
	expect_reject(TD_REJECT_EARLY);
}
END_TEST

/* The other thread of the core may have had half of what there was to count. */
START_TEST(half_is_not_early_on_a_shared_core)
{
	plan.threads = 2;
	signal_at(here, 1200000, 0);
	signal_at(here, (thread.window.requested + 1) / 2, 0);
	ck_assert_uint_eq(record()->windows, 1);
	signal_at(there, 30, 0); /* an echo */
	ck_assert_uint_eq(record()->samples, 1);
	signal_at(here, thread.armed_period / 2, 0);
	ck_assert_uint_eq(record()->samples, 2);
	signal_at(here, thread.window.requested / 2 - 1, 0);
	ck_assert_uint_eq(record()->windows, 1);
	ck_assert_uint_eq(record()->rejected[TD_REJECT_EARLY], 1);
}
END_TEST

START_TEST(rejects_unreadable)
{
	signal_at(here, 1200000, 0);
	readable = false;
	signal_at(here, 2500, 0);
	expect_reject(TD_REJECT_COUNTERS);
}
END_TEST

START_TEST(counts_what_is_not_in_the_totals)
{
	readable = false;
	signal_at(here, 1200000, 70);
	ck_assert_uint_eq(record()->samples, 1);
	ck_assert_uint_eq(record()->unread, 1);
	ck_assert_uint_eq(record()->total[1], 0);
}
END_TEST

START_TEST(rejects_delayed)
{
	signal_at(here, 1200000, 0);
	counted[0] = 2500;
	td_strobe_signal(&thread, ip_of(here), TD_SIGNAL_DELAYED);
	expect_reject(TD_REJECT_BLOCKED);
}
END_TEST

START_TEST(rejects_unknown_code)
{
	signal_at(here, 1200000, 0);
	counted[0] = 2500;
	td_strobe_signal(&thread, 16, 0);
	expect_reject(TD_REJECT_UNKNOWN);
}
END_TEST

START_TEST(cuts_at_the_end)
{
	signal_at(here, 1200000, 0);
	counted[0] = 600;
	td_strobe_stop(&thread);
	expect_reject(TD_REJECT_CUT);
	ck_assert_uint_eq(stops, 1);
	ck_assert(thread.stopped);
	ck_assert_uint_eq(record()->total[0], 1200600);
}
END_TEST

START_TEST(gives_up_when_blocked)
{
	signal_at(here, 1200000, 0);
	td_strobe_block(&thread);
	expect_reject(TD_REJECT_BLOCKED);
	ck_assert_uint_ge(armed, 800000); /* no short period goes on */
	td_strobe_block(&thread);         /* no window: nothing to do */
	ck_assert_uint_eq(armings, 3);
}
END_TEST

START_TEST(drops_a_delayed_sample)
{
	counted[0] = 1200000;
	td_strobe_signal(&thread, ip_of(here), TD_SIGNAL_DELAYED);
	ck_assert_uint_eq(record()->samples, 0);
	ck_assert_uint_eq(record()->lost[TD_LOST_BLOCKED], 1);
	ck_assert_uint_eq(armings, 2);
}
END_TEST

START_TEST(ignores_an_echo)
{
	signal_at(here, 1200000, 0);
	signal_at(here, 2500, 0);
	signal_at(there, 30, 0); /* the short period once more, inside our handler */
	ck_assert(!thread.in_window);
	ck_assert_uint_eq(record()->samples, 1);
	ck_assert_uint_eq(armings, 3); /* and the long period goes on */
	td_strobe_signal(&thread, ip_of(there), TD_SIGNAL_DELAYED);
	ck_assert_uint_eq(record()->lost[TD_LOST_BLOCKED], 0);
	signal_at(there, 1200000, 0);
	ck_assert_uint_eq(record()->samples, 2);
}
END_TEST

#ifdef __x86_64__
/* A window whose period is over before its handler has reached the program. */
static void miss_a_window(void)
{
	signal_at(here, 1200000, 0);
	readable = false;
	td_strobe_signal(&thread, (uint64_t)td_leave_begin, 0);
	readable = true;
}

/* One may be chance; where no period is long enough they become longer until one is. */
START_TEST(learns_from_windows_that_are_over_too_soon)
{
	uint32_t usual;

	map_counters();
	thread.until_empty = 100;
	miss_a_window();
	expect_reject(TD_REJECT_BLOCKED);
	ck_assert_uint_eq(thread.release.usual, 0);
	miss_a_window();
	usual = thread.release.usual;
	ck_assert_uint_gt(usual, 0);
	miss_a_window();
	ck_assert_uint_eq(thread.release.usual, 2 * usual);
	signal_at(here, 1200000, 0);
	counted[0] = 0; /* as the handler opens it */
	signal_at(here, 2500, 0);
	ck_assert_uint_eq(record()->windows, 1);
	miss_a_window();
	ck_assert_uint_eq(thread.release.usual, 2 * usual);
}
END_TEST

/* The short period once more behind that window: what was counted is not known, but
 * nothing of the program has been missed. */
START_TEST(loses_no_sample_on_the_way)
{
	miss_a_window();
	readable = false;
	td_strobe_signal(&thread, (uint64_t)td_leave_begin, TD_SIGNAL_DELAYED);
	ck_assert_uint_eq(record()->lost[TD_LOST_BLOCKED], 0);
	ck_assert_uint_ge(armed, 800000);
	ck_assert_uint_eq(thread.armed_at, TD_ARMED_UNKNOWN);
	td_strobe_signal(&thread, ip_of(here), TD_SIGNAL_DELAYED);
	ck_assert_uint_eq(record()->lost[TD_LOST_BLOCKED], 1);
}
END_TEST
#endif

START_TEST(samples_without_windows)
{
	plan.short_period = 0;
	for (int i = 0; i < 5; i++)
		signal_at(here, 1200000, 1);
	ck_assert_uint_eq(record()->samples, 5);
	ck_assert_uint_eq(record()->windows, 0);
	ck_assert_uint_eq(record()->total[1], 5);
	ck_assert_uint_ge(armed, 800000);
}
END_TEST

START_TEST(spreads_the_periods)
{
	uint64_t longest = 0, shortest = UINT64_MAX, sum = 0;
	enum { ROUNDS = 4000 };

	signal_at(here, 1200000, 0);
	signal_at(here, 2500, 0);
	for (int i = 0; i < ROUNDS; i++) {
		ck_assert_uint_ge(armed, 800000);
		ck_assert_uint_lt(armed, 1200000);
		sum += armed;
		signal_at(here, 1200000, 0);
		ck_assert_uint_ge(armed, plan.shortest);
		ck_assert_uint_lt(armed, 2000);
		longest = armed > longest ? armed : longest;
		shortest = armed < shortest ? armed : shortest;
		signal_at(here, 2500, 0);
	}
	ck_assert_uint_lt(shortest, 110);
	ck_assert_uint_gt(longest, 1990);
	/* 20 % uniform spread: the mean of 4000 scatters by 0.18 % */
	ck_assert_uint_gt(sum / ROUNDS, 990000);
	ck_assert_uint_lt(sum / ROUNDS, 1010000);
}
END_TEST

/* The smaller one of two lengths is a third of the range on average. */
START_TEST(draws_short_windows)
{
	uint64_t sum = 0, longest = 0;
	enum { ROUNDS = 4000 };

	plan.shorter = true;
	signal_at(here, 1200000, 0);
	signal_at(here, 2500, 0);
	for (int i = 0; i < ROUNDS; i++) {
		signal_at(here, 1200000, 0);
		ck_assert_uint_ge(armed, plan.shortest);
		ck_assert_uint_lt(armed, 2000);
		sum += armed;
		longest = armed > longest ? armed : longest;
		signal_at(here, 2500, 0);
	}
	/* of 1900 above 100, scatter 7 */
	ck_assert_uint_gt(sum / ROUNDS, plan.shortest + 590);
	ck_assert_uint_lt(sum / ROUNDS, plan.shortest + 677);
	ck_assert_uint_gt(longest, 1900);
}
END_TEST

START_TEST(measures_empty_windows)
{
	map_counters();
	for (int i = 0; i < 8; i++) {
		signal_at(here, 1200000, 0);
		if (i % 4 == 0) {
			ck_assert_int_eq(release(), SYS_rt_tgsigqueueinfo);
			own_signal_at(here, 30, 2);
		} else {
			ck_assert_int_eq(release(), SYS_ioctl);
			ck_assert_uint_eq(thread.release.period, thread.window.requested);
			signal_at(here, 2500, 2);
		}
	}
	ck_assert_uint_eq(record()->samples, 8);
	ck_assert_uint_eq(record()->windows, 6);
	ck_assert_uint_eq(record()->empties, 2);
	ck_assert_uint_eq(record()->empty[0], 60);
	ck_assert_uint_eq(record()->empty[1], 4);
	ck_assert_uint_eq(thread.own_leavings[0][0], 2);
	ck_assert_uint_eq(thread.own_leavings[0][1], 0);
	for (uint32_t i = 0; i < 8; i++)
		ck_assert_uint_eq(logged(i)->state,
				  i % 4 ? TD_WINDOW_USED : TD_WINDOW_EMPTY);
	ck_assert_uint_eq(logged(4)->value[0], 30);
	ck_assert_uint_eq(logged(4)->requested, 0);
}
END_TEST

START_TEST(drops_an_empty_window_with_something_in_it)
{
	map_counters();
	signal_at(here, 1200000, 0);
	release();
	counted[0] = 31;
	td_strobe_signal(&thread, ip_of(here) + 1, TD_SIGNAL_EMPTY);
	ck_assert_uint_eq(record()->empties, 0);
	ck_assert(!thread.in_window);
}
END_TEST

/* A perf signal was pending, so that ours got lost: at the same instruction, soon. */
START_TEST(drops_an_empty_window_that_its_signal_did_not_end)
{
	map_counters();
	signal_at(here, 1200000, 0);
	release();
	signal_at(here, 30, 2);
	ck_assert_uint_eq(record()->empties, 0);
	ck_assert_uint_eq(record()->windows, 0);
	ck_assert(!thread.in_window);
	ck_assert_uint_eq(thread.armed_period, armed); /* the long one goes on */
	ck_assert_uint_ge(armed, 800000);
}
END_TEST

/* Or ours comes when the window is gone, or never was. */
START_TEST(ignores_its_own_signal_elsewhere)
{
	uint64_t before;

	map_counters();
	own_signal_at(here, 2000000, 2);
	ck_assert_uint_eq(record()->samples, 0);
	signal_at(here, 1, 0);
	release();
	own_signal_at(here, 30, 2);
	signal_at(here, 1200000, 0);
	release();
	before = armings;
	own_signal_at(here, 30, 2);
	ck_assert(thread.in_window); /* an ordinary one */
	ck_assert_uint_eq(armings, before);
	ck_assert_uint_eq(record()->empties, 1);
}
END_TEST

/* The empty window first, then one that closes with these values. */
static void one_window(uint64_t elapsed, uint64_t returns)
{
	map_counters();
	signal_at(here, 1200000, 0);
	release();
	own_signal_at(here, 30, 2);
	signal_at(here, 1200000, 0);
	release();
	signal_at(here, elapsed, returns);
	ck_assert_uint_eq(record()->samples, 2);
}

START_TEST(rejects_nested)
{
	one_window(2500, 3);
	ck_assert_uint_eq(record()->windows, 0);
	ck_assert_uint_eq(record()->rejected[TD_REJECT_NESTED], 1);
}
END_TEST

START_TEST(rejects_what_called_itself_back)
{
	map_counters();
	signal_at(here, 1200000, 0);
	release();
	counted[2] = 1;
	own_signal_at(here, 30, 2);
	signal_at(here, 1200000, 0);
	release();
	counted[2] = 2;
	signal_at(here, 2500, 2);
	ck_assert_uint_eq(record()->rejected[TD_REJECT_NESTED], 1);
	signal_at(here, 1200000, 0);
	release();
	counted[2] = 1;
	signal_at(here, 2500, 2);
	ck_assert_uint_eq(record()->windows, 1);
}
END_TEST

/* A window of this group of events, which is another empty one than group 0's. */
static void window_of_group(struct td_group_counters *groups, uint32_t group,
			    uint64_t returns)
{
	signal_at(here, 1200000, 0);
	release();
	groups->active = group;
	if (thread.window.empty)
		own_signal_at(here, 30, returns);
	else
		signal_at(here, 2500, returns);
	groups->active = 0;
}

/* A group of fewer events is read with fewer returns of ours. */
START_TEST(rejects_nested_by_group)
{
	struct td_groups_shape shape = {.width = 4, .judged = {true, true}};
	struct td_group_counters groups = {
		.shape = &shape, .groups = 1, .group = {{.fd = {-1}}, {.fd = {-1}}}};

	map_counters();
	thread.groups = &groups;
	window_of_group(&groups, 0, 3); /* empty */
	window_of_group(&groups, 1, 9);
	window_of_group(&groups, 0, 3);
	window_of_group(&groups, 1, 2);
	ck_assert_msg(record()->windows == 3, "not known yet of group 1");
	window_of_group(&groups, 1, 2); /* empty */
	window_of_group(&groups, 0, 3);
	window_of_group(&groups, 1, 2);
	ck_assert_uint_eq(record()->windows, 5);
	window_of_group(&groups, 1, 3);
	ck_assert_uint_eq(record()->rejected[TD_REJECT_NESTED], 1);
	ck_assert_uint_eq(record()->windows, 5);
}
END_TEST

START_TEST(keeps_what_did_not_return)
{
	one_window(2500, 2);
	ck_assert_uint_eq(record()->windows, 1);
}
END_TEST

START_TEST(rejects_switched)
{
	map_counters();
	signal_at(here, 1200000, 0);
	release();
	own_signal_at(here, 30, 2);
	signal_at(here, 1200000, 0);
	release();
	was_switched = true;
	signal_at(here, 2500, 2);
	ck_assert_uint_eq(record()->windows, 0);
	ck_assert_uint_eq(record()->rejected[TD_REJECT_SWITCHED], 1);
}
END_TEST

START_TEST(notices_throttling)
{
	map_counters();
	signal_at(here, 1200000, 0);
	ck_assert_uint_eq(record()->lost[TD_LOST_THROTTLED], 0);
	release();
	own_signal_at(here, 30, 2);
	signal_at(here, 5 * thread.armed_period, 0);
	ck_assert_uint_eq(record()->lost[TD_LOST_THROTTLED], 4);
}
END_TEST

START_TEST(calls_a_lost_register_no_throttling)
{
	map_counters();
	signal_at(here, 1200000, 0);
	release();
	own_signal_at(here, 30, 2);
	thread.armed_at = 1000; /* and the counters began anew since */
	signal_at(here, 10, 0);
	ck_assert_uint_eq(record()->lost[TD_LOST_THROTTLED], 0);
}
END_TEST

/* Somebody else had the counters when the window closed, and gave them back. */
START_TEST(calls_time_without_counters_no_throttling)
{
	map_counters();
	signal_at(here, 1200000, 0);
	release();
	own_signal_at(here, 30, 2);
	signal_at(here, 1200000, 0);
	release();
	readable = false;
	signal_at(here, 2500, 0);
	ck_assert_uint_eq(record()->rejected[TD_REJECT_COUNTERS], 1);
	readable = true;
	signal_at(here, 9 * thread.armed_period, 0);
	ck_assert_uint_eq(record()->samples, 3); /* and no echo */
	ck_assert_uint_eq(record()->lost[TD_LOST_THROTTLED], 0);
}
END_TEST

static const uint64_t *timeline_bucket(uint64_t i)
{
	const struct td_file_timeline *t =
		td_store_record(TD_REF(record()->timeline, 0), 0);

	return &t->value[i * 3];
}

static void add_to_timeline(uint64_t now_ns, const uint64_t *values)
{
	uint64_t *bucket = td_timeline_bucket(&thread.places, now_ns);

	ck_assert_ptr_nonnull(bucket);
	bucket[0]++;
	bucket[1] += values[0];
	bucket[2] += values[1];
}

START_TEST(coarsens_the_timeline)
{
	const uint64_t values[2] = {1000, 7}, nothing[2] = {0, 0};
	const struct td_file_timeline *t;

	td_store.header->start_ns = 500;
	for (uint64_t i = 0; i < 2 * TD_TIMELINE_BUCKETS; i++)
		add_to_timeline(500 + i * TD_TIMELINE_WIDTH_NS, values);
	t = td_store_record(TD_REF(record()->timeline, 0), 0);
	ck_assert_uint_eq(t->width_ns, 2 * TD_TIMELINE_WIDTH_NS);
	ck_assert_uint_eq(t->busy, 0);
	for (uint64_t i = 0; i < TD_TIMELINE_BUCKETS; i++) {
		ck_assert_uint_eq(timeline_bucket(i)[0], 2);
		ck_assert_uint_eq(timeline_bucket(i)[1], 2000);
		ck_assert_uint_eq(timeline_bucket(i)[2], 14);
	}
	add_to_timeline(500 + 1000ull * TD_TIMELINE_WIDTH_NS, nothing);
	ck_assert_uint_eq(t->width_ns, 32 * TD_TIMELINE_WIDTH_NS);
	ck_assert_uint_eq(timeline_bucket(0)[0], 32);
	ck_assert_uint_eq(timeline_bucket(2)[0], 32);
	ck_assert_uint_eq(timeline_bucket(3)[0], 0);
	ck_assert_uint_eq(timeline_bucket(1000 / 32)[0], 1);
}
END_TEST

START_TEST(begins_anywhere)
{
	uint64_t sum = 0;
	enum { ROUNDS = 4000 };

	for (int i = 0; i < ROUNDS; i++) {
		td_strobe_start(&thread);
		ck_assert_uint_lt(armed, 1200000);
		sum += armed;
	}
	/* uniform over a period: mean 500000, 0.9 % scatter */
	ck_assert_uint_gt(sum / ROUNDS, 475000);
	ck_assert_uint_lt(sum / ROUNDS, 525000);
}
END_TEST

START_TEST(repeats_with_the_seed)
{
	struct td_random a, b, c;

	td_random_seed(&a, 7, 3);
	td_random_seed(&b, 7, 3);
	td_random_seed(&c, 7, 4);
	for (int i = 0; i < 100; i++) {
		uint64_t x = td_random_next(&a);

		ck_assert_uint_eq(x, td_random_next(&b));
		ck_assert_uint_ne(x, td_random_next(&c));
	}
}
END_TEST

START_TEST(stops_when_it_cannot_arm)
{
	arm_result = -EBADF;
	signal_at(here, 1200000, 0);
	ck_assert(thread.stopped);
	ck_assert_uint_eq(record()->lost[TD_LOST_CLOSED], 1);
	ck_assert_uint_eq(stops, 1);
}
END_TEST

START_TEST(fills_up_and_goes_on)
{
	struct td_identity identity = {.kind = TD_PLACE_FUNCTION, .object = 0, .size = 1};
	struct td_file_place *place, *other = thread.places.other;
	uint32_t slots = 32 * td_store_slots(TD_PLACE_SIZE(2));
	uint32_t made = 0;

	for (uint32_t i = 1; i <= slots; i++) {
		identity.address = identity.region = i * 16;
		place = td_places_get(&thread.places, &identity);
		made += place != other;
		place->samples++;
	}
	ck_assert_uint_gt(made, slots / 2);
	ck_assert_uint_eq(other->samples, slots - made);
	ck_assert_uint_eq(record()->lost[TD_LOST_FULL], slots - made);
	for (uint32_t i = 1; i <= made; i++) {
		identity.address = identity.region = i * 16;
		place = td_places_get(&thread.places, &identity);
		ck_assert_uint_eq(place->samples, 1);
		ck_assert_uint_eq(place->address, i * 16);
	}
}
END_TEST

START_TEST(logs_windows)
{
	const struct td_file_window *log;
	struct td_identity at_here, at_there;
	uint64_t requested;

	td_identity_find(ip_of(here), &at_here);
	td_identity_find(ip_of(there), &at_there);
	atomic_store(&thread.tid, 77);
	signal_at(here, 1200000, 70);
	requested = armed;
	ck_assert_ptr_null(logged(0));
	signal_at(here, 2500, 3);
	signal_at(here, 1200000, 70);
	signal_at(there, 2400, 4);
	signal_at(there, 1200000, 70);
	signal_at(there, 1, 5); /* early */
	signal_at(here, 1200000, 70);
	signal_at(here, 90000, 6); /* late */
	ck_assert_uint_eq(td_store.header->windows_seen, 2);
	log = logged(0);
	ck_assert_ptr_nonnull(log);
	ck_assert_uint_eq(log->state, TD_WINDOW_USED);
	ck_assert_uint_eq(log->thread, 77);
	ck_assert_uint_eq(log->requested, requested);
	ck_assert_uint_eq(log->reject, TD_REJECT_MAX);
	ck_assert_uint_eq(log->kind[0], TD_PLACE_FUNCTION);
	ck_assert_uint_eq(log->kind[1], TD_PLACE_FUNCTION);
	ck_assert_uint_eq(log->end[0].address, at_here.address);
	ck_assert_uint_eq(log->end[1].object, at_here.object);
	ck_assert_uint_eq(log->end[1].offset, 0);
	ck_assert_uint_eq(log->value[0], 2500);
	ck_assert_uint_eq(log->value[1], 3);
	log = logged(1);
	ck_assert_uint_eq(log->state, TD_WINDOW_USED);
	ck_assert_uint_eq(log->reject, TD_REJECT_FUNCTION);
	ck_assert_uint_eq(log->end[0].address, at_here.address);
	ck_assert_uint_eq(log->end[1].address, at_there.address);
	ck_assert_uint_eq(log->value[0], 2400);
	ck_assert_uint_eq(logged(2)->state, TD_WINDOW_FREE);
}
END_TEST

/* Where in the function, and counts that the record has no room for. */
START_TEST(logs_offsets_and_large_counts)
{
	const struct td_file_window *log;

	plan.late = UINT64_MAX / 2;
	counted[0] += 1200000;
	td_strobe_signal(&thread, ip_of(here) + 1, 0);
	counted[0] += 1ull << 33;
	td_strobe_signal(&thread, ip_of(here) + 2, 0);
	log = logged(0);
	ck_assert_ptr_nonnull(log);
	ck_assert_uint_eq(log->end[0].offset, 1);
	ck_assert_uint_eq(log->end[1].offset, 2);
	ck_assert_uint_eq(log->value[0], UINT32_MAX);
}
END_TEST

/* As if so much of the program's time went by until the counters are read: a walk. */
#define WALK 3000u

static bool read_after_a_walk(struct td_thread *t, struct td_reading *now)
{
	counted[0] += WALK;
	return fake_read(t, now);
}

static ucontext_t interrupted;

static void begin_walking(void)
{
	td_store.header->path_size = TD_PATH_SIZE(2);
	thread.callpath = aligned_alloc(64, (sizeof(struct td_callpath) + 63) & ~63ul);
	ck_assert_ptr_nonnull(thread.callpath);
	memset(thread.callpath, 0, sizeof(*thread.callpath));
	td_callpath_reset(thread.callpath, (struct td_range){0, 0}, false);
	ck_assert_int_eq(getcontext(&interrupted), 0);
	thread.interrupted = &interrupted;
}

static void end_walking(void)
{
	free(thread.callpath);
	thread.callpath = NULL;
	td_paths_forget();
}

/* The long period begins behind the walk at a window's end. */
START_TEST(walks_before_the_long_period)
{
	struct td_counter_ops walking = counters;
	uint64_t before, closed_at;

	walking.read_total = read_after_a_walk;
	begin_walking();
	signal_at(here, 1200000, 0);
	thread.counters = &walking;
	before = armings;
	signal_at(here, 2500, 0);
	closed_at = counted[0] - WALK;
	ck_assert_uint_eq(armings, before + 2);
	ck_assert_uint_eq(armed, thread.next_long);
	ck_assert_uint_eq(thread.armed_at, closed_at + WALK);
	/* what is too early for that period is an echo of the one before */
	thread.counters = &counters;
	signal_at(here, armed - 1, 0);
	ck_assert_uint_eq(record()->samples, 1);
	signal_at(here, 1, 0);
	ck_assert_uint_eq(record()->samples, 2);
	/* a period for the next window, no other one */
	ck_assert_uint_eq(armings, before + 3);
	end_walking();
}
END_TEST

/* The trigger failed: it is left alone. */
START_TEST(walks_after_the_last_period)
{
	uint64_t before;

	begin_walking();
	signal_at(here, 1200000, 0);
	before = armings;
	arm_result = -EBADF;
	signal_at(here, 2500, 0);
	ck_assert_uint_eq(armings, before + 1);
	ck_assert_uint_eq(record()->windows, 1);
	end_walking();
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {counts_a_window,
				      rejects_another_function,
				      rejects_late,
				      rejects_early,
				      rejects_unreadable,
				      counts_what_is_not_in_the_totals,
				      rejects_delayed,
				      rejects_unknown_code,
				      cuts_at_the_end,
				      gives_up_when_blocked,
				      drops_a_delayed_sample,
				      ignores_an_echo,
#ifdef __x86_64__
				      learns_from_windows_that_are_over_too_soon,
				      loses_no_sample_on_the_way,
#endif
				      half_is_not_early_on_a_shared_core,
				      samples_without_windows,
				      spreads_the_periods,
				      draws_short_windows,
				      measures_empty_windows,
				      drops_an_empty_window_with_something_in_it,
				      drops_an_empty_window_that_its_signal_did_not_end,
				      ignores_its_own_signal_elsewhere,
				      rejects_nested,
				      rejects_what_called_itself_back,
				      rejects_nested_by_group,
				      keeps_what_did_not_return,
				      rejects_switched,
				      notices_throttling,
				      calls_a_lost_register_no_throttling,
				      calls_time_without_counters_no_throttling,
				      coarsens_the_timeline,
				      begins_anywhere,
				      repeats_with_the_seed,
				      stops_when_it_cannot_arm,
				      walks_before_the_long_period,
				      walks_after_the_last_period,
				      fills_up_and_goes_on,
				      logs_windows,
				      logs_offsets_and_large_counts,
				      NULL};

	return unit_main_between("strobe", tests, setup, memory_store_close);
}
