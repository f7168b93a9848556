// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdlib.h>

#include "decoder/window_batches.h"
#include "decoder/window_events.h"
#include "decoder/window_start.h"
#include "tests/unit/sim_windows.h"
#include "tests/unit/unit.h"

#define SHORT 4 /* functions of SIM_CYCLE with visits of 27, 40, 30 and 103 cycles */

static const struct sim_setup cycle = {.kind = SIM_CYCLE,
				       .seed = 1,
				       .windows = 50000,
				       .shortest = 2,
				       .most = 600,
				       .edge = 50,
				       .edge_spread = 0.5,
				       .calls = 1};

struct built {
	struct sim sim;
	struct td_separate_input input;
	uint8_t *batch;
	struct td_axis axis;
	struct td_columns columns;
	struct td_ends ends;
	struct td_events events;
};

/* Windows as a sweep over a quarter of the lengths, one over half and one over all leave
 * them, each as often; of windows that are equally frequent. */
static void leave_sweeps(struct sim *sim, float most)
{
	size_t kept = 0;

	for (size_t i = 0; i < sim->windows; i++) {
		float length = sim->window[i].requested;
		size_t of_seven = length < most / 4 ? 7 : length < most / 2 ? 3 : 1;

		if (i % 7 < of_seven)
			sim->window[kept++] = sim->window[i];
	}
	sim->windows = kept;
}

static void build_of(struct built *b, const struct sim_setup *setup, int backward,
		     int sweeps)
{
	sim_run(&b->sim, setup);
	if (sweeps)
		leave_sweeps(&b->sim, setup->most);
	b->input = sim_input(&b->sim);
	b->input.batch = b->batch = td_batches_deal(&b->input);
	ck_assert_ptr_nonnull(b->batch);
	ck_assert_int_eq(td_axis_find(&b->input, &b->axis), 0);
	ck_assert_int_eq(td_columns_find(&b->columns, &b->input, &b->axis), 0);
	ck_assert_int_eq(td_start_find(&b->input, &b->columns, TD_NO_BATCH, &b->axis), 0);
	ck_assert_int_eq(td_ends_find(&b->ends, &b->input, &b->axis, &b->columns), 0);
	ck_assert_int_eq(td_events_build(&b->events, &b->input, &b->axis, &b->columns,
					 &b->ends, backward),
			 0);
	ck_assert_int_eq(td_events_fill(&b->events, TD_NO_BATCH), 0);
}

static void build(struct built *b, const struct sim_setup *setup, int backward)
{
	build_of(b, setup, backward, 0);
}

static void done(struct built *b)
{
	td_events_free(&b->events);
	td_ends_free(&b->ends);
	td_columns_free(&b->columns);
	free(b->batch);
	sim_free(&b->sim);
}

/* Of the first functions, so many, to this part of theirs. */
static void visits_are_known(const struct sim_setup *setup, unsigned functions,
			     int backward, int sweeps, double limit)
{
	struct built b;

	build_of(&b, setup, backward, sweeps);
	ck_assert_uint_ge(b.events.rows.keys, functions);
	for (uint32_t c = 0; c < b.columns.columns; c++) {
		unsigned f = b.columns.function[c];
		double visit = b.sim.cycles[f] / b.sim.visits[f];

		if (f >= functions)
			continue;
		ck_assert_msg(b.events.known[c], "function %u", f);
		ck_assert_msg(fabs(b.events.visit[c] - visit) < limit * visit,
			      "function %u: %.1f, not %.1f", f, b.events.visit[c], visit);
	}
	done(&b);
}

/* Edges of 100 +- 20 cycles before the program, and visits are known to one or two. */
START_TEST(visits)
{
	for (int backward = 0; backward < 2; backward++)
		visits_are_known(&cycle, SHORT, backward, 0, 0.05);
}
END_TEST

/* Likewise where interrupts come at the end of a block, which may be in the next visit.
 */
START_TEST(visits_that_end_late)
{
	struct sim_setup setup = cycle;

	setup.kind = SIM_CHAIN;
	setup.block = 5;
	for (int backward = 0; backward < 2; backward++)
		visits_are_known(&setup, 3, backward, 0, 0.05);
}
END_TEST

/* Without edges likewise, but for what is over before the shortest windows are. */
START_TEST(visits_without_edges)
{
	struct sim_setup setup = cycle;

	setup.edge = 0;
	setup.shortest = 20;
	for (int backward = 0; backward < 2; backward++)
		visits_are_known(&setup, SHORT, backward, 0, 0.05);
}
END_TEST

