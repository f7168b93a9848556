// SPDX-License-Identifier: MIT
#include "decoder/groups.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/formula.h"
#include "decoder/gauss.h"
#include "decoder/groups_level1.h"
#include "decoder/jackknife.h"

#define Z95 1.95996
#define WHOLE 0.29      /* anything up to half an event: its standard deviation */
#define LEFT_LEAST 1e-9 /* of a distribution, to have a mean */
#define SOURCES_MAX (TD_EVENTS_MAX + TD_NODES_LEVEL1)
#define LEFT_MOST 64 /* bytes: a when() of more takes the side that it seems to be */
#define NODES TD_GROUPS_MAX /* as a group: level 1 as it was measured */

/* One measured number that formulas use. */
struct source {
	const char *name;
	double value;
	double half;         /* of its 95 % interval */
	double beside;       /* td_groups_rate */
	const float *change; /* the same */
	double unseen;       /* as `half`, of what these two do not show */
	uint32_t group;
	uint64_t windows;
};

struct sources {
	const struct td_event_family *family;
	double width;
	double alone;       /* the plan's */
	double least, most; /* of it, here */
	struct source source[SOURCES_MAX];
	uint32_t n;
	uint32_t used;  /* bits of groups */
	uint32_t moved; /* which source is moved, and by how much */
	double by;
	int blurred; /* a when() is by what sources may be, not by what they are */
};

/* What judges windows is no event of a report; 0: it is one. */
static int take_leavings(struct td_groups_plan *plan, const struct td_file_event *event)
{
	if (strcmp(event->name, "near_returns") == 0)
		plan->returns[event->group] = event->value;
	else if (strcmp(event->name, "near_calls") == 0)
		plan->calls[event->group] = event->value;
	else
		return 0;
	return 1;
}

void td_groups_read(struct td_groups_plan *plan, const struct td_file_header *header)
{
	memset(plan, 0, sizeof(*plan));
	plan->alone = (struct td_estimate){1, 1, 1}; /* until an event says otherwise */
	if (header->backend != TD_BACKEND_EVENTS || !header->family[0])
		return;
	plan->family = td_events_named(header->family);
	plan->groups = header->groups ? header->groups : 1;
	plan->width = header->slots_a_cycle ? header->slots_a_cycle : 1;
	for (uint32_t i = 0; i < header->events; i++) {
		const struct td_file_event *event = &header->event[i];

		if (event->group >= TD_GROUPS_MAX)
			continue;
		if (header->asked >> i & 1)
			plan->asked |= 1ull << plan->events;
		else if (take_leavings(plan, event))
			continue;
		plan->event[plan->events++] = *event;
	}
	for (unsigned i = 0; i < TD_COUNTERS_MAX; i++)
		plan->first[i] = i < header->counters ? (int)i : -1;
	if (td_groups_is_shared(plan))
		plan->alone = (struct td_estimate){NAN, NAN, NAN};
}

void td_groups_adopt(struct td_groups_plan *all, const struct td_groups_plan *plan,
		     const int counter[TD_COUNTERS_MAX])
{
	*all = *plan;
	for (unsigned i = 0; i < TD_COUNTERS_MAX; i++)
		all->first[i] = plan->first[i] < 0 ? -1 : counter[i];
}

int td_groups_match(const struct td_groups_plan *a, const struct td_groups_plan *b)
{
	return a->family == b->family && a->groups == b->groups &&
	       a->events == b->events && a->width == b->width && a->asked == b->asked &&
	       memcmp(a->returns, b->returns, sizeof(a->returns)) == 0 &&
	       memcmp(a->calls, b->calls, sizeof(a->calls)) == 0 &&
	       memcmp(a->event, b->event, a->events * sizeof(a->event[0])) == 0;
}

/* As long as they are added up, unsure[] are squares. */
static void add_empty(struct td_own_cost *cost, uint32_t counter, double value)
{
	cost->mean[counter] += value;
	cost->unsure[counter] += value * value;
}

