// SPDX-License-Identifier: MIT
/* The vernier's records: out of a ring made of variables, into samples and windows. */
#include "agent/sigsafe/vernier_window.h"

#include <check.h>
#include <string.h>

#include "agent/sigsafe/groups.h"
#include "agent/sigsafe/windows.h"
#include "tests/unit/memory_store.h"
#include "tests/unit/unit.h"

#define RING 4096u
#define ID_A 70u
#define ID_B 71u

/* The group: SLOTS, A, B, the four fields of level 1, near returns. */
enum { SLOTS, A, B, FIELD, RETURNS = FIELD + 4, CALLS, VALUES };
#define COUNTERS 7u

static struct td_thread thread;
static struct td_vernier vernier;
static struct td_strobe_plan plan;
static struct perf_event_mmap_page page;
static uint8_t data[RING];
static struct td_vernier_group counts; /* so far */
static uint64_t now;                   /* ns */

static int here(int x)
{
	return x + 1;
}

static int there(int x)
{
	return x + 2;
}

static uint64_t ip_of(int (*function)(int))
{
	return (uint64_t)function;
}

static void setup(void)
{
	memory_store_open(COUNTERS, 64);
	td_store.header->windows_max = td_windows_room(64);
	memset(&thread, 0, sizeof(thread));
	memset(&vernier, 0, sizeof(vernier));
	memset(&page, 0, sizeof(page));
	memory_store_add_thread(&thread.places);
	plan = (struct td_strobe_plan){.long_period = 100000,
				       .short_period = 1000,
				       .shortest = 10,
				       .late = 5000,
				       .leavings = 5};
	td_vernier_shape = (struct td_vernier_shape){
		.groups = 1,
		.values = {VALUES},
		.shared = VALUES,
		.scale = 1,
		.sampler = A,
		.windows = true,
		.counter = {SLOTS, FIELD, FIELD + 1, FIELD + 2, FIELD + 3, RETURNS,
			    CALLS},
		.nodes = 4,
		.width = 6,
	};
	thread.plan = &plan;
	thread.vernier = &vernier;
	td_random_seed(&thread.random, 1, 1);
	vernier.ring = (struct td_ring){.page = &page, .data = data, .size = RING};
	vernier.id[0][0] = ID_A;
	vernier.id[0][1] = ID_B;
	vernier.period = 100000;
	counts = (struct td_vernier_group){.events = VALUES};
	now = 1000000;
}

static void teardown(void)
{
	memory_store_close();
	td_windows_forget();
}

/* As the kernel writes it, around the end of the ring. */
static void write_record(uint32_t type, const uint64_t *words, uint32_t n)
{
	struct perf_event_header header = {.type = type,
					   .size = (uint16_t)(sizeof(header) + 8 * n)};
	uint8_t bytes[512];

	memcpy(bytes, &header, sizeof(header));
	memcpy(bytes + sizeof(header), words, 8 * n);
	for (uint32_t i = 0; i < header.size; i++)
		data[(page.data_head + i) % RING] = bytes[i];
	page.data_head += header.size;
}

/* `cycles` later, of six slots each, all retiring. */
static void pass(uint64_t cycles)
{
	counts.value[A] += cycles;
	counts.value[B] += cycles;
	counts.value[SLOTS] += 6 * cycles;
	counts.value[FIELD] += 6 * cycles;
	counts.enabled += cycles;
	counts.running += cycles;
	now += cycles;
}

static void take_all(void)
{
	struct td_ring_record record;

	while (td_ring_next(&vernier.ring, &record))
		td_vernier_window_record(&thread, &record);
}

static void overflow(uint64_t id, int (*function)(int))
{
	uint64_t words[3 + 3 + TD_COUNTERS_MAX] = {id, ip_of(function), now};
	uint32_t n = (uint32_t)(3 + counts.events);

	memcpy(words + 3, &counts, n * sizeof(*words));
	write_record(PERF_RECORD_SAMPLE, words, 3 + n);
	take_all();
}

static struct td_file_thread *record(void)
{
	return thread.places.record;
}

