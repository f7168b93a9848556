// SPDX-License-Identifier: MIT
#include "decoder/window_ends.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WINDOWS_FEWEST 20  /* that end at a place behind a call or return */
#define DIRECT_FEWEST 5    /* of them behind one alone: they tell what was before */
#define ARRIVALS_MOST 0.02 /* for each of them: from another place, behind none */
#define SOURCE_MAIN 0.5    /* most of the direct ones come from one column */
#define SOURCE_SURE 0.8    /* so many that the others do, too */
#define AS_OFTEN 0.25      /* the place below is met so often, at least */
#define RUNS 2.            /* standard deviations, until the program has started */

/* One end of a window. */
struct end {
	uint32_t function, offset, window;
	uint8_t closes;
};

/* Where the program is interrupted, and the windows that end there. */
struct place {
	uint32_t function, offset;
	uint32_t ends;     /* behind calls or returns */
	uint32_t direct;   /* of them behind one */
	uint32_t arrivals; /* behind none, and opened at another place */
	uint32_t source;   /* the column that most direct ones opened in */
	uint32_t from_source;
	uint8_t first; /* nobody comes here but by a call or return */
	uint8_t again; /* the program comes by more than once a visit */
};

struct search {
	const struct td_separate_input *input;
	const struct td_axis *axis;
	const struct td_columns *columns;
	struct end *end;
	size_t ends;
	struct place *place;
	uint32_t places;
	uint32_t *opened, *closed; /* [windows]: places */
	uint32_t *count;           /* [columns], zero between places */
};

static int by_place(const void *a, const void *b)
{
	const struct end *x = a, *y = b;

	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	return (x->offset > y->offset) - (x->offset < y->offset);
}

static void sort_ends(struct search *s)
{
	for (size_t i = 0; i < s->input->windows; i++) {
		const struct td_separate_window *w = &s->input->window[i];

		if (w->empty)
			continue;
		s->end[s->ends++] = (struct end){w->open, w->open_offset, (uint32_t)i, 0};
		s->end[s->ends++] =
			(struct end){w->close, w->close_offset, (uint32_t)i, 1};
	}
	if (s->ends)
		qsort(s->end, s->ends, sizeof(*s->end), by_place);
}

static void find_places(struct search *s)
{
	for (size_t i = 0; i < s->ends; i++) {
		const struct end *end = &s->end[i];

		if (!i || by_place(end, end - 1)) {
			struct place *place = &s->place[s->places++];

			memset(place, 0, sizeof(*place));
			place->function = end->function;
			place->offset = end->offset;
		}
		(end->closes ? s->closed : s->opened)[end->window] = s->places - 1;
	}
}

/* The program has run, and is where it was. */
static int comes_again(const struct search *s, size_t i)
{
	const struct td_separate_window *w = &s->input->window[i];

	return w->calls == 0 && s->opened[i] == s->closed[i] &&
	       w->requested > s->axis->start + RUNS * s->axis->start_spread;
}

static void count_ends(struct search *s)
{
	for (size_t i = 0; i < s->input->windows; i++) {
		const struct td_separate_window *w = &s->input->window[i];
		struct place *place = &s->place[s->closed[i]];

		if (w->empty)
			continue;
		place->ends += w->calls > 0;
		place->direct += w->calls == 1;
		place->arrivals += w->calls == 0 && s->opened[i] != s->closed[i];
		place->again |= comes_again(s, i);
	}
}

/* The place's ends are those from `begin` on. */
static void find_source(struct search *s, struct place *place, const struct end *begin)
{
	const struct end *last = s->end + s->ends;

	for (const struct end *end = begin; end < last && !by_place(end, begin); end++) {
		uint32_t column = s->columns->open[end->window];

		if (!end->closes || s->input->window[end->window].calls != 1)
			continue;
		if (++s->count[column] > place->from_source) {
			place->from_source = s->count[column];
			place->source = column;
		}
	}
	for (const struct end *end = begin; end < last && !by_place(end, begin); end++)
		s->count[s->columns->open[end->window]] = 0;
}

static int has_source(const struct place *place, double part)
{
	return place->direct >= DIRECT_FEWEST &&
	       place->from_source >= part * place->direct;
}

/*
 * A visit begins where nobody comes from another place without a call or return.  In
 * short visits few windows could: then it is known of the entry, and of a place behind a
 * call, below which there is one that is met as often, but in another visit.
 */
static int is_first(const struct place *place, const struct place *below)
{
	if (place->ends < WINDOWS_FEWEST || place->direct < DIRECT_FEWEST ||
	    place->arrivals > ARRIVALS_MOST * place->ends)
		return 0;
	if (place->offset == 0)
		return 1;
	return below && below->function == place->function &&
	       below->ends >= AS_OFTEN * place->ends && has_source(place, SOURCE_MAIN) &&
	       has_source(below, SOURCE_MAIN) && place->source != below->source;
}

