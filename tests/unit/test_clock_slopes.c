// SPDX-License-Identifier: MIT
/* Slopes of few windows: what chance adds to their equations, and that it is taken off.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/clock_internal.h"
#include "tests/unit/unit.h"

#define WINDOWS 64
#define RUNS 40
#define TICKS 100.
#define PART 0.3 /* of the windows end in the second column */
#define NODES TD_SEPARATE_NODES
#define SIDES 4 /* of each column: three nodes, and how it leans */

/* A number in 0..1; `at` goes on. */
static double draw(uint64_t *at)
{
	*at = *at * 6364136223846793005u + 1442695040888963407u;
	return (double)(*at >> 11) / 9007199254740992.;
}

static uint32_t often(unsigned window, uint64_t *at)
{
	(void)window;
	return draw(at) < PART;
}

/* Two columns that one window met each. */
static uint32_t hardly(unsigned window, uint64_t *at)
{
	(void)at;
	return window == 5 ? 1 : window == 9 ? 2 : 0;
}

/* Windows of as many instructions each, which open in the first of so many columns. */
static void make_where(struct td_clock_data *d, const struct td_separate_input *input,
		       uint32_t columns, uint32_t (*where)(unsigned, uint64_t *),
		       uint64_t *at)
{
	memset(d, 0, sizeof(*d));
	d->input = input;
	d->set = td_clock_sets[0];
	d->columns = d->most_keys = columns;
	d->memory = TD_CLOCK_MEMORY;
	d->windows = WINDOWS;
	d->window = calloc(d->windows, sizeof(*d->window));
	d->pace = calloc(d->columns, sizeof(*d->pace));
	d->slope = calloc(d->columns, sizeof(*d->slope));
	d->state = calloc(d->columns, sizeof(*d->state));
	ck_assert(d->window && d->pace && d->slope && d->state);
	for (uint32_t c = 0; c < columns; c++)
		d->pace[c] = 1;
	for (unsigned i = 0; i < WINDOWS; i++) {
		struct td_clock_window *w = &d->window[i];

		w->column[1] = w->trigger[1] = w->key[1] = where(i, at);
		w->ticks = TICKS;
		w->rare = 1;
		w->batch = (uint8_t)(i % TD_BATCHES);
		for (int k = 0; k < TD_NODES_LEVEL1; k++)
			w->beyond[k] = (float)draw(at);
	}
	ck_assert_int_eq(td_clock_sort(d), 0);
	d->keys = 1; /* forward */
	td_clock_fill(d, TD_NO_BATCH);
	ck_assert_uint_eq(d->key[0].bins, 1);
}

static void make(struct td_clock_data *d, const struct td_separate_input *input,
		 uint64_t *at)
{
	make_where(d, input, 2, often, at);
}

/* What the equations have of the second column's first node. */
static double second_of(const struct td_clock_fit *fit)
{
	return fit->matrix[SIDES * fit->n + SIDES];
}

/* What chance adds, of d as make() leaves it. */
static void find_chance(struct td_clock_data *d, struct td_clock_slopes *slopes)
{
	for (unsigned b = 0; b < TD_BATCHES; b++) {
		td_clock_fill(d, b);
		ck_assert_int_eq(td_clock_slopes_without(slopes, d, b, d->pace), 0);
	}
	td_clock_slopes_chance(slopes);
}

/* Adds that, of a run, and what of it chance adds. */
static void add_run(uint64_t *at, double *all, double *chance)
{
	const struct td_separate_input input = {.nodes = TD_NODES_LEVEL1};
	struct td_clock_slopes slopes;
	struct td_clock_data d;

	make(&d, &input, at);
	ck_assert_int_eq(td_clock_slopes_init(&slopes, &d), 0);
	ck_assert_int_eq(td_clock_slopes_find(&slopes, &d), 0);
	td_clock_fit_clear(&slopes.fit[0]);
	ck_assert_int_eq(td_clock_rows(&d, 0, &slopes.fit[0], TD_NO_BATCH), 0);
	*all += second_of(&slopes.fit[0]) - slopes.fit[0].ridge[SIDES];
	find_chance(&d, &slopes);
	*chance += second_of(&slopes.chance[0]);
	td_clock_slopes_free(&slopes);
	td_clock_data_free(&d);
}

