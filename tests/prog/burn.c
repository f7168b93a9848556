// SPDX-License-Identifier: MIT
/*
 * Three functions that take 60, 30 and 10 % of the CPU time.
 *
 *     burn [--truth] [MILLISECONDS]
 *
 * --truth prints a JSON line for each: name and share.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/prog/spin.h"

static uint64_t spent[3];

static SPIN_NOINLINE void burn_sixty(uint64_t round)
{
	spin_to(&spent[0], round * 6 * SPIN_MS);
}

static SPIN_NOINLINE void burn_thirty(uint64_t round)
{
	spin_to(&spent[1], round * 3 * SPIN_MS);
}

static SPIN_NOINLINE void burn_ten(uint64_t round)
{
	spin_to(&spent[2], round * 1 * SPIN_MS);
}

int main(int argc, char **argv)
{
	static const char *const names[] = {"burn_sixty", "burn_thirty", "burn_ten"};
	bool truth = argc > 1 && !strcmp(argv[1], "--truth");
	uint64_t ms = argc > 1 + truth ? strtoull(argv[1 + truth], NULL, 10) : 1000;

	for (uint64_t round = 1; round <= ms / 10; round++) {
		burn_sixty(round);
		burn_thirty(round);
		burn_ten(round);
	}
	printf("burn: %llu ms\n", (unsigned long long)ms);
	for (int i = 0; truth && i < 3; i++)
		printf("{\"name\": \"%s\", \"share\": %.6f}\n", names[i],
		       (double)spent[i] / (double)(spent[0] + spent[1] + spent[2]));
	return 0;
}
