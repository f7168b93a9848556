// SPDX-License-Identifier: MIT
#include "decoder/window_columns.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/window_pieces.h"

#define COLUMNS_MOST 2000u /* the rest is one */
#define LEAVES 0.002       /* part of own windows that may be none */
#define KEPT 0.25          /* of a function's own windows, by those of its pieces */
#define BACK_LEAST 0.5     /* of the shortest way back that was seen */
#define LENGTHS 36u
#define STEPS_SURE 2.   /* each way, from one column to another and back */
#define STRAY_OF 20.    /* steps one way, of which a single one back may be a stray */
#define UNSEEN_OF 8.    /* steps one way, that show that there is none back */
#define UNSEEN 0.5      /* steps, where there may be some but none was seen */
#define FEW 20.         /* windows from a column, where steps from there are few */
#define REACHED_SEEN 8u /* ends that show where a function is entered from another */
#define PLACES 8u       /* parts of a column that others come to and come back from */
#define ROUND_SEEN 32u  /* steps each way that show how soon one is back */
#define ROUND_LEAST 0.9 /* of the shortest way round that was seen */
/* standard deviations: so much more of the program is in windows with short edges */
#define EDGES_MOST 2.5

/* A function's columns. */
struct cuts {
	uint32_t first;
	struct td_pieces pieces;
};

struct ranked {
	uint64_t windows;
	uint32_t function;
};

static int by_windows(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->windows != y->windows)
		return x->windows < y->windows ? 1 : -1;
	return (x->function > y->function) - (x->function < y->function);
}

static void count_windows(const struct td_separate_input *input, struct ranked *ranked)
{
	for (size_t i = 0; i < input->functions; i++)
		ranked[i] = (struct ranked){0, (uint32_t)i};
	for (size_t i = 0; i < input->windows; i++) {
		const struct td_separate_window *w = &input->window[i];

		if (w->empty)
			continue;
		ranked[w->open].windows++;
		ranked[w->close].windows += w->close != w->open;
	}
}

/* Those with most windows first: the matrix is factorised in this order. */
static int number_columns(struct td_columns *columns,
			  const struct td_separate_input *input,
			  const struct ranked *ranked, struct cuts *cuts)
{
	size_t n = 0, most = TD_PIECES_MOST * (size_t)COLUMNS_MOST;

	most = input->functions * TD_PIECES_MOST < most
		       ? input->functions * TD_PIECES_MOST
		       : most;
	columns->function = malloc((most + 1) * sizeof(*columns->function));
	if (!columns->function)
		return -ENOMEM;
	for (size_t i = 0; i < input->functions && ranked[i].windows; i++) {
		struct cuts *c = &cuts[ranked[i].function];

		if (n + 1 >= COLUMNS_MOST) {
			c->first = COLUMNS_MOST - 1;
			c->pieces.n = 1;
			columns->function[COLUMNS_MOST - 1] =
				n < COLUMNS_MOST ? ranked[i].function : TD_NO_FUNCTION;
			n = COLUMNS_MOST;
			continue;
		}
		if (n + c->pieces.n >= COLUMNS_MOST)
			c->pieces.n = 1;
		c->first = (uint32_t)n;
		for (uint32_t p = 0; p < c->pieces.n; p++)
			columns->function[n++] = ranked[i].function;
	}
	columns->columns = (uint32_t)n;
	return 0;
}

static uint32_t column_of(const struct cuts *cuts, uint32_t offset)
{
	uint32_t piece = 0;

	while (piece + 1 < cuts->pieces.n && offset >= cuts->pieces.at[piece + 1])
		piece++;
	return cuts->first + piece;
}