static struct td_file_place *place_of(int (*function)(int))
{
	struct td_identity identity;

	td_identity_find(ip_of(function), &identity);
	return td_places_get(&thread.places, &identity);
}

static const struct td_file_window *logged(uint32_t n)
{
	for (uint32_t b = 1; b < td_store.header->blocks; b++)
		if (td_store_block(b)->kind == TD_BLOCK_WINDOWS)
			return (const struct td_file_window *)td_store_record(
				       TD_REF(b, 0), 0) +
			       n;
	ck_abort_msg("no log");
}

START_TEST(two_records_are_a_window)
{
	pass(90000);
	overflow(ID_A, here);
	pass(500);
	overflow(ID_B, here);
	ck_assert_uint_eq(record()->samples, 1);
	ck_assert_uint_eq(record()->windows, 1);
	ck_assert_uint_eq(record()->last_ns, 1090000);
	ck_assert_uint_eq(place_of(here)->windows, 1);
	ck_assert_uint_eq(place_of(here)->sum[0].sum, 3000);
	ck_assert_uint_eq(place_of(here)->sum[1].sum, 3000);
	ck_assert_uint_eq(record()->total[0], 6 * 90500);
	ck_assert_uint_eq(td_store.header->windows_seen, 1);
	ck_assert_uint_eq(logged(0)->state, TD_WINDOW_USED);
	ck_assert_uint_eq(logged(0)->requested, 500);
	ck_assert_uint_eq(logged(0)->reject, TD_REJECT_MAX);
	ck_assert_uint_eq(logged(0)->value[0], 3000);
	ck_assert_uint_eq(logged(0)->value[1], 255);
	ck_assert_uint_eq(logged(0)->value[2], 0);
	ck_assert_uint_eq(logged(0)->value[3], 0);
}
END_TEST

START_TEST(either_may_come_first)
{
	vernier.shorter = 1;
	pass(90000);
	overflow(ID_A, here);
	pass(500);
	overflow(ID_B, there);
	pass(90000);
	overflow(ID_B, there);
	pass(600);
	overflow(ID_A, there);
	ck_assert_uint_eq(record()->samples, 2);
	ck_assert_uint_eq(record()->windows, 1);
	ck_assert_uint_eq(record()->rejected[TD_REJECT_FUNCTION], 1);
	ck_assert_uint_eq(place_of(here)->rejected[TD_REJECT_FUNCTION], 1);
	ck_assert_uint_eq(place_of(there)->windows, 1);
	ck_assert_uint_eq(td_store.header->windows_seen, 2);
	ck_assert_uint_eq(logged(0)->reject, TD_REJECT_FUNCTION);
}
END_TEST

/* One event whose period is long and short in turn. */
START_TEST(an_event_that_alternates)
{
	td_vernier_shape.alternates = true;
	ck_assert_uint_eq(td_vernier_samplers(&td_vernier_shape), 1);
	/* what ends first was short, and opened when the period was set: no sample */
	pass(500);
	overflow(ID_A, there);
	ck_assert_uint_eq(record()->samples, 0);
	pass(90000);
	overflow(ID_A, here);
	pass(500);
	overflow(ID_A, here);
	ck_assert_uint_eq(record()->samples, 1);
	ck_assert_uint_eq(record()->windows, 1);
	ck_assert_uint_eq(place_of(here)->sum[0].sum, 3000);
	pass(90000);
	overflow(ID_A, there);
	pass(500);
	overflow(ID_A, here);
	ck_assert_uint_eq(record()->samples, 2);
	ck_assert_uint_eq(record()->rejected[TD_REJECT_FUNCTION], 1);
	/* a short end that fell into the kernel */
	pass(90000);
	overflow(ID_A, there);
	pass(90000);
	overflow(ID_A, there);
	ck_assert_uint_eq(record()->samples, 3);
	ck_assert_uint_eq(record()->rejected[TD_REJECT_LATE], 1);
	pass(500);
	overflow(ID_A, there);
	ck_assert_uint_eq(record()->samples, 4);
	ck_assert_uint_eq(record()->windows, 2);
	ck_assert_uint_eq(place_of(there)->samples, 3);
	/* and a long one: two short ones follow each other */
	pass(500);
	overflow(ID_A, there);
	ck_assert_uint_eq(record()->samples, 4);
	ck_assert_uint_eq(record()->total[0], 6 * (500 + 4 * 90000 + 4 * 500));
	ck_assert_uint_eq(td_store.header->windows_seen, 3);
}
END_TEST