static void finish_mean(struct td_own_cost *cost, uint32_t counter)
{
	double n = (double)cost->windows, mean = cost->mean[counter] / n;
	double squares = fmax(0, cost->unsure[counter] / n - mean * mean);

	cost->mean[counter] = mean;
	cost->unsure[counter] = squares > 0 ? sqrt(squares / n) : mean > 0 ? WHOLE : 0;
}

void td_groups_own_cost(const struct td_profile *profile,
			struct td_own_cost cost[TD_GROUPS_MAX])
{
	uint32_t counters = profile->header.counters;

	memset(cost, 0, TD_GROUPS_MAX * sizeof(*cost));
	for (size_t i = 0; i < profile->windows; i++) {
		const struct td_file_window *w = profile->window[i].window;

		if (w->state != TD_WINDOW_EMPTY || w->reject != TD_REJECT_MAX)
			continue;
		cost[w->group].windows++;
		for (uint32_t c = 0; c < counters && c < TD_WINDOW_VALUES; c++)
			add_empty(&cost[w->group], c, (double)(int32_t)w->value[c]);
	}
	for (uint32_t g = 0; g < TD_GROUPS_MAX; g++)
		for (uint32_t c = 0; c < counters && cost[g].windows; c++)
			finish_mean(&cost[g], c);
	for (uint32_t g = 0; g < TD_GROUPS_MAX; g++)
		cost[g].together = td_profile_together(profile);
}

void td_groups_add(struct td_groups *into, uint32_t group, const struct td_file_sum *sum,
		   uint32_t values, uint64_t windows, const struct td_own_cost *cost)
{
	into->group[group].windows += windows;
	for (uint32_t i = 0; i < values; i++) {
		struct td_file_sum less =
			td_own_cost_remove(cost, i, &sum[i], windows, sum[0].sum);

		td_sum_add(&into->group[group].sum[i], &less);
		if (cost->windows)
			into->group[group].unsure[i] += (double)windows * cost->unsure[i];
	}
}

static void merge(struct td_groups *into, const struct td_groups *from)
{
	for (uint32_t g = 0; g < TD_GROUPS_MAX; g++) {
		into->group[g].windows += from->group[g].windows;
		for (uint32_t i = 0; i < TD_COUNTERS_MAX; i++) {
			td_sum_add(&into->group[g].sum[i], &from->group[g].sum[i]);
			into->group[g].unsure[i] += from->group[g].unsure[i];
		}
	}
}

void td_groups_free(struct td_groups *groups)
{
	for (uint32_t i = 0; i < TD_EVENTS_MAX && groups; i++)
		free(groups->rate[i].change);
	free(groups);
}

void td_groups_take(struct td_groups **into, struct td_groups **from)
{
	if (*into && *from) {
		merge(*into, *from);
		td_groups_free(*from);
	} else if (*from) {
		*into = *from;
	}
	*from = NULL;
}

static struct source *find(struct sources *all, const char *name, size_t length)
{
	for (uint32_t i = 0; i < all->n; i++) {
		if (strlen(all->source[i].name) == length &&
		    !memcmp(all->source[i].name, name, length))
			return &all->source[i];
	}
	return NULL;
}

/* Of an event that several groups have, the one with most windows is taken. */
static void add_source(struct sources *all, const struct source *source)
{
	struct source *same = find(all, source->name, strlen(source->name));

	if (!same)
		all->source[all->n++] = *source;
	else if (source->windows > same->windows)
		*same = *source;
}

/* Windows of group 0 that nobody judged are no source beside others that were.  What was
 * asked for may be another event by the same name. */
static int is_source(const struct td_groups_plan *plan, uint32_t i)
{
	return !td_groups_is_asked(plan, i) &&
	       (plan->event[i].group || !td_groups_is_unjudged(plan, 0));
}

/* The windows of the event's group; NULL: there are none. */
static const struct td_file_sum *sums_of(const struct td_groups_plan *plan, uint32_t i,
					 const struct td_file_sum *first, uint64_t *n,
					 const struct td_groups *groups)
{
	uint32_t group = plan->event[i].group;

	if (!group)
		return first;
	*n = groups ? groups->group[group].windows : 0;
	return groups ? groups->group[group].sum : NULL;
}

