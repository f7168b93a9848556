// SPDX-License-Identifier: MIT
/* How slow functions are in their states, by windows of two of them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/clock_internal.h"
#include "tests/unit/unit.h"

#define COLUMNS 2
#define WINDOWS 4000
#define VARIES 0.1 /* of what an instruction counts, along the column's axis */
#define START 100
#define EDGES 35 /* cycles: a start is so much later or sooner, at most */

static const double speed[COLUMNS] = {0.2, -0.15};

/* Half of each window's instructions are in each column: they open in the first one. */
struct run {
	struct td_separate_input input;
	struct td_clock_data data;
	struct td_clock_window window[WINDOWS];
	struct td_clock_entry entry[2 * WINDOWS];
	struct td_clock_state state[COLUMNS];
	struct td_clock_key key[2];
	struct td_clock_bin bin[2];
	double pace[COLUMNS];
	double half[COLUMNS], share[COLUMNS];
	uint32_t column[COLUMNS];
};

/* A number in -1..1; `at` goes on. */
static double draw(uint64_t *at)
{
	*at = *at * 6364136223846793005u + 1442695040888963407u;
	return (double)(*at >> 11) / 4503599627370496. - 1;
}

/* States last longer than windows. */
static void fill_window(const struct run *run, uint64_t *at, struct td_clock_window *w)
{
	double ticks = floor(100 + 20 * draw(at));
	double asked = START + ticks + EDGES * draw(at);

	memset(w, 0, sizeof(*w));
	w->ticks = (float)ticks;
	w->column[1] = 1;
	w->trigger[1] = 1;
	for (int c = 0; c < COLUMNS; c++) {
		double state = draw(at) < 0 ? -ticks / 2 : ticks / 2;

		asked += speed[c] * run->pace[c] * state;
		for (int k = 0; k < TD_NODES_LEVEL1; k++)
			w->beyond[k] += (float)(VARIES * run->state[c].axis[k] * state +
						0.2 * draw(at));
	}
	w->asked = (float)asked;
}

static void make_keys(struct run *run)
{
	for (uint32_t c = 0; c < COLUMNS; c++) {
		run->column[c] = c;
		run->half[c] = 50;
		run->share[c] = 0.5;
		run->bin[c].begin = c * WINDOWS;
		run->bin[c].end = (c + 1) * WINDOWS;
		run->bin[c].ticks = 100;
		run->key[c] = (struct td_clock_key){.itself = c,
						    .backward = (int)c,
						    .columns = COLUMNS,
						    .bins = 1,
						    .column = run->column,
						    .bin = &run->bin[c],
						    .share = run->share,
						    .time = run->half};
	}
}

/* Own windows have said next to nothing, or all. */
static struct run *make(double unsure)
{
	struct run *run = calloc(1, sizeof(*run));
	uint64_t at = 1;

	ck_assert(run != NULL);
	for (int c = 0; c < COLUMNS; c++) {
		run->pace[c] = 1;
		run->state[c] = (struct td_clock_state){
			.n = 1000, .varies = VARIES, .unsure = unsure};
		run->state[c].axis[2 * c] = M_SQRT1_2;
		run->state[c].axis[3] = -M_SQRT1_2;
	}
	make_keys(run);
	run->data = (struct td_clock_data){.input = &run->input,
					   .window = run->window,
					   .entry = run->entry,
					   .windows = WINDOWS,
					   .key = run->key,
					   .keys = 2,
					   .columns = COLUMNS,
					   .first = 1,
					   .most = 1000,
					   .start = START,
					   .memory = TD_CLOCK_MEMORY,
					   .pace = run->pace,
					   .state = run->state};
	for (uint32_t i = 0; i < WINDOWS; i++) {
		fill_window(run, &at, &run->window[i]);
		run->entry[i].window = run->entry[WINDOWS + i].window = i;
	}
	return run;
}

/* Each by itself, and with its sign. */
START_TEST(told_apart)
{
	struct run *run = make(0.5);

	ck_assert_int_eq(td_clock_speeds(&run->data), 0);
	for (int c = 0; c < COLUMNS; c++) {
		ck_assert_double_eq_tol(run->state[c].speed, speed[c], 0.02);
		ck_assert_double_gt(run->state[c].unsure, 0);
		ck_assert_double_lt(run->state[c].unsure, 0.03 * 0.03);
	}
	free(run);
}
END_TEST

/* What own windows know better stays. */
START_TEST(known_better)
{
	struct run *run = make(1e-6);

	ck_assert_int_eq(td_clock_speeds(&run->data), 0);
	for (int c = 0; c < COLUMNS; c++)
		ck_assert_double_eq(run->state[c].speed, 0);
	free(run);
}
END_TEST

/* Columns that do not vary, and windows whose length tells nothing. */
START_TEST(not_told)
{
	struct run *run = make(0.5);

	run->state[1].varies = 0;
	ck_assert_int_eq(td_clock_speeds(&run->data), 0);
	ck_assert_double_eq(run->state[1].speed, 0);
	ck_assert_double_eq(run->state[1].unsure, 0.5);
	run->state[0] =
		(struct td_clock_state){.n = 1000, .varies = VARIES, .unsure = 0.5};
	run->data.most = START;
	ck_assert_int_eq(td_clock_speeds(&run->data), 0);
	ck_assert_double_eq(run->state[0].speed, 0);
	free(run);
}
END_TEST

int main(void)
{
	return unit_main("clock_speeds", (const TTest *const[]){told_apart, known_better,
								not_told, NULL});
}