/* A share of n windows has the variance p (1 - p) / n: so much of its square is chance.
 */
START_TEST(chance_of_a_share)
{
	double all = 0, chance = 0, variance = PART * (1 - PART) / (WINDOWS - 1);
	uint64_t at = 1;

	for (unsigned run = 0; run < RUNS; run++)
		add_run(&at, &all, &chance);
	ck_assert_double_eq_tol(chance / all, variance / (PART * PART + variance), 0.006);
}
END_TEST

/* Two unknowns that know nothing of each other, of a pull of 1 each; what there is of the
 * first, and once more so much. */
static void make_fit(double more, struct td_clock_fit *fit)
{
	ck_assert_int_eq(td_clock_fit_room(fit, 2), 0);
	for (size_t i = 0; i < 2; i++) {
		fit->ridge[i] = 1e-9;
		fit->matrix[i * 3] = i ? 4 : 4 + more;
		fit->pull[i] = 1;
	}
	td_clock_factor(fit);
}

static void step_of(double chance, double *pull)
{
	double square[4] = {chance, 0, 0, 0};
	struct td_clock_fit twice;

	make_fit(chance, &twice);
	td_clock_step_beyond(&twice, square);
	memcpy(pull, twice.pull, 2 * sizeof(*pull));
	td_clock_fit_free(&twice);
}

START_TEST(chance_is_taken_off)
{
	double pull[2];

	step_of(0.8, pull);
	ck_assert_double_eq_tol(pull[0], 1 / (4 - 0.8), 0.01);
	ck_assert_double_eq_tol(pull[1], 1. / 4, 1e-12);
}
END_TEST

/* Nothing but chance: no step without end.  Two functions that the same few windows met
 * have ten thousand times as much. */
START_TEST(chance_alone)
{
	double pull[2];

	step_of(4, pull);
	ck_assert_double_gt(pull[0], 1. / 4);
	ck_assert_double_le(pull[0], 1);
	for (double chance = 4; chance < 1e6; chance *= 1.5) {
		step_of(chance, pull);
		ck_assert_double_le(pull[0], 2.2 / 4);
	}
	ck_assert_double_le(pull[0], 0.01 / 4);
}
END_TEST

/* Of unknowns of 1 each, of which the first's matrix is chance to a part. */
static void lose(double part, double *step)
{
	double square[4] = {4 * part, 0, 0, 0};
	struct td_clock_fit once, twice;

	make_fit(0, &once);
	make_fit(square[0], &twice);
	step[0] = step[1] = 1;
	td_clock_step_lost(&once, &twice, square, step);
	td_clock_fit_free(&once);
	td_clock_fit_free(&twice);
}

/* A solution with chance in its matrix lacks a part R of an unknown, each term leaves
 * 2 R / (1 + R) of what was lacking. */
START_TEST(chance_leaves)
{
	double step[2];

	lose(0.5, step);
	ck_assert_double_eq_tol(step[0], 0.5 * pow(2 * 0.5 / 1.5, 4), 1e-9);
	ck_assert_double_eq_tol(step[1], 0, 1e-12);
	lose(1.5, step); /* more than there is: all of it */
	ck_assert_double_eq_tol(step[0], 1, 1e-12);
}
END_TEST

/* Of a node of the second column: groups of events go without what chance hides. */
static double error_of(struct td_clock_slopes *slopes, struct td_clock_data *d,
		       struct td_clock *clock, int exact)
{
	const struct td_separate_input *whole = d->input;
	struct td_separate_input input = *whole;

