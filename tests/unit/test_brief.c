// SPDX-License-Identifier: MIT
/*
 * The strobe in brief makes of the same signals the same profile as the strobe: both
 * get a long random series of captured registers.
 */
#include "agent/sigsafe/brief.h"

#ifdef __SSE2__

#include <check.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "agent/sigsafe/strobe.h"
#include "agent/sigsafe/trigger.h"
#include "agent/sigsafe/windows.h"
#include "tests/unit/memory_store.h"

#define SAMPLES 6000
#define BLOCKS 64 /* of which the log may have a quarter: it overflows */
#define WIDTH 6
#define SHORT 600
#define LATE 2000
#define MARK 5

static struct td_thread thread;
static struct td_strobe_plan plan;
static char pages[TD_PAGES * TD_PAGE];
static struct td_random dice;
static uint32_t lock;
static uint64_t extra[TD_EXTRAS_MAX]; /* the counters */
static uint64_t slots;                /* since the reset */
static unsigned in_brief, fully;
static uint32_t threads_on = 1; /* of the core */

static int here(int x)
{
	return x + 1;
}

static int there(int x)
{
	return x + 2;
}

static void plan_it(uint32_t nodes)
{
	plan = (struct td_strobe_plan){.long_period = 100000,
				       .short_period = SHORT,
				       .shortest = 6,
				       .late = LATE,
				       .jitter_percent = 20,
				       .spread = 20000,
				       .leavings = 1 + nodes,
				       .empty_every = 8,
				       .cpu_every = 5,
				       .threads = threads_on};
}

static void open_store(uint32_t nodes, uint32_t extras)
{
	memory_store_open(1 + nodes + extras, BLOCKS);
	td_store.header->backend = TD_BACKEND_METRICS;
	td_metrics_shape = (struct td_metrics_shape){
		.nodes = nodes, .extras = extras, .width = WIDTH, .threads = threads_on};
	/* behind the leavings; instructions are the last */
	if (extras > 3)
		td_metrics_shape.correction.uop_dropping = nodes + 3;
	if (extras > 4)
		td_metrics_shape.correction =
			(struct td_correction){nodes + 3, nodes + 4, WIDTH};
}

/* An event that knows no PERIOD: arming fails each time, which changes nothing else. */
static void open_thread(uint32_t extras)
{
	int fd = memfd_create("event", MFD_CLOEXEC);

	ck_assert_int_eq(fcntl(fd, F_SETSIG, MARK), 0);
	memset(&thread, 0, sizeof(thread));
	memory_store_add_thread(&thread.places);
	thread.registers = (struct td_registers){
		.mapped = true, .slots_fd = fd, .extras = extras, .pages = pages};
	thread.fd = fd;
	thread.fd_mark = MARK;
	thread.tid = 77;
	thread.plan = &plan;
	thread.trigger = &td_perf_trigger;
	thread.counters = &td_metrics_rdpmc_counters;
	td_random_seed(&thread.random, 3, 3);
	td_strobe_first_period(&thread);
	td_random_seed(&dice, 5, 5);
	memset(extra, 0, sizeof(extra));
	lock = in_brief = fully = 0;
	slots = 0;
}

static bool one_in(uint32_t n)
{
	return td_random_below(&dice, n) == 0;
}

/* Level 1 adds up to 255, or nearly, or not at all. */
static uint64_t any_metrics(bool sound)
{
	uint64_t value = 0, rest = one_in(40) && !sound ? 200 : 254;

	rest += td_random_below(&dice, 3);

	for (unsigned i = 0; i < 3; i++) {
		uint64_t part = td_random_below(&dice, rest < 120 ? rest : 120);

		value |= part << (8 * i);
		rest -= part;
	}
	value |= (rest < 255 ? rest : 255) << 24;
	return value | td_random_next(&dice) << 32;
}

static void count(uint64_t more)
{
	slots += more * WIDTH + td_random_below(&dice, WIDTH);
	extra[0] += thread.in_window ? 2u * one_in(9) + 1 : more / 70;
	extra[1] += thread.in_window ? (uint64_t)one_in(9) : more / 80;
	if (td_metrics_shape.extras > 2)
		extra[2] += td_random_below(&dice, more / 8 + 1);
	if (td_metrics_shape.extras > 3)
		extra[3] += td_random_below(&dice, more / 50 + 1);
	if (td_metrics_shape.extras > 4)
		extra[4] += td_random_below(&dice, 2 * more + 1);
}

static void set_extra(struct td_extras *to, uint32_t i)
{
	to->low[i] = (uint32_t)extra[i];
	to->high[i] = (uint32_t)(extra[i] >> 32) & 0xffff;
}