static int place(struct td_columns *columns, const struct td_separate_input *input,
		 const struct cuts *cuts)
{
	columns->open = malloc((input->windows + 1) * sizeof(*columns->open));
	columns->close = malloc((input->windows + 1) * sizeof(*columns->close));
	columns->ends = calloc(columns->columns + 1, sizeof(*columns->ends));
	columns->alone = malloc((columns->columns + 1) * sizeof(*columns->alone));
	columns->back = malloc((columns->columns + 1) * sizeof(*columns->back));
	if (!columns->open || !columns->close || !columns->ends || !columns->alone ||
	    !columns->back)
		return -ENOMEM;
	for (size_t i = 0; i < input->windows; i++) {
		const struct td_separate_window *w = &input->window[i];

		columns->open[i] = columns->close[i] = 0;
		if (w->empty)
			continue;
		columns->open[i] = column_of(&cuts[w->open], w->open_offset);
		columns->close[i] = column_of(&cuts[w->close], w->close_offset);
		columns->ends[columns->open[i]]++;
		columns->ends[columns->close[i]]++;
	}
	return 0;
}

/* A window that ended in another column, without a return. */
struct step {
	uint32_t low, high;
	uint32_t opened, closed; /* offsets of its ends in their functions */
	float cycles;
	uint8_t up, length; /* length: which of the classes below */
};

/* Classes of length, two an octave; where one ends. */
static unsigned length_class(double length)
{
	double c = 2 * log2(fmax(1, length));

	return c < LENGTHS ? (unsigned)c : LENGTHS - 1;
}

static double class_end(unsigned class)
{
	return class + 1 < LENGTHS ? exp2((class + 1) / 2.) : INFINITY;
}

static int by_pair(const void *a, const void *b)
{
	const struct step *x = a, *y = b;

	if (x->low != y->low)
		return x->low < y->low ? -1 : 1;
	return (x->high > y->high) - (x->high < y->high);
}

typedef double lengths[LENGTHS]; /* of windows of this class */

struct counts {
	lengths *opened, *own, *doubt; /* [columns] */
	int all;                       /* steps are neither calls nor returns */
};

/* Counts the windows opened in each column, the own ones of them, and steps. */
static size_t take_steps(const struct td_columns *columns,
			 const struct td_separate_input *input,
			 const struct td_axis *axis, struct step *step,
			 struct counts *counts)
{
	size_t n = 0;

	for (size_t i = 0; i < input->windows; i++) {
		const struct td_separate_window *w = &input->window[i];
		uint32_t open = columns->open[i], close = columns->close[i];
		double cycles = td_axis_length(axis, w) - axis->start;
		unsigned class = length_class(cycles);

		if (w->empty || w->unsure)
			continue;
		counts->opened[open][class]++;
		if (w->calls)
			continue;
		counts->own[open][class] += open == close;
		if (open == close)
			continue;
		step[n++] = (struct step){
			.low = open < close ? open : close,
			.high = open < close ? close : open,
			.opened = w->open_offset,
			.closed = w->close_offset,
			.cycles = (float)cycles,
			.up = open < close,
			.length = (uint8_t) class,
		};
	}
	return n;
}

/*
 * All windows that went the other way have opened before `from`, where those that went up
 * (or down) have ended first: were it chance, one order in so many would be like that.
 */
static int are_apart(const struct step *step, size_t n, unsigned up, uint32_t from)
{
	double orders = 1, ended = 0, opened = 0;

	for (size_t i = 0; i < n; i++) {
		if (step[i].up != up && step[i].opened >= from)
			return 0;
		*(step[i].up == up ? &ended : &opened) += 1;
		orders *= (double)(i + 1) / (step[i].up == up ? ended : opened);
	}
	return orders >= 1 / LEAVES;
}

/* Where the windows that went up (or down) have ended first, and one gap between them
 * before that; if they are few, anywhere, but where chance would not keep them apart. */
static uint32_t reached(const struct step *step, size_t n, unsigned up)
{
	uint32_t from = UINT32_MAX, to = 0, seen = 0, gap;

	for (size_t i = 0; i < n; i++) {
		if (step[i].up != up)
			continue;
		seen++;
		from = step[i].closed < from ? step[i].closed : from;
		to = step[i].closed > to ? step[i].closed : to;
	}
	if (seen < REACHED_SEEN)
		return are_apart(step, n, up, from) ? from : 0;
	gap = (to - from) / seen;
	return from - (gap < from ? gap : from);
}

