// SPDX-License-Identifier: MIT
/* From the captured registers to counts; RDPMC itself is tested in the lab. */
#include "agent/sigsafe/metrics.h"

#include <check.h>
#include <string.h>

#include "agent/sigsafe/release.h"
#include "tests/unit/unit.h"

static struct td_thread thread;
static char pages[TD_PAGES * TD_PAGE];

static void setup(void)
{
	memset(&thread, 0, sizeof(thread));
	memset(&td_metrics_shape, 0, sizeof(td_metrics_shape));
	td_metrics_shape.nodes = 8;
	td_metrics_shape.width = 6;
	td_metrics_shape.extras = 1;
	thread.registers.extras = 1;
	thread.registers.pages = pages;
}

/* Level 1 at 25 % each (64 + 64 + 64 + 63), level 2 at half of it. */
static void capture(uint64_t slots, uint64_t extra)
{
	thread.capture = (struct td_capture){
		.slots = slots,
		.slots_after = td_metrics_shape.clears_on_read ? 0 : slots,
		.metrics = 0x202020203f404040u,
		.extra = {.low = {(uint32_t)extra}, .high = {extra >> 32}},
		.complete = true,
	};
}

static struct td_reading now;

static bool read_values(uint64_t *values)
{
	bool readable;

	memset(&now, 0, sizeof(now));
	readable = td_metrics_rdpmc_counters.read(&thread, &now) &&
		   td_metrics_rdpmc_counters.decode(&thread, &now);
	memcpy(values, now.values, sizeof(now.values));
	return readable;
}

START_TEST(decodes_a_capture)
{
	uint64_t values[TD_COUNTERS_MAX];

	thread.registers.extra_base.low[0] = UINT32_MAX - 1;
	thread.registers.extra_base.high[0] = 0xffff;
	capture(255000, 3); /* the extra counter wrapped at 48 bits */
	ck_assert(read_values(values));
	ck_assert_uint_eq(values[0], 255000);
	ck_assert_uint_eq(values[1], 64000);
	ck_assert_uint_eq(values[4], 63000);
	ck_assert_uint_eq(values[5], 32000);
	ck_assert_uint_eq(values[9], 5);
	ck_assert_uint_eq(now.elapsed, 42500);
}
END_TEST

/* The two registers are not read at once: slots are as of the metrics. */
START_TEST(takes_the_slots_of_the_moment)
{
	uint64_t values[TD_COUNTERS_MAX];

	capture(254900, 0);
	thread.capture.slots_after = 255100;
	ck_assert(read_values(values));
	ck_assert_uint_eq(values[0], 255000);
	ck_assert_uint_eq(values[1], 64000);
	thread.capture.slots_after = 254899; /* reset in between */
	ck_assert(!read_values(values));
	td_metrics_shape.clears_on_read = true;
	capture(254900, 0);
	thread.capture.slots_after = 100;
	ck_assert(read_values(values));
	ck_assert_uint_eq(values[0], 255000);
}
END_TEST

START_TEST(refuses_what_was_not_counting)
{
	uint64_t values[TD_COUNTERS_MAX];

	capture(255000, 0);
	thread.capture.complete = false;
	ck_assert(!read_values(values));
	capture(255000, 0);
	thread.capture.metrics = 0;
	ck_assert(!read_values(values));
}
END_TEST

START_TEST(never_reads_without_an_index)
{
	struct td_capture taken = {.complete = true};

	/* index 0: an RDPMC would be a fault here, where no event is open */
	td_metrics_capture(&thread.registers, &taken);
	ck_assert(!taken.complete);
}
END_TEST

/* What the log gets is the register, whatever the formulas make of it. */
START_TEST(logs_the_registers)
{
	uint64_t values[TD_COUNTERS_MAX];
	uint32_t raw[TD_WINDOW_VALUES] = {0};

	td_metrics_shape.correction.uop_dropping = 9;
	capture(255000, 70);
	ck_assert(read_values(values));
	td_metrics_raw(&thread, &now, raw);
	ck_assert_uint_eq(raw[0], 255000);
	ck_assert_uint_eq(raw[1], 0x3f404040u);
	ck_assert_uint_eq(raw[2], 0x20202020u);
	ck_assert_uint_eq(raw[3], 70);
	ck_assert_uint_eq(raw[4], 0);
	capture(1ull << 40, 0);
	ck_assert(read_values(values));
	td_metrics_raw(&thread, &now, raw);
	ck_assert_uint_eq(raw[0], UINT32_MAX);
}
END_TEST