/* `sound`: with nothing wrong about it.  Of an echo strobe.c looks at all registers. */
static void capture(bool sound)
{
	struct perf_event_mmap_page *page = (void *)pages;

	if (one_in(30))
		lock += 2; /* switched out and in */
	page->lock = lock;
	thread.capture = (struct td_capture){
		.slots = slots,
		.slots_after = !sound && one_in(50) ? slots - 10 : slots + 42,
		.metrics = any_metrics(sound),
		.lock = lock,
		.complete = sound || !one_in(60),
	};
	for (uint32_t i = 0; i < td_metrics_shape.extras; i++)
		set_extra(&thread.capture.extra, i);
}

/* As td_handler() does it. */
static void deliver(bool brief, uint64_t ip, unsigned how)
{
	if (brief && thread.capture.complete && td_brief_is_echo(&thread))
		return;
	if (brief && thread.capture.complete && !how && td_brief_may(&thread)) {
		in_brief++;
		if (thread.in_window)
			td_brief_close(&thread, ip);
		else
			td_brief_open(&thread, ip);
	} else {
		fully++;
		if (brief)
			td_brief_hand_over(&thread);
		td_strobe_signal(&thread, ip, how);
	}
	thread.stopped = false; /* by the arming */
	if (!thread.release.wanted)
		return;
	thread.release.wanted = false;
	slots = 0;
	for (uint32_t i = 0; i < td_metrics_shape.extras; i++)
		set_extra(&thread.registers.extra_base, i);
	thread.registers.lock = lock;
}

static uint64_t any_ip(void)
{
	return one_in(50)  ? 16
	       : one_in(4) ? (uint64_t)there
			   : (uint64_t)here + td_random_below(&dice, 2);
}

static void one_signal(bool brief)
{
	unsigned how = one_in(40) ? TD_SIGNAL_DELAYED : 0;
	uint64_t ip = any_ip();
	bool echo = !thread.in_window && one_in(8);

	if (thread.in_window && thread.window.empty && !one_in(6)) {
		how = TD_SIGNAL_EMPTY;
		ip = thread.window.opened_at;
		count(7);
	} else if (thread.in_window) {
		count(one_in(30)   ? 3 * SHORT + LATE
		      : one_in(20) ? thread.window.requested / 2 / threads_on
				   : (thread.window.requested + 40) /
					     (1 + td_random_below(&dice, threads_on)));
	} else {
		count(echo         ? 30
		      : one_in(20) ? 400000
				   : 125000 / (1 + td_random_below(&dice, threads_on)));
	}
	capture(echo);
	deliver(brief, ip, how);
}

static void run(bool brief, uint32_t nodes, uint32_t extras)
{
	plan_it(nodes);
	open_store(nodes, extras);
	open_thread(extras);
	while (thread.places.record->samples < SAMPLES)
		one_signal(brief);
}

static void end(void)
{
	close(thread.fd);
	memory_store_close();
}

/* All that the profile has, without its times. */
struct result {
	struct td_file_thread thread;
	unsigned char *blocks;
	uint64_t timeline[1 + TD_COUNTERS_MAX];
	uint64_t seen, own_leavings[TD_LEAVINGS];
};

static void add_timeline(struct result *result, uint32_t block)
{
	struct td_file_timeline *t = td_store_record(TD_REF(block, 0), 0);
	uint32_t n = 1 + td_store.header->counters;

	for (uint32_t i = 0; i < n * TD_TIMELINE_BUCKETS; i++)
		result->timeline[i % n] += t->value[i];
	memset(t, 0, sizeof(*t) + n * TD_TIMELINE_BUCKETS * 8);
}

static void take_result(struct result *result)
{
	struct td_file_thread *record = thread.places.record;
	size_t size = (size_t)td_store.header->blocks * TD_BLOCK_SIZE;

	memset(result, 0, sizeof(*result));
	add_timeline(result, record->timeline);
	record->last_ns = record->cpu_ns = 0;
	result->thread = *record;
	result->seen = td_store.header->windows_seen;
	memcpy(result->own_leavings, thread.own_leavings[0],
	       sizeof(result->own_leavings));
	result->blocks = calloc(BLOCKS, TD_BLOCK_SIZE);
	memcpy(result->blocks, td_store.header, size);
}

