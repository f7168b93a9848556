// SPDX-License-Identifier: MIT
#include "decoder/window_pieces.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/estimate.h"

#define PIECE_WINDOWS 40u /* own ones, at least, in a piece */
#define BORDER_LEAST 20u  /* at least, on either side of a border that is moved */
#define PIECES_DIFFER 12. /* times what chance makes of equal pieces */
#define ROUNDS_MOST 8     /* of moving borders and joining what they part */
#define LINES 4.          /* numbers that two lines are */
#define STRETCH_ENDS 40u  /* at least, in a stretch */
#define STRETCH_PART 0.01 /* of its function's ends, at least */
#define STRETCH_SURE 10.  /* log of how much likelier two of them are than one */
#define SCARCER 3.        /* times: own windows in one stretch and in the next */
#define TOLD 0.25         /* parts of the cycles that such few windows would miss */
#define JUMPED 1.5        /* times the bytes that own windows go in their cycles */
#define BRIEF 16.         /* cycles: own windows of visits that are as short as windows */

#define VALUES (TD_NODES_LEVEL1 + 1)

/* An own window's places at both ends, and what it counted there: level 1, and where
 * that is one part of it, instructions. */
struct sample {
	uint32_t function, offset, last;
	float cycles, value[VALUES];
	float reading; /* variance of a value by how it is read */
};

static int by_offset(const void *a, const void *b)
{
	const struct sample *x = a, *y = b;

	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	return (x->offset > y->offset) - (x->offset < y->offset);
}

static int is_own(const struct td_separate_window *w, double cycles, const float *alone)
{
	return w->open == w->close && !w->calls && cycles <= alone[w->open];
}

/* In whole events, in 255ths, or in whole slots where the kernel has cut off the rest. */
static double reading(const struct td_axis *axis, const struct td_separate_window *w)
{
	double step = fmax(w->slots / 255, axis->opening) / axis->width;

	return axis->whole > 0 ? axis->whole : step * step / 12;
}

static size_t take_samples(const struct td_separate_input *input,
			   const struct td_axis *axis, const float *alone,
			   struct sample *sample)
{
	size_t n = 0;

	for (size_t i = 0; i < input->windows; i++) {
		const struct td_separate_window *w = &input->window[i];
		double cycles = td_axis_length(axis, w) - axis->start;

		if (w->empty || w->silent || w->unsure || !input->returns ||
		    !is_own(w, cycles, alone) || !td_axis_counts(axis, w) || cycles <= 0)
			continue;
		sample[n] = (struct sample){
			.function = w->open,
			.offset = w->open_offset,
			.last = w->close_offset,
			.cycles = (float)cycles,
			.reading = (float)reading(axis, w),
		};
		for (int k = 0; k < TD_NODES_LEVEL1; k++)
			sample[n].value[k] = (float)(w->value[k] / axis->width);
		if (input->left && input->clock && !isnan(input->clock[i]))
			sample[n].value[TD_NODES_LEVEL1] =
				(float)(input->clock[i] / axis->width);
		n++;
	}
	return n;
}

/* Sums for a straight line of each node's counts over the cycles. */
struct piece {
	uint32_t at; /* offset */
	double n, x, xx;
	double reading; /* sum of all its values' */
	double y[VALUES], yy[VALUES], xy[VALUES];
};

static void add_sample(struct piece *piece, const struct sample *sample)
{
	double x = sample->cycles;

	piece->n++;
	piece->x += x;
	piece->xx += x * x;
	piece->reading += TD_NODES_LEVEL1 * sample->reading;
	for (int k = 0; k < VALUES; k++) {
		double y = sample->value[k];

		piece->y[k] += y;
		piece->yy[k] += y * y;
		piece->xy[k] += x * y;
	}
}