static void expect_reject(enum td_reject cause, uint64_t samples)
{
	take_all();
	for (unsigned i = 0; i < TD_REJECT_MAX; i++)
		ck_assert_uint_eq(record()->rejected[i], i == cause);
	ck_assert_uint_eq(record()->windows, 0);
	ck_assert_uint_eq(record()->samples, samples);
}

/* An interrupt waits for what is running; when it was due the periods say. */
START_TEST(a_late_end_was_due_before)
{
	vernier.longer_period = 100500;
	pass(100003);
	overflow(ID_A, here);
	pass(502);
	overflow(ID_B, here);
	pass(99497);
	overflow(ID_A, here);
	pass(998);
	overflow(ID_B, here);
	ck_assert_uint_eq(record()->windows, 2);
	ck_assert_uint_eq(logged(0)->value[0], 6 * 502);
	ck_assert_uint_eq(logged(0)->requested, 497);
	ck_assert_uint_eq(logged(1)->value[0], 6 * 998);
	ck_assert_uint_eq(logged(1)->requested, 998);
}
END_TEST

/* Where it is not known when the first period began. */
START_TEST(the_earliest_end_was_in_time)
{
	static const uint64_t late[] = {5, 2, 7}, requested[] = {505, 1002, 1502};
	uint64_t at = 0;

	vernier.longer_period = 100500;
	vernier.due[1] = UINT64_MAX;
	for (uint32_t i = 0; i < 3; i++) {
		pass((i + 1) * 100000 - at);
		overflow(ID_A, here);
		pass(500 * (i + 1) + late[i]);
		overflow(ID_B, here);
		at = (i + 1) * 100500 + late[i];
		ck_assert_uint_eq(logged(i)->value[0], 6 * (500 * (i + 1) + late[i]));
		ck_assert_uint_eq(logged(i)->requested, requested[i]);
	}
}
END_TEST

START_TEST(a_window_of_one_interrupt_is_early)
{
	pass(90000);
	overflow(ID_A, here);
	pass(9);
	overflow(ID_B, here);
	expect_reject(TD_REJECT_EARLY, 1);
}
END_TEST

START_TEST(a_long_window_is_late)
{
	pass(90000);
	overflow(ID_A, here);
	pass(7001);
	overflow(ID_B, here);
	expect_reject(TD_REJECT_LATE, 1);
}
END_TEST

START_TEST(a_switch_shows_in_the_times)
{
	pass(90000);
	overflow(ID_A, here);
	pass(500);
	now += 4000;
	overflow(ID_B, here);
	expect_reject(TD_REJECT_SWITCHED, 1);
}
END_TEST

START_TEST(a_return_or_a_call_tells_of_a_visit)
{
	pass(90000);
	overflow(ID_A, here);
	pass(500);
	counts.value[RETURNS]++;
	overflow(ID_B, here);
	pass(90000);
	overflow(ID_A, here);
	pass(500);
	counts.value[CALLS]++;
	overflow(ID_B, here);
	ck_assert_uint_eq(record()->rejected[TD_REJECT_NESTED], 2);
	ck_assert_uint_eq(record()->windows, 0);
	ck_assert_uint_eq(logged(0)->reject, TD_REJECT_NESTED);
	ck_assert_uint_eq(logged(0)->value[3], 1);
}
END_TEST

