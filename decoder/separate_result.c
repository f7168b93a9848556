// SPDX-License-Identifier: MIT
/* The second half of separate.h: from a solution to values with intervals. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/jackknife.h"
#include "decoder/separate_visits.h"
#include "decoder/window_batches.h"
#include "decoder/window_repeats.h"
#include "decoder/window_start.h"

#define STEPS_AVERAGE 3 /* how soon rounding averages out */
/* variance of rounding, in steps: of four by the largest remainder, and to the nearest */
#define ROUNDED_FOUR (3. / 32)
#define ROUNDED_ONE (1. / 12)
#define IDENTIFIED 0.8 /* less is no answer */
#define MOSTLY_OWN 0.8
#define SHORT_VISIT 25.   /* cycles: shorter ones are not told apart reliably */
#define LATE_VISITS 3.    /* times what interrupts are late: the same */
#define LEAN_MOVES 0.5    /* of a lean without a twin, a function's value, at most */
#define LEAN_BEYOND 2.    /* the same for the part that own windows do not cover */
#define LATE_MOVES 0.5    /* of what late interrupts may move between pieces: its error */
#define START_SURE 0.25   /* cycles */
#define START_EXACT 0.15  /* where nothing rounds the counts of own windows */
#define EDGES_SURE 0.05   /* of their standard deviation */
#define LATE_SURE 0.5     /* of how late ends are that nothing moves */
#define UNEVEN 0.2        /* of what functions vary by, into their neighbours */
#define UNEVEN_BOTH 0.05  /* of instructions where paces tell them as well, no edges */
#define COST_SURE 0.05    /* cycles of each node's own cost */
#define SHARED_MOVES 0.6  /* of a rate, by what sharing makes of our own code, squared */
#define SHARED_OTHERS 0.4 /* of what own windows do not cover */
#define FREEDOM_MOST 1e6
#define LEAST_SAMPLING 1e-12 /* of a fraction, squared */

typedef double nodes[TD_NODES];

/* A function's mean over its columns, and what the jackknife makes of it. */
struct answer {
	double ends; /* windows that open or close in it: twice those that do both */
	double prior;
	double covered;
	double uneven;        /* error by functions that vary */
	td_sides cost;        /* the same by the own cost */
	double lean;          /* error by a lean that is left to instructions */
	td_sides value, free; /* bounded, and as the equations have it */
	td_sides off;         /* by noise that is still in the equations */
	td_sides rest;        /* what a further round would move */
	td_sides late;        /* error by ends that are in the wrong piece */
	double late_doubt;    /* variance of how late ends are, square cycles */
	td_sides common;      /* variance that no batch shows (window_common.h) */
	double repeated;      /* square of the error by windows that are alike */
	nodes square, fourth; /* sums over batches */
	nodes mean;
	struct td_beside beside;
	/* own windows' fields, in 255ths */
	double n;
	td_sides step, step_square;
};

struct cost {
	double square, mean;
};

/* td_node order from the eight that are measured. */
static const int measured[TD_NODES] = {0, 1, 2, 3, 4, 0, 5, 1, 6, 2, 7, 3};
static const int minus[TD_NODES] = {-1, -1, -1, -1, -1, 4, -1, 5, -1, 6, -1, 7};

double td_separate_node(const double *value, int node)
{
	return value[measured[node]] - (minus[node] < 0 ? 0 : value[minus[node]]);
}

/* Of the function's ends, those in this column. */
static double share(const struct td_separate_state *s, const struct answer *answer,
		    uint32_t c)
{
	uint32_t function = s->columns.function[c];

	return s->columns.ends[c] / answer[function].ends;
}

static void add_up(const struct td_separate_state *s, const struct td_unknowns *off,
		   struct answer *answer)
{
	for (uint32_t c = 0; c < s->columns.columns; c++) {
		if (s->columns.function[c] != TD_NO_FUNCTION)
			answer[s->columns.function[c]].ends += s->columns.ends[c];
	}
	for (uint32_t c = 0; c < s->columns.columns; c++) {
		uint32_t function = s->columns.function[c];
		double part;

		if (function == TD_NO_FUNCTION)
			continue;
		part = share(s, answer, c);
		answer[function].prior += part * s->prior_part[c];
		if (s->late.doubt)
			answer[function].late_doubt += part * s->late.doubt[c];
		answer[function].covered += part * s->normal.covered[c];
		answer[function].lean +=
			part * s->left_lean[c] *
			fmin(LEAN_MOVES, LEAN_BEYOND * (1 - s->normal.covered[c]));
		for (int k = 0; k < TD_SEPARATE_NODES; k++) {
			answer[function].value[k] += part * s->bounded.each[c][k];
			answer[function].free[k] += part * s->at.each[c][k];
			answer[function].off[k] += part * off->each[c][k];
			answer[function].common[k] += part * part * s->tie[c].doubt;
			if (s->common.variance)
				answer[function].common[k] +=
					part * part * s->common.variance[c][k];
		}
	}
}

