// SPDX-License-Identifier: MIT
/* Does an event's period alternate?  By the counts of its records. */
#include "agent/core/alternation.h"

#include <check.h>

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

int main(void)
{
	return unit_main("alternation", (const TTest *const[]){turns, no_turns, NULL});
}
