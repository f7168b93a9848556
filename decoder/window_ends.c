// SPDX-License-Identifier: MIT
#include "decoder/window_ends.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/estimate.h"

#define WINDOWS_FEWEST 20 /* that end at a place behind a call or return */
#define DIRECT_FEWEST 5   /* of them behind one alone: they tell what was before */
#define CROSSED_FEWEST 3  /* windows from other functions, at an entry jumped to */
#define STAY_FEWEST 500   /* windows, of which some would have gone on within */
#define GONE_MOST 0.001
#define ARRIVALS_SOME 6.   /* windows, to know that nobody arrives */
#define ARRIVALS_MOST 0.02 /* for each of them: from another place, behind none */
#define SOURCE_MAIN 0.5    /* most of the direct ones come from one column */
#define SOURCES_SURE 6.    /* log of how much likelier two places' are two than one */
#define AS_OFTEN 0.25      /* the place below is met so often, at least */
#define DEPARTED_SOME 4.   /* windows, to know that nobody departs */
#define DEPARTED_MOST 0.003
#define STEP_OPENED 20   /* windows that open at a place: some of them are a step */
#define STEPS_FEWEST 2   /* to a place: they tell whether a visit begins there */
#define STEPS_WITHIN 0.1 /* for each step from elsewhere: from the function itself */
#define GOLDEN 0.61803398874989485
#define TOLD_SURE 2.  /* standard deviations: direct ones are too few for all */
#define TOLD_MOST 0.5 /* of the place's, as lengths are known to some cycles */
#define SOME 2        /* calls and returns: more than one */
#define RUNS 2.       /* standard deviations, until the program has started */

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
	uint32_t opened;   /* not those that end, but those that begin there */
	uint32_t crossed;  /* of arrivals, those from another function: by a jump */
	uint32_t departed; /* of them without a call or return, for another place */
	uint32_t source;   /* the column that most direct ones opened in */
	uint32_t from_source;
	uint32_t within;  /* steps that end there, from the function itself */
	uint32_t stepped; /* others, and of them those by a jump */
	uint32_t jumps;
	float ticks;      /* instructions of all of these */
	float least;      /* instructions of a step from there to the next place */
	uint32_t sources; /* in search.source: the direct ones, or the steps */
	uint32_t told;    /* so many */
	uint32_t turn;    /* the last of them up to the present window */
	/* of those that open there, and of those that end there and are not direct: the
	 * parts that came from where direct ones did; and what is left of the others */
	float known[2], left[2];
	uint32_t asked; /* how often source_by_chance() was for one of them */
	uint8_t jumped; /* a function's entry, and others jump there */
	uint8_t first;  /* nobody comes here but by a call or return, or so */
	uint8_t again;  /* the program comes by more than once a visit */
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
	uint8_t *step; /* [windows]: 1: it went from its place to the next and no further
			*/
	uint32_t *count;  /* [columns], zero between places */
	double *cycles;   /* [columns], the same: of the windows counted */
	uint32_t *source; /* [windows]: windows, by place */
	float *length;    /* [lengths]: cycles of all windows, ascending; if known */
	size_t lengths;
	double *chance; /* [windows]: of each source and those before it, of its place */
	uint32_t sources;
};

/* Nothing scatters where the program starts: how long it ran in a window is known. */
static int has_lengths(const struct search *s)
{
	return s->axis->start_spread <= 0;
}

static int by_place(const void *a, const void *b)
{
	const struct end *x = a, *y = b;

	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	return (x->offset > y->offset) - (x->offset < y->offset);
}

