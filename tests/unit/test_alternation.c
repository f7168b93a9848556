// SPDX-License-Identifier: MIT
/* Does an event's period alternate?  By the counts of its records; and how an event asks
 * for it. */
#include "agent/core/alternation.h"

#include <check.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "agent/core/perf_open.h"
#include "tests/unit/unit.h"

#define LONG 8000u
#define SHORT 1000u
#define COUNTS 16u

static uint64_t count[COUNTS];

/* Distances between records, again and again. */
static bool is_seen(const uint64_t *distance, unsigned distances, unsigned counts)
{
	uint64_t now = 12345;

	for (unsigned i = 0; i < counts; i++) {
		now += distance[i % distances];
		count[i] = now;
	}
	return td_alternation_is_seen(count, counts, LONG);
}

START_TEST(turns)
{
	static const uint64_t alternating[] = {LONG, SHORT}, late[] = {LONG + 300, SHORT};
	/* one in eight was lost in the kernel */
	static const uint64_t lossy[] = {LONG, SHORT, LONG,        SHORT,
					 LONG, SHORT, LONG + SHORT};

	ck_assert(is_seen(alternating, 2, COUNTS));
	ck_assert(is_seen(alternating + 1, 1, 2) == false); /* too few to tell */
	ck_assert(is_seen(alternating, 2, 5));
	ck_assert(is_seen(late, 2, COUNTS));
	ck_assert(is_seen(lossy, 7, COUNTS));
}
END_TEST

/* What a kernel does that does not know the field. */
START_TEST(no_turns)
{
	static const uint64_t always_long[] = {LONG}, always_short[] = {SHORT};
	static const uint64_t mostly[] = {LONG, LONG, LONG, SHORT};

	ck_assert(!is_seen(always_long, 1, COUNTS));
	ck_assert(!is_seen(always_short, 1, COUNTS));
	ck_assert(!is_seen(mostly, 4, COUNTS));
	ck_assert(!td_alternation_is_seen(count, 0, LONG));
	ck_assert(!td_alternation_is_seen(count, 1, LONG));
}
END_TEST

/* Where the patches have it: eight bytes behind the first 136, in their low half. */
START_TEST(the_field)
{
	union td_alternation_attr room = {.word = {0}};
	uint64_t left = 0;

	ck_assert(td_alternation_use_field(300));
	td_alternation_put(&room);
	ck_assert_uint_ge(room.attr.size, 144);
	ck_assert_uint_eq(room.attr.size, sizeof(room));
	memcpy(&left, (const char *)&room + 136, sizeof(left));
	ck_assert_uint_eq(left, 300);
	room.word[17] = 0;
	room.attr.size = 0;
	for (size_t i = 0; i < sizeof(room.word) / sizeof(room.word[0]); i++)
		ck_assert_uint_eq(room.word[i], 0);
	/* which would make it the long one's randomness */
	ck_assert(!td_alternation_use_field(1ull << 32));
	td_alternation_put(&room);
	ck_assert_uint_eq(room.attr.size, 0);
	ck_assert_uint_eq(room.word[17], 0);
}
END_TEST

/* What a kernel says to bytes that it does not know, if they get there at all. */
START_TEST(a_kernel_without_it_refuses)
{
	union {
		struct perf_event_attr attr;
		uint64_t word[256];
	} room = {.attr = {.type = PERF_TYPE_SOFTWARE,
			   .size = sizeof(room),
			   .config = PERF_COUNT_SW_TASK_CLOCK,
			   .exclude_kernel = 1}};
	int fd = td_perf_open(&room.attr, 0, -1);

	if (fd == -EPERM || fd == -EACCES || fd == -ENOSYS)
		return; /* nobody may, here */
	ck_assert_int_ge(fd, 0);
	close(fd);
	room.word[255] = 300;
	room.attr.size = sizeof(room);
	ck_assert_int_eq(td_perf_open(&room.attr, 0, -1), -E2BIG);
	/* all others ask for what the header has */
	room.attr.size = 0;
	fd = td_perf_open(&room.attr, 0, -1);
	ck_assert_int_ge(fd, 0);
	close(fd);
	ck_assert_uint_eq(room.attr.size, sizeof(room.attr));
}
END_TEST

int main(void)
{
	return unit_main("alternation",
			 (const TTest *const[]){turns, no_turns, the_field,
						a_kernel_without_it_refuses, NULL});
}