/* Adds the sums of `part`, times `times`. */
static void add_sums(struct piece *to, const struct piece *part, double times)
{
	to->n += times * part->n;
	to->x += times * part->x;
	to->xx += times * part->xx;
	to->reading += times * part->reading;
	for (int k = 0; k < VALUES; k++) {
		to->y[k] += times * part->y[k];
		to->yy[k] += times * part->yy[k];
		to->xy[k] += times * part->xy[k];
	}
}

static void join(struct piece *into, const struct piece *next)
{
	add_sums(into, next, 1);
}

/* Sum of squares of what the lines miss. */
static double missed(const struct piece *p)
{
	double xx = p->xx - p->x * p->x / p->n, sum = 0;

	for (int k = 0; k < VALUES; k++) {
		double xy = p->xy[k] - p->x * p->y[k] / p->n;

		sum += p->yy[k] - p->y[k] * p->y[k] / p->n - (xx > 0 ? xy * xy / xx : 0);
	}
	return fmax(0, sum);
}

/* Squares of what the rounding of fields makes windows miss, be it the same in all of
 * them. */
static double rounding(const struct td_axis *axis, const struct piece *p)
{
	return axis->whole > 0 ? 0 : TD_NODES_LEVEL1 * p->xx / (12. * 255 * 255);
}

static const struct piece *fewer(const struct piece *a, const struct piece *b)
{
	return a->n < b->n ? a : b;
}

/* Squares that a window misses by chance.  What few or long windows show of it is less
 * than what reading leaves of few short ones. */
static double chance(const struct piece *a, const struct piece *b)
{
	const struct piece *few = fewer(a, b);
	double n = a->n + b->n;
	double shown = n > LINES ? (missed(a) + missed(b)) / (n - LINES) : 0;

	return fmax(shown, few->reading / few->n) + 1e-9;
}

/* F of two pieces against one: about 1 if chance alone makes them differ, less if
 * rounding may. */
static double differ(const struct td_axis *axis, const struct piece *a,
		     const struct piece *b)
{
	struct piece both = *a;
	double more;

	join(&both, b);
	more = missed(&both) - missed(a) - missed(b) -
	       fmin(rounding(axis, a), rounding(axis, b));
	return more / 2 / chance(a, b);
}

/* Would they differ for sure, were TOLD of the cycles another node's in one of them? */
static int would_differ(const struct piece *a, const struct piece *b)
{
	return a->n > 0 && b->n > 0 &&
	       TOLD * TOLD * fewer(a, b)->xx > PIECES_DIFFER * chance(a, b);
}