/* Where an event's sum is among its group's. */
static int place_of(const struct td_groups_plan *plan, const struct td_file_event *event)
{
	return event->group ? event->value : plan->first[event->value];
}

/* Windows enough for a rate? */
static int has_windows(const struct td_groups_plan *plan, uint32_t i,
		       const struct td_file_sum *first, uint64_t n,
		       const struct td_groups *groups)
{
	const struct td_file_sum *sum = sums_of(plan, i, first, &n, groups);

	return sum && n >= 2 && place_of(plan, &plan->event[i]) >= 0 &&
	       td_sum_value(&sum[0]) > 0;
}

/* What is not known of the own cost in the windows that it has for itself: half of a 95 %
 * interval, a cycle. */
static double cost_half(const struct td_groups_plan *plan, uint32_t i,
			const struct td_file_sum *sum, const struct td_groups *groups)
{
	uint32_t group = plan->event[i].group;
	int place = place_of(plan, &plan->event[i]);
	double cost = group ? groups->group[group].unsure[place] : 0;

	return Z95 * cost * plan->width / td_sum_value(&sum[0]);
}

/* By the windows that it has for itself, a cycle. */
static struct td_estimate own_rate(const struct td_groups_plan *plan, uint32_t i,
				   const struct td_file_sum *first, uint64_t n,
				   const struct td_groups *groups)
{
	const struct td_file_sum *sum = sums_of(plan, i, first, &n, groups);
	int place = place_of(plan, &plan->event[i]);
	struct td_estimate rate = td_estimate_rate(&sum[place], &sum[0], n, plan->width);
	double half = hypot(rate.high - rate.value, cost_half(plan, i, sum, groups));

	return (struct td_estimate){rate.value, fmax(0, rate.value - half),
				    rate.value + half};
}

/* Told apart from its neighbours; 0: it is not. */
static int told(const struct td_groups_plan *plan, uint32_t i,
		const struct td_file_sum *first, uint64_t n,
		const struct td_groups *groups, struct td_groups_rate *rate)
{
	if (!groups || !groups->rate[i].known)
		return 0;
	*rate = groups->rate[i];
	if (!rate->change) {
		rate->unseen = rate->half;
		rate->beside = 0;
	}
	if (rate->own && has_windows(plan, i, first, n, groups)) {
		double cost =
			cost_half(plan, i, sums_of(plan, i, first, &n, groups), groups);

		rate->half = hypot(rate->half, cost);
		rate->unseen = hypot(rate->unseen, cost);
	}
	return 1;
}

static void add_own(struct sources *all, const struct td_groups_plan *plan, uint32_t i,
		    const struct td_file_sum *first, uint64_t n,
		    const struct td_groups *groups)
{
	struct td_estimate rate = own_rate(plan, i, first, n, groups);

	sums_of(plan, i, first, &n, groups);
	add_source(all, &(struct source){
				.name = plan->event[i].name,
				.value = rate.value,
				.half = rate.high - rate.value,
				.unseen = rate.high - rate.value,
				.group = plan->event[i].group,
				.windows = n,
			});
}

static void add_told(struct sources *all, const struct td_file_event *event,
		     const struct td_groups_rate *rate)
{
	add_source(all, &(struct source){
				.name = event->name,
				.value = rate->value,
				.half = rate->half,
				.beside = rate->beside,
				.unseen = rate->unseen,
				.change = rate->change,
				.group = event->group,
				.windows = rate->df + 1ull,
			});
}

static void add_events(struct sources *all, const struct td_groups_plan *plan,
		       const struct td_file_sum *first, uint64_t n,
		       const struct td_groups *groups)
{
	for (uint32_t i = 0; i < plan->events; i++) {
		const struct td_file_event *event = &plan->event[i];
		struct td_groups_rate rate;

		if (!is_source(plan, i))
			continue;
		if (told(plan, i, first, n, groups, &rate))
			add_told(all, event, &rate);
		else if (has_windows(plan, i, first, n, groups))
			add_own(all, plan, i, first, n, groups);
	}
}

