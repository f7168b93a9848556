// SPDX-License-Identifier: MIT
#include "decoder/window_columns.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS_MOST 2000u /* the rest is one */
#define PIECES_MOST 16u
#define PIECE_WINDOWS 40u /* own ones, at least, in a piece */
#define PIECES_DIFFER 12. /* times what chance makes of equal pieces */
#define LEAVES 0.002      /* part of own windows that may be none */
#define BACK_LEAST 0.5    /* of the shortest way back that was seen */
#define LENGTHS 36u
#define REACHED_SEEN 8u /* ends that show where a function is entered from another */

/* Where a function is cut. */
struct cuts {
	uint32_t first;  /* its first column */
	uint32_t pieces; /* 1: not at all; 0: it has no windows */
	uint32_t at[PIECES_MOST];
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

/* An own window's place and what it counted there. */
struct sample {
	uint32_t function, offset;
	float cycles, value[TD_NODES_LEVEL1];
};

static int by_offset(const void *a, const void *b)
{
	const struct sample *x = a, *y = b;

	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	return (x->offset > y->offset) - (x->offset < y->offset);
}

static size_t take_samples(const struct td_separate_input *input,
			   const struct td_axis *axis, struct sample *sample)
{
	size_t n = 0;

	for (size_t i = 0; i < input->windows; i++) {
		const struct td_separate_window *w = &input->window[i];
		double length = td_axis_length(axis, w);

		if (w->empty || w->silent || w->open != w->close || w->calls ||
		    w->unsure || !input->returns || !td_axis_counts(axis, w) ||
		    length <= axis->start)
			continue;
		sample[n] = (struct sample){
			.function = w->open,
			.offset = w->open_offset,
			.cycles = (float)(length - axis->start),
		};
		for (int k = 0; k < TD_NODES_LEVEL1; k++)
			sample[n].value[k] = (float)(w->value[k] / axis->width);
		n++;
	}
	return n;
}

/* Sums for a straight line of each node's counts over the cycles. */
struct piece {
	uint32_t at; /* offset */
	double n, x, xx;
	double y[TD_NODES_LEVEL1], yy[TD_NODES_LEVEL1], xy[TD_NODES_LEVEL1];
};

static void add_sample(struct piece *piece, const struct sample *sample)
{
	double x = sample->cycles;

	piece->n++;
	piece->x += x;
	piece->xx += x * x;
	for (int k = 0; k < TD_NODES_LEVEL1; k++) {
		double y = sample->value[k];

		piece->y[k] += y;
		piece->yy[k] += y * y;
		piece->xy[k] += x * y;
	}
}

static void join(struct piece *into, const struct piece *next)
{
	into->n += next->n;
	into->x += next->x;
	into->xx += next->xx;
	for (int k = 0; k < TD_NODES_LEVEL1; k++) {
		into->y[k] += next->y[k];
		into->yy[k] += next->yy[k];
		into->xy[k] += next->xy[k];
	}
}

/* Sum of squares of what the lines miss. */
static double missed(const struct piece *p)
{
	double xx = p->xx - p->x * p->x / p->n, sum = 0;

	for (int k = 0; k < TD_NODES_LEVEL1; k++) {
		double xy = p->xy[k] - p->x * p->y[k] / p->n;

		sum += p->yy[k] - p->y[k] * p->y[k] / p->n - (xx > 0 ? xy * xy / xx : 0);
	}
	return fmax(0, sum);
}

/* F of two pieces against one: about 1 if chance alone makes them differ. */
static double differ(const struct piece *a, const struct piece *b)
{
	struct piece both = *a;
	double apart = missed(a) + missed(b);

	join(&both, b);
	return (missed(&both) - apart) / 2 / (apart / (both.n - 4) + 1e-9);
}

/* Pieces with about as many samples each; one offset is in one piece. */
static uint32_t cut_evenly(struct piece *piece, const struct sample *sample, size_t n)
{
	size_t pieces = n / PIECE_WINDOWS, first = 0;
	uint32_t found = 0;

	pieces = pieces > PIECES_MOST ? PIECES_MOST : pieces;
	for (size_t p = 0; p < pieces && first < n; p++) {
		size_t end = p + 1 == pieces ? n : n * (p + 1) / pieces;

		while (end < n && sample[end].offset == sample[end - 1].offset)
			end++;
		if (end <= first)
			continue;
		memset(&piece[found], 0, sizeof(*piece));
		piece[found].at = sample[first].offset;
		for (; first < end; first++)
			add_sample(&piece[found], &sample[first]);
		found++;
	}
	return found;
}

/* Joins neighbours that do not differ, the most similar ones first. */
static uint32_t join_similar(struct piece *piece, uint32_t pieces)
{
	while (pieces > 1) {
		uint32_t least = 0;
		double f = INFINITY;

		for (uint32_t p = 0; p + 1 < pieces; p++) {
			double now = differ(&piece[p], &piece[p + 1]);

			if (now < f) {
				f = now;
				least = p;
			}
		}
		if (f > PIECES_DIFFER)
			break;
		join(&piece[least], &piece[least + 1]);
		memmove(&piece[least + 1], &piece[least + 2],
			(pieces - least - 2) * sizeof(*piece));
		pieces--;
	}
	return pieces;
}

static void cut_function(struct cuts *cuts, const struct sample *sample, size_t n)
{
	struct piece piece[PIECES_MOST];
	uint32_t pieces = join_similar(piece, cut_evenly(piece, sample, n));

	if (pieces < 2)
		return;
	cuts->pieces = pieces;
	for (uint32_t p = 1; p < pieces; p++)
		cuts->at[p] = piece[p].at;
}

static int cut(const struct td_separate_input *input, const struct td_axis *axis,
	       struct cuts *cuts)
{
	struct sample *sample = malloc((input->windows + 1) * sizeof(*sample));
	size_t n;

