// SPDX-License-Identifier: MIT
/* How functions differ from window to window, though slow states are met too often. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/clock_internal.h"
#include "tests/unit/unit.h"

#define COLUMNS 5
#define WINDOWS 10000 /* of each column */
#define DWELL 400     /* instructions in a state, mean */
#define VARIES 0.15   /* of what an instruction counts */
#define MEAN 0.3
#define READING 0.05 /* variance */
#define START 100
#define EDGES 35 /* cycles: a start is so much later or sooner, at most */
#define MOST 600 /* cycles that are asked for */
#define ROUNDS 3

/* Instructions of a visit, and how much slower one is in a state than in the mean. */
static const unsigned visit[COLUMNS] = {110, 110, 60, 100000, 160};
static const double speed[COLUMNS] = {0.2, -0.1, 0, 0.2, 0.3};

/* A number in 0..1; `at` goes on. */
static double draw(uint64_t *at)
{
	*at = *at * 6364136223846793005u + 1442695040888963407u;
	return (double)(*at >> 11) / 9007199254740992.;
}

/* Opens at any time of a visit of the column, and closes when its cycles are over.  0: it
 * has left the column by then, or has not begun. */
static int run(unsigned c, uint64_t *at, struct td_clock_window *w)
{
	double start = START + EDGES * (2 * draw(at) - 1), left, sum = 0;
	double state = draw(at) < (1 + speed[c]) / 2 ? 1 : -1;
	unsigned i = 0, room = 1 + (unsigned)(draw(at) * visit[c]);

	w->asked = (float)(MOST * draw(at));
	for (left = w->asked - start; left > 0 && i <= room; i++) {
		left -= 1 + speed[c] * state;
		sum += state;
		if (draw(at) < 1. / DWELL)
			state = -state;
	}
	w->ticks = (float)i;
	sum = MEAN * i + VARIES * M_SQRT1_2 * sum + sqrt(12 * READING) * (draw(at) - 0.5);
	w->beyond[0] = (float)sum;
	w->beyond[3] = (float)-sum;
	return i > 0 && i <= room;
}

static void make(struct td_clock_data *d)
{
	uint64_t at = 1;

	d->columns = COLUMNS;
	d->windows = COLUMNS * WINDOWS;
	d->window = calloc(d->windows, sizeof(*d->window));
	d->state = calloc(COLUMNS, sizeof(*d->state));
	d->jitter = calloc(COLUMNS, sizeof(*d->jitter));
	d->pace = calloc(COLUMNS, sizeof(*d->pace));
	ck_assert(d->window && d->state && d->jitter && d->pace);
	d->memory = TD_CLOCK_MEMORY;
	d->first = 1;
	d->start = START;
	d->scatter = EDGES * EDGES / 3.;
	d->least = -HUGE_VAL;
	d->most = MOST;
	for (uint32_t i = 0; i < d->windows; i++) {
		struct td_clock_window *w = &d->window[i];

		w->column[0] = w->column[1] = i % COLUMNS;
		w->reading = (float)READING;
		w->own = w->alone = 1;
		w->rare = 1;
		d->pace[i % COLUMNS] = 1;
		while (!run(i % COLUMNS, &at, w))
			;
	}
}

/* As they are, and not as they are met. */
START_TEST(as_they_are)
{
	const struct td_separate_input input = {0};
	struct td_clock_data d = {.input = &input};

	make(&d);
	for (int round = 0; round < ROUNDS; round++)
		ck_assert_int_eq(td_clock_states(&d, 0), 0);
	ck_assert_double_eq_tol(d.memory, DWELL / 2, 0.15 * DWELL / 2);
	for (int c = 0; c < COLUMNS; c++) {
		const struct td_clock_state *state = &d.state[c];
		double sign = state->axis[0] < 0 ? -1 : 1;

		ck_assert_double_eq_tol(sign * state->speed, speed[c], 0.02);
		ck_assert_double_eq_tol(state->varies, VARIES, 0.02 * VARIES);
		ck_assert_double_eq_tol(state->mean[0], MEAN, 0.02 * VARIES);
	}
	free(d.window);
	free(d.state);
	free(d.jitter);
	free(d.pace);
}
END_TEST

int main(void)
{
	return unit_main("clock_states", (const TTest *const[]){as_they_are, NULL});
}