/* 6 * 400 slots, of 100, 80, 50 and 25 255ths: the kernel's counts are cut off. */
START_TEST(fields_come_back)
{
	static const uint64_t field[4] = {100, 80, 50, 25};
	uint64_t sum = 0;

	pass(90000);
	overflow(ID_A, here);
	pass(400);
	counts.value[FIELD] -= 2400;
	for (uint32_t i = 0; i < 4; i++)
		counts.value[FIELD + i] += 2400 * field[i] / 255;
	overflow(ID_B, here);
	ck_assert_uint_eq(record()->windows, 1);
	ck_assert_uint_eq(logged(0)->value[1], 100 | 80 << 8 | 50 << 16 | 25 << 24);
	for (uint32_t i = 1; i <= 4; i++)
		sum += place_of(here)->sum[i].sum;
	ck_assert_uint_eq(sum, 2400);
}
END_TEST

/* So few slots that the counts tell next to nothing still add up. */
START_TEST(few_slots_add_up)
{
	static const uint64_t field[4] = {100, 80, 50, 25};
	uint64_t sum = 0;

	pass(90000);
	overflow(ID_A, here);
	pass(11);
	counts.value[FIELD] -= 66;
	for (uint32_t i = 0; i < 4; i++)
		counts.value[FIELD + i] += 66 * field[i] / 255;
	overflow(ID_B, here);
	ck_assert_uint_eq(record()->windows, 1);
	for (uint32_t i = 1; i <= 4; i++)
		sum += place_of(here)->sum[i].sum;
	ck_assert_uint_eq(sum, 66);
}
END_TEST

/* What the kernel cuts off is the same for all fields of level 2, and not little; where
 * it leaves nothing as well. */
START_TEST(level_2_is_right_on_average)
{
	static const uint64_t field[4] = {100, 80, 50, 25};
	double off = 0;

	td_vernier_shape.nodes = 5; /* what are returns elsewhere is the fifth */
	plan.leavings = 0;
	for (uint32_t f = 0; f < 8; f++) {
		pass(90000);
		overflow(ID_A, here);
		pass(11);
		counts.value[FIELD] -= 66;
		for (uint32_t i = 0; i < 4; i++)
			counts.value[FIELD + i] += 66 * field[i] / 255;
		counts.value[RETURNS] += 66 * f / 255;
		overflow(ID_B, here);
		off += (double)(logged(f)->value[2] & 0xff) - f;
	}
	ck_assert_uint_eq(record()->windows, 8);
	/* half a field each, at most */
	ck_assert_msg(off >= -4 && off <= 4, "%.2f steps of 255", off / 8);
}
END_TEST

/* Of as many slots as a full field has steps the fields come back as they were. */
START_TEST(fields_come_back_exactly)
{
	plan.leavings = 0;
	for (uint32_t n = 0; n < 85; n++) {
		uint64_t slots = 6 * (43 + n);
		uint32_t field[4] = {3 * n, 255 - 3 * n, 0, 0};

		field[2] = field[1] / 3;
		field[1] -= field[2];
		pass(90000);
		overflow(ID_A, here);
		pass(43 + n);
		counts.value[FIELD] -= slots;
		for (uint32_t i = 0; i < 4; i++)
			counts.value[FIELD + i] += slots * field[i] / 255;
		overflow(ID_B, here);
		ck_assert_uint_eq(logged(n)->value[0], slots);
		ck_assert_uint_eq(logged(n)->value[1], field[0] | field[1] << 8 |
							       field[2] << 16 |
							       field[3] << 24);
	}
}
END_TEST

/* Of fewer slots several fields make the same counts: what is logged makes them again. */
START_TEST(few_slots_say_what_was_read)
{
	uint32_t n = 0;

	plan.leavings = 0;
	for (uint32_t cycles = 11; cycles < 43; cycles += 3) {
		for (uint32_t part = 51; part < 256; part += 51, n++) {
			uint32_t field[4] = {part, (255 - part) / 3, 0, 7}, sum = 0;
			uint64_t slots = 6 * cycles;

			field[0] -= 7;
			field[2] = 255 - field[0] - field[1] - field[3];
			pass(90000);
			overflow(ID_A, here);
			pass(cycles);
			counts.value[FIELD] -= slots;
			for (uint32_t i = 0; i < 4; i++)
				counts.value[FIELD + i] += slots * field[i] / 255;
			overflow(ID_B, here);
			for (uint32_t i = 0; i < 4; i++) {
				uint32_t found = logged(n)->value[1] >> (8 * i) & 0xff;

				ck_assert_uint_eq(slots * found / 255,
						  slots * field[i] / 255);
				sum += found;
			}
			ck_assert_uint_eq(sum, 255);
		}
	}
}
END_TEST