/* Where lengths are not equally frequent, each counts for what it stands for. */
START_TEST(visits_of_sweeps)
{
	struct sim_setup setup = cycle;

	setup.edge = 0;
	setup.shortest = 2;
	for (int backward = 0; backward < 2; backward++)
		visits_are_known(&setup, SHORT, backward, 1, 0.1);
}
END_TEST

/* Its expectation by the truth; what the edges' mean leaves of the lengths. */
static double missed(const struct built *b, const struct td_key *key, uint32_t bin,
		     double *edges)
{
	static const double edge[] = {0, .05, .55, .40}, own[] = {.30, .10, .20, .40};
	const struct td_row *row = &key->bin[bin].row[TD_ROW_ALL];
	double worst = 0;

	*edges = row->shared[1] / row->n;
	for (int k = 0; k < TD_NODES_LEVEL1; k++) {
		double value = 63 * own[k] + (200 + *edges) * edge[k];

		for (uint32_t c = 0; c < key->columns; c++)
			value += key->time[(size_t)bin * key->columns + c] / row->n *
				 b->sim.truth[b->columns.function[key->column[c]]][k];
		worst = fmax(worst, fabs(row->value[k] / row->n - value));
	}
	return worst;
}

static void rows_are_right(int backward)
{
	struct built b;
	int seen = 0;

	build(&b, &cycle, backward);
	for (size_t k = 0; k < b.events.rows.keys; k++) {
		const struct td_key *key = &b.events.rows.key[k];

		for (uint32_t bin = 0; bin < key->bins; bin++) {
			const struct td_row *row = &key->bin[bin].row[TD_ROW_ALL];
			double edges, off;

			if (row->n < 200)
				continue;
			off = missed(&b, key, bin, &edges);
			ck_assert_msg(fabs(edges) < 8, "key %zu, %u: %.1f cycles", k, bin,
				      edges);
			/* errors of times add up from bin to bin */
			ck_assert_msg(off < 2 + 3 * sqrt(row->variance / row->n),
				      "key %zu, %u: off by %.2f", k, bin, off);
			seen++;
		}
	}
	ck_assert_int_ge(seen, 10);
	done(&b);
}

/* Rows hold what the functions count in those times, and the edges' mean. */
START_TEST(rows)
{
	for (int backward = 0; backward < 2; backward++)
		rows_are_right(backward);
}
END_TEST

/* A batch less is a batch less, and all of them are all again. */
START_TEST(batches)
{
	struct built b;
	const struct td_row *row;
	double all, some;

	build(&b, &cycle, 0);
	row = &b.events.rows.key[0].bin[1].row[TD_ROW_ALL];
	all = row->n;
	ck_assert_int_eq(td_events_fill(&b.events, 5), 0);
	some = row->n;
	ck_assert_double_lt(some, all);
	ck_assert_double_gt(some, all * (1 - 3. / TD_BATCHES));
	ck_assert_int_eq(td_events_fill(&b.events, TD_NO_BATCH), 0);
	ck_assert_double_eq(row->n, all);
	done(&b);
}
END_TEST

/* Not what it rests on. */
START_TEST(of_no_use)
{
	struct built b;

	build(&b, &cycle, 0);
	td_events_free(&b.events);
	for (size_t i = 0, n = 0; i < b.sim.windows; i++) {
		if (b.sim.window[i].requested > 400 && n++ % 2)
			b.sim.window[i].empty = 1;
	}
	ck_assert_int_eq(
		td_events_build(&b.events, &b.input, &b.axis, &b.columns, &b.ends, 0), 0);
	ck_assert_uint_eq(b.events.rows.keys, 0);
	done(&b);
}
END_TEST

/* Without calls one visit is not known from the next. */
START_TEST(jumps)
{
	struct built b;

	build(&b, &cycle, 0);
	td_events_free(&b.events);
	for (size_t i = 0; i < b.sim.windows; i++)
		b.sim.window[i].calls /= 2;
	ck_assert_int_eq(
		td_events_build(&b.events, &b.input, &b.axis, &b.columns, &b.ends, 0), 0);
	ck_assert_int_eq(td_events_fill(&b.events, TD_NO_BATCH), 0);
	for (size_t k = 0; k < b.events.rows.keys; k++) {
		const struct td_key *key = &b.events.rows.key[k];

		for (uint32_t bin = 0; bin < key->bins; bin++)
			ck_assert_double_eq(key->bin[bin].row[TD_ROW_ALL].n, 0);
	}
	for (uint32_t c = 0; c < b.columns.columns; c++)
		ck_assert(!b.events.known[c] || b.columns.function[c] >= SHORT);
	done(&b);
}
END_TEST

int main(void)
{
	return unit_main("window_events",
			 (const TTest *const[]){visits, visits_that_end_late,
						visits_without_edges, visits_of_sweeps,
						rows, batches, of_no_use, jumps, NULL});
}