	input.exact = exact;
	d->input = &input;
	ck_assert_int_eq(td_clock_slopes_errors(slopes, d, clock), 0);
	d->input = whole;
	return clock->error[1][0];
}

/* One bin, in which both columns always are: what tells them apart is chance. */
START_TEST(what_chance_hides)
{
	const struct td_separate_input input = {.nodes = TD_NODES_LEVEL1};
	struct td_clock_slopes slopes;
	struct td_clock_data d;
	double value[2][TD_SEPARATE_NODES] = {{0}}, error[2][TD_SEPARATE_NODES] = {{0}};
	double prior[2] = {0}, hidden;
	struct td_clock clock = {2, value, error, prior, NULL};
	uint64_t at = 1;

	make(&d, &input, &at);
	ck_assert_int_eq(td_clock_slopes_init(&slopes, &d), 0);
	ck_assert_int_eq(td_clock_slopes_find(&slopes, &d), 0);
	find_chance(&d, &slopes);
	td_clock_slopes_take(&slopes, &d, TD_NO_BATCH, d.slope);
	td_clock_fractions(&d, d.pace, (const double(*)[TD_SEPARATE_NODES])d.slope,
			   value);
	hidden = -error_of(&slopes, &d, &clock, 1);
	hidden += error_of(&slopes, &d, &clock, 0);
	/* nearly all of the 0.2 that they may differ by */
	ck_assert_double_gt(sqrt(hidden), 0.16);
	ck_assert_double_lt(sqrt(hidden), 0.22);
	td_clock_slopes_free(&slopes);
	td_clock_data_free(&d);
}
END_TEST

/* Two columns that the same bin has, of one window each: chance alone tells them apart,
 * and it is a hundred times as much as there is to be seen.  What others count stays. */
START_TEST(hardly_met)
{
	const struct td_separate_input input = {.nodes = TD_NODES_LEVEL1};
	struct td_clock_slopes slopes;
	struct td_clock_data d;
	uint64_t at = 1;

	make_where(&d, &input, 3, hardly, &at);
	ck_assert_int_eq(td_clock_slopes_init(&slopes, &d), 0);
	ck_assert_int_eq(td_clock_slopes_find(&slopes, &d), 0);
	find_chance(&d, &slopes);
	td_clock_slopes_take(&slopes, &d, TD_NO_BATCH, d.slope);
	for (int k = 0; k < TD_NODES_LEVEL1; k++)
		ck_assert_double_le(fabs(d.slope[0][k]), 0.05);
	td_clock_slopes_free(&slopes);
	td_clock_data_free(&d);
}
END_TEST

/* Windows that are rare by what they were asked for stand for those that are missing: in
 * where they were, how long they took and what they count. */
START_TEST(rare_windows_count_more)
{
	const struct td_separate_input input = {.nodes = TD_NODES_LEVEL1};
	struct td_clock_window *rare;
	struct td_clock_data d;
	uint64_t at = 1;

	make(&d, &input, &at);
	rare = &d.window[3];
	rare->rare = 1e9f;
	rare->asked = 100;
	td_clock_fill(&d, TD_NO_BATCH);
	for (int k = 0; k < TD_NODES_LEVEL1; k++)
		ck_assert_double_eq_tol(d.bins->beyond[k], rare->beyond[k], 1e-3);
	ck_assert_double_eq_tol(d.bins->asked, rare->asked, 1e-3);
	ck_assert_double_eq_tol(d.key[0].share[rare->column[1]], 1, 1e-3);
	ck_assert_double_ge(td_clock_own_weight(&d, rare), 1e8);
	td_clock_data_free(&d);
}
END_TEST

/* Windows in a fast state or a slow one, a quarter faster or slower; the slow ones count
 * less.  Most of those that tell are slow, by chance. */
