// SPDX-License-Identifier: MIT
/* Records of retire latencies: out of a ring made of variables, into places. */
#include "agent/sigsafe/latency.h"

#include <check.h>
#include <linux/perf_event.h>
#include <string.h>

#include "tests/unit/memory_store.h"
#include "tests/unit/unit.h"

#define RING 4096u

static struct td_thread thread;
static struct perf_event_mmap_page page;
static uint8_t data[RING];

static int here(int x)
{
	return x + 1;
}

static int there(int x)
{
	return x + 2;
}

static void setup(void)
{
	memory_store_open(2, 64);
	memset(&thread, 0, sizeof(thread));
	memset(&page, 0, sizeof(page));
	memory_store_add_thread(&thread.places);
	td_random_seed(&thread.random, 1, 1);
	thread.latency = (struct td_latency){
		.ring = {.page = &page, .data = data, .size = RING},
		.fd = -1,
		.period = 1000,
	};
}

static void teardown(void)
{
	memory_store_close();
}

/* As the kernel writes it, around the end of the ring. */
static void write_record(uint32_t type, uint64_t first, uint64_t second)
{
	uint64_t words[3] = {0, first, second};
	struct perf_event_header header = {.type = type, .size = sizeof(words)};

	memcpy(words, &header, sizeof(header));
	for (uint32_t i = 0; i < sizeof(words); i++)
		data[(page.data_head + i) % RING] = ((const uint8_t *)words)[i];
	page.data_head += sizeof(words);
}

/* The kernel's own union says where the retire latency is. */
static void write_sample(int (*function)(int), uint16_t latency)
{
	union perf_sample_weight weight = {
		.var1_dw = 12345, .var2_w = 678, .var3_w = latency};

	write_record(PERF_RECORD_SAMPLE, (uint64_t)function, weight.full);
}

static struct td_file_place *place_of(int (*function)(int), uint32_t group)
{
	struct td_identity identity;

	td_identity_find((uint64_t)function, &identity);
	return td_places_get_of(&thread.places, &identity, group);
}

START_TEST(records_are_added_up_by_function)
{
	const struct td_file_place *place;

	/* more than the ring holds, so that it is passed */
	for (int i = 0; i < 100; i++) {
		write_sample(here, 10);
		write_sample(here, 30);
		write_sample(there, 65535);
		td_latency_take(&thread);
	}
	place = place_of(here, TD_GROUP_LATENCY);
	ck_assert_uint_eq(place->windows, 200);
	ck_assert_uint_eq(place->sum[0].sum, 4000);
	ck_assert_double_eq(place->sum[0].squares, 100000);
	ck_assert_uint_eq(place->samples, 0);
	place = place_of(there, TD_GROUP_LATENCY);
	ck_assert_uint_eq(place->windows, 100);
	ck_assert_uint_eq(place->sum[0].sum, 6553500);
	/* nobody else's windows or samples */
	ck_assert_uint_eq(place_of(here, 0)->windows, 0);
	ck_assert_uint_eq(thread.places.record->samples, 0);
	ck_assert_uint_eq(td_store.header->latencies_lost, 0);
	ck_assert_uint_eq(page.data_tail, page.data_head);
}
END_TEST

/* Of other kinds: lost ones are counted, throttling and the like is none of ours. */
START_TEST(other_records)
{
	write_record(PERF_RECORD_LOST, 1, 17);
	write_record(PERF_RECORD_THROTTLE, 1, 1);
	write_sample(here, 7);
	td_latency_take(&thread);
	ck_assert_uint_eq(td_store.header->latencies_lost, 17);
	ck_assert_uint_eq(place_of(here, TD_GROUP_LATENCY)->windows, 1);
}
END_TEST

/* A profile that is full: what has no place is lost, not counted for "other". */
START_TEST(without_room)
{
	struct td_identity identity = {.kind = TD_PLACE_UNKNOWN};

	for (identity.address = 1;
	     td_places_get_of(&thread.places, &identity, 0) != thread.places.other;)
		identity.address++, identity.region = identity.address;
	write_sample(here, 7);
	td_latency_take(&thread);
	ck_assert_uint_eq(td_store.header->latencies_lost, 1);
	ck_assert_uint_eq(thread.places.other->windows, 0);
	ck_assert_uint_eq(thread.places.other->sum[0].sum, 0);
}
END_TEST

/* Each period that is drawn begins anew: where records are few, none is. */
START_TEST(a_period_has_many_records)
{
	const struct td_random before = thread.random;

	for (int i = 0; i < 31; i++) {
		td_latency_take(&thread);
		write_sample(here, 7);
		td_latency_take(&thread);
		ck_assert_uint_eq(thread.random.state, before.state);
	}
	write_sample(here, 7);
	td_latency_take(&thread);
	ck_assert_uint_ne(thread.random.state, before.state);
	ck_assert_uint_eq(thread.latency.taken, 0);
}
END_TEST

START_TEST(without_a_ring)
{
	const struct td_random before = thread.random;

	thread.latency.ring.page = NULL;
	td_latency_take(&thread);
	td_latency_vary(&thread);
	ck_assert_uint_eq(td_store.header->latencies_lost, 0);
	ck_assert_uint_eq(thread.random.state, before.state);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		records_are_added_up_by_function, other_records,  without_room,
		a_period_has_many_records,        without_a_ring, NULL};

	return unit_main_between("latency", tests, setup, teardown);
}
