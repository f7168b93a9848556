// SPDX-License-Identifier: MIT
#include "decoder/separate_visits.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "decoder/window_again.h"

#define AGREE 0.25         /* as a part of a visit: less is no difference */
#define COUNTED_MOST 100.  /* cycles of a visit that is better known by calls */
#define COUNTED_ERROR 0.05 /* of it */
#define COUNTED_FEWEST 600 /* ends of windows in a column, where there are no edges */
#define DOUBT 2.           /* standard deviations: it may be that long */
#define DIFFERENT 2.       /* standard deviations: two visits are not the same */
#define LENGTHS 36         /* classes, two an octave */
#define VISIT_WINDOWS 20
#define VISIT_MOST 1e9     /* cycles */
#define SHORTEST 0.1       /* of a function's windows */
#define SHORTEST_LEAST 100 /* windows that open or close in it */

/* Windows opened in a function, and once more those closed, by the program's cycles. */
struct stay {
	double n[LENGTHS], cycles[LENGTHS];
	double own[LENGTHS], stayed[LENGTHS]; /* no event; none but its own */
	/* by calls and returns: windows, those times visits a cycle, and times stays:
	 * visits that no other one of the function follows */
	double ends, visits, stays;
};

/* A window of nothing ends where it opened, but that is no stay.  1 where nobody counts
 * instructions. */
static int has_begun(const struct td_separate_input *input, size_t window)
{
	return !(input->clock && input->clock[window] <= 0);
}

/* A call or return that ends in the same function is one of its own, if both are counted;
 * two may be another function's. */
static void take_stays(const struct td_separate_state *s, int columns, struct stay *stay)
{
	for (size_t i = 0; i < s->input->windows; i++) {
		const struct td_separate_window *w = &s->input->window[i];
		double length = td_axis_length(&s->axis, w);
		double cycles = length - td_axis_lost(&s->axis, length);
		double class = fmin(LENGTHS - 1, 2 * log2(fmax(1, cycles)));
		const uint32_t column[] = {s->columns.open[i], s->columns.close[i]};
		const uint32_t function[] = {w->open, w->close};
		const uint32_t *at = columns ? column : function;
		int own = at[0] == at[1] && !w->calls;
		int stayed = at[0] == at[1] &&
			     w->calls <= (s->input->returns == TD_RETURNS_AND_CALLS);

		if (w->empty || !has_begun(s->input, i) || !td_axis_ended(&s->axis, w))
			continue;
		for (int end = 0; end < 2; end++) {
			struct stay *to = &stay[at[end]];

			/* without a counter of returns all that there is to go by */
			if (w->unsure && s->input->returns &&
			    cycles > s->columns.back[column[end]])
				continue;
			to->n[(int)class]++;
			to->cycles[(int)class] += cycles;
			to->own[(int)class] += own;
			to->stayed[(int)class] += stayed;
		}
	}
}

struct estimate {
	double cycles; /* 0: not known */
	double error;  /* standard deviation */
	double least;  /* a standard deviation less */
	double most;   /* as long as it may be, at DOUBT standard deviations */
};

/* How many windows there may be of a kind of which n were seen: a standard deviation
 * less, and more.  Byar's approximation of the limits of a Poisson variable. */
static double count_least(double n)
{
	return n > 0 ? n * pow(fmax(0, 1 - 1 / (9 * n) - 1 / (3 * sqrt(n))), 3) : 0;
}

static double count_most(double n)
{
	n++;
	return n * pow(1 - 1 / (9 * n) + 1 / (3 * sqrt(n)), 3);
}

/*
 * How many of its windows a function would have for itself if all visits took so long,
 * less so many standard deviations.  Own windows are in the sums with both ends, so
 * twice.
 */