/* Where in f a step goes to (it goes `up`, or not), or comes back from. */
static uint32_t place_of(const struct step *step, unsigned up)
{
	return step->up == up ? step->closed : step->opened;
}

/*
 * The shortest way from g into f and back to g, in cycles: one window has gone to a place
 * in f, another has come back from there.  0 if that is not known.
 */
static double shortest_round(const struct step *step, size_t n, unsigned up)
{
	double way[2][PLACES], shortest = INFINITY;
	uint32_t seen[2] = {0}, from = UINT32_MAX, to = 0;

	for (size_t i = 0; i < n; i++) {
		uint32_t at = place_of(&step[i], up);

		from = at < from ? at : from;
		to = at > to ? at : to;
	}
	for (unsigned p = 0; p < PLACES; p++)
		way[0][p] = way[1][p] = INFINITY;
	for (size_t i = 0; i < n; i++) {
		uint64_t behind = place_of(&step[i], up) - from;
		double *least = &way[step[i].up == up]
				    [behind * PLACES / ((uint64_t)to - from + 1)];

		seen[step[i].up == up]++;
		*least = fmin(*least, fmax(0, step[i].cycles));
	}
	for (unsigned p = 0; p < PLACES; p++)
		shortest = fmin(shortest, way[0][p] + way[1][p]);
	if (seen[0] < ROUND_SEEN || seen[1] < ROUND_SEEN || isinf(shortest))
		return 0;
	return ROUND_LEAST * shortest;
}

/*
 * Steps each way that show that windows go round.  Of many one way a single one back may
 * be a stray; of few it is none, and they say little of a way back that was not seen.
 */
static double steps_needed(double gone, double come)
{
	double fewer = fmin(gone, come), more = fmax(gone, come);

	if (fewer >= STEPS_SURE || more < STEPS_SURE)
		return STEPS_SURE;
	return more < (fewer > 0 ? STRAY_OF : UNSEEN_OF) ? fewer : STEPS_SURE;
}

/* Of g's windows so far: the part that may have been in f and back.  Where as few from f,
 * too, say so, nothing is known yet. */
static double part_round(double gone, double come, double needed, double from_g,
			 double from_f)
{
	if (gone < needed || come < needed || gone + come < STEPS_SURE ||
	    (needed < STEPS_SURE && from_f < FEW))
		return 0;
	return fmax(gone, UNSEEN) / fmax(1, from_g) * fmax(come, UNSEEN) /
	       fmax(1, from_f);
}

/*
 * A jump to a cold part and back, or calls from one to another and back again,
 * leave no return in the window.  Where windows from g end in f (they go `up`, or not)
 * and windows from f in g, both without a return, the product of their parts says how
 * many of g's windows are not g's alone: of those that are long enough for both, and for
 * the way through f that is between them.  Who comes back does so from where he has come
 * to, or from behind it: a cold part that jumps behind the only place that it is entered
 * from is not entered again.
 */
static void doubt(const struct step *step, size_t n, unsigned up,
		  const struct td_axis *axis, struct counts *counts)
{
	uint32_t g = up ? step->low : step->high, f = up ? step->high : step->low;
	uint32_t from = reached(step, n, up);
	double least = shortest_round(step, n, up) - EDGES_MOST * axis->start_spread;
	lengths there = {0}, back = {0};
	double went = 0, gone = 0, come = 0, from_g = 0, from_f = 0, needed;

	for (size_t i = 0; i < n; i++) {
		if (step[i].up == up)
			there[step[i].length]++;
		else if (step[i].opened >= from)
			back[step[i].length]++;
		went += step[i].up == up;
	}
	needed = counts->all ? steps_needed(went, (double)n - went) : STEPS_SURE;
	for (unsigned c = 0; c < LENGTHS; c++) {
		gone += there[c];
		come += back[c];
		from_g += counts->opened[g][c];
		from_f += counts->opened[f][c];
		if (class_end(c) > least)
			counts->doubt[g][c] +=
				part_round(gone, come, needed, from_g, from_f);
	}
}