/* The register had another thread's slots in it. */
START_TEST(impossible_counts_are_left_out)
{
	pass(90000);
	overflow(ID_A, here);
	pass(500);
	counts.value[SLOTS] += 10000;
	overflow(ID_B, here);
	expect_reject(TD_REJECT_COUNTERS, 1);
	ck_assert_uint_eq(record()->total[0], 6 * 90000);
	ck_assert_uint_eq(record()->unread, 1);
}
END_TEST

/* The second overflow fell into the kernel; the next two are no pair. */
START_TEST(a_record_without_a_partner_is_a_sample)
{
	pass(90000);
	overflow(ID_A, here);
	pass(100000);
	overflow(ID_A, here);
	ck_assert_uint_eq(record()->samples, 1);
	expect_reject(TD_REJECT_LATE, 1);
}
END_TEST

/* Of two events a period is counted by one. */
START_TEST(a_lone_record_of_the_other_is_none)
{
	pass(90000);
	overflow(ID_B, here);
	pass(100000);
	overflow(ID_B, here);
	td_vernier_window_cut(&thread);
	expect_reject(TD_REJECT_MAX, 0);
	ck_assert_uint_eq(record()->total[0], 6 * 190000);
}
END_TEST

START_TEST(a_stop_cuts)
{
	pass(90000);
	overflow(ID_A, here);
	td_vernier_window_cut(&thread);
	td_vernier_window_cut(&thread);
	expect_reject(TD_REJECT_CUT, 1);
}
END_TEST

START_TEST(lost_records_are_counted_and_cut)
{
	uint64_t lost[2] = {ID_A, 7};

	pass(90000);
	overflow(ID_A, here);
	write_record(PERF_RECORD_LOST, lost, 2);
	pass(500);
	overflow(ID_B, here);
	expect_reject(TD_REJECT_CUT, 1);
	ck_assert_uint_eq(record()->lost[TD_LOST_RING], 4);
}
END_TEST

START_TEST(throttling_is_counted_and_cuts)
{
	uint64_t throttle[3] = {now, ID_A, 1};

	pass(90000);
	overflow(ID_A, here);
	write_record(PERF_RECORD_THROTTLE, throttle, 3);
	pass(500);
	overflow(ID_B, here);
	expect_reject(TD_REJECT_CUT, 1);
	ck_assert_uint_eq(record()->lost[TD_LOST_THROTTLED], 1);
}
END_TEST

START_TEST(samples_without_windows)
{
	td_vernier_shape.windows = false;
	pass(90000);
	overflow(ID_A, here);
	pass(100000);
	overflow(ID_A, there);
	expect_reject(TD_REJECT_MAX, 2);
	ck_assert_uint_eq(place_of(there)->samples, 1);
}
END_TEST

/* Somebody else's records, and one that is cut short. */
START_TEST(what_is_not_ours_is_left_out)
{
	uint64_t words[3] = {ID_A, 0, 0};

	pass(90000);
	overflow(99, here);
	write_record(PERF_RECORD_SAMPLE, words, 3);
	counts.events = VALUES - 1;
	overflow(ID_A, here);
	td_vernier_window_cut(&thread);
	expect_reject(TD_REJECT_MAX, 0);
}
END_TEST

/* Many times around the ring, and records of every alignment. */
START_TEST(the_ring_goes_round)
{
	uint64_t comment[1] = {0};

	for (int i = 0; i < 500; i++) {
		pass(90000);
		overflow(ID_A, here);
		write_record(1234, comment, (uint32_t)(i % 2));
		pass(500);
		overflow(ID_B, here);
	}
	ck_assert_uint_eq(record()->windows, 500);
	ck_assert_uint_eq(page.data_tail, page.data_head);
	ck_assert_uint_eq(record()->total[0], 6u * 500 * 90500);
}
END_TEST