static double own_expected(const struct stay *stay, double visit, double deviations)
{
	double own = 0, variance = 0;

	for (int c = 0; c < LENGTHS; c++) {
		double mine = fmax(0, stay->n[c] - stay->cycles[c] / visit);

		own += mine;
		variance += mine > 0 ? 2 * mine * (1 - mine / stay->n[c]) : 0;
	}
	return own - deviations * sqrt(variance);
}

/* The visit by which there would be so many, from `low` on. */
static double visit_of_own(const struct stay *stay, double own, double deviations,
			   double low)
{
	double high = VISIT_MOST;

	while (high > low * 1.001) {
		double middle = sqrt(low * high);

		*(own_expected(stay, middle, deviations) < own ? &low : &high) = middle;
	}
	return high;
}

/*
 * Even the shortest windows are mostly out of it: the visit that explains how many of
 * all are not.  0, not known, if all are: that says how long visits are at most, and
 * where short windows are few, that is nothing.
 *
 * How unsure few own windows are is how unsure it is, unless there is hardly a window
 * shorter than it: then longer visits would have so many more that few exclude them.
 */
static struct estimate visit_of_few(const struct stay *stay, const double *stayed)
{
	struct estimate visit = {0};
	double own = 0;

	for (int c = 0; c < LENGTHS; c++)
		own += stayed[c];
	if (own <= 0)
		return visit;
	visit.cycles = visit_of_own(stay, own, 0, 1);
	visit.error = visit.cycles * sqrt(2 / own);
	visit.least = visit.cycles * count_least(own / 2) / (own / 2);
	visit.most = fmin(visit.cycles + DOUBT * visit.error,
			  visit_of_own(stay, own, DOUBT, visit.cycles));
	return visit;
}

/*
 * Windows that came back look like those that stayed, and of long ones there are more of
 * them.  So the shortest alone, less what others have of such.
 */
static struct estimate visit_of_shortest(const struct stay *stay, const double *stayed)
{
	struct stay shortest = {0};
	double n = 0, all = 0, others = 0, back = 0;
	int classes = 0;

	for (int c = 0; c < LENGTHS; c++)
		all += stay->n[c];
	for (; classes < LENGTHS && n < fmax(SHORTEST_LEAST, SHORTEST * all); classes++)
		n += stay->n[classes];
	for (int c = classes; c < LENGTHS; c++) {
		others += stay->n[c];
		back += stayed[c];
	}
	back = others > back ? back / others : 0;
	for (int c = 0; c < classes; c++) {
		shortest.n[c] = stay->n[c];
		shortest.cycles[c] = stay->cycles[c];
		shortest.own[c] = (stayed[c] - back * stay->n[c]) / (1 - back);
	}
	return visit_of_few(&shortest, shortest.own);
}

/*
 * A window opened anywhere in a visit of D cycles is out of it after u < D with
 * probability u / D; visits of different lengths make a mean of it.  Lengths, some
 * windows at a time, up to where half of them are out.  `stayed`: the stay's windows that
 * are not out; where nothing counts returns these are all that end where they began.
 */
static struct estimate visit_by_length(const struct td_separate_state *s,
				       const struct stay *stay, const double *stayed)
{
	struct lengths {
		double n, own, cycles;
	} used = {0}, next = {0};
	struct estimate visit;
	double left;

	for (int c = 0; c < LENGTHS; c++) {
		next.n += stay->n[c];
		next.own += stayed[c];
		next.cycles += stay->cycles[c];
		if (next.n < VISIT_WINDOWS && c < LENGTHS - 1)
			continue;
		if (used.n > 0 && next.own < next.n / 2)
			break;
		used.n += next.n;
		used.own += next.own;
		used.cycles += next.cycles;
		next = (struct lengths){0};
	}
	if (used.own < used.n / 2)
		return s->input->returns ? visit_of_few(stay, stayed)
					 : visit_of_shortest(stay, stayed);
	left = used.n - used.own;
	visit.cycles = used.cycles / fmax(1, left);
	visit.error = visit.cycles / sqrt(fmax(1, left));
	visit.least = used.cycles / count_most(left);
	visit.most = visit.cycles + DOUBT * visit.error;
	return visit;
}