/* The program's, of a window. */
static double mean_cycles(const struct td_separate_state *s)
{
	double n = 0, cycles = 0;

	for (size_t i = 0; i < s->input->windows; i++) {
		const struct td_separate_window *w = &s->input->window[i];
		double length = td_axis_length(&s->axis, w);

		n += !w->empty;
		cycles += w->empty ? 0 : length - td_axis_lost(&s->axis, length);
	}
	return n > 0 ? cycles / n : 0;
}

/*
 * A function that is slower when it behaves differently looks different to windows
 * that open or close in it than to those that pass: see doc/estimates.md.  What own
 * windows do not cover depends on others.
 */
static void find_uneven(const struct td_separate_state *s, struct answer *answer)
{
	double varies = 0, ends = 0;
	int both = s->input->paced && s->axis.follows && s->clock.value;
	double part = both ? UNEVEN_BOTH : UNEVEN;

	for (uint32_t c = 0; c < s->columns.columns; c++) {
		varies += s->columns.ends[c] * s->varies[c];
		ends += s->columns.ends[c];
	}
	for (size_t f = 0; f < s->input->functions && ends > 0; f++)
		answer[f].uneven = part * varies / ends * (1 - answer[f].covered);
}

/* The most of all nodes of level 1 but one. */
static double most_beside(const double *doubt, int node)
{
	double most = 0;

	for (int k = 0; k < TD_NODES_LEVEL1; k++)
		most = k == node ? most : fmax(most, doubt[k]);
	return most;
}

/*
 * The own cost's mix is rounded like all fields, and differs from function to function:
 * of a rate by its own, of a fraction as well by what others make of the program's slots.
 */
static void find_cost(const struct td_separate_state *s, struct answer *answer)
{
	double doubt = s->input->own_doubt / fmax(1, s->axis.width);
	td_sides by;

	for (int k = 0; k < TD_SEPARATE_NODES; k++)
		by[k] = sqrt(COST_SURE * COST_SURE + s->axis.differs[k] + doubt * doubt) /
			fmax(1, s->window_cycles);
	for (size_t f = 0; f < s->input->functions; f++)
		for (int k = 0; k < TD_SEPARATE_NODES; k++) {
			double value = fmin(1, fmax(0, answer[f].value[k]));
			double part = s->input->rates ? 0 : value;

			answer[f].cost[k] =
				(1 - part) * by[k] + part * most_beside(by, k);
		}
}

/*
 * Where another thread comes and goes our own code takes longer while it is there, so
 * that less of the program fits into windows then, and long windows seem to be faster:
 * how much that is of a window.
 */
static double find_swayed(const struct td_separate_state *s)
{
	return s->input->shared && s->input->rates && s->axis.sharp
		       ? s->axis.empty_spread / fmax(1, s->window_cycles)
		       : 0;
}

/* What that makes of a rate, and of one that own windows do not cover by others. */
static double shared_error(const struct td_separate_state *s, const struct answer *a,
			   int node)
{
	double swayed = find_swayed(s);

	return SHARED_MOVES * swayed * swayed *
	       hypot(td_separate_node(a->value, node), SHARED_OTHERS * (1 - a->covered));
}

static int find_repeated(const struct td_separate_state *s, struct answer *answer)
{
	double *inverse = malloc((2 * s->columns.columns + 1) * sizeof(*inverse));
	double *square = inverse + s->columns.columns;
	int err;

	if (!inverse)
		return -ENOMEM;
	for (uint32_t c = 0; c < s->columns.columns; c++)
		inverse[c] = s->prior_part[c] / s->normal.ridge[c];
	err = td_repeats_error(&s->rows, inverse, square);
	for (uint32_t c = 0; c < s->columns.columns && !err; c++) {
		uint32_t function = s->columns.function[c];

		if (function != TD_NO_FUNCTION)
			answer[function].repeated +=
				pow(share(s, answer, c), 2) * square[c];
	}
	free(inverse);
	return err;
}

