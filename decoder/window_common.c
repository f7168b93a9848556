// SPDX-License-Identifier: MIT
#include "decoder/window_common.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NODES TD_SEPARATE_NODES
#define BIN 64u    /* windows of about one length */
#define FEWEST 32u /* that count a node */
#define SIGMAS 3.  /* by which it must go with what is common */
#define VARIES 2.  /* cycles, standard deviation of what is worth it */
/* variance of what is common for being read to whole ones; it is more, or there is
 * nothing to go with: a slope on what is left of a straight line would be anything */
#define WHOLE (1. / 12)

/* Windows between the same columns are a class; those that are one's own are another one
 * than those that left it, and than those of which nobody knows. */
enum kind { LEFT, OWN, TOO_LONG, CAME_BACK, UNSURE };

struct place {
	uint32_t open, close, window;
	enum kind kind;
	float length;
	float more; /* of the common count, beyond the mean */
};

struct search {
	const struct td_separate_input *input;
	const struct td_columns *columns;
	const struct td_axis *axis;
	struct place *place;
	size_t places;
	struct td_common *common;
};

static int by_class(const struct place *x, const struct place *y)
{
	if (x->open != y->open)
		return x->open < y->open ? -1 : 1;
	if (x->close != y->close)
		return x->close < y->close ? -1 : 1;
	return (x->kind > y->kind) - (x->kind < y->kind);
}

static int by_class_and_length(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	int class = by_class(x, y);

	if (class)
		return class;
	if (x->length != y->length)
		return x->length < y->length ? -1 : 1;
	return (x->window > y->window) - (x->window < y->window);
}

static enum kind kind_of(const struct search *s, size_t window)
{
	const struct td_separate_window *w = &s->input->window[window];

	if (s->columns->open[window] != s->columns->close[window])
		return LEFT;
	if (td_columns_own(s->columns, s->input, s->axis, window))
		return OWN;
	return w->unsure ? UNSURE : w->calls ? CAME_BACK : TOO_LONG;
}

static void sort_windows(struct search *s)
{
	for (size_t i = 0; i < s->input->windows; i++) {
		const struct td_separate_window *w = &s->input->window[i];

		if (w->empty || w->requested <= 0 || isnan(s->input->common[i]))
			continue;
		s->place[s->places++] = (struct place){
			.open = s->columns->open[i],
			.close = s->columns->close[i],
			.window = (uint32_t)i,
			.kind = kind_of(s, i),
			.length = (float)td_axis_length(s->axis, w),
		};
	}
	if (s->places)
		qsort(s->place, s->places, sizeof(*s->place), by_class_and_length);
}

/* Sums over windows: x their length, y a count, e what is common. */
struct fit {
	double n, x, y, e, xx, xy, yy, xe, ye, ee;
};

static void add(struct fit *f, double x, double y, double e)
{
	f->n++;
	f->x += x;
	f->y += y;
	f->e += e;
	f->xx += x * x;
	f->xy += x * y;
	f->yy += y * y;
	f->xe += x * e;
	f->ye += y * e;
	f->ee += e * e;
}

static double about_mean(double products, double a, double b, double n)
{
	return products - a * b / n;
}

/* What the windows have beyond the line of their neighbours in length. */
static void find_more(const struct search *s, struct place *place, size_t n)
{
	struct fit f = {0};
	double spread, slope;

	for (size_t i = 0; i < n; i++)
		add(&f, place[i].length, s->input->common[place[i].window], 0);
	spread = about_mean(f.xx, f.x, f.x, f.n);
	slope = spread > 0 ? about_mean(f.xy, f.x, f.y, f.n) / spread : 0;
	for (size_t i = 0; i < n; i++)
		place[i].more = (float)(s->input->common[place[i].window] - f.y / f.n -
					slope * (place[i].length - f.x / f.n));
}

/* The count's slope on what is common at equal length; 0: they do not go together. */
static double slope_of(const struct fit *f, double width)
{
	double xx = about_mean(f->xx, f->x, f->x, f->n), ee, ye, yy;
	double xe = about_mean(f->xe, f->x, f->e, f->n);
	double xy = about_mean(f->xy, f->x, f->y, f->n);

	if (f->n < FEWEST || !(xx > 0))
		return 0;
	ee = about_mean(f->ee, f->e, f->e, f->n) - xe * xe / xx;
	ye = about_mean(f->ye, f->y, f->e, f->n) - xy * xe / xx;
	yy = about_mean(f->yy, f->y, f->y, f->n) - xy * xy / xx;
	if (!(ee > f->n * WHOLE) || yy < f->n * pow(VARIES * width, 2) ||
	    ye * ye * f->n < SIGMAS * SIGMAS * ee * yy)
		return 0;
	return ye / ee;
}