START_TEST(nonsense_empties_the_ring)
{
	struct perf_event_header header = {.type = PERF_RECORD_SAMPLE, .size = 4};
	struct td_ring_record out;

	memcpy(data, &header, sizeof(header));
	page.data_head = 64;
	ck_assert(!td_ring_next(&vernier.ring, &out));
	ck_assert_uint_eq(td_ring_used(&vernier.ring), 0);
	header.size = 128; /* more than there is */
	memcpy(data + 64, &header, sizeof(header));
	page.data_head = 128;
	ck_assert(!td_ring_next(&vernier.ring, &out));
	ck_assert_uint_eq(td_ring_used(&vernier.ring), 0);
}
END_TEST

/* Groups of events instead: cycles A and B, instructions, then up to three of its own. */
enum { EV_A, EV_B, EV_INST, EV_OWN, EV_VALUES = EV_OWN + 3 };
#define ID_C 72u
#define ID_D 73u

static void use_events(uint32_t groups)
{
	td_vernier_shape = (struct td_vernier_shape){
		.groups = groups,
		.values = {EV_VALUES, EV_VALUES - 1},
		.shared = groups > 1 ? EV_OWN : EV_VALUES,
		.sampler = EV_A,
		.windows = true,
		.counter = {EV_A, EV_OWN, EV_OWN + 1, EV_OWN + 2, EV_OWN + 3, EV_INST,
			    EV_VALUES},
		.scale = 4,
		.events = true,
	};
	plan.leavings = 0;
	vernier.id[1][0] = ID_C;
	vernier.id[1][1] = ID_D;
	counts = (struct td_vernier_group){.events = EV_VALUES};
}

/* `own`: of the group's own events, all alike. */
static void pass_events(uint64_t cycles, uint64_t own)
{
	counts.value[EV_A] += cycles;
	counts.value[EV_B] += cycles;
	counts.value[EV_INST] += 2 * cycles;
	for (uint32_t i = EV_OWN; i < counts.events; i++)
		counts.value[i] += own;
	counts.enabled += cycles;
	counts.running += cycles;
	now += cycles;
}

static struct td_file_place *group_place(uint32_t group)
{
	struct td_identity identity;

	td_identity_find(ip_of(here), &identity);
	return td_places_get_of(&thread.places, &identity, group);
}

/* Another group counts from here on, from where it stopped before. */
static void change_to_group_1(void)
{
	td_vernier_window_leave(&thread);
	vernier.active = 1;
	counts = (struct td_vernier_group){.events = EV_VALUES - 1,
					   .value = {7000, 7000, 7000, 7000, 7000},
					   .enabled = 7000,
					   .running = 7000};
	ck_assert(td_vernier_window_reading(&vernier.last, &counts, EV_VALUES - 1, now));
	vernier.sampled = vernier.last;
}

START_TEST(groups_take_turns)
{
	use_events(2);
	pass_events(90000, 900);
	overflow(ID_A, here);
	pass_events(500, 5);
	overflow(ID_B, here);
	change_to_group_1();
	pass_events(80000, 800);
	overflow(ID_C, here);
	overflow(ID_A, here); /* not of the group that counts */
	pass_events(400, 3);
	overflow(ID_D, here);
	ck_assert_uint_eq(record()->samples, 2);
	ck_assert_uint_eq(record()->windows, 2);
	ck_assert_uint_eq(place_of(here)->samples, 2);
	ck_assert_uint_eq(group_place(0)->windows, 1);
	ck_assert_uint_eq(group_place(0)->sum[0].sum, 4 * 500);
	ck_assert_uint_eq(group_place(0)->sum[3].sum, 5);
	ck_assert_uint_eq(group_place(1)->windows, 1);
	ck_assert_uint_eq(group_place(1)->sum[0].sum, 4 * 400);
	ck_assert_uint_eq(group_place(1)->sum[2].sum, 3);
	ck_assert_uint_eq(group_place(1)->sum[3].sum, 0);
	ck_assert_uint_eq(logged(0)->group, 0);
	ck_assert_uint_eq(logged(1)->group, 1);
	ck_assert_uint_eq(logged(1)->value[5], 800);
}
END_TEST