static int by_place_and_time(const void *a, const void *b)
{
	const struct end *x = a, *y = b;
	int order = by_place(a, b);

	return order ? order : (x->window > y->window) - (x->window < y->window);
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
		qsort(s->end, s->ends, sizeof(*s->end), by_place_and_time);
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

/* The program has done something in the window.  Where nobody counted its instructions:
 * it should have. */
static int has_run(const struct search *s, size_t i)
{
	const float *clock = s->input->clock;

	if (clock && !isnan(clock[i]))
		return clock[i] > 0;
	return s->input->window[i].requested >
	       s->axis->start + RUNS * s->axis->start_spread;
}

/* It has run, and is where it was. */
static int comes_again(const struct search *s, size_t i)
{
	return s->input->window[i].calls == 0 && s->opened[i] == s->closed[i] &&
	       has_run(s, i);
}

static void count_ends(struct search *s)
{
	for (size_t i = 0; i < s->input->windows; i++) {
		const struct td_separate_window *w = &s->input->window[i];
		struct place *place = &s->place[s->closed[i]];

		if (w->empty || w->unsure)
			continue;
		place->ends += w->calls > 0;
		place->direct += w->calls == 1;
		s->place[s->opened[i]].opened++;
		if (w->calls == 0 && s->opened[i] != s->closed[i]) {
			place->arrivals++;
			place->crossed += w->open != w->close;
			s->place[s->opened[i]].departed++;
		}
		place->again |= comes_again(s, i);
	}
}

/*
 * Behind edges one window of five ends before the program has begun: the interrupt comes
 * as soon as it can, and the program has gone from one place to the next.  These are the
 * windows with the fewest instructions of all that open there.
 */
static void find_steps(struct search *s)
{
	const float *clock = s->input->clock;

	for (size_t i = 0; i < s->input->windows; i++) {
		struct place *from = &s->place[s->opened[i]];

		if (!s->input->window[i].empty && clock[i] > 0 &&
		    (from->least == 0 || clock[i] < from->least))
			from->least = clock[i];
	}
	for (size_t i = 0; i < s->input->windows; i++) {
		const struct td_separate_window *w = &s->input->window[i];
		const struct place *from = &s->place[s->opened[i]];

		s->step[i] = !w->empty && !w->unsure && w->calls < SOME && clock[i] > 0 &&
			     clock[i] == from->least && from->opened >= STEP_OPENED;
	}
}

static void count_steps(struct search *s)
{
	for (size_t i = 0; i < s->input->windows; i++) {
		const struct td_separate_window *w = &s->input->window[i];
		struct place *place = &s->place[s->closed[i]];
		int jump = w->calls == 0 && w->open != w->close;

		if (!s->step[i])
			continue;
		place->jumps += jump;
		place->stepped += jump || w->calls;
		place->within += !jump && !w->calls;
		place->ticks += s->input->clock[i];
	}
}

static int has_steps(const struct place *place)
{
	return place->within + place->stepped >= STEPS_FEWEST;
}

/* The window opened where the program was before it came to the place. */
static int tells(const struct search *s, const struct place *place, size_t i)
{
	const struct td_separate_window *w = &s->input->window[i];

	if (w->unsure)
		return 0;
	return w->calls == 1 || (place->jumped && w->calls == 0 && w->open != w->close);
}

static double cycles_of(const struct search *s, uint32_t window)
{
	double length = td_axis_length(s->axis, &s->input->window[window]);

	return fmax(1, length - td_axis_lost(s->axis, length));
}

static int by_length(const void *a, const void *b)
{
	const float *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void sort_lengths(struct search *s)
{
	for (size_t i = 0; i < s->input->windows; i++)
		if (!s->input->window[i].empty)
			s->length[s->lengths++] = (float)cycles_of(s, (uint32_t)i);
	if (s->lengths)
		qsort(s->length, s->lengths, sizeof(*s->length), by_length);
}

/* The part of all windows that are no longer. */
static double shorter(const struct search *s, double cycles)
{
	size_t low = 0, high = s->lengths;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (s->length[middle] <= cycles)
			low = middle + 1;
		else
			high = middle;
	}
	return (double)low / (double)s->lengths;
}

/*
 * Of the windows that end at a place those are direct that are shorter than the visit
 * before, and how long that is their own mean says.  So each direct one stands for some
 * that are not.  Where they stand for few of the place's windows, the others came from
 * visits that are shorter than windows, so that none of them is direct.
 */
static void find_known(const struct search *s, struct place *place)
{
	double ends = place->ends + (place->jumped ? place->crossed : 0);
	double all = 0, n = place->told;

	place->known[0] = place->known[1] = 1;
	if (!has_lengths(s) || n < 1)
		return;
	for (uint32_t i = place->sources; i < s->sources; i++) {
		uint32_t column = s->columns->open[s->source[i]];
		double mean = s->cycles[column] / s->count[column];

		all += 1 / shorter(s, fmax(mean, 2 * mean - s->length[0]));
	}
	if (all * (1 + TOLD_SURE / sqrt(n)) >= TOLD_MOST * ends)
		return;
	place->known[0] = (float)(all / ends);
	place->known[1] = (float)fmax(0, (all - n) / (ends - n));
}

/*
 * As many windows open in the visit before as it is long: a visit ten times as long as
 * another one tells ten times as often, though the program comes from either as often.
 * Those windows are half as long as the visit, in the mean.
 */
static void find_chances(struct search *s, struct place *place)
{
	double sum = 0;

	for (uint32_t i = place->sources; i < s->sources; i++)
		s->cycles[s->columns->open[s->source[i]]] += cycles_of(s, s->source[i]);
	for (uint32_t i = place->sources; i < s->sources; i++) {
		uint32_t column = s->columns->open[s->source[i]];

		sum += s->count[column] / s->cycles[column];
		s->chance[i] = sum;
	}
	find_known(s, place);
	for (uint32_t i = place->sources; i < s->sources; i++)
		s->cycles[s->columns->open[s->source[i]]] = 0;
}

/*
 * As many windows open at a place as the program takes to come there; triggers come as
 * often as it takes from there on.  So of the steps from a place that is `ticks` behind
 * the one before, in the mean, and as many before the next as they have, each counts for
 * so much.
 */
static double weight_of(const struct search *s, uint32_t window)
{
	const struct place *from = &s->place[s->opened[window]];
	uint32_t steps = from->within + from->stepped;

	return steps ? from->least * steps / from->ticks : 1;
}

/* Leaves each step as often as it counts, in their order. */
static void thin_sources(struct search *s, struct place *place)
{
	uint32_t to = place->sources;
	double most = 0, sum = 0.5;

	for (uint32_t i = place->sources; i < s->sources; i++)
		most = fmax(most, weight_of(s, s->source[i]));
	for (uint32_t i = place->sources; i < s->sources; i++) {
		sum += weight_of(s, s->source[i]) / most;
		if (sum < 1)
			continue;
		sum--;
		s->source[to++] = s->source[i];
	}
	s->sources = to;
}

/* The place's ends are those from `begin` on. */
static void find_source(struct search *s, struct place *place, const struct end *begin)
{
	const struct end *last = s->end + s->ends;

	place->sources = s->sources;
	for (const struct end *end = begin; end < last && !by_place(end, begin); end++) {
		uint32_t column = s->columns->open[end->window];

		if (!end->closes || !tells(s, place, end->window) ||
		    (has_steps(place) && !s->step[end->window]))
			continue;
		s->source[s->sources++] = end->window;
		if (++s->count[column] > place->from_source) {
			place->from_source = s->count[column];
			place->source = column;
		}
	}
	if (has_steps(place))
		thin_sources(s, place);
	place->told = s->sources - place->sources;
	find_chances(s, place);
	for (const struct end *end = begin; end < last && !by_place(end, begin); end++)
		s->count[s->columns->open[end->window]] = 0;
}

static int has_source(const struct place *place)
{
	return place->direct >= DIRECT_FEWEST &&
	       place->from_source >= SOURCE_MAIN * place->direct;
}

static uint32_t count_from(const struct search *s, const struct place *place,
			   uint32_t column)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < place->told; i++)
		n += s->columns->open[s->source[place->sources + i]] == column;
	return n;
}

