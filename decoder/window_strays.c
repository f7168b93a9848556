// SPDX-License-Identifier: MIT
#include "decoder/window_strays.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "decoder/order.h"

#define FAR 100. /* cycles */
#define DEVIATIONS 20.
#define FEW 50           /* of so many windows one at most */
#define OF_NORMAL 1.4826 /* standard deviations for a median deviation of 1 */

static double median(double *value, size_t n)
{
	qsort(value, n, sizeof(*value), td_by_double);
	return value[n / 2];
}

static int is_empty(const struct td_file_window *w)
{
	return w->state == TD_WINDOW_EMPTY;
}

/* Other groups have other costs. */
static int has_length(const struct td_file_window *w)
{
	return !w->group && (is_empty(w) || w->requested > 0);
}

/* Value 0 is slots, also of registers that are not decoded. */
static double beyond(const struct td_profile *profile, const struct td_file_window *w)
{
	return (double)w->value[0] / profile->header.slots_a_cycle -
	       (is_empty(w) ? 0. : w->requested);
}

/* Above that is a stray; `value` has room for all windows. */
static double find_limit(const struct td_profile *profile, int empty, double *value)
{
	double middle;
	size_t n = 0;

	for (size_t i = 0; i < profile->windows; i++) {
		const struct td_file_window *w = profile->window[i].window;

		if (has_length(w) && is_empty(w) == empty)
			value[n++] = beyond(profile, w);
	}
	if (!n)
		return INFINITY;
	middle = median(value, n);
	for (size_t i = 0; i < n; i++)
		value[i] = fabs(value[i] - middle);
	return middle + DEVIATIONS * OF_NORMAL * median(value, n) + FAR;
}

/* Where a window was opened.  All that has ended and is one record now has one `thread`:
 * nobody knows whose it was. */
struct key {
	const struct td_file_object *object;
	uint64_t address;
	uint32_t kind, group, thread;
	int folded;
	size_t place;
};

static int by_key(const void *a, const void *b)
{
	const struct key *x = a, *y = b;
	int order = td_order((uintptr_t)x->object, (uintptr_t)y->object)
			    ?: td_order(x->address, y->address)
			    ?: td_order(x->kind, y->kind)
			    ?: td_order(x->group, y->group);

	return order ?: td_order(x->folded, y->folded) ?: td_order(x->thread, y->thread);
}

static struct key *sort_places(const struct td_profile *profile)
{
	struct key *key = malloc((profile->places + 1) * sizeof(*key));

	for (size_t i = 0; key && i < profile->places; i++) {
		const struct td_profile_place *at = &profile->place[i];
		int folded = at->thread->state == TD_THREAD_FOLDED;

		key[i] = (struct key){.object = at->object,
				      .address = at->place->address,
				      .kind = at->place->kind,
				      .group = at->place->group,
				      .thread = folded ? 0 : at->thread->tid,
				      .folded = folded,
				      .place = i};
	}
	if (key && profile->places)
		qsort(key, profile->places, sizeof(*key), by_key);
	return key;
}

/* The place whose sums have it, or NULL. */
static const struct td_profile_place *find_place(const struct td_profile *profile,
						 const struct key *places,
						 const struct td_profile_window *window)
{
	const struct td_file_window *w = window->window;
	struct key key = {.object = window->object[0],
			  .address = w->end[0].address,
			  .kind = w->kind[0],
			  .group = w->group,
			  .thread = w->thread};
	const struct key *found = NULL;

	for (key.folded = 0; key.folded < 2 && !found && profile->places; key.folded++) {
		key.thread = key.folded ? 0 : w->thread;
		found = bsearch(&key, places, profile->places, sizeof(key), by_key);
	}
	return found ? &profile->place[found->place] : NULL;
}

static void take_empty(struct td_file_thread *thread, const uint64_t *value, uint32_t n)
{
	if (!thread->empties)
		return;
	thread->empties--;
	for (uint32_t i = 0; i < n; i++)
		thread->empty[i] -= value[i];
}