static int add_all(const struct td_separate_state *s, struct answer *answer)
{
	struct td_unknowns off = {
		.each = malloc((s->normal.unknowns + 1) * sizeof(*off.each))};
	int err = off.each ? td_normal_noise_left(&s->normal, &s->at, &off) : -ENOMEM;

	if (!err) {
		add_up(s, &off, answer);
		find_uneven(s, answer);
		find_cost(s, answer);
		err = find_repeated(s, answer);
	}
	free(off.each);
	return err;
}

void td_separate_ends(const struct td_separate_state *s, unsigned without, double *ends)
{
	memcpy(ends, s->columns.ends, s->columns.columns * sizeof(*ends));
	for (size_t i = 0; i < s->input->windows && without != TD_NO_BATCH; i++) {
		if (s->input->window[i].empty || td_batch(s->input, i) != without)
			continue;
		ends[s->ends.open[i]]--;
		ends[s->ends.close[i]]--;
	}
}

/* How far a function's values move by `pull`, where columns have so many ends, into
 * change[functions]. */
static void change_of(const struct td_separate_state *s, const struct answer *answer,
		      const struct td_unknowns *pull, double *ends, td_sides *change)
{
	double *total = ends + s->columns.columns;

	memset(total, 0, s->input->functions * sizeof(*total));
	memset(change, 0, s->input->functions * sizeof(*change));
	for (uint32_t c = 0; c < s->columns.columns; c++) {
		if (s->columns.function[c] != TD_NO_FUNCTION)
			total[s->columns.function[c]] += ends[c];
	}
	for (uint32_t c = 0; c < s->columns.columns; c++) {
		uint32_t function = s->columns.function[c];
		double part;

		if (function == TD_NO_FUNCTION || total[function] <= 0)
			continue;
		part = ends[c] / total[function];
		for (int k = 0; k < TD_SEPARATE_NODES; k++)
			change[function][k] +=
				part * (s->at.each[c][k] + pull->each[c][k]) -
				share(s, answer, c) * s->at.each[c][k];
	}
}

static void add_change(const struct td_separate_state *s, struct answer *answer,
		       unsigned batch, const td_sides *change)
{
	for (size_t f = 0; f < s->input->functions; f++) {
		if (s->input->known)
			td_beside_add(&answer[f].beside, s->input, f, batch, change[f]);
		for (int k = 0; k < TD_SEPARATE_NODES && s->moves && s->moves[f]; k++)
			s->moves[f]->change[k][batch] = (float)change[f][k];
		for (int i = 0; i < TD_NODES && answer[f].ends > 0; i++) {
			double d = td_separate_node(change[f], i);

			answer[f].mean[i] += d / TD_BATCHES;
			answer[f].square[i] += d * d;
			answer[f].fourth[i] += d * d * d * d;
		}
	}
}

static int without_batch(struct td_separate_state *s, unsigned batch,
			 struct td_lines *lines, struct td_unknowns *pull)
{
	int err;

	s->rows.axis = s->first_axis;
	err = td_start_find(s->input, &s->columns, batch, &s->rows.axis);
	s->events[0].rows.axis = s->events[1].rows.axis = s->rows.axis;
	if (!err)
		err = td_rows_fill(&s->rows, batch);
	if (!err)
		err = td_events_fill(&s->events[0], batch);
	if (!err)
		err = td_events_fill(&s->events[1], batch);
	if (!err)
		err = td_separate_lines(s, &s->rows.axis, batch, lines);
	if (!err)
		err = td_normal_pull(&s->normal, &s->rows, lines, batch, &s->at, pull);
	return err ? err : td_normal_solve(&s->normal, pull);
}

static void add_cost(const struct td_unknowns *pull, struct cost *cost)
{
	double sum = 0;

	for (int k = 0; k < TD_NODES_LEVEL1; k++)
		sum += pull->shared[0][k];
	cost->mean += sum / TD_BATCHES;
	cost->square += sum * sum;
}