/* Beyond what chance makes of a few windows to either place. */
static int have_other_sources(const struct search *s, const struct place *place,
			      const struct place *below)
{
	double of = place->from_source, n = place->told, m = below->told;
	double others = count_from(s, below, place->source);

	return has_source(below) && place->source != below->source &&
	       td_log_likelihood(of, n) + td_log_likelihood(others, m) -
			       td_log_likelihood(of + others, n + m) >=
		       SOURCES_SURE;
}

/* Windows that open in a function, and its places. */
struct body {
	double opened, departed, places;
};

static struct body body_of(const struct search *s, uint32_t first)
{
	struct body body = {0, 0, 0};

	for (uint32_t p = first; p < s->places; p++) {
		if (s->place[p].function != s->place[first].function)
			break;
		body.opened += s->place[p].opened;
		body.departed += s->place[p].departed;
		body.places++;
	}
	return body;
}

/* Nobody goes on from it but by a call or return, though from the last but one of as many
 * places some would. */
static int is_last(const struct place *place, const struct body *body)
{
	double some = place->opened * body->departed / fmax(1, body->opened);

	return 2 * some / body->places >= DEPARTED_SOME &&
	       place->departed <= DEPARTED_MOST * place->opened;
}

static int is_behind_a_call(const struct search *s, const struct place *place,
			    const struct place *below, const struct body *body)
{
	if (below->function != place->function || below->ends < AS_OFTEN * place->ends ||
	    !has_source(place))
		return 0;
	return have_other_sources(s, place, below) || is_last(below, body);
}

/* Each of a function's places is left by a call or return only. */
static int stays_nowhere(const struct body *body)
{
	return body->opened >= STAY_FEWEST && body->departed <= GONE_MOST * body->opened;
}

/* Windows arrive at the place below without a call or return, and at this one none. */
static int is_beyond(const struct place *place, const struct place *below)
{
	double some;

	if (!below || below->function != place->function)
		return 0;
	some = below->arrivals * fmin(1, place->ends / fmax(1, below->ends));
	return some >= ARRIVALS_SOME && place->arrivals <= ARRIVALS_MOST * some;
}

/*
 * A visit begins where nobody comes from another place without a call or return.  In
 * short visits few windows could: then it is known of the entry, of a function whose
 * places are all like that, of a place at which those stop that arrive below it, and of
 * one behind a call, below which there is one that is met as often, but in another visit
 * or at its end.
 */