/* As it was added (agent/sigsafe/sums.h): corrected values may be below zero. */
static void take_sums(struct td_file_sum *sum, const uint64_t *value, uint32_t n)
{
	double divisor = (double)(int64_t)value[0];

	for (uint32_t i = 0; i < n; i++) {
		double x = (double)(int64_t)value[i];

		sum[i].sum -= value[i];
		sum[i].squares = fmax(sum[i].squares - x * x, 0);
		sum[i].cross -= x * divisor;
	}
}

/* Out of its place and thread, which may be about to count it. */
static void take_out(const struct td_profile *profile, const struct td_profile_place *at,
		     const struct td_file_window *w)
{
	struct td_file_place *place = (struct td_file_place *)(uintptr_t)at->place;
	struct td_file_thread *thread = (struct td_file_thread *)(uintptr_t)at->thread;
	uint64_t value[TD_COUNTERS_MAX];
	uint32_t n = td_profile_window_values(profile, w, value);

	if (is_empty(w)) {
		take_empty(thread, value, n);
		return;
	}
	if (w->reject == TD_REJECT_MAX) {
		if (!n || !place->windows || !thread->windows)
			return;
		place->windows--;
		thread->windows--;
		take_sums(place->sum, value, n);
	} else {
		if (!place->rejected[w->reject] || !thread->rejected[w->reject])
			return;
		place->rejected[w->reject]--;
		thread->rejected[w->reject]--;
	}
	place->rejected[TD_REJECT_STRAY]++;
	thread->rejected[TD_REJECT_STRAY]++;
}

static int is_above(const struct td_profile *profile, const struct td_file_window *w,
		    const double limit[2])
{
	return has_length(w) && beyond(profile, w) > limit[is_empty(w)];
}

/* Where an instruction takes tens of cycles windows end late by hundreds, some of many
 * that are hardly late.  Strays are exceptions; of slots they are told from others
 * whatever their number. */
static int is_usual(const struct td_profile *profile, const double limit[2])
{
	size_t n = 0;

	if (td_profile_counter(profile, "slots") == 0)
		return 0;
	for (size_t i = 0; i < profile->windows; i++)
		n += (size_t)is_above(profile, profile->window[i].window, limit);
	return n * FEW > profile->windows;
}

static int reject_above(struct td_profile *profile, const double limit[2])
{
	struct key *places = NULL;

	for (size_t i = 0; i < profile->windows; i++) {
		const struct td_profile_window *window = &profile->window[i];
		struct td_file_window *w =
			(struct td_file_window *)(uintptr_t)window->window;
		const struct td_profile_place *at;

		if (!is_above(profile, w, limit))
			continue;
		if (!places)
			places = sort_places(profile);
		if (!places)
			return -ENOMEM;
		at = find_place(profile, places, window);
		if (at)
			take_out(profile, at, w);
		w->reject = TD_REJECT_STRAY;
		profile->strays++;
	}
	free(places);
	return 0;
}

int td_window_strays(struct td_profile *profile)
{
	const struct td_file_header *header = &profile->header;
	double limit[2], *value;

	if (!profile->windows || !header->slots_a_cycle ||
	    header->period_unit != TD_UNIT_CYCLES ||
	    (header->backend != TD_BACKEND_METRICS &&
	     header->backend != TD_BACKEND_EVENTS) ||
	    !td_profile_counts_lengths(profile))
		return 0;
	value = malloc(profile->windows * sizeof(*value));
	if (!value)
		return -ENOMEM;
	for (int empty = 0; empty < 2; empty++)
		limit[empty] = find_limit(profile, empty, value);
	free(value);
	return is_usual(profile, limit) ? 0 : reject_above(profile, limit);
}

int td_window_is_cold(const struct td_profile *profile, size_t window)
{
	const struct td_file_window *first = profile->window[0].window;

	if (window || first->state != TD_WINDOW_EMPTY)
		return 0;
	for (size_t i = 1; i < profile->windows; i++) {
		const struct td_file_window *w = profile->window[i].window;

		if (w->state == TD_WINDOW_EMPTY && w->reject == TD_REJECT_MAX &&
		    w->group == first->group)
			return 1;
	}
	return 0;
}