static void note_variance(const struct search *s, const struct place *place, size_t n,
			  double slope, int k, double part)
{
	struct td_common *common = s->common;
	double squares = 0, cycles = 0, lengths = 0;

	for (size_t i = 0; i < n; i++) {
		squares += (double)place[i].more * place[i].more;
		lengths += (double)place[i].length * place[i].length;
		cycles += fmax(0, place[i].length - s->axis->start);
	}
	squares *= pow(slope / s->axis->width, 2);
	if (cycles > 0)
		common->variance[place->open][k] = squares / cycles / cycles;
	if (k < TD_NODES_LEVEL1)
		common->taken[place->open] += squares / (double)n / TD_NODES_LEVEL1;
	if (k < TD_NODES_LEVEL1 && lengths > 0)
		common->doubt[place->open] += part * squares / lengths / TD_NODES_LEVEL1;
}

static void even_out(const struct search *s, const struct place *place, size_t n, int k)
{
	struct td_separate_window *window = s->common->window;
	struct fit f = {0};
	double slope;

	for (size_t i = 0; i < n; i++) {
		const struct td_separate_window *w = &window[place[i].window];

		if (!w->silent)
			add(&f, place[i].length, w->value[k], place[i].more);
	}
	/* nobody else has counted what these have not */
	slope = f.n < (double)n ? slope_of(&f, s->axis->width) : 0;
	if (slope == 0)
		return;
	for (size_t i = 0; i < n; i++) {
		struct td_separate_window *w = &window[place[i].window];

		if (!w->silent)
			w->value[k] -= (float)(slope * place[i].more);
	}
	if (place->kind == OWN)
		note_variance(s, place, n, slope, k, f.n / (double)n);
}

static void even_out_class(const struct search *s, struct place *place, size_t n)
{
	for (size_t i = 0, end; i < n; i = end) {
		end = n - i < 2 * BIN ? n : i + BIN;
		find_more(s, place + i, end - i);
	}
	for (int k = 0; k < NODES; k++)
		even_out(s, place, n, k);
}

/* Own ones alone: all open in one column, so that which of them count is chance even
 * where that was chosen by where they open. */
static void even_out_all(const struct search *s)
{
	for (size_t i = 0, end; i < s->places; i = end) {
		for (end = i + 1; end < s->places; end++)
			if (by_class(&s->place[i], &s->place[end]) != 0)
				break;
		if (s->place[i].kind == OWN && end - i >= BIN)
			even_out_class(s, s->place + i, end - i);
	}
}

int td_common_find(struct td_common *common, const struct td_separate_input *input,
		   const struct td_columns *columns, const struct td_axis *axis)
{
	struct search s = {
		.input = input, .columns = columns, .axis = axis, .common = common};
	size_t windows = input->windows + 1;

	if (!input->common || input->known || axis->kind != TD_AXIS_REQUESTED)
		return 0;
	common->variance = calloc(columns->columns + 1, sizeof(*common->variance));
	common->doubt = calloc(columns->columns + 1, sizeof(*common->doubt));
	common->taken = calloc(columns->columns + 1, sizeof(*common->taken));
	common->window = malloc(windows * sizeof(*common->window));
	s.place = malloc(windows * sizeof(*s.place));
	if (!common->variance || !common->taken || !common->doubt || !common->window ||
	    !s.place) {
		free(s.place);
		return -ENOMEM;
	}
	if (input->windows)
		memcpy(common->window, input->window,
		       input->windows * sizeof(*input->window));
	common->input = *input;
	common->input.window = common->window;
	sort_windows(&s);
	even_out_all(&s);
	free(s.place);
	return 0;
}

void td_common_doubt(const struct td_common *common, struct td_rows *rows)
{
	for (size_t k = 0; k < rows->keys && common->doubt; k++) {
		struct td_key *key = &rows->key[k];

		for (uint32_t b = 0; b < key->bins; b++) {
			struct td_bin *bin = &key->bin[b];
			double length = (bin->left + bin->right) / 2;

			bin->row[TD_ROW_OWN].variance +=
				common->doubt[key->function] * length * length;
		}
	}
}

void td_common_free(struct td_common *common)
{
	free(common->window);
	free(common->variance);
	free(common->taken);
	free(common->doubt);
	memset(common, 0, sizeof(*common));
}
