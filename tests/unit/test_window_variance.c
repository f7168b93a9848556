// SPDX-License-Identifier: MIT
/* How much own windows of a function that varies are worth. */
#include "decoder/window_variance.h"

#include <math.h>

#include "tests/unit/unit.h"

#define BINS 12
#define EACH 3     /* windows of a bin */
#define SWING 0.1  /* of a window's cycles, to either side */
#define STEADY 0.2 /* cycles, that a window of the other function scatters by */

enum { STEADY_ONE, VARIES, OTHER, FEW, KEYS };

static struct td_row_window window[KEYS * BINS * EACH];
static struct td_bin bin[KEYS][BINS];
static struct td_key key[KEYS];

static double cycles_of(unsigned b)
{
	return 20. * (b + 1);
}

/* Windows of one length are all as fast, be it now these and now those. */
static double counted(int function, unsigned b, unsigned i)
{
	double slower = b % 2 ? SWING : -SWING, chance = i % 2 ? STEADY : -STEADY;

	if (function == FEW) /* in one state */
		slower = SWING;
	return function != STEADY_ONE ? cycles_of(b) * (0.5 + slower)
				      : cycles_of(b) * 0.5 + chance;
}

static void fill_bin(int function, unsigned b)
{
	struct td_bin *to = &bin[function][b];
	struct td_row *own = &to->row[TD_ROW_OWN];
	uint32_t first = ((uint32_t)function * BINS + b) * EACH;

	*to = (struct td_bin){.begin = first, .end = first + EACH};
	to->left = to->right = (float)cycles_of(b);
	own->n = EACH;
	own->cycles = EACH * cycles_of(b);
	own->scatter = function != STEADY_ONE ? 0 : EACH * STEADY * STEADY;
	to->row[TD_ROW_ALL] = *own;
	for (unsigned i = 0; i < EACH; i++) {
		struct td_row_window *w = &window[first + i];

		*w = (struct td_row_window){
			.length = (float)cycles_of(b), .own = 1, .counted = 1};
		w->value[0] = (float)counted(function, b, i);
		w->value[3] = (float)cycles_of(b) - w->value[0];
	}
}

/* So many functions, and the last has so many bins. */
static struct td_rows make_rows(int functions, unsigned bins)
{
	struct td_rows rows = {
		.axis = {.kind = TD_AXIS_REQUESTED, .width = 4, .whole = 1e-6},
		.columns = (uint32_t)functions,
		.window = window,
		.key = key,
		.keys = (size_t)functions,
	};

	for (int f = 0; f < functions; f++) {
		key[f] = (struct td_key){.function = (uint32_t)f,
					 .bins = f == functions - 1 ? bins : BINS,
					 .bin = bin[f]};
		for (unsigned b = 0; b < key[f].bins; b++)
			fill_bin(f, b);
	}
	return rows;
}

/* Each bin's windows are alike, and the run's other ones hardly scatter: yet one is off
 * by what the function swings by, and that grows with its length. */
START_TEST(alike_at_each_length)
{
	const double edges[KEYS] = {0};
	struct td_rows rows = make_rows(OTHER, BINS);
	double varies[KEYS], before[KEYS];

	td_variance_guess(&rows);
	td_variance_find(&rows);
	for (int f = 0; f < OTHER; f++)
		before[f] = bin[f][BINS - 1].row[TD_ROW_OWN].variance;
	td_variance_of_functions(&rows, edges, varies);
	ck_assert_int_eq(td_variance_widen_own(&rows, varies), 0);
	ck_assert_double_lt(before[VARIES], 4 * STEADY * STEADY);
	/* two nodes of four swing */
	ck_assert_double_eq_tol(varies[VARIES], SWING / sqrt(2), 0.1 * SWING);
	for (unsigned b = 0; b < BINS; b++) {
		const struct td_row *own = &bin[VARIES][b].row[TD_ROW_OWN];

		ck_assert_double_ge(sqrt(own->variance), 0.6 * SWING * cycles_of(b));
		ck_assert_double_lt(bin[VARIES][b].row[TD_ROW_ALL].variance,
				    own->variance);
	}
	ck_assert_double_eq(bin[STEADY_ONE][BINS - 1].row[TD_ROW_OWN].variance,
			    before[STEADY_ONE]);
}
END_TEST

/* Of a function's few windows nothing is to be seen: it may vary as others do. */
START_TEST(few_and_alike)
{
	const double edges[KEYS] = {0};
	struct td_rows rows = make_rows(KEYS, 2);
	double varies[KEYS], usual = SWING / sqrt(2);

	td_variance_guess(&rows);
	td_variance_find(&rows);
	td_variance_of_functions(&rows, edges, varies);
	ck_assert_double_eq(varies[FEW], 0);
	ck_assert_int_eq(td_variance_widen_own(&rows, varies), 0);
	for (unsigned b = 0; b < 2; b++)
		ck_assert_double_ge(sqrt(bin[FEW][b].row[TD_ROW_OWN].variance),
				    0.8 * usual * cycles_of(b));
	/* and many that are known not to vary hardly do */
	ck_assert_double_le(sqrt(bin[STEADY_ONE][BINS - 1].row[TD_ROW_OWN].variance),
			    0.75 * usual * cycles_of(BINS - 1));
}
END_TEST

int main(void)
{
	return unit_main("window_variance", (const TTest *const[]){alike_at_each_length,
								   few_and_alike, NULL});
}