static float alone_below(const struct counts *counts, uint32_t column)
{
	double own = 0, opened = 0;

	for (unsigned c = 0; c < LENGTHS; c++) {
		own += counts->own[column][c];
		opened += counts->opened[column][c];
		if (counts->doubt[column][c] * opened > LEAVES * own)
			return (float)exp2(c / 2.);
	}
	return INFINITY;
}

static int leave(struct td_columns *columns, const struct td_separate_input *input,
		 const struct td_axis *axis)
{
	size_t n = columns->columns, steps = 0;
	struct step *step = malloc((input->windows + 1) * sizeof(*step));
	lengths *count = calloc(3 * n + 1, sizeof(*count));
	struct counts counts = {count, count + n, count + 2 * n,
				input->returns == TD_RETURNS_AND_CALLS};
	int err = step && count ? 0 : -ENOMEM;

	if (!err)
		steps = take_steps(columns, input, axis, step, &counts);
	if (steps)
		qsort(step, steps, sizeof(*step), by_pair);
	for (size_t i = 0, end; i < steps; i = end) {
		for (end = i; end < steps && by_pair(&step[i], &step[end]) == 0;)
			end++;
		doubt(step + i, end - i, 1, axis, &counts);
		doubt(step + i, end - i, 0, axis, &counts);
	}
	for (uint32_t c = 0; c < n && !err; c++)
		columns->alone[c] = alone_below(&counts, c);
	free(step);
	free(count);
	return err;
}

/*
 * How soon a column is entered again that was left: by windows that did both, as their
 * returns show.  What nobody has seen come back stays until the longest of those that
 * stayed.
 */
static void find_back(struct td_columns *columns, const struct td_separate_input *input,
		      const struct td_axis *axis)
{
	for (uint32_t c = 0; c < columns->columns; c++)
		columns->back[c] = 0;
	for (size_t i = 0; i < input->windows; i++) {
		const struct td_separate_window *w = &input->window[i];
		float length = (float)(td_axis_length(axis, w) - axis->start);

		if (!w->empty && !w->unsure && !w->calls &&
		    columns->open[i] == columns->close[i])
			columns->back[columns->open[i]] =
				fmaxf(columns->back[columns->open[i]], length);
	}
	for (size_t i = 0; i < input->windows; i++) {
		const struct td_separate_window *w = &input->window[i];
		double length = td_axis_length(axis, w) - axis->start;

		if (!w->empty && !w->unsure && w->calls &&
		    columns->open[i] == columns->close[i])
			columns->back[columns->open[i]] =
				fminf(columns->back[columns->open[i]],
				      (float)(BACK_LEAST * length));
	}
}

/* `columns` of the functions as `cuts` cuts them. */
static int build(struct td_columns *columns, const struct td_separate_input *input,
		 const struct td_axis *axis, const struct ranked *ranked,
		 struct cuts *cuts)
{
	int err;

	memset(columns, 0, sizeof(*columns));
	err = number_columns(columns, input, ranked, cuts);
	if (!err)
		err = place(columns, input, cuts);
	return err ? err : leave(columns, input, axis);
}

/* Cuts by windows that are own for sure: for that functions are looked at as a whole
 * first.  What goes round a ring of jumps is different by where it begins. */
static int cut(const struct td_columns *whole, const struct td_separate_input *input,
	       const struct td_axis *axis, struct cuts *cuts)
{
	struct td_pieces *pieces = calloc(input->functions + 1, sizeof(*pieces));
	float *alone = malloc((input->functions + 1) * sizeof(*alone));
	int err = pieces && alone ? 0 : -ENOMEM;

	for (size_t f = 0; f < input->functions && !err; f++)
		alone[f] = whole->alone[cuts[f].first];
	if (!err)
		err = td_pieces_find(input, axis, alone, pieces);
	for (size_t f = 0; f < input->functions && !err; f++)
		cuts[f].pieces = pieces[f];
	free(pieces);
	free(alone);
	return err;
}