/* One step of the jackknife, and room for it. */
struct step {
	struct td_lines lines;
	struct td_unknowns pull;
	double *ends;     /* [columns + functions] */
	td_sides *change; /* [functions] */
};

/*
 * One step towards the solution without the batch: the equations are linear but for
 * the times, which the step has anew.
 */
static int step_without(struct td_separate_state *s, const struct answer *answer,
			unsigned batch, struct step *step)
{
	int err = without_batch(s, batch, &step->lines, &step->pull);

	if (err)
		return err;
	td_separate_ends(s, batch, step->ends);
	change_of(s, answer, &step->pull, step->ends, step->change);
	return 0;
}

static void keep_rest(const struct td_separate_state *s, const struct step *step,
		      struct answer *answer)
{
	for (size_t f = 0; f < s->input->functions; f++)
		memcpy(answer[f].rest, step->change[f], sizeof(answer[f].rest));
}

/* What all windows would move as well is not the batch's; times the number of batches it
 * would be taken for a bias. */
static void take_rest(const struct td_separate_state *s, const struct answer *answer,
		      struct step *step)
{
	for (size_t f = 0; f < s->input->functions; f++)
		for (int k = 0; k < TD_SEPARATE_NODES; k++)
			step->change[f][k] -= answer[f].rest[k];
}

static int jackknife(struct td_separate_state *s, struct answer *answer,
		     struct cost *cost)
{
	size_t functions = s->input->functions + 1;
	struct step step = {
		.pull.each = malloc((s->normal.unknowns + 1) * sizeof(*step.pull.each)),
		.ends = malloc((s->columns.columns + functions) * sizeof(*step.ends)),
		.change = malloc(functions * sizeof(*step.change)),
	};
	int err = step.pull.each && step.ends && step.change ? 0 : -ENOMEM;

	if (!err)
		err = step_without(s, answer, TD_NO_BATCH, &step);
	if (!err)
		keep_rest(s, &step, answer);
	for (unsigned b = 0; b < TD_BATCHES && !err; b++) {
		err = step_without(s, answer, b, &step);
		if (err)
			break;
		take_rest(s, answer, &step);
		for (size_t f = 0; f < s->input->functions && s->trace; f++)
			s->trace[f].change[b] = step.change[f][s->input->traced - 1];
		add_change(s, answer, b, (const td_sides *)step.change);
		add_cost(&step.pull, cost);
	}
	td_lines_free(&step.lines);
	free(step.pull.each);
	free(step.ends);
	free(step.change);
	return err;
}

static double variance(double squares, double mean)
{
	return fmax(0, td_jackknife_covariance(squares, mean, mean));
}

/*
 * A function that few windows tell of has few batches that matter.  Of an error that is
 * `times` the batches' variance by what does not come from them, more is known (Welch).
 */
static unsigned freedom(const struct answer *a, int node, double times)
{
	double df = td_jackknife_freedom(a->square[node], a->fourth[node]);

	times = fmax(1, times);
	return (unsigned)fmin(FREEDOM_MOST, df * times * times);
}

static void take_steps(const struct td_separate_state *s, struct answer *answer)
{
	for (size_t i = 0; i < s->input->windows; i++) {
		const struct td_separate_window *w = &s->input->window[i];
		struct answer *to = &answer[w->open];

		if (s->input->exact || w->empty || w->open != w->close || w->calls ||
		    w->slots <= 0)
			continue;
		to->n += w->slots;
		for (int k = 0; k < TD_SEPARATE_NODES; k++) {
			double step = 255 * w->value[k] / w->slots;

			to->step[k] += w->slots * step;
			to->step_square[k] += w->slots * step * step;
		}
	}
}

/*
 * Rounding to 255ths averages out where own windows of different lengths have
 * different fields (the own cost's part differs); where all have the same field,
 * nothing is known below a step.
 */
static double rounding(const struct answer *a, int node)
{
	double sum = 0;

	for (int i = 0; i < 2 && a->n > 0; i++) {
		int k = i ? minus[node] : measured[node];
		double mean, spread;

		if (k < 0)
			continue;
		mean = a->step[k] / a->n;
		spread = fmax(0, a->step_square[k] / a->n - mean * mean);
		sum += (k < TD_NODES_LEVEL1 ? ROUNDED_FOUR : ROUNDED_ONE) / 255 / 255 /
		       (1 + STEPS_AVERAGE * spread);
	}
	return sum;
}