static void find_first(struct search *s)
{
	size_t at = 0;

	for (uint32_t p = 0; p < s->places; p++) {
		struct place *place = &s->place[p];

		find_source(s, place, &s->end[at]);
		place->first = (uint8_t)is_first(place, p ? place - 1 : NULL);
		while (at < s->ends && s->end[at].function == place->function &&
		       s->end[at].offset == place->offset)
			at++;
	}
}

static void move_open(const struct search *s, size_t i, struct td_ends *ends)
{
	const struct place *place = &s->place[s->opened[i]];

	if (!place->first || !has_source(place, SOURCE_SURE))
		return;
	ends->open[i] = place->source;
	ends->opened[i] = 1;
}

static void move_close(const struct search *s, size_t i, struct td_ends *ends)
{
	const struct place *place = &s->place[s->closed[i]];
	uint8_t calls = s->input->window[i].calls;

	if (!place->first || calls == 0 || (calls > 1 && !has_source(place, SOURCE_SURE)))
		return;
	ends->close[i] = calls == 1 ? s->columns->open[i] : place->source;
	ends->closed[i] = 1;
}

static void move_ends(const struct search *s, struct td_ends *ends)
{
	for (size_t i = 0; i < s->input->windows; i++) {
		const struct td_separate_window *w = &s->input->window[i];

		/* 255 calls may be more */
		if (w->empty || w->calls == UINT8_MAX)
			continue;
		move_open(s, i, ends);
		move_close(s, i, ends);
	}
}

/* For each column the windows that end at each place, those that were moved left out. */
static int find_once(struct search *s, struct td_ends *ends)
{
	uint32_t *here = calloc(s->places + 1, sizeof(*here));
	double *all = calloc(s->columns->columns + 1, sizeof(*all));
	int err = here && all ? 0 : -ENOMEM;

	for (size_t i = 0; i < s->input->windows && !err; i++) {
		const struct td_separate_window *w = &s->input->window[i];

		here[s->closed[i]] += !w->empty && w->calls && !ends->closed[i];
		all[ends->close[i]] += !w->empty && w->calls;
	}
	for (size_t i = 0; i < s->input->windows && !err; i++) {
		uint32_t place = s->closed[i], column = s->columns->close[i];
		double n = here[place], part = n / fmax(1, all[column]);

		if (s->input->window[i].empty || n < 1)
			continue;
		here[place] = 0; /* each place once */
		if (s->place[place].again)
			continue;
		ends->squares[column] += part * (n - 1) / fmax(1, all[column]);
		ends->once[column] += part;
	}
	free(here);
	free(all);
	return err;
}

static int search(struct search *s, struct td_ends *ends)
{
	size_t n = s->input->windows + 1;

	s->end = malloc(2 * n * sizeof(*s->end));
	s->place = malloc(2 * n * sizeof(*s->place));
	s->opened = calloc(n, sizeof(*s->opened));
	s->closed = calloc(n, sizeof(*s->closed));
	s->count = calloc(s->columns->columns + 1, sizeof(*s->count));
	if (!s->end || !s->place || !s->opened || !s->closed || !s->count)
		return -ENOMEM;
	sort_ends(s);
	find_places(s);
	count_ends(s);
	find_first(s);
	move_ends(s, ends);
	return find_once(s, ends);
}

int td_ends_find(struct td_ends *ends, const struct td_separate_input *input,
		 const struct td_axis *axis, const struct td_columns *columns)
{
	struct search s = {.input = input, .axis = axis, .columns = columns};
	size_t n = input->windows + 1;
	int err = -ENOMEM;

	memset(ends, 0, sizeof(*ends));
	ends->open = malloc(n * sizeof(*ends->open));
	ends->close = malloc(n * sizeof(*ends->close));
	ends->opened = calloc(n, sizeof(*ends->opened));
	ends->closed = calloc(n, sizeof(*ends->closed));
	ends->squares = calloc(columns->columns + 1, sizeof(*ends->squares));
	ends->once = calloc(columns->columns + 1, sizeof(*ends->once));
	if (ends->open && ends->close && ends->opened && ends->closed && ends->squares &&
	    ends->once) {
		memcpy(ends->open, columns->open, (n - 1) * sizeof(*ends->open));
		memcpy(ends->close, columns->close, (n - 1) * sizeof(*ends->close));
		err = input->returns ? search(&s, ends) : 0;
	}
	free(s.end);
	free(s.place);
	free(s.opened);
	free(s.closed);
	free(s.count);
	return err;
}

void td_ends_free(struct td_ends *ends)
{
	free(ends->open);
	free(ends->close);
	free(ends->opened);
	free(ends->closed);
	free(ends->squares);
	free(ends->once);
	memset(ends, 0, sizeof(*ends));
}
