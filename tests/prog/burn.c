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

/* `until`: the CPU time that all three shall have had, in ns. */
static SPIN_NOINLINE void burn_sixty(uint64_t until)
{
	spin_to(&spent[0], until / 10 * 6);
}

static SPIN_NOINLINE void burn_thirty(uint64_t until)
{
	spin_to(&spent[1], until / 10 * 3);
}

static SPIN_NOINLINE void burn_ten(uint64_t until)
{
	spin_to(&spent[2], until / 10 * 1);
}

/* 2 to 18 ms: rounds of one length could keep step with a timer. */
static uint64_t next_round(void)
{
	static uint32_t state = 1;

	state = state * 1664525u + 1013904223u;
	return (2 + (state >> 8) % 17) * SPIN_MS;
}

int main(int argc, char **argv)
{
	static const char *const names[] = {"burn_sixty", "burn_thirty", "burn_ten"};
	bool truth = argc > 1 && !strcmp(argv[1], "--truth");
	uint64_t ms = argc > 1 + truth ? strtoull(argv[1 + truth], NULL, 10) : 1000;

	for (uint64_t until = next_round(); until <= ms * SPIN_MS;
	     until += next_round()) {
		burn_sixty(until);
		burn_thirty(until);
		burn_ten(until);
	}
	printf("burn: %llu ms\n", (unsigned long long)ms);
	for (int i = 0; truth && i < 3; i++)
		printf("{\"name\": \"%s\", \"share\": %.6f}\n", names[i],
		       (double)spent[i] / (double)(spent[0] + spent[1] + spent[2]));
	return 0;
}