/* What overflows is set anew, and may lose a cycle by it that the other one has. */
START_TEST(the_other_event_measures)
{
	static const uint64_t opens[] = {ID_A, ID_B}, closes[] = {ID_B, ID_A};

	use_events(1);
	for (uint32_t i = 0; i < 2; i++) {
		pass_events(90000, 900);
		overflow(opens[i], here);
		counts.value[i ? EV_B : EV_A] -= 1;
		pass_events(500, 5);
		overflow(closes[i], here);
		ck_assert_uint_eq(logged(i)->requested, 500);
		ck_assert_uint_eq(logged(i)->value[0], 4 * 500);
	}
	ck_assert_uint_eq(group_place(0)->sum[0].sum, 2 * 4 * 500);
	ck_assert_uint_eq(record()->total[0], 4 * (2 * 90500 - 1));
}
END_TEST

/* What a group counts in its turns is no total of the run. */
START_TEST(totals_are_of_what_all_groups_count)
{
	use_events(2);
	pass_events(90000, 900);
	overflow(ID_A, here);
	change_to_group_1();
	pass_events(80000, 800);
	overflow(ID_C, here);
	ck_assert_uint_eq(record()->total[0], 4 * 170000);
	ck_assert_uint_eq(record()->total[5], 2 * 170000);
	for (uint32_t i = 1; i < 5; i++)
		ck_assert_uint_eq(record()->total[i], 0);
	ck_assert_uint_eq(record()->cpu_ns, 170000);
}
END_TEST

/* Slots 2000; 10 of each event: retiring 10, frontend 10, bad speculation 10 - 20 of
 * them, the rest backend. */
START_TEST(one_group_makes_level_1)
{
	use_events(1);
	td_vernier_shape.level1 = true;
	td_groups_shapes[0] =
		(struct td_groups_shape){.rest = 3, .factor = {{1}, {1, -2}, {0, 0, 1}}};
	pass_events(90000, 900);
	overflow(ID_A, here);
	pass_events(500, 10);
	overflow(ID_B, here);
	ck_assert_uint_eq(record()->windows, 1);
	ck_assert_uint_eq(logged(0)->value[0], 2000);
	ck_assert_uint_eq(logged(0)->value[1], 10);
	ck_assert_int_eq((int32_t)logged(0)->value[2], -10);
	ck_assert_uint_eq(logged(0)->value[3], 10);
	ck_assert_uint_eq(logged(0)->value[4], 1990);
	ck_assert_uint_eq(record()->total[1], 910);
	ck_assert_int_eq((int64_t)record()->total[2], -910);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {two_records_are_a_window,
				      either_may_come_first,
				      a_late_end_was_due_before,
				      the_earliest_end_was_in_time,
				      an_event_that_alternates,
				      a_window_of_one_interrupt_is_early,
				      a_long_window_is_late,
				      a_switch_shows_in_the_times,
				      a_return_or_a_call_tells_of_a_visit,
				      fields_come_back,
				      fields_come_back_exactly,
				      few_slots_say_what_was_read,
				      few_slots_add_up,
				      level_2_is_right_on_average,
				      impossible_counts_are_left_out,
				      a_record_without_a_partner_is_a_sample,
				      a_lone_record_of_the_other_is_none,
				      a_stop_cuts,
				      lost_records_are_counted_and_cut,
				      throttling_is_counted_and_cuts,
				      samples_without_windows,
				      what_is_not_ours_is_left_out,
				      the_ring_goes_round,
				      nonsense_empties_the_ring,
				      groups_take_turns,
				      the_other_event_measures,
				      totals_are_of_what_all_groups_count,
				      one_group_makes_level_1,
				      NULL};

	return unit_main_between("vernier", tests, setup, teardown);
}
