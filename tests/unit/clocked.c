// SPDX-License-Identifier: MIT
#include "tests/unit/clocked.h"

#include <stdlib.h>
#include <string.h>

#include "decoder/window_start.h"
#include "tests/unit/unit.h"

#define SOME 0.02 /* of all windows: a function that is seen well */

const struct sim_setup clocked_edges = {.kind = SIM_AWKWARD,
					.seed = 1,
					.windows = 30000,
					.shortest = 2,
					.most = 600,
					.edge = 50,
					.edge_spread = 0.5,
					.clock = 1};

void clocked_start(struct clocked *run, const struct sim_setup *setup)
{
	memset(run, 0, sizeof(*run));
	sim_run(&run->sim, setup);
	run->input = sim_input(&run->sim);
	ck_assert_int_eq(td_axis_find(&run->input, &run->axis), 0);
	ck_assert_int_eq(td_columns_find(&run->columns, &run->input, &run->axis), 0);
	ck_assert_int_eq(
		td_start_find(&run->input, &run->columns, TD_NO_BATCH, &run->axis), 0);
	ck_assert_int_eq(td_ends_find(&run->ends, &run->input, &run->axis, &run->columns),
			 0);
}

int clocked_take(struct clocked *run)
{
	return td_clock_take(&run->data, &run->input, &run->axis, &run->columns,
			     &run->ends);
}

/* Each column's pace as it is in truth. */
void clocked_sort_taken(struct clocked *run)
{
	struct td_clock_data *d = &run->data;

	d->pace = calloc(d->columns + 1, sizeof(*d->pace));
	d->slope = calloc(d->columns + 1, sizeof(*d->slope));
	d->state = calloc(d->columns + 1, sizeof(*d->state));
	ck_assert(d->pace && d->slope && d->state);
	for (uint32_t c = 0; c < d->columns; c++) {
		uint32_t function = run->columns.function[c];

		d->pace[c] = function == TD_NO_FUNCTION ? 1 : run->sim.pace[function];
	}
	ck_assert_int_eq(td_clock_sort(d), 0);
}

void clocked_sort(struct clocked *run)
{
	ck_assert_int_eq(clocked_take(run), 1);
	clocked_sort_taken(run);
}

void clocked_finish(struct clocked *run)
{
	td_clock_data_free(&run->data);
	td_ends_free(&run->ends);
	td_columns_free(&run->columns);
	sim_free(&run->sim);
}

/* Of all windows that hold some of the program, those that open in the column. */
static double part_of(const struct clocked *run, uint32_t column)
{
	double n = 0;

	for (size_t i = 0; i < run->data.windows; i++)
		n += run->data.window[i].column[0] == column;
	return n / (double)run->data.windows;
}

int clocked_is_seen(const struct clocked *run, uint32_t column)
{
	return run->columns.function[column] != TD_NO_FUNCTION &&
	       part_of(run, column) >= SOME;
}