static void count_own(const struct td_columns *columns,
		      const struct td_separate_input *input, const struct td_axis *axis,
		      uint32_t *own)
{
	for (size_t i = 0; i < input->windows; i++)
		if (!input->window[i].unsure && td_columns_own(columns, input, axis, i))
			own[input->window[i].open]++;
}

/* Joins what was cut on a guess.  1 if there was such a cut. */
static int join_guesses(struct td_pieces *pieces)
{
	uint32_t n = 0;

	for (uint32_t p = 0; p < pieces->n; p++)
		if (!pieces->guess[p])
			pieces->at[n++] = pieces->at[p];
	memset(pieces->guess, 0, sizeof(pieces->guess));
	if (n == pieces->n)
		return 0;
	pieces->n = n;
	return 1;
}

/*
 * Windows that go from piece to piece and back without a call or return leave hardly one
 * that is a piece's own for sure.  Those of the whole function tell more of it than its
 * pieces do without, if nothing says that they differ.  *joined: there was one.
 */
static int join_pieces(const struct td_columns *whole, const struct td_columns *columns,
		       const struct td_separate_input *input, const struct td_axis *axis,
		       struct cuts *cuts, int *joined)
{
	uint32_t *own = calloc(2 * input->functions + 1, sizeof(*own));
	uint32_t *all = own + input->functions;

	if (!own)
		return -ENOMEM;
	count_own(columns, input, axis, own);
	count_own(whole, input, axis, all);
	for (size_t f = 0; f < input->functions; f++)
		if (own[f] < KEPT * all[f] && join_guesses(&cuts[f].pieces))
			*joined = 1;
	free(own);
	return 0;
}

static int build_cut(struct td_columns *columns, const struct td_separate_input *input,
		     const struct td_axis *axis, const struct ranked *ranked,
		     struct cuts *cuts)
{
	struct td_columns whole;
	int joined = 0, err;

	for (size_t f = 0; f < input->functions; f++)
		cuts[f].pieces.n = 1;
	err = build(&whole, input, axis, ranked, cuts);
	if (!err)
		err = cut(&whole, input, axis, cuts);
	if (!err)
		err = build(columns, input, axis, ranked, cuts);
	if (!err)
		err = join_pieces(&whole, columns, input, axis, cuts, &joined);
	if (!err && joined) {
		td_columns_free(columns);
		err = build(columns, input, axis, ranked, cuts);
	}
	td_columns_free(&whole);
	return err;
}

int td_columns_find(struct td_columns *columns, const struct td_separate_input *input,
		    const struct td_axis *axis)
{
	struct cuts *cuts = calloc(input->functions + 1, sizeof(*cuts));
	struct ranked *ranked = malloc((input->functions + 1) * sizeof(*ranked));
	int err = cuts && ranked ? 0 : -ENOMEM;

	memset(columns, 0, sizeof(*columns));
	if (!err) {
		count_windows(input, ranked);
		qsort(ranked, input->functions, sizeof(*ranked), by_windows);
		err = build_cut(columns, input, axis, ranked, cuts);
	}
	if (!err)
		find_back(columns, input, axis);
	free(cuts);
	free(ranked);
	return err;
}

void td_columns_free(struct td_columns *columns)
{
	free(columns->open);
	free(columns->close);
	free(columns->function);
	free(columns->ends);
	free(columns->alone);
	free(columns->back);
	memset(columns, 0, sizeof(*columns));
}

int td_columns_can_tell(const struct td_columns *columns,
			const struct td_separate_input *input, const struct td_axis *axis,
			size_t window)
{
	const struct td_separate_window *w = &input->window[window];
	uint32_t column = columns->open[window];
	double length = td_axis_length(axis, w) - axis->start;

	return input->returns && !w->empty && length <= columns->alone[column] &&
	       (!w->unsure || length <= columns->back[column]);
}

int td_columns_own(const struct td_columns *columns,
		   const struct td_separate_input *input, const struct td_axis *axis,
		   size_t window)
{
	return !input->window[window].calls &&
	       columns->open[window] == columns->close[window] &&
	       td_columns_can_tell(columns, input, axis, window);
}