/* Level 1 as it was measured, whatever told the functions apart. */
static void add_nodes(struct sources *all, const struct td_topdown_value *value)
{
	for (int i = 0; i < TD_NODES_LEVEL1; i++) {
		const struct td_estimate *e = &value[i].estimate;

		if (value[i].present)
			add_source(all, &(struct source){
						.name = td_topdown_tree[i].name,
						.value = e->value,
						.half = (e->high - e->low) / 2,
						.unseen = (e->high - e->low) / 2,
						.group = NODES,
						.windows = value[i].df + 1ull,
					});
	}
}

static const char *formula_of(const struct td_event_family *family, const char *node,
			      size_t length)
{
	for (uint32_t i = 0; i < family->formulas; i++) {
		if (strlen(family->formula[i].node) == length &&
		    !memcmp(family->formula[i].node, node, length))
			return family->formula[i].text;
	}
	return NULL;
}

/* From Ice Lake on a thread's slots are counted, before that the time alone; on Zen the
 * slots that the other one had. */
static const char *const alone_texts[] = {
	"2 * own_slots / width - 1",
	"one_thread / ref_clock",
	"1 - 2 * other_thread / width",
};

/* Of the slots that two threads want Intel's have half each; on Zen a thread that waits
 * leaves all of them to the other one. */
static double least_alone(const struct td_groups_plan *plan)
{
	return td_groups_is_shared(plan) == TD_SHARED_SLOTS ? -1 : 0;
}

static double value_in(struct sources *all, const char *text);

/* The part of its cycles in which the thread has the core alone; NAN: not known. */
static double alone_of(struct sources *all)
{
	for (size_t i = 0; i < sizeof(alone_texts) / sizeof(alone_texts[0]); i++) {
		double alone = value_in(all, alone_texts[i]);

		if (isfinite(alone))
			return fmax(all->least, fmin(all->most, alone));
	}
	return NAN;
}

/*
 * How little and how much of its cycles a function can have had alone, if it is that part
 * of a run of which so much was alone: of what is short a few ticks of the clock tell
 * less than this, where the other thread was hardly there, or always.
 */
static void bound_alone(struct sources *all, const struct td_groups_plan *plan,
			const struct td_groups *groups)
{
	double share = groups ? groups->share : 0, least = least_alone(plan);

	all->alone = plan->alone.value;
	all->least = least;
	all->most = 1;
	if (share <= 0 || !isfinite(plan->alone.value))
		return;
	all->least = fmax(least, 1 - (1 - plan->alone.low) / share);
	all->most = fmin(1, least + (plan->alone.high - least) / share);
}

/* The part of the slots that is this thread's: half of them while another one runs, and
 * where `alone` was made of slots what makes them up again. */
static double share_of(struct sources *all)
{
	double alone = alone_of(all);

	return (1 + (isfinite(alone) ? alone : all->alone)) / 2;
}

static double value_of(void *context, const char *name, size_t length)
{
	struct sources *all = context;
	struct source *source = find(all, name, length);
	const char *text;

	if (source) {
		all->used |= 1u << source->group;
		return source->value + (source - all->source == all->moved ? all->by : 0);
	}
	if (length == 5 && !memcmp(name, "slots", 5))
		return all->width * share_of(all);
	if (length == 5 && !memcmp(name, "share", 5))
		return share_of(all);
	if (length == 5 && !memcmp(name, "alone", 5))
		return alone_of(all);
	if (length == 5 && !memcmp(name, "width", 5))
		return all->width;
	text = formula_of(all->family, name, length);
	return text ? value_in(all, text) : NAN;
}

static double evaluate(struct sources *all, const char *text, uint32_t moved, double by)
{
	all->moved = moved;
	all->by = by;
	return value_in(all, text);
}