/* By how much a fraction differs between functions, squared: of a node of level 1, or of
 * one of the two that it is the sum of.  Events have no such order. */
static double spread_of(const struct td_separate_state *s, int node)
{
	double spread = TD_FRACTION_SPREAD * TD_FRACTION_SPREAD;

	return node < TD_NODES_LEVEL1 || s->input->rates ? spread : spread / 2;
}

/* The square of what the program's cycles in a window may be off by: at its start as well
 * as at its end where there are no empty windows to tell when it begins.  Where nothing
 * counts returns, late ends stay where they are. */
static double start_error(const struct td_separate_state *s)
{
	double start = (s->input->exact ? START_EXACT : START_SURE) +
		       EDGES_SURE * s->axis.start_spread +
		       (s->input->returns ? 0 : LATE_SURE * s->axis.late);
	int ends = s->axis.empty > 0 || s->input->exact ? 1 : 2;

	return ends * start * start;
}

/*
 * What a cycle of the start moves, as a part of what functions differ by, squared: of a
 * short visit's.  Of a long one that of a window's, unless own windows have lines.
 */
static double start_moves(const struct td_separate_state *s, const struct answer *a,
			  double visit)
{
	double of_visit = 1 / fmax(1, visit / 2);
	double of_window = (1 - a->covered) / fmax(1, s->window_cycles);

	return pow(fmax(of_visit, of_window), 2);
}

/*
 * Windows that end in the function may be so much longer than they seem, and of the edges
 * there is as much less in them: the square of what that moves.
 */
static double end_error(const struct td_separate_state *s, const struct answer *a,
			double visit, int node)
{
	double cycles = fmax(1, fmin(visit / 2, s->window_cycles));
	double differs =
		td_separate_node(a->value, node) - td_separate_node(s->axis.mix, node);

	return a->late_doubt * pow(differs / cycles, 2);
}

/*
 * The squares of the errors that are no sampling: what the batches show of a bias and
 * what they cannot; the start of a window, known to a part of a cycle or of the edges
 * only, which in a visit of some ten cycles is much; its end; and rounding.
 */
static double fixed_error(const struct td_separate_state *s, const struct answer *a,
			  double visit, int node)
{
	double bias = (TD_BATCHES - 1) * a->mean[node];
	double start = start_error(s) * start_moves(s, a, visit);
	double differ = (a->prior * a->prior + start) * spread_of(s, node);
	double off = td_separate_node(a->off, node);
	double rest = td_separate_node(a->rest, node);
	double shared = shared_error(s, a, node);
	double late = LATE_MOVES * (a->late[measured[node]] +
				    (minus[node] < 0 ? 0 : a->late[minus[node]]));

	return bias * bias + differ + off * off + rest * rest +
	       a->common[measured[node]] + a->uneven * a->uneven +
	       pow(a->cost[measured[node]], 2) + a->lean * a->lean + late * late +
	       shared * shared + end_error(s, a, visit, node) +
	       fmax(rounding(a, node), a->repeated * (minus[node] < 0 ? 1 : 2));
}

struct td_estimate td_separate_bound(double bounded, double free, double half)
{
	struct td_estimate e = {.value = fmin(1, fmax(0, bounded))};

	e.low = fmin(e.value, fmax(0, fmin(1, free) - half));
	e.high = fmax(e.value, fmin(1, fmax(0, free) + half));
	return e;
}

/* Times the variance: windows that are alike scatter less from batch to batch than as
 * many others. */
static double alike(const struct td_separate_state *s)
{
	return s->input->shuffled ? fmax(1, s->input->together) : 1;
}

static void read_node(const struct td_separate_state *s, const struct answer *a,
		      double visit, int node, struct td_reading *reading)
{
	double sampling = alike(s) * variance(a->square[node], a->mean[node]);
	double error = sampling + fixed_error(s, a, visit, node);

	reading->bounded = td_separate_node(a->value, node);
	reading->free = td_separate_node(a->free, node);
	reading->variance = error;
	reading->df = freedom(a, node, error / fmax(sampling, LEAST_SAMPLING));
}

static void fill_node(const struct td_separate_state *s, const struct td_reading *reading,
		      struct td_topdown_value *value)
{
	double middle = reading->free, half;

