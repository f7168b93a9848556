// SPDX-License-Identifier: MIT
/* A dead thread's ring, made of variables, into its profile, a temporary file. */
#include "tools/collect_ring.h"

#include <check.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/unit.h"

#define PAGE 4096u
#define ID_A 70u
#define ID_B 71u
#define THREADS_BLOCK TD_HEADER_BLOCKS
#define PLACES_BLOCK (TD_HEADER_BLOCKS + 1)
#define BLOCKS (TD_HEADER_BLOCKS + 2)

/* Clock: A, B, faults. */
enum { A, B, FAULTS, VALUES };

static struct {
	_Alignas(PAGE) struct perf_event_mmap_page page;
	_Alignas(PAGE) char data[PAGE];
} memory;

static char image[BLOCKS][TD_BLOCK_SIZE];
static struct td_collect_ring ring;
static uint64_t counts[VALUES], running, now;
static FILE *file;

static int here(int x)
{
	return x + 1;
}

static struct td_file_header *header(void)
{
	return (void *)image[0];
}

static struct td_file_thread *thread(void)
{
	return (void *)(image[THREADS_BLOCK] + TD_BLOCK_HEADER);
}

static struct td_file_place *place(uint32_t slot)
{
	return (void *)(image[PLACES_BLOCK] + TD_BLOCK_HEADER +
			slot * header()->place_size);
}

static void make_profile(void)
{
	struct td_file_header *h = header();

	memset(image, 0, sizeof(image));
	memcpy(h->magic, TD_FILE_MAGIC, sizeof(h->magic));
	h->version = TD_FILE_VERSION;
	h->byte_order = TD_FILE_BYTE_ORDER;
	h->block_size = TD_BLOCK_SIZE;
	h->object_size = sizeof(struct td_file_object);
	h->thread_size = sizeof(struct td_file_thread);
	h->counters = 2;
	h->place_size = TD_PLACE_SIZE(2);
	h->blocks = BLOCKS;
	h->blocks_max = 100;
	h->pid = (uint32_t)getpid();
	((struct td_file_block *)image[THREADS_BLOCK])->kind = TD_BLOCK_THREADS;
	((struct td_file_block *)image[PLACES_BLOCK])->kind = TD_BLOCK_PLACES;
	((struct td_file_block *)image[PLACES_BLOCK])->owner = TD_REF(THREADS_BLOCK, 0);
	thread()->state = TD_THREAD_LIVE;
	thread()->tid = 5;
	thread()->first_block = PLACES_BLOCK;
	place(0)->kind = TD_PLACE_OTHER;
}

static void setup(void)
{
	memset(&memory, 0, sizeof(memory));
	memset(counts, 0, sizeof(counts));
	running = now = 0;
	make_profile();
	file = tmpfile();
	ck_assert_ptr_nonnull(file);
	ring = (struct td_collect_ring){
		.from = {.version = TD_COLLECT_VERSION,
			 .kind = TD_COLLECT_RING,
			 .pid = (uint32_t)getpid(),
			 .tid = 5,
			 .id = {{ID_A, ID_B}},
			 .ring_size = PAGE,
			 .thread = TD_REF(THREADS_BLOCK, 0),
			 .groups = 1,
			 .values = {VALUES},
			 .totals = 1,
			 .windows = 1,
			 .counter = {A, FAULTS},
			 .long_period = 100000},
		.profile = fileno(file),
		.page = &memory.page,
	};
}

static void teardown(void)
{
	fclose(file);
}

/* So much time later the event `id` overflows in `here`. */
static void overflow(uint64_t id, uint64_t time)
{
	struct {
		struct perf_event_header header;
		uint64_t word[6 + VALUES];
	} record = {.header = {.type = PERF_RECORD_SAMPLE, .size = sizeof(record)}};

	now += time;
	running += time;
	counts[A] += time;
	counts[B] += time;
	counts[FAULTS]++;
	record.word[0] = id;
	record.word[1] = (uint64_t)here;
	record.word[2] = now;
	record.word[3] = VALUES;
	record.word[4] = record.word[5] = running;
	memcpy(record.word + 6, counts, sizeof(counts));
	for (size_t i = 0; i < sizeof(record); i++)
		memory.data[(memory.page.data_head + i) % PAGE] = ((char *)&record)[i];
	memory.page.data_head += sizeof(record);
}

/* What td_collect_ring_save() returned; the profile is in `image` then. */
static long save(void)
{
	struct td_audit_code *code = td_audit_code_new(getpid());
	long result;

	td_audit_code_refresh(code);
	ck_assert_int_eq(pwrite(fileno(file), image, sizeof(image), 0), sizeof(image));
	result = td_collect_ring_save(&ring, code);
	ck_assert_int_eq(pread(fileno(file), image, sizeof(image), 0), sizeof(image));
	td_audit_code_free(code);
	return result;
}

START_TEST(pairs_are_samples)
{
	for (int i = 0; i < 5; i++) {
		overflow(ID_A, 99000);
		overflow(ID_B, 1000);
	}
	ck_assert_int_eq(save(), 5);
	ck_assert_uint_eq(thread()->samples, 5);
	ck_assert_uint_eq(thread()->rejected[TD_REJECT_CUT], 5);
	ck_assert_uint_eq(thread()->last_ns, 499000);
	/* from the first record to the last */
	ck_assert_uint_eq(thread()->cpu_ns, 401000);
	ck_assert_uint_eq(thread()->total[0], 401000);
	ck_assert_uint_eq(thread()->total[1], 9);
	ck_assert_uint_eq(place(1)->kind, TD_PLACE_FUNCTION);
	ck_assert_uint_eq(place(1)->samples, 5);
	ck_assert_uint_gt(place(1)->size, 0);
	ck_assert_uint_ne(place(1)->object, 0);
	ck_assert_uint_eq(place(2)->kind, TD_PLACE_FREE);
	ck_assert_uint_eq(header()->blocks, BLOCKS + 1); /* of objects */
	ck_assert_uint_eq(header()->notes, 1);
}
END_TEST