	if (!sample)
		return -ENOMEM;
	n = take_samples(input, axis, sample);
	if (n)
		qsort(sample, n, sizeof(*sample), by_offset);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i; end < n && sample[end].function == sample[i].function;)
			end++;
		cut_function(&cuts[sample[i].function], sample + i, end - i);
	}
	free(sample);
	return 0;
}

static void count_windows(const struct td_separate_input *input, struct ranked *ranked,
			  struct cuts *cuts)
{
	for (size_t i = 0; i < input->functions; i++)
		ranked[i] = (struct ranked){0, (uint32_t)i};
	for (size_t i = 0; i < input->windows; i++) {
		const struct td_separate_window *w = &input->window[i];

		if (w->empty)
			continue;
		ranked[w->open].windows++;
		ranked[w->close].windows += w->close != w->open;
		cuts[w->open].pieces = cuts[w->close].pieces = 1;
	}
}

/* Those with most windows first: the matrix is factorised in this order. */
static int number_columns(struct td_columns *columns,
			  const struct td_separate_input *input,
			  const struct ranked *ranked, struct cuts *cuts)
{
	size_t n = 0, most = PIECES_MOST * (size_t)COLUMNS_MOST;

	most = input->functions * PIECES_MOST < most ? input->functions * PIECES_MOST
						     : most;
	columns->function = malloc((most + 1) * sizeof(*columns->function));
	if (!columns->function)
		return -ENOMEM;
	for (size_t i = 0; i < input->functions && ranked[i].windows; i++) {
		struct cuts *c = &cuts[ranked[i].function];

		if (n + 1 >= COLUMNS_MOST) {
			c->first = COLUMNS_MOST - 1;
			c->pieces = 1;
			columns->function[COLUMNS_MOST - 1] =
				n < COLUMNS_MOST ? ranked[i].function : TD_NO_FUNCTION;
			n = COLUMNS_MOST;
			continue;
		}
		if (n + c->pieces >= COLUMNS_MOST)
			c->pieces = 1;
		c->first = (uint32_t)n;
		for (uint32_t p = 0; p < c->pieces; p++)
			columns->function[n++] = ranked[i].function;
	}
	columns->columns = (uint32_t)n;
	return 0;
}

static uint32_t column_of(const struct cuts *cuts, uint32_t offset)
{
	uint32_t piece = 0;

	while (piece + 1 < cuts->pieces && offset >= cuts->at[piece + 1])
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
	uint8_t up, length;      /* length: which of the classes below */
};

/* Classes of length, two an octave. */
static unsigned length_class(double length)
{
	double c = 2 * log2(fmax(1, length));

	return c < LENGTHS ? (unsigned)c : LENGTHS - 1;
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
		unsigned class = length_class(td_axis_length(axis, w) - axis->start);

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
			.up = open < close,
			.length = (uint8_t) class,
		};
	}
	return n;
}

/* Where the windows that went up (or down) have ended first, and one gap between them
 * before that; anywhere if they are few. */
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
		return 0;
	gap = (to - from) / seen;
	return from - (gap < from ? gap : from);
}

/*
 * A jump to a cold part and back, or calls from one to another and back again,
 * leave no return in the window.  Where windows from g end in f (they go `up`, or not)
 * and windows from f in g, both without a return, the product of their parts says how
 * many of g's windows are not g's alone: of those that are long enough for both.  Who
 * comes back does so from where he has come to, or from behind it: a cold part that
 * jumps behind the only place that it is entered from is not entered again.
 */
static void doubt(const struct step *step, size_t n, unsigned up, struct counts *counts)
{
	uint32_t g = up ? step->low : step->high, f = up ? step->high : step->low;
	uint32_t from = reached(step, n, up);
	lengths there = {0}, back = {0};
	double gone = 0, come = 0, from_g = 0, from_f = 0;

	for (size_t i = 0; i < n; i++) {
		if (step[i].up == up)
			there[step[i].length]++;
		else if (step[i].opened >= from)
			back[step[i].length]++;
	}
	for (unsigned c = 0; c < LENGTHS; c++) {
		gone += there[c];
		come += back[c];
		from_g += counts->opened[g][c];
		from_f += counts->opened[f][c];
		if (gone >= 2 && come >= 2)
			counts->doubt[g][c] += gone / from_g * come / from_f;
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
	struct counts counts = {count, count + n, count + 2 * n};
	int err = step && count ? 0 : -ENOMEM;

	if (!err)
		steps = take_steps(columns, input, axis, step, &counts);
	if (steps)
		qsort(step, steps, sizeof(*step), by_pair);
	for (size_t i = 0, end; i < steps; i = end) {
		for (end = i; end < steps && by_pair(&step[i], &step[end]) == 0;)
			end++;
		doubt(step + i, end - i, 1, &counts);
		doubt(step + i, end - i, 0, &counts);
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

int td_columns_find(struct td_columns *columns, const struct td_separate_input *input,
		    const struct td_axis *axis)
{
	struct cuts *cuts = calloc(input->functions + 1, sizeof(*cuts));
	struct ranked *ranked = malloc((input->functions + 1) * sizeof(*ranked));
	int err = cuts && ranked ? 0 : -ENOMEM;

	memset(columns, 0, sizeof(*columns));
	if (!err) {
		count_windows(input, ranked, cuts);
		qsort(ranked, input->functions, sizeof(*ranked), by_windows);
		err = cut(input, axis, cuts);
	}
	if (!err)
		err = number_columns(columns, input, ranked, cuts);
	if (!err)
		err = place(columns, input, cuts);
	if (!err)
		err = leave(columns, input, axis);
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