	value->present = 1;
	value->df = reading->df;
	half = td_student_t95(value->df) * sqrt(reading->variance);
	value->estimate =
		s->input->rates
			? (struct td_estimate){middle, middle - half, middle + half}
			: td_separate_bound(reading->bounded, middle, half);
}

/* What they leave of the readings' variances.  Of rates no clock tells (clock.c). */
static void finish_moves(const struct td_separate_state *s,
			 const struct td_reading *reading,
			 struct td_separate_moves *moves)
{
	double times = sqrt(alike(s));

	for (unsigned k = 0; k < TD_SEPARATE_NODES; k++) {
		double change[TD_BATCHES];

		for (int b = 0; b < TD_BATCHES; b++) {
			change[b] = times * moves->change[k][b];
			moves->change[k][b] = (float)change[b];
		}
		moves->unseen[k] = fmax(0, reading[td_separate_node_of(k)].variance -
						   td_jackknife_variance(change) -
						   moves->beside[k] * moves->beside[k]);
	}
}

static void fill_nodes(const struct td_separate_state *s, const struct answer *a,
		       const struct td_told *told, double visit, size_t function,
		       struct td_separate_function *to)
{
	int last = s->input->nodes > TD_NODES_LEVEL1 ? TD_NODES : TD_NODES_LEVEL1;
	struct td_separate_moves *moves = s->moves ? s->moves[function] : NULL;
	struct td_reading reading[TD_NODES];

	for (int i = 0; i < last; i++)
		read_node(s, a, visit, i, &reading[i]);
	if (s->input->known)
		td_beside_take(&a->beside, s->input, function, reading, moves);
	td_separate_blend(told, visit, last, reading);
	if (moves)
		finish_moves(s, reading, moves);
	for (int i = 0; i < last; i++)
		fill_node(s, &reading[i], &to->node[i]);
}

static void trace_node(const struct td_separate_state *s, const struct answer *a,
		       const struct td_told *told, double visit,
		       struct td_separate_trace *trace)
{
	struct td_reading reading[TD_NODES_LEVEL1];
	const struct td_reading *of = &reading[s->input->traced - 1];
	double part;

	for (int i = 0; i < TD_NODES_LEVEL1; i++)
		read_node(s, a, visit, i, &reading[i]);
	part = td_separate_blend(told, visit, TD_NODES_LEVEL1, reading);
	trace->value = of->free;
	trace->variance = of->variance;
	trace->df = of->df;
	for (int b = 0; b < TD_BATCHES; b++)
		trace->change[b] += part * (told->change[b] - trace->change[b]);
}

/*
 * Interrupts that are late by some instructions end windows in the piece behind where
 * the time was over: more often in one whose instructions are fast than that takes of
 * the time.  As long as a piece takes little longer than they are late, its share
 * of the function is not known.
 */
static int find_late(const struct td_separate_state *s, struct answer *answer)
{
	double *visit;
	int err;

	if (s->axis.start >= 0)
		return 0;
	visit = malloc((s->columns.columns + 1) * sizeof(*visit));
	err = visit ? td_visits_of_columns(s, visit) : -ENOMEM;
	for (uint32_t c = 0; c < s->columns.columns && !err; c++) {
		uint32_t function = s->columns.function[c];
		double moved;

		if (function == TD_NO_FUNCTION)
			continue;
		moved = fmin(1, -s->axis.start / fmax(1, visit[c])) * share(s, answer, c);
		for (int k = 0; k < TD_SEPARATE_NODES; k++)
			answer[function].late[k] +=
				moved *
				fabs(s->bounded.each[c][k] - answer[function].value[k]);
	}
	free(visit);
	return err;
}

/*
 * A visit that may be long enough, by what is not known of it, has the benefit of the
 * doubt: its interval says the rest.  Late interrupts end windows where so many
 * instructions are over, not so much time: more often where they are fast, and more often
 * so the shorter the visits.  What these make wrong no interval says, so there doubt
 * counts against the visit.
 */
static enum td_evidence evidence_of(const struct td_separate_state *s,
				    const struct answer *a, const struct td_visit *visit)
{
	if (a->prior > 1 - IDENTIFIED || visit->most < SHORT_VISIT ||
	    visit->least < -LATE_VISITS * s->axis.start)
		return TD_EVIDENCE_CALLERS;
	return a->covered >= MOSTLY_OWN ? TD_EVIDENCE_OWN : TD_EVIDENCE_SEPARATED;
}

