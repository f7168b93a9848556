// SPDX-License-Identifier: MIT
/* Where own windows alone would mislead. */
#include <math.h>

#include "tests/unit/separated.h"
#include "tests/unit/unit.h"

#define WAYS 1 /* the function of a short way and a long one */

/* All own windows are of the long way. */
START_TEST(short_way_and_long_way)
{
	struct held held = {0};

	for (unsigned run = 0; run < 8; run++) {
		const struct sim_setup setup = {.kind = SIM_WAYS,
						.seed = 2 + run,
						.program = run,
						.windows = 15000,
						.shortest = 2,
						.most = 600};

		separate(&setup);
		limit(100, INFINITY, 0.7);
		limit(25, 100, 2);
		ck_assert_int_eq(result.function[WAYS].evidence, TD_EVIDENCE_SEPARATED);
		count_held(&held);
	}
	limit_held(&held, 93, 99);
}
END_TEST

/* Own windows of a dozen different lengths, each of them rounded the same way again and
 * again. */
START_TEST(the_same_windows_again)
{
	struct held held = {0};

	for (unsigned run = 0; run < 20; run++) {
		const struct sim_setup setup = {.kind = SIM_EXACT,
						.seed = 100 + run,
						.program = run,
						.windows = 20000,
						.shortest = 2,
						.most = 600,
						.block = 10};

		separate(&setup);
		limit(100, INFINITY, 0.7);
		limit(25, 100, 2);
		count_held(&held);
	}
	limit_held(&held, 93, 99);
}
END_TEST

int main(void)
{
	return unit_main("separate_own",
			 (const TTest *const[]){short_way_and_long_way,
						the_same_windows_again, NULL});
}