static double half_of(struct sources *all, const char *text, double value);

/*
 * Near the step of a when() nobody knows on which side of it a function is: by how far
 * the left side's interval reaches over it.  For a formula's own interval it is moved
 * from one side to the other, so both are in it.
 */
static double chance_of(void *context, const char *left, size_t length, double by)
{
	char text[LEFT_MOST];
	struct sources *all = context;
	double half;

	if (!all->blurred || length >= sizeof(text))
		return by > 0;
	memcpy(text, left, length);
	text[length] = '\0';
	all->blurred = 0;
	half = half_of(all, text, evaluate(all, text, UINT32_MAX, 0));
	all->blurred = 1;
	return half > 0 ? td_gauss_below(by * Z95 / half) : by > 0;
}

static double value_in(struct sources *all, const char *text)
{
	return td_formula_value(text, value_of, chance_of, all);
}

/* Of the formula on a source, towards the end of its interval where it is steeper. */
static double slope_of(struct sources *all, const char *text, double value, uint32_t i)
{
	double half = all->source[i].half;
	double up = evaluate(all, text, i, half) - value;
	/* nothing was counted less than not at all */
	double room = fmin(half, fmax(0, all->source[i].value));
	double down = value - evaluate(all, text, i, -room);

	if (!(half > 0))
		return 0;
	return (fabs(down) > fabs(up) ? down : up) / half;
}

/*
 * How far what is not known of the sources moves the result.  Batches of windows show how
 * sources go together, of one group's windows as of several groups', and all that go with
 * instructions go with one error of these.  Of what neither shows nobody knows: of one
 * group moves are added, of several in squares.
 */
static double half_of(struct sources *all, const char *text, double value)
{
	double moved[TD_GROUPS_MAX + 1] = {0}, batch[TD_BATCHES] = {0}, beside = 0;
	double square;

	for (uint32_t i = 0; i < all->n; i++) {
		const struct source *source = &all->source[i];
		double slope = slope_of(all, text, value, i);

		moved[source->group] += fabs(slope) * source->unseen;
		beside += slope * source->beside;
		for (int b = 0; b < TD_BATCHES && source->change; b++)
			batch[b] += slope * source->change[b];
	}
	all->moved = UINT32_MAX;
	square = pow(td_jackknife_half(batch), 2) + beside * beside;
	for (uint32_t g = 0; g <= NODES; g++)
		square += moved[g] * moved[g];
	return sqrt(square);
}

static unsigned df_of(const struct sources *all)
{
	uint64_t least = UINT_MAX;

	for (uint32_t i = 0; i < all->n; i++) {
		if (all->used >> all->source[i].group & 1 &&
		    all->source[i].windows < least)
			least = all->source[i].windows;
	}
	return least > 1 ? (unsigned)least - 1 : 1;
}

static double between(double value, double most)
{
	return value < 0 ? 0 : value > most ? most : value;
}

/*
 * A node is some part of its parent, any before it was measured: the mean of what lies
 * between 0 and the parent of a normal distribution about `middle`.  Where `half` is more
 * than the parent that is half of it, elsewhere hardly more than `middle` itself.
 */
static double part_of(double most, double middle, double half)
{
	double sd = half / Z95, low = -middle / sd, high = (most - middle) / sd;
	double left = td_gauss_below(high) - td_gauss_below(low);

	if (!(half > 0) || left < LEFT_LEAST)
		return between(middle, most);
	return between(middle + sd * (td_gauss_density(low) - td_gauss_density(high)) /
					left,
		       most);
}

/* What is below 0 by chance has the interval of one that is 0; what the parent leaves no
 * room for is in it as well. */
static struct td_estimate bounded(double value, double middle, double half, double bound)
{
	return (struct td_estimate){
		value,
		fmin(value, between(middle - half, bound)),
		fmax(value, between(fmax(0, middle) + half, bound)),
	};
}

