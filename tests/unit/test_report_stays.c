// SPDX-License-Identifier: MIT
/* What windows that came back do to sums (report_stays.h). */
#include "decoder/report_stays.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "tests/unit/unit.h"

#define WINDOWS 400
#define LONGEST 600
#define MINE 0.8 /* what function 0 has of its slots, and what others have */
#define THEIRS 0.2

struct found {
	double off, half, error; /* of function 0's sums */
};

static double uniform(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state / 4294967296.;
}

/* Function 0 runs for `visit` cycles, give or take a half, then others for `away`. */
static double walk(double visit, double away, double cycles, uint32_t *state, int *at)
{
	double mine = 0, left = visit * uniform(state);

	*at = 0;
	for (double done = 0; done < cycles; done += left) {
		if (done > 0) {
			*at = !*at;
			left = (*at ? away : visit) * (0.5 + uniform(state));
		}
		left = fmin(left, cycles - done);
		mine += *at ? 0 : left;
	}
	return mine / cycles;
}

static struct found run(double visit, double away, uint32_t seed)
{
	struct td_separate_window window[2 * WINDOWS] = {{0}};
	struct td_separate_input input = {
		.window = window, .windows = 2 * WINDOWS, .functions = 2};
	double n = 0, sum = 0, square = 0, slots = 0;
	struct td_report_stays *stays;
	struct found found;

	for (size_t i = 0; i < 2 * WINDOWS; i++) {
		double cycles = ceil(LONGEST * uniform(&seed)), value;
		int at;

		/* as often the others, and elsewhere */
		window[i].open = window[i].close = i % 2;
		window[i].requested = (float)cycles;
		if (i % 2)
			continue;
		value = THEIRS + (MINE - THEIRS) * walk(visit, away, cycles, &seed, &at);
		window[i].close = (uint32_t)at;
		if (at)
			continue;
		n++;
		slots += cycles;
		sum += cycles * value;
		square += cycles * cycles * (value - MINE) * (value - MINE);
	}
	stays = td_report_stays_find(&input);
	ck_assert_ptr_nonnull(stays);
	found.off = fabs(sum / slots - MINE);
	square -= n * pow((sum - MINE * slots) / n, 2);
	found.half = 2 * sqrt(fmax(0, square)) / slots;
	/* of all windows half are the others' */
	found.error = td_report_stays_error(&stays[0], found.half, (MINE - THEIRS) / 2);
	ck_assert_int_eq(td_report_stays_mostly(&stays[0]), n >= 0.9 * stays[0].opened);
	free(stays);
	return found;
}

#define RUNS 100
#define EXACT 1e-6 /* float */

/* How often the interval holds, and how wide what came back makes it. */
static unsigned held(double visit, double away, double *error)
{
	unsigned hold = 0;

	*error = 0;
	for (uint32_t seed = 1; seed <= RUNS; seed++) {
		struct found found = run(visit, away, seed);

		hold += found.off <= found.half + found.error + EXACT;
		*error += found.error / RUNS;
	}
	return hold;
}

/* Short functions that are called all the time: their part of the windows' ends is that
 * of each window, and hardly anything scatters.  Without, one in a hundred holds. */
START_TEST(comes_back_often)
{
	static const double away[][2] = {{20, 1}, {50, 2}, {300, 10}, {1000, 30}};
	double error;

	for (int i = 0; i < 4; i++)
		ck_assert_uint_ge(held(away[i][0], away[i][1], &error), 88);
}
END_TEST

START_TEST(comes_back_seldom)
{
	double error;

	ck_assert_uint_ge(held(10000, 34, &error), 88);
	ck_assert_double_lt(error, 0.01);
	ck_assert_uint_ge(held(2000, 34, &error), 88);
	ck_assert_double_lt(error, 0.03);
}
END_TEST

/* One window of 25 ends elsewhere, none returns; by that alone it would be 0.03. */
START_TEST(stays_away)
{
	double error;

	ck_assert_uint_eq(held(10000, 1000, &error), RUNS);
	ck_assert_double_lt(error, 0.003);
}
END_TEST

int main(void)
{
	return unit_main("report_stays",
			 (const TTest *const[]){comes_back_often, comes_back_seldom,
						stays_away, NULL});
}