static void expect_all_causes(const struct td_file_thread *record)
{
	static const enum td_reject causes[] = {
		TD_REJECT_FUNCTION, TD_REJECT_UNKNOWN, TD_REJECT_LATE,
		TD_REJECT_EARLY,    TD_REJECT_BLOCKED, TD_REJECT_COUNTERS,
		TD_REJECT_SWITCHED, TD_REJECT_NESTED,
	};

	for (size_t i = 0; i < sizeof(causes) / sizeof(causes[0]); i++)
		ck_assert_uint_gt(record->rejected[causes[i]], 10);
	ck_assert_uint_gt(record->windows, SAMPLES / 4);
	ck_assert_uint_gt(record->empties, SAMPLES / 20);
	ck_assert_uint_gt(record->unread, 10);
	ck_assert_uint_gt(record->lost[TD_LOST_THROTTLED], 10);
	ck_assert_uint_gt(record->lost[TD_LOST_BLOCKED], 10);
}

static void compare(uint32_t nodes, uint32_t extras)
{
	struct result brief, whole;

	run(false, nodes, extras);
	take_result(&whole);
	end();
	run(true, nodes, extras);
	take_result(&brief);
	ck_assert_uint_gt(in_brief, 3 * fully);
	end();
	expect_all_causes(&whole.thread);
	ck_assert_uint_gt(whole.seen, td_windows_room(BLOCKS));
	for (size_t i = 0; i < sizeof(brief.thread); i += 8)
		ck_assert_msg(memcmp((char *)&brief.thread + i, (char *)&whole.thread + i,
				     8) == 0,
			      "thread record, byte %zu", i);
	ck_assert_mem_eq(brief.timeline, whole.timeline, sizeof(brief.timeline));
	ck_assert_mem_eq(brief.own_leavings, whole.own_leavings,
			 sizeof(brief.own_leavings));
	/* places with their sums, and the log, bit for bit */
	ck_assert_mem_eq(brief.blocks, whole.blocks, BLOCKS * TD_BLOCK_SIZE);
	free(brief.blocks);
	free(whole.blocks);
}

START_TEST(does_the_same_with_eight_fields)
{
	compare(8, 4);
}
END_TEST

START_TEST(does_the_same_with_four_fields)
{
	compare(4, 5);
}
END_TEST

/* A processor that nothing is known of to correct. */
START_TEST(does_the_same_without_corrections)
{
	compare(8, 3);
}
END_TEST

/* Some windows and periods have half of their slots: the other thread has the others. */
START_TEST(does_the_same_on_a_shared_core)
{
	threads_on = 2;
	compare(8, 3);
	threads_on = 1;
}
END_TEST

START_TEST(does_the_same_with_leavings_alone)
{
	compare(8, 2);
}
END_TEST

/* What is not its case it does not touch. */
START_TEST(is_not_for_everything)
{
	static const struct td_callpath *const some = (void *)pages;

	run(true, 8, 3);
	ck_assert(!thread.unusual || thread.in_window);
	thread.callpath = (struct td_callpath *)(uintptr_t)some;
	td_brief_enter(&thread);
	ck_assert(thread.unusual);
	thread.callpath = NULL;
	td_brief_enter(&thread);
	ck_assert(!thread.unusual);
	td_metrics_shape.clears_on_read = true;
	td_brief_enter(&thread);
	ck_assert(thread.unusual);
	td_metrics_shape.clears_on_read = false;
	plan.short_period = 1ull << 30;
	td_brief_enter(&thread);
	ck_assert(thread.unusual);
	end();
}
END_TEST

/* A descriptor that is not ours: no system call on it, and no more samples. */
START_TEST(leaves_other_descriptors_alone)
{
	run(true, 8, 3);
	while (thread.in_window)
		one_signal(true);
	ck_assert_int_eq(fcntl(thread.fd, F_SETSIG, MARK + 1), 0);
	slots = 125000 * WIDTH;
	thread.capture = (struct td_capture){.slots = slots,
					     .slots_after = slots,
					     .metrics = 0x202020203f404040u,
					     .lock = lock,
					     .complete = true};
	td_brief_open(&thread, (uint64_t)here);
	ck_assert(!thread.in_window);
	ck_assert(!thread.release.wanted);
	ck_assert(thread.stopped);
	ck_assert_uint_eq(thread.places.record->lost[TD_LOST_CLOSED], 1);
	end();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("brief");
	TCase *tests = tcase_create("brief");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tests, does_the_same_with_eight_fields);
	tcase_add_test(tests, does_the_same_with_four_fields);
	tcase_add_test(tests, does_the_same_without_corrections);
	tcase_add_test(tests, does_the_same_on_a_shared_core);
	tcase_add_test(tests, does_the_same_with_leavings_alone);
	tcase_add_test(tests, is_not_for_everything);
	tcase_add_test(tests, leaves_other_descriptors_alone);
	suite_add_tcase(suite, tests);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#else

#include <stdio.h>

int main(void)
{
	puts("this processor has no SLOTS and PERF_METRICS: nothing to test");
	return 77;
}

#endif