static void set_node(struct sources *all, int node, struct td_topdown_value *value)
{
	const char *name = td_topdown_tree[node].name;
	const char *text = formula_of(all->family, name, strlen(name));
	int parent = td_topdown_tree[node].parent;
	double most = parent < 0 ? 1 : value[parent].estimate.value, middle, half;
	double bound = parent < 0 ? 1 : value[parent].estimate.high;

	if (!text || value[node].present || (parent >= 0 && !value[parent].present))
		return;
	all->used = 0;
	all->blurred = 1;
	middle = evaluate(all, text, UINT32_MAX, 0);
	all->blurred = 0;
	if (!isfinite(middle))
		return;
	half = half_of(all, text, evaluate(all, text, UINT32_MAX, 0));
	value[node] = (struct td_topdown_value){
		.present = 1,
		.df = df_of(all),
		.estimate = bounded(parent < 0 ? between(middle, 1)
					       : part_of(most, middle, half),
				    middle, half, bound),
	};
}

void td_groups_values(const struct td_groups_plan *plan, const struct td_file_sum *first,
		      uint64_t n, const struct td_groups *groups,
		      struct td_topdown_value value[TD_NODES])
{
	struct sources all = {.family = plan->family, .width = plan->width};

	if (!plan->family)
		return;
	bound_alone(&all, plan, groups);
	add_nodes(&all, value);
	add_events(&all, plan, first, n, groups);
	for (int node = 0; node < TD_NODES; node++)
		set_node(&all, node, value);
	td_topdown_complete(value, plan->family->over);
}

int td_groups_is_shared(const struct td_groups_plan *plan)
{
	for (uint32_t i = 0; i < plan->events; i++) {
		const char *name = plan->event[i].name;

		if (td_groups_is_asked(plan, i))
			continue;
		if (strcmp(name, "one_thread") == 0 || strcmp(name, "own_slots") == 0)
			return TD_SHARED_TIME;
		if (strcmp(name, "other_thread") == 0)
			return TD_SHARED_SLOTS;
	}
	return 0;
}

int td_groups_alone(const struct td_groups_plan *plan, const struct td_file_sum *first,
		    uint64_t n, const struct td_groups *groups, struct td_estimate *alone)
{
	struct sources all = {.family = plan->family,
			      .width = plan->width,
			      .least = least_alone(plan),
			      .most = 1};
	double half;

	if (!plan->family || !td_groups_is_shared(plan))
		return 0;
	add_events(&all, plan, first, n, groups);
	alone->value = evaluate(&all, "alone", UINT32_MAX, 0);
	if (!isfinite(alone->value))
		return 0;
	half = half_of(&all, "alone", alone->value);
	alone->low = fmax(all.least, alone->value - half);
	alone->high = fmin(1, alone->value + half);
	return 1;
}

/* The instructions a cycle of the event's group, likewise; 0: not known. */
static double told_instructions(const struct td_groups_plan *plan, uint32_t i,
				const struct td_groups *groups)
{
	for (uint32_t k = 0; k < plan->events; k++)
		if (plan->event[k].group == plan->event[i].group &&
		    td_groups_is_instructions(plan, k) && groups && groups->rate[k].known)
			return groups->rate[k].value;
	return 0;
}

/* The group's own instructions; -1: it has none. */
static int instructions_of(const struct td_groups_plan *plan, uint32_t group)
{
	int value = td_groups_value(plan, group, "inst");

	return group || value < 0 ? value : plan->first[value];
}

static struct td_estimate scaled(struct td_estimate estimate, double by)
{
	return (struct td_estimate){estimate.value * by, estimate.low * by,
				    estimate.high * by};
}

static int is_known(const struct td_groups_plan *plan, uint32_t i,
		    const struct td_file_sum *first, uint64_t n,
		    const struct td_groups *groups)
{
	return (groups && groups->rate[i].known) ||
	       has_windows(plan, i, first, n, groups);
}