static void claim(struct td_separate_function *function)
{
	if (function->evidence == TD_EVIDENCE_NONE)
		function->evidence = TD_EVIDENCE_CALLERS;
}

static void count_windows(const struct td_separate_state *s, struct td_separate *result)
{
	for (size_t i = 0; i < s->input->windows; i++) {
		const struct td_separate_window *w = &s->input->window[i];

		if (w->empty)
			continue;
		result->function[w->open].windows++;
		result->function[w->close].windows += w->close != w->open;
		/* those that share a column have no answer of their own */
		claim(&result->function[w->open]);
		claim(&result->function[w->close]);
		if (td_columns_own(&s->columns, s->input, &s->axis, i)) {
			result->function[w->open].own++;
			result->own++;
		}
	}
}

static int fill(const struct td_separate_state *s, const struct answer *answer,
		struct td_separate *result)
{
	struct td_visit *visit = calloc(s->input->functions + 1, sizeof(*visit));
	struct td_told *told = calloc(s->input->functions + 1, sizeof(*told));
	int err = visit && told ? td_visits_find(s, visit) : -ENOMEM;

	if (!err && s->clock.value)
		err = td_separate_tell(s, told);
	for (size_t f = 0; f < s->input->functions && !err; f++) {
		struct td_separate_function *to = &result->function[f];

		if (answer[f].ends <= 0)
			continue;
		to->identifiability = 1 - answer[f].prior;
		to->visit = visit[f].cycles;
		to->evidence = evidence_of(s, &answer[f], &visit[f]);
		fill_nodes(s, &answer[f], &told[f], visit[f].own, f, to);
		if (s->trace)
			trace_node(s, &answer[f], &told[f], visit[f].own, &s->trace[f]);
	}
	free(visit);
	free(told);
	count_windows(s, result);
	return err;
}

static void fill_cost(const struct td_separate_state *s, const struct cost *jackknife,
		      struct td_separate_cost *cost)
{
	int rates = s->input->rates; /* which add up to nothing */
	double batches = sqrt(variance(jackknife->square, jackknife->mean));
	double half = rates ? 2 * s->axis.start_error
			    : td_student_t95(TD_BATCHES - 1) * batches;
	double sum = rates ? s->axis.start + s->axis.beyond : 0;

	for (int k = 0; k < TD_NODES_LEVEL1 && !rates; k++)
		sum += s->at.shared[0][k];
	for (int k = 0; k < TD_NODES_LEVEL1 && !rates && sum > 0; k++)
		cost->mix[k] = s->at.shared[0][k] / sum;
	cost->axis = s->axis.kind;
	cost->width = s->axis.width;
	cost->cycles = (struct td_estimate){sum, sum - half, sum + half};
	cost->empty = s->axis.empty;
	cost->start = s->axis.start;
	cost->start_spread = s->axis.start_spread;
	cost->spread = s->axis.spread;
	cost->between = sqrt(s->normal.between);
	cost->swayed = find_swayed(s);
	cost->clocked = s->clock.value != NULL;
	cost->follows = s->axis.follows && s->axis.start_spread <= 0;
}

static int make_moves(struct td_separate_state *s, const struct answer *answer)
{
	for (size_t f = 0; f < s->input->functions; f++) {
		if (answer[f].ends < TD_MOVES_FEWEST)
			continue;
		s->moves[f] = calloc(1, sizeof(*s->moves[f]));
		if (!s->moves[f])
			return -ENOMEM;
	}
	return 0;
}

int td_separate_finish(struct td_separate_state *state, struct td_separate *result)
{
	struct answer *answer = calloc(state->input->functions + 1, sizeof(*answer));
	struct cost cost = {0};
	int err;

	if (!answer)
		return -ENOMEM;
	state->window_cycles = mean_cycles(state);
	err = add_all(state, answer);
	if (!err && state->moves)
		err = make_moves(state, answer);
	if (!err)
		err = jackknife(state, answer, &cost);
	if (!err) {
		take_steps(state, answer);
		err = find_late(state, answer);
	}
	if (!err) {
		if (state->trace)
			td_separate_add_own(state);
		err = fill(state, answer, result);
		fill_cost(state, &cost, &result->cost);
	}
	free(answer);
	return err;
}