/* Pieces with about as many samples each; one offset is in one piece. */
static uint32_t cut_evenly(struct piece *piece, const struct sample *sample, size_t n)
{
	size_t pieces = n / PIECE_WINDOWS, first = 0;
	uint32_t found = 0;

	pieces = pieces > TD_PIECES_MOST ? TD_PIECES_MOST : pieces;
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
static uint32_t join_similar(const struct td_axis *axis, struct piece *piece,
			     uint32_t pieces)
{
	while (pieces > 1) {
		uint32_t least = 0;
		double f = INFINITY;

		for (uint32_t p = 0; p + 1 < pieces; p++) {
			double now = differ(axis, &piece[p], &piece[p + 1]);

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

/* Where, between two pieces, what they miss is least.  Pieces of as many windows end in
 * the middle of a loop as often as at its end, and a piece that ends in one has no own
 * windows.  1 if the border has moved. */
static int move_border(const struct sample *sample, struct piece *a, struct piece *b)
{
	struct piece left = {.at = a->at}, both = *a;
	uint32_t border = b->at;
	double least;
	size_t n;

	join(&both, b);
	n = (size_t)both.n;
	least = missed(a) + missed(b);
	for (size_t i = 0; i + BORDER_LEAST <= n; i++) {
		if (i >= BORDER_LEAST && sample[i].offset != sample[i - 1].offset) {
			struct piece right = both;
			double now;

			add_sums(&right, &left, -1);
			right.at = sample[i].offset;
			now = missed(&left) + missed(&right);
			if (now < least) {
				least = now;
				*a = left;
				*b = right;
			}
		}
		add_sample(&left, &sample[i]);
	}
	return b->at != border;
}

static int move_borders(const struct sample *sample, struct piece *piece, uint32_t pieces)
{
	int moved = 0;

	for (uint32_t p = 0; p + 1 < pieces; p++) {
		moved |= move_border(sample, &piece[p], &piece[p + 1]);
		sample += (size_t)piece[p].n;
	}
	return moved;
}

/* Pieces that differ, and no border between them that is in the wrong place. */
static uint32_t find_pieces(const struct td_axis *axis, const struct sample *sample,
			    size_t n, struct piece *piece)
{
	uint32_t pieces = join_similar(axis, piece, cut_evenly(piece, sample, n));

	for (int round = 0; round < ROUNDS_MOST; round++) {
		if (!move_borders(sample, piece, pieces))
			break;
		pieces = join_similar(axis, piece, pieces);
	}
	return pieces;
}

/* An end of a window: where, and whether the window is own. */
struct end {
	uint32_t function, offset;
	uint32_t own;
};

static int by_place(const void *a, const void *b)
{
	const struct end *x = a, *y = b;

	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	return (x->offset > y->offset) - (x->offset < y->offset);
}

/* Ends next to each other, with about the same part of own windows. */
struct stretch {
	size_t begin, end;
	double own;
	int guess; /* own windows do not tell whether the one before is like it */
};

struct stretches {
	struct stretch at[TD_PIECES_MOST];
	uint32_t n;
};

static size_t take_ends(const struct td_separate_input *input, const struct td_axis *axis,
			const float *alone, struct end *end)
{
	size_t n = 0;

	for (size_t i = 0; i < input->windows && input->returns; i++) {
		const struct td_separate_window *w = &input->window[i];
		double cycles = td_axis_length(axis, w) - axis->start;
		uint32_t own = (uint32_t)is_own(w, cycles, alone);

		if (w->empty || w->unsure || !td_axis_counts(axis, w) || cycles <= 0)
			continue;
		end[n++] = (struct end){w->open, w->open_offset, own};
		end[n++] = (struct end){w->close, w->close_offset, own};
	}
	return n;
}

static double size_of(const struct stretch *s)
{
	return (double)(s->end - s->begin);
}

static double part_of(const struct stretch *s)
{
	return (s->own + 0.5) / (size_of(s) + 1);
}

/* Where the part of own windows changes most: the stretch up to there.  The log of how
 * much likelier two stretches are than one. */
static double find_change(const struct end *end, const struct stretch *whole,
			  size_t fewest, struct stretch *first)
{
	double one = td_log_likelihood(whole->own, size_of(whole)), own = 0, best = 0;

	for (size_t i = whole->begin + 1; i < whole->end; i++) {
		double n = (double)(i - whole->begin), rest = size_of(whole) - n, two;

		own += end[i - 1].own;
		if (n < (double)fewest || rest < (double)fewest ||
		    end[i].offset == end[i - 1].offset)
			continue;
		two = td_log_likelihood(own, n) +
		      td_log_likelihood(whole->own - own, rest);
		if (two - one <= best)
			continue;
		best = two - one;
		*first = (struct stretch){whole->begin, i, own, 0};
	}
	return best;
}

/* Each stretch is cut in two as long as these differ for sure. */
static void cut_stretches(const struct end *end, size_t fewest, struct stretches *s)
{
	for (uint32_t i = 0; i < s->n;) {
		struct stretch first;

		if (s->n == TD_PIECES_MOST ||
		    find_change(end, &s->at[i], fewest, &first) < STRETCH_SURE) {
			i++;
			continue;
		}
		memmove(&s->at[i + 1], &s->at[i], (s->n - i) * sizeof(s->at[0]));
		s->n++;
		s->at[i] = first;
		s->at[i + 1].begin = first.end;
		s->at[i + 1].own -= first.own;
	}
}

static void join_next(struct stretches *s, uint32_t i)
{
	s->at[i].end = s->at[i + 1].end;
	s->at[i].own += s->at[i + 1].own;
	memmove(&s->at[i + 1], &s->at[i + 2], (s->n - i - 2) * sizeof(s->at[0]));
	s->n--;
}

/* Joins neighbours of which neither has much fewer own windows, the most similar ones
 * first. */
static void join_stretches(struct stretches *s)
{
	while (s->n > 1) {
		uint32_t least = 0;
		double apart = INFINITY;

		for (uint32_t i = 0; i + 1 < s->n; i++) {
			double now =
				fabs(log(part_of(&s->at[i]) / part_of(&s->at[i + 1])));

			if (now < apart) {
				apart = now;
				least = i;
			}
		}
		if (apart > log(SCARCER))
			break;
		join_next(s, least);
	}
}

static uint32_t offset_after(const struct end *end, const struct stretches *s, uint32_t i)
{
	return i + 1 < s->n ? end[s->at[i + 1].begin].offset : UINT32_MAX;
}

/* Those whose own windows say that they behave alike, if only a few do. */
static int are_alike(const struct td_axis *axis, const struct piece *a,
		     const struct piece *b)
{
	return would_differ(a, b) && differ(axis, a, b) <= PIECES_DIFFER;
}

/* Where in such a visit a window begins says whether it is own, not how the stretch
 * behaves. */
static int are_brief(const struct piece *a, const struct piece *b)
{
	return a->n + b->n > 0 && a->x + b->x < BRIEF * (a->n + b->n);
}

/* Bytes a cycle, by offsets, of windows that stay in one stretch. */
static double pace_of(const struct end *end, const struct sample *sample, size_t n,
		      const struct stretches *s)
{
	double way = 0, cycles = 0;
	uint32_t i = 0;

	for (size_t k = 0; k < n; k++) {
		while (i + 1 < s->n && sample[k].offset >= offset_after(end, s, i))
			i++;
		if (sample[k].last < sample[k].offset ||
		    sample[k].last >= offset_after(end, s, i))
			continue;
		way += sample[k].last - sample[k].offset;
		cycles += sample[k].cycles;
	}
	return cycles > 0 ? way / cycles : INFINITY;
}

/* Does a sample tell of the stretch where it began?  Not what goes far into another one,
 * nor what has jumped ahead into one: it comes farther than others in its time. */
static int tells_of(const struct sample *sample, uint32_t from, uint32_t below,
		    double pace)
{
	uint32_t low = sample->offset, high = sample->last, way;

	if (low > high) {
		low = sample->last;
		high = sample->offset;
	}
	way = high - low;
	if (sample->last >= below && way > JUMPED * pace * sample->cycles)
		return 0;
	low = low > from ? low : from;
	high = high < below ? high : below;
	return high - low >= way / 2;
}

static void join_alike(const struct td_axis *axis, const struct end *end,
		       const struct sample *sample, size_t n, struct stretches *s)
{
	double pace = pace_of(end, sample, n, s);
	struct piece piece[TD_PIECES_MOST];
	size_t k = 0;

	for (uint32_t i = 0; i < s->n; i++) {
		uint32_t from = i ? end[s->at[i].begin].offset : 0;
		uint32_t below = offset_after(end, s, i);

		memset(&piece[i], 0, sizeof(piece[i]));
		for (; k < n && sample[k].offset < below; k++)
			if (tells_of(&sample[k], from, below, pace))
				add_sample(&piece[i], &sample[k]);
	}
	for (uint32_t i = 0; i + 1 < s->n;) {
		if (!are_brief(&piece[i], &piece[i + 1]) &&
		    !are_alike(axis, &piece[i], &piece[i + 1])) {
			i++;
			continue;
		}
		join(&piece[i], &piece[i + 1]);
		memmove(&piece[i + 1], &piece[i + 2], (s->n - i - 2) * sizeof(piece[0]));
		join_next(s, i);
	}
	for (uint32_t i = 1; i < s->n; i++)
		s->at[i].guess = !would_differ(&piece[i - 1], &piece[i]);
}

static void find_stretches(const struct end *end, size_t n, int edges,
			   struct stretches *s)
{
	size_t fewest = (size_t)(STRETCH_PART * (double)n);

	fewest = fewest < STRETCH_ENDS ? STRETCH_ENDS : fewest;
	s->n = 1;
	s->at[0] = (struct stretch){0, n, 0, 0};
	for (size_t i = 0; i < n; i++)
		s->at[0].own += end[i].own;
	/* behind edges own windows are scarce for other reasons, and a stretch that few
	 * know of is worse than a mean */
	if (edges)
		return;
	cut_stretches(end, fewest, s);
	join_stretches(s);
}

static void cut_at(struct td_pieces *pieces, uint32_t at, int guess)
{
	if (pieces->n == TD_PIECES_MOST)
		return;
	pieces->guess[pieces->n] = (uint8_t)guess;
	pieces->at[pieces->n++] = at;
}

/* The samples of one function, up to an offset: cut where they differ. */
static size_t cut_by_value(const struct td_axis *axis, struct td_pieces *pieces,
			   const struct sample *sample, size_t n, uint32_t below)
{
	struct piece piece[TD_PIECES_MOST];
	uint32_t found;
	size_t here = 0;

	while (here < n && sample[here].offset < below)
		here++;
	found = find_pieces(axis, sample, here, piece);
	for (uint32_t p = 1; p < found; p++)
		cut_at(pieces, piece[p].at, 0);
	return here;
}

static void cut_function(const struct td_axis *axis, struct td_pieces *pieces,
			 const struct end *end, size_t ends, const struct sample *sample,
			 size_t n)
{
	struct stretches s;
	size_t done = 0;

	find_stretches(end, ends, td_axis_has_edges(axis), &s);
	join_alike(axis, end, sample, n, &s);
	pieces->n = 0;
	for (uint32_t i = 0; i < s.n; i++) {
		cut_at(pieces, i ? end[s.at[i].begin].offset : 0, s.at[i].guess);
		done += cut_by_value(axis, pieces, sample + done, n - done,
				     offset_after(end, &s, i));
	}
}

/* Both are in the order of functions; who has samples has ends. */
static void cut(const struct end *end, size_t ends, const struct sample *sample,
		size_t samples, const struct td_axis *axis, struct td_pieces *pieces)
{
	size_t k = 0, more;

	for (size_t i = 0, next; i < ends; i = next) {
		uint32_t function = end[i].function;

		for (next = i; next < ends && end[next].function == function;)
			next++;
		for (more = k; more < samples && sample[more].function == function;)
			more++;
		cut_function(axis, &pieces[function], end + i, next - i, sample + k,
			     more - k);
		k = more;
	}
}

int td_pieces_find(const struct td_separate_input *input, const struct td_axis *axis,
		   const float *alone, struct td_pieces *pieces)
{
	struct sample *sample = malloc((input->windows + 1) * sizeof(*sample));
	struct end *end = malloc((2 * input->windows + 1) * sizeof(*end));
	size_t ends, samples;
	int err = sample && end ? 0 : -ENOMEM;

	for (size_t f = 0; f < input->functions; f++)
		pieces[f] = (struct td_pieces){.n = 1};
	if (!err) {
		samples = take_samples(input, axis, alone, sample);
		ends = take_ends(input, axis, alone, end);
		if (samples)
			qsort(sample, samples, sizeof(*sample), by_offset);
		if (ends)
			qsort(end, ends, sizeof(*end), by_place);
		cut(end, ends, sample, samples, axis, pieces);
	}
	free(sample);
	free(end);
	return err;
}