static void rate_of_own(const struct td_groups_plan *plan, uint32_t i,
			const struct td_file_sum *first, uint64_t n,
			const struct td_groups *groups, struct td_event_rate *rate)
{
	uint64_t windows = n;
	const struct td_file_sum *sum = sums_of(plan, i, first, &windows, groups);
	int inst = instructions_of(plan, plan->event[i].group);
	double cycles = td_sum_value(&sum[0]) / plan->width;

	rate->per_cycle = own_rate(plan, i, first, n, groups);
	if (inst >= 0 && td_sum_value(&sum[inst]) > 0)
		rate->per_instruction =
			scaled(rate->per_cycle, cycles / td_sum_value(&sum[inst]));
}

/* How well a rate of the event is one of the function: nobody else may be in windows by
 * which it was told apart, and somebody may be in windows that nobody judged. */
enum { RATE_UNJUDGED, RATE_OWN, RATE_TOLD, RATE_ASKED };

static int rank_of(const struct td_groups_plan *plan, uint32_t i,
		   const struct td_groups *groups)
{
	if (td_groups_is_asked(plan, i))
		return RATE_ASKED;
	if (groups && groups->rate[i].known)
		return RATE_TOLD;
	return is_source(plan, i) ? RATE_OWN : RATE_UNJUDGED;
}

/* A name stands for one event: the asked one, otherwise the first of the best rank that
 * has a rate.  One that was asked for and has none yet leaves the name to the same event
 * elsewhere. */
static int is_hidden(const struct td_groups_plan *plan, uint32_t i,
		     const struct td_file_sum *first, uint64_t n,
		     const struct td_groups *groups)
{
	const struct td_file_event *event = &plan->event[i];
	int rank = rank_of(plan, i, groups);

	for (uint32_t k = 0; k < plan->events; k++) {
		const struct td_file_event *other = &plan->event[k];
		int before = rank_of(plan, k, groups) - rank;

		if (k == i || before < 0 || (!before && k > i) ||
		    strcmp(other->name, event->name) != 0)
			continue;
		if (is_known(plan, k, first, n, groups) ||
		    (before > 0 && td_groups_is_asked(plan, k) &&
		     other->config != event->config))
			return 1;
	}
	return 0;
}

/* Of a profile that does not say so, by its name: the table has none such. */
static int is_asked(const struct td_groups_plan *plan, uint32_t i)
{
	const char *name = plan->event[i].name;

	return td_groups_is_asked(plan, i) ||
	       (strcmp(name, "inst") != 0 &&
		(!plan->family || td_events_find(plan->family, name) < 0));
}

int td_groups_rate(const struct td_groups_plan *plan, uint32_t i,
		   const struct td_file_sum *first, uint64_t n,
		   const struct td_groups *groups, struct td_event_rate *rate)
{
	struct td_groups_rate from;
	double inst = told_instructions(plan, i, groups);

	if (!is_known(plan, i, first, n, groups) || is_hidden(plan, i, first, n, groups))
		return 0;
	rate->name = plan->event[i].name;
	rate->asked = is_asked(plan, i);
	rate->per_instruction.value = NAN;
	if (!told(plan, i, first, n, groups, &from)) {
		rate_of_own(plan, i, first, n, groups, rate);
		return 1;
	}
	rate->per_cycle =
		(struct td_estimate){fmax(0, from.value), fmax(0, from.value - from.half),
				     fmax(0, from.value + from.half)};
	if (inst > 0)
		rate->per_instruction = scaled(rate->per_cycle, 1 / inst);
	return 1;
}

struct given {
	const struct td_event_family *family;
	double (*rate)(void *context, const char *name, size_t length);
	void *context;
};

static double given_value(void *context, const char *name, size_t length)
{
	struct given *given = context;
	const char *text = formula_of(given->family, name, length);

	return text ? td_formula_value(text, given_value, NULL, given)
		    : given->rate(given->context, name, length);
}

double td_groups_node(const struct td_event_family *family, const char *node,
		      double (*rate)(void *context, const char *name, size_t length),
		      void *context)
{
	struct given given = {family, rate, context};

	return formula_of(family, node, strlen(node))
		       ? given_value(&given, node, strlen(node))
		       : NAN;
}
