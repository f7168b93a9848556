/* SPDX-License-Identifier: MIT */
/*
 * Random numbers that are the same in every run: xorshift64*, from one state.
 *
 * Context: tests only.
 */
#ifndef TD_TESTS_UNIFORM_H
#define TD_TESTS_UNIFORM_H

#include <stdint.h>

/* Not 0; a test may keep it and set it again. */
static uint64_t state = 88172645463325252u;

/* 0 to below 1. */
static double uniform(void)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return (double)(state * 2685821657736338717u >> 11) / 9007199254740992.0;
}

#endif