/* All of them, in their order: Ice Lake has five. */
START_TEST(takes_each_extra_counter)
{
	uint64_t values[TD_COUNTERS_MAX];
	uint32_t raw[TD_WINDOW_VALUES] = {0};

	td_metrics_shape.nodes = 4;
	for (uint32_t n = 1; n <= TD_EXTRAS_MAX; n++) {
		td_metrics_shape.extras = thread.registers.extras = n;
		thread.registers.extra_base.low[n - 1] = 100 * n;
		capture(2550, 0);
		for (uint32_t i = 0; i < n; i++)
			thread.capture.extra.low[i] = 101 * (i + 1);
		memset(raw, 0, sizeof(raw));
		ck_assert(read_values(values));
		td_metrics_raw(&thread, &now, raw);
		for (uint32_t i = 0; i < TD_EXTRAS_MAX; i++) {
			ck_assert_uint_eq(values[5 + i], i < n ? i + 1 : 0);
			ck_assert_uint_eq(raw[3 + i], i < n ? i + 1 : 0);
		}
	}
	ck_assert_uint_le(3 + TD_EXTRAS_MAX, TD_WINDOW_VALUES);
}
END_TEST

START_TEST(sees_a_switch)
{
	thread.registers.lock = 8;
	thread.capture.lock = 8;
	ck_assert(!td_metrics_rdpmc_counters.switched(&thread));
	thread.capture.lock = 10;
	ck_assert(td_metrics_rdpmc_counters.switched(&thread));
}
END_TEST

static void set_lock(uint32_t lock)
{
	((struct perf_event_mmap_page *)(pages + TD_PAGE_SLOTS * TD_PAGE))->lock = lock;
}

/* Between the zeroing and what comes next the thread was away: it has other counts. */
START_TEST(sees_a_switch_at_the_beginning)
{
	struct td_registers *registers = &thread.registers;

	td_metrics_shape.clears_on_read =
		true; /* no system call, and no index: nothing */
	td_metrics_shape.extras = registers->extras = 0;
	set_lock(8);
	ck_assert(td_metrics_begin(registers));
	ck_assert_uint_eq(registers->lock, 8);
	/* the lock moves by other than zeroing moves it: never right, but it ends */
	td_metrics_shape.lock_step = 2;
	ck_assert(!td_metrics_begin(registers));
	td_metrics_begin_again(registers);
	ck_assert_uint_eq(registers->lock, 10);
	thread.capture.lock = 8;
	ck_assert(td_metrics_rdpmc_counters.switched(&thread));
	set_lock(0);
}
END_TEST

/* Where the extra counters had no register at the start, they count from nowhere. */
START_TEST(leaves_a_total_without_base_out)
{
	td_metrics_shape.clears_on_read = true; /* no system call */
	td_metrics_rdpmc_counters.reset(&thread);
	td_metrics_shape.clears_on_read = false;
	capture(255000, 70);
	ck_assert(!td_metrics_take_total(&thread, &now));
	ck_assert_uint_eq(now.values[0], 255000);
	ck_assert(td_metrics_take_total(&thread, &now));
}
END_TEST

START_TEST(adds_up_readings_that_clear)
{
	uint64_t values[TD_COUNTERS_MAX];

	td_metrics_shape.clears_on_read = true;
	capture(2550, 1);
	ck_assert(read_values(values));
	capture(5100, 2);
	ck_assert(read_values(values));
	ck_assert_uint_eq(values[0], 7650);
	ck_assert_uint_eq(values[1], 1920);
	ck_assert_uint_eq(values[9], 2); /* counts on by itself */
	td_release_prepare(&thread, 100, false);
	capture(2550, 3);
	ck_assert(read_values(values));
	ck_assert_uint_eq(values[0], 2550);
}
END_TEST

START_TEST(corrects)
{
	uint64_t values[TD_COUNTERS_MAX];

	td_metrics_shape.correction.uop_dropping = 9;
	capture(255000, 4000);
	ck_assert(read_values(values));
	ck_assert_uint_eq(values[3], 60000);
	ck_assert_uint_eq(values[7], 28000);
	ck_assert_uint_eq(values[2], 255000 - 64000 - 60000 - 63000);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {decodes_a_capture,
				      takes_the_slots_of_the_moment,
				      refuses_what_was_not_counting,
				      never_reads_without_an_index,
				      logs_the_registers,
				      takes_each_extra_counter,
				      sees_a_switch,
				      sees_a_switch_at_the_beginning,
				      leaves_a_total_without_base_out,
				      adds_up_readings_that_clear,
				      corrects,
				      NULL};

	return unit_main_between("metrics", tests, setup, NULL);
}
