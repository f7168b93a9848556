// SPDX-License-Identifier: MIT
#include "decoder/window_torn.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "decoder/window_start.h"

#define NODES TD_SEPARATE_NODES
#define WINDOWS_FEWEST 20
#define HANDLERS 2 /* long windows are within so many times what measuring takes */

struct sums {
	double n, length, value[NODES];
};

struct search {
	const struct td_separate_input *input;
	const struct td_columns *columns;
	/* Of windows that are longer than all that measuring takes, so that nothing can
	 * have ended twice. */
	struct td_axis whole;
	struct sums *sums; /* [columns]: of those */
	struct td_axis_point *point;
};

static int is_own(const struct search *s, size_t window)
{
	return !s->input->window[window].silent &&
	       td_columns_own(s->columns, s->input, &s->whole, window);
}

static void add_whole(const struct search *s)
{
	for (size_t i = 0; i < s->input->windows; i++) {
		const struct td_separate_window *w = &s->input->window[i];
		struct sums *to = &s->sums[s->columns->open[i]];

		if (!is_own(s, i) || !td_axis_counts(&s->whole, w))
			continue;
		to->n++;
		to->length += td_axis_length(&s->whole, w);
		for (int k = 0; k < NODES; k++)
			to->value[k] += w->value[k] / s->whole.width;
	}
}

/* What the window counted beyond what the function's whole ones say: between them and
 * the cost, where the program starts, it is a line. */
static double beyond(const struct search *s, size_t window, int k)
{
	const struct td_separate_window *w = &s->input->window[window];
	const struct sums *sums = &s->sums[s->columns->open[window]];
	double cost = s->whole.cost[k], start = s->whole.start;
	double slope =
		(sums->value[k] / sums->n - cost) / (sums->length / sums->n - start);

	return w->value[k] / s->whole.width - cost -
	       slope * (td_axis_length(&s->whole, w) - start);
}

static size_t list(const struct search *s, const struct td_axis *axis, int k)
{
	float most = (float)(HANDLERS * s->whole.first);
	size_t n = 0;

	for (size_t i = 0; i < s->input->windows; i++) {
		const struct td_separate_window *w = &s->input->window[i];

		if (td_axis_counts(axis, w) && w->requested < most && is_own(s, i) &&
		    s->sums[s->columns->open[i]].n >= WINDOWS_FEWEST)
			s->point[n++] = (struct td_axis_point){w->requested,
							       (float)beyond(s, i, k)};
	}
	return n;
}

static void find(const struct search *s, struct td_axis *axis)
{
	double first = axis->first;

	add_whole(s);
	for (int k = 0; k < NODES; k++)
		first = fmax(first, td_axis_first(s->point, list(s, axis, k)));
	axis->first = first;
}

int td_torn_find(const struct td_separate_input *input, const struct td_columns *columns,
		 struct td_axis *axis)
{
	struct search s = {input, columns, *axis, NULL, NULL};
	int err;

	if (!input->exact || !input->returns || axis->start_spread <= 0)
		return 0;
	s.whole.first = fmax(axis->first, axis->empty);
	err = td_start_find(input, columns, TD_NO_BATCH, &s.whole);
	/* too few lines to know what a window costs */
	if (err || s.whole.cost_error <= 0)
		return err;
	s.sums = calloc(columns->columns + 1, sizeof(*s.sums));
	s.point = malloc((input->windows + 1) * sizeof(*s.point));
	if (s.sums && s.point)
		find(&s, axis);
	err = s.sums && s.point ? 0 : -ENOMEM;
	free(s.sums);
	free(s.point);
	return err;
}