/* Without edges short visits of rare functions are not told from others' by calls and
 * returns; then forward and backward say something else. */
static int is_agreed(const struct td_events *events, uint32_t column, double ends)
{
	double visit = events[0].visit[column], back = events[1].visit[column];

	return !events->visits_only ||
	       (ends >= COUNTED_FEWEST && events[1].rows.keys &&
		events[0].known[column] && events[1].known[column] &&
		fabs(visit - back) < AGREE * visit);
}

/* Short visits are better known by how many calls and returns windows hold. */
static int take_visits(const struct td_separate_state *s, struct stay *stay)
{
	double *again = malloc((s->columns.columns + 1) * sizeof(*again));

	for (int i = 0; i < 2 && again; i++) {
		const struct td_events *events = &s->events[i];

		if (!events->rows.keys)
			continue;
		td_again_find(events, &s->columns, again);
		for (uint32_t c = 0; c < s->columns.columns; c++) {
			uint32_t function = s->columns.function[c];
			double ends = s->columns.ends[c];

			if (function == TD_NO_FUNCTION || !events->known[c] ||
			    !is_agreed(s->events, c, ends))
				continue;
			stay[function].ends += ends;
			stay[function].visits += ends / events->visit[c];
			stay[function].stays += ends * (1 - again[c]) / events->visit[c];
		}
	}
	free(again);
	return again ? 0 : -ENOMEM;
}

/* `visits`: those of `stay`, or its stays, and `stayed` the windows that are as long. */
static struct estimate visit_of(const struct td_separate_state *s,
				const struct stay *stay, const double *stayed,
				double visits)
{
	struct estimate by_length = visit_by_length(s, stay, stayed), counted;

	if (by_length.least >= COUNTED_MOST || visits <= 0)
		return by_length;
	counted.cycles = stay->ends / visits;
	counted.error = COUNTED_ERROR * counted.cycles;
	counted.least = counted.cycles - counted.error;
	counted.most = counted.cycles + DOUBT * counted.error;
	if (!s->events[0].visits_only)
		return counted;
	/* without edges lengths are a clock that is right; most of the time may be in few
	 * visits */
	if (by_length.cycles <= 0 ||
	    by_length.cycles - counted.cycles >
		    DIFFERENT * hypot(by_length.error, counted.error))
		return by_length;
	/* of those that are called from one place counts do not say which is how long */
	counted.most = fmax(counted.most, by_length.cycles);
	return counted;
}

int td_visits_find(const struct td_separate_state *s, struct td_visit *visit)
{
	struct stay *stay = calloc(s->input->functions + 1, sizeof(*stay));
	int err = stay ? 0 : -ENOMEM;

	if (!err) {
		take_stays(s, 0, stay);
		err = take_visits(s, stay);
	}
	for (size_t f = 0; f < s->input->functions && !err; f++) {
		const struct stay *of = &stay[f];
		struct estimate found =
			visit_of(s, of, of->stays > 0 ? of->own : of->stayed, of->stays);

		visit[f].cycles = found.cycles;
		visit[f].least = found.least;
		visit[f].most = found.most;
		/* own windows are no longer than that, wherever it goes on */
		visit[f].own = visit_of(s, of, of->own, of->visits).cycles;
	}
	free(stay);
	return err;
}

int td_visits_of_columns(const struct td_separate_state *s, double *visit)
{
	struct stay *stay = calloc(s->columns.columns + 1, sizeof(*stay));

	if (!stay)
		return -ENOMEM;
	take_stays(s, 1, stay);
	for (uint32_t c = 0; c < s->columns.columns; c++)
		visit[c] = visit_by_length(s, &stay[c], stay[c].own).cycles;
	free(stay);
	return 0;
}