static int is_first(const struct search *s, const struct place *place,
		    const struct place *below, const struct body *body)
{
	int once;

	if (has_steps(place))
		return place->within <= STEPS_WITHIN * place->stepped;
	if (place->jumped)
		return 1;
	if (place->ends < WINDOWS_FEWEST || !place->direct ||
	    place->arrivals > ARRIVALS_MOST * place->ends)
		return 0;
	once = has_lengths(s) && !place->again;
	if (once && (place->offset == 0 || stays_nowhere(body)))
		return 1;
	if (place->direct < DIRECT_FEWEST)
		return 0;
	return (place->offset == 0 && !place->again) ||
	       (once && is_beyond(place, below)) ||
	       (below && is_behind_a_call(s, place, below, body));
}

/* The function's entry, where those arrive that come from other functions only. */
static void find_jumps(const struct search *s, struct place *place)
{
	place->jumped = has_lengths(s) && place->offset == 0 && !place->again &&
			place->crossed >= CROSSED_FEWEST &&
			place->crossed == place->arrivals;
	if (has_steps(place))
		place->jumped = 2 * place->jumps > place->stepped;
	else if (place->jumped)
		place->direct += place->crossed;
}

static void find_first(struct search *s)
{
	struct body body = {0, 0, 0};
	size_t at = 0;

	for (uint32_t p = 0; p < s->places; p++) {
		struct place *place = &s->place[p];

		if (!p || place->function != place[-1].function)
			body = body_of(s, p);
		find_jumps(s, place);
		find_source(s, place, &s->end[at]);
		place->first = (uint8_t)is_first(s, place, p ? place - 1 : NULL, &body);
		while (at < s->ends && s->end[at].function == place->function &&
		       s->end[at].offset == place->offset)
			at++;
	}
}

/* One of the place's sources, each as often as the program comes from there: by multiples
 * of the golden ratio, which are spread evenly. */
static uint32_t source_by_chance(const struct search *s, struct place *place)
{
	const double *chance = s->chance + place->sources;
	double turns = GOLDEN * place->asked++;
	double at = (turns - floor(turns)) * chance[place->told - 1];
	uint32_t low = 0, high = place->told - 1;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (chance[middle] > at)
			high = middle;
		else
			low = middle + 1;
	}
	return s->columns->open[s->source[place->sources + low]];
}

/* Where the program was before it came to the place; where edges scatter, so that lengths
 * say nothing, where the last window, up to this one, came from that tells. */
static uint32_t source_of(const struct search *s, size_t window, struct place *place)
{
	const uint32_t *source = s->source + place->sources;

	if (has_lengths(s))
		return source_by_chance(s, place);
	while (place->turn + 1 < place->told && source[place->turn + 1] <= window)
		place->turn++;
	return s->columns->open[source[place->turn]];
}

/* Evenly: not where the program came from a visit that no direct window tells of. */
static int is_known(struct place *place, int closes)
{
	float *left = &place->left[closes];

	*left += 1 - place->known[closes];
	if (*left < 1)
		return 1;
	--*left;
	return 0;
}

static void move_open(const struct search *s, size_t i, struct td_ends *ends)
{
	struct place *place = &s->place[s->opened[i]];

	if (!place->first || !is_known(place, 0))
		return;
	ends->open[i] = source_of(s, i, place);
	ends->opened[i] = !place->jumped;
}

static void move_close(const struct search *s, size_t i, struct td_ends *ends)
{
	struct place *place = &s->place[s->closed[i]];
	const struct td_separate_window *w = &s->input->window[i];
	unsigned calls = w->calls;

	if (w->unsure && s->opened[i] != s->closed[i])
		calls = SOME; /* or none */
	if (!place->first || (calls == 0 && !tells(s, place, i)))
		return;
	if (calls == 1 && !place->jumped)
		ends->close[i] = s->columns->open[i];
	else if (is_known(place, 1))
		ends->close[i] = source_of(s, i, place);
	else
		return;
	ends->closed[i] = !place->jumped;
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
	s->step = calloc(n, sizeof(*s->step));
	s->count = calloc(s->columns->columns + 1, sizeof(*s->count));
	s->cycles = calloc(s->columns->columns + 1, sizeof(*s->cycles));
	s->source = malloc(n * sizeof(*s->source));
	s->chance = malloc(n * sizeof(*s->chance));
	s->length = malloc(n * sizeof(*s->length));
	if (!s->end || !s->place || !s->opened || !s->closed || !s->step || !s->count ||
	    !s->cycles || !s->source || !s->chance || !s->length)
		return -ENOMEM;
	sort_ends(s);
	if (has_lengths(s))
		sort_lengths(s);
	find_places(s);
	count_ends(s);
	if (s->input->clock && !has_lengths(s)) {
		find_steps(s);
		count_steps(s);
	}
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
	free(s.step);
	free(s.count);
	free(s.cycles);
	free(s.source);
	free(s.chance);
	free(s.length);
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