START_TEST(what_is_known_is_found_again)
{
	overflow(ID_A, 99000);
	overflow(ID_B, 1000);
	ck_assert_int_eq(save(), 1);
	ck_assert_int_eq(save(), 1);
	ck_assert_uint_eq(place(1)->samples, 2);
	ck_assert_uint_eq(place(2)->kind, TD_PLACE_FREE);
}
END_TEST

START_TEST(a_record_without_a_partner_is_a_sample_if_it_is_the_first_events)
{
	overflow(ID_A, 99000);
	overflow(ID_A, 100000);
	overflow(ID_B, 90000);
	overflow(ID_A, 90000);
	ck_assert_int_eq(save(), 3);
}
END_TEST

START_TEST(what_the_process_has_taken_is_left_out)
{
	overflow(ID_A, 99000);
	overflow(ID_B, 1000);
	memory.page.data_tail = memory.page.data_head;
	overflow(ID_A, 99000);
	overflow(ID_B, 1000);
	ck_assert_int_eq(save(), 1);
}
END_TEST

START_TEST(the_ring_goes_round)
{
	for (int i = 0; i < 200; i++) {
		overflow(ID_A, 99000);
		overflow(ID_B, 1000);
		memory.page.data_tail = memory.page.data_head - 160;
	}
	ck_assert_int_eq(save(), 1);
}
END_TEST

/* Event groups: the last one that had its turn is in the ring, whichever it is; what it
 * counts is no total. */
START_TEST(any_group_may_be_the_last)
{
	ring.from.groups = 2;
	ring.from.values[1] = VALUES;
	ring.from.id[1][0] = ID_A + 10;
	ring.from.id[1][1] = ID_B + 10;
	ring.from.totals = 0;
	overflow(ID_A + 10, 99000);
	overflow(ID_B + 10, 1000);
	ck_assert_int_eq(save(), 1);
	ck_assert_uint_eq(place(1)->samples, 1);
	ck_assert_uint_eq(thread()->total[0], 0);
	ck_assert_uint_eq(thread()->cpu_ns, 1000);
	ck_assert_uint_eq(thread()->unread, 1);
}
END_TEST

START_TEST(others_profiles_are_left_alone)
{
	overflow(ID_A, 99000);
	overflow(ID_B, 1000);
	header()->state = TD_STATE_EXITED;
	ck_assert_int_lt(save(), 0);
	header()->state = TD_STATE_RUNNING;
	header()->pid++;
	ck_assert_int_lt(save(), 0);
	header()->pid--;
	thread()->tid++;
	ck_assert_int_lt(save(), 0);
	thread()->tid--;
	thread()->state = TD_THREAD_ENDED;
	ck_assert_int_lt(save(), 0);
	ring.from.thread = TD_REF(77, 0);
	ck_assert_int_lt(save(), 0);
	ck_assert_uint_eq(thread()->samples, 0);
}
END_TEST

START_TEST(nonsense_ends_the_ring)
{
	struct td_collect_record record;
	uint64_t at = 0;

	memory.page.data_head = 64; /* zeros: a record without a size */
	ck_assert(!td_collect_ring_next(&ring, &at, &record));
	memory.page.data_head = UINT64_MAX;
	ck_assert(!td_collect_ring_next(&ring, &at, &record));
	at = 100;
	memory.page.data_head = 50;
	ck_assert(!td_collect_ring_next(&ring, &at, &record));
}
END_TEST

START_TEST(unsound_messages_are_refused)
{
	struct td_collect_message m = ring.from;

	ck_assert(td_collect_message_is_sound(&m, sizeof(m)));
	ck_assert(!td_collect_message_is_sound(&m, sizeof(m) - 1));
	m.ring_size = 3 * PAGE;
	ck_assert(!td_collect_message_is_sound(&m, sizeof(m)));
	m = ring.from;
	m.values[0] = TD_COUNTERS_MAX + 1;
	ck_assert(!td_collect_message_is_sound(&m, sizeof(m)));
	m = ring.from;
	m.groups = TD_GROUPS_MAX + 1;
	ck_assert(!td_collect_message_is_sound(&m, sizeof(m)));
	m.groups = 2; /* the second one counts nothing */
	ck_assert(!td_collect_message_is_sound(&m, sizeof(m)));
	m = ring.from;
	m.counter[3] = TD_COUNTERS_MAX;
	ck_assert(!td_collect_message_is_sound(&m, sizeof(m)));
	m = ring.from;
	m.sampler = VALUES;
	ck_assert(!td_collect_message_is_sound(&m, sizeof(m)));
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		pairs_are_samples,
		what_is_known_is_found_again,
		a_record_without_a_partner_is_a_sample_if_it_is_the_first_events,
		what_the_process_has_taken_is_left_out,
		the_ring_goes_round,
		any_group_may_be_the_last,
		others_profiles_are_left_alone,
		nonsense_ends_the_ring,
		unsound_messages_are_refused,
		NULL};

	return unit_main_between("collect", tests, setup, teardown);
}