static void make_states(struct td_clock_data *d, const struct td_separate_input *input)
{
	uint64_t at = 1;

	make(d, input, &at);
	d->set = td_clock_sets[1];
	d->sharp = 1;
	d->pace_error = calloc(d->columns, sizeof(*d->pace_error));
	ck_assert(d->pace_error);
	for (unsigned i = 0; i < WINDOWS; i++) {
		struct td_clock_window *w = &d->window[i];
		int slow = i % 2 ? 1 : -1;

		w->silent = slow < 0 && i % 4;
		for (int k = 0; k < NODES; k++)
			w->beyond[k] = (float)(0.01 * draw(&at));
		w->beyond[0] += (float)(TICKS * (0.5 - 0.25 * slow));
		w->beyond[TD_CLOCK_CYCLES] += (float)(TICKS * (1 + 0.25 * slow));
	}
	td_clock_fill(d, TD_NO_BATCH);
}

/* What windows that tell count of the first node, for each instruction. */
static double first_node(int exact, double pace_error)
{
	const struct td_separate_input input = {.nodes = TD_NODES_LEVEL1, .exact = exact};
	struct td_clock_slopes slopes;
	struct td_clock_data d;
	double found = 0;

	make_states(&d, &input);
	for (uint32_t c = 0; c < d.columns; c++)
		d.pace_error[c] = pace_error;
	ck_assert_int_eq(td_clock_slopes_init(&slopes, &d), 0);
	ck_assert_int_eq(td_clock_slopes_find(&slopes, &d), 0);
	for (uint32_t c = 0; c < d.columns; c++)
		found += d.key[0].share[c] * d.slope[d.key[0].column[c]][0];
	td_clock_slopes_free(&slopes);
	td_clock_data_free(&d);
	return found;
}

/* That these were slower than others all windows know, and what goes with it. */
START_TEST(paces_of_all_windows)
{
	double met = first_node(1, 1);

	ck_assert_double_lt(met, 0.45);
	ck_assert_double_eq_tol(first_node(1, 1e-6), 0.5, 0.02);
	/* where all windows tell they are no others */
	ck_assert_double_eq_tol(first_node(0, 1e-6), met, 0.01);
}
END_TEST

#define FEW 9 /* own windows that met their column in one state */

/* The precision of what they say of the first node, where another column varies by so
 * much. */
static double few_own(double varies)
{
	const struct td_separate_input input = {.nodes = TD_NODES_LEVEL1};
	struct td_clock_window window[FEW];
	struct td_clock_state state[2];
	double pace[2] = {1, 0.5};
	struct td_clock_data d = {
		.input = &input,
		.set = td_clock_sets[0],
		.columns = 2,
		.memory = TD_CLOCK_MEMORY,
		.window = window,
		.windows = FEW,
		.state = state,
		.pace = pace,
	};

	memset(window, 0, sizeof(window));
	memset(state, 0, sizeof(state));
	state[0].n = 100;
	state[0].varies = varies;
	for (unsigned i = 0; i < FEW; i++) {
		window[i].column[0] = window[i].column[1] = 1;
		window[i].alone = window[i].own = 1;
		window[i].rare = 1;
		window[i].ticks = 64;
		window[i].beyond[0] = window[i].ticks * 0.2F;
	}
	ck_assert_int_eq(td_clock_weigh(&d), 0);
	return state[1].own[0][0][0];
}

/* Who are alike by chance are not as sure as that: a quarter of (0.3 of the pace)^2, of
 * nine windows, by thirty parts of thirty-nine. */
START_TEST(few_own_windows)
{
	double square = pow(0.3 * 0.5, 2) / 4 / FEW * 30 / (30 + FEW);

	ck_assert_double_eq_tol(1 / few_own(0.3) - 1 / few_own(0), square, 0.02 * square);
}
END_TEST

int main(void)
{
	return unit_main(
		"clock_slopes",
		(const TTest *const[]){chance_of_a_share, chance_is_taken_off,
				       chance_alone, chance_leaves, what_chance_hides,
				       hardly_met, rare_windows_count_more,
				       paces_of_all_windows, few_own_windows, NULL});
}
