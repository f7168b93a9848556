// SPDX-License-Identifier: MIT
/* From what was read to counters: windows of the log, and raw totals. */
#include "decoder/windows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/order.h"
#include "decoder/registers.h"

#define REGISTERS 3u /* slots and the two halves of PERF_METRICS */

/* Windows that lack slots: with so much less than they asked for, one in so many; of
 * shorter ones nobody knows. */
#define LESS 0.8
#define LESS_FEW 50
#define LENGTH_SURE 100

/* What the agent corrected in its sums, by the names of the counters. */
static void find_correction(const struct td_profile *profile,
			    struct td_correction *correction)
{
	int dropping = td_profile_counter(profile, "uop_dropping");
	int clears = td_profile_counter(profile, "clears_count");

	*correction = (struct td_correction){
		.uop_dropping = dropping > 0 ? (uint32_t)dropping : 0,
		.clears = clears > 0 ? (uint32_t)clears : 0,
		.clear_slots = profile->header.slots_a_cycle,
	};
}

static uint32_t fields_of(const struct td_profile *profile)
{
	return profile->header.level > 1 ? TD_FIELDS : TD_FIELDS_LEVEL1;
}

void td_windows_correct_total(const struct td_profile *profile, uint64_t *total)
{
	uint32_t fields = fields_of(profile);
	struct td_correction correction;

	if (!profile->header.raw_totals || profile->header.counters < 1 + fields)
		return;
	for (uint32_t i = 1; i <= fields; i++)
		total[i] = td_registers_from_units(total[i]);
	find_correction(profile, &correction);
	td_registers_correct(&correction, fields, total);
}

static uint64_t metrics_of(const struct td_file_window *window)
{
	return window->value[1] | (uint64_t)window->value[2] << 32;
}

/* Nothing corrected yet.  How many counters; 0: no possible reading. */
static uint32_t from_registers(const struct td_profile *profile,
			       const struct td_file_window *window, uint64_t *value)
{
	const struct td_file_header *header = &profile->header;
	uint32_t fields = fields_of(profile);
	uint32_t extras;

	if (header->counters < 1 + fields)
		return 0;
	extras = header->counters - 1 - fields;
	if (extras > TD_WINDOW_VALUES - REGISTERS)
		extras = TD_WINDOW_VALUES - REGISTERS;
	value[0] = window->value[0];
	if (!td_registers_decode(value[0], metrics_of(window), fields, value + 1))
		return 0;
	for (uint32_t i = 0; i < extras; i++)
		value[1 + fields + i] = window->value[REGISTERS + i];
	return 1 + fields + extras;
}

/* As it was logged. */
static uint32_t values_of(const struct td_profile *profile,
			  const struct td_file_window *window, uint64_t *value)
{
	uint32_t n = profile->header.counters;

	memset(value, 0, TD_COUNTERS_MAX * sizeof(*value));
	if (profile->header.backend == TD_BACKEND_METRICS)
		return from_registers(profile, window, value);
	if (n > TD_WINDOW_VALUES)
		n = TD_WINDOW_VALUES;
	for (uint32_t i = 0; i < n; i++)
		value[i] = profile->header.backend == TD_BACKEND_EVENTS
				   ? (uint64_t)(int64_t)(int32_t)window->value[i]
				   : window->value[i];
	return n;
}

uint32_t td_profile_window_values(const struct td_profile *profile,
				  const struct td_file_window *window,
				  uint64_t value[TD_COUNTERS_MAX])
{
	uint32_t n = values_of(profile, window, value);
	struct td_correction correction;

	if (n && profile->header.backend == TD_BACKEND_METRICS) {
		find_correction(profile, &correction);
		td_registers_correct(&correction, fields_of(profile), value);
	}
	return n;
}

uint32_t td_profile_window_unrounded(const struct td_profile *profile,
				     const struct td_file_window *window,
				     double value[TD_COUNTERS_MAX])
{
	uint64_t whole[TD_COUNTERS_MAX];
	uint32_t n = values_of(profile, window, whole), fields = fields_of(profile);
	struct td_correction correction;

	for (uint32_t i = 0; i < TD_COUNTERS_MAX; i++)
		value[i] = (double)(int64_t)whole[i];
	if (!n || profile->header.backend != TD_BACKEND_METRICS)
		return n;
	td_registers_decode_parts(whole[0], metrics_of(window), fields, value + 1);
	find_correction(profile, &correction);
	td_registers_correct_parts(&correction, fields, value);
	return n;
}

/* Cycles of ours in a window, by the empty ones; negative: there are none. */
static double own_cycles(const struct td_profile *profile)
{
	double empties = 0, slots = 0;

	for (size_t i = 0; i < profile->threads; i++) {
		empties += (double)profile->thread[i]->empties;
		slots += (double)profile->thread[i]->empty[0];
	}
	return empties > 0 ? slots / empties / profile->header.slots_a_cycle : -1;
}

int td_profile_lacks_slots(const struct td_profile *profile, double *own)
{
	const struct td_file_header *header = &profile->header;
	size_t windows = 0, less = 0;

	if (header->backend != TD_BACKEND_METRICS || !header->slots_a_cycle ||
	    header->period_unit != TD_UNIT_CYCLES)
		return 0;
	*own = fmax(0, own_cycles(profile));
	for (size_t i = 0; i < profile->windows; i++) {
		const struct td_file_window *w = profile->window[i].window;

		if (!td_window_is_used(w) || w->requested < LENGTH_SURE)
			continue;
		windows++;
		/* as it was read: behind edges our own cycles, with those of the way to
		 * the program, are most of what was asked for */
		less += (double)w->value[0] / header->slots_a_cycle < LESS * w->requested;
	}
	return less * LESS_FEW > windows;
}

double td_profile_skid(const struct td_profile *profile)
{
	const struct td_file_header *header = &profile->header;
	double own, median, *late;
	size_t n = 0;

	if ((header->backend != TD_BACKEND_METRICS &&
	     header->backend != TD_BACKEND_EVENTS) ||
	    !header->slots_a_cycle || header->period_unit != TD_UNIT_CYCLES)
		return -1;
	own = own_cycles(profile);
	late = own < 0 ? NULL : calloc(profile->windows + 1, sizeof(*late));
	if (!late)
		return -1;
	for (size_t i = 0; i < profile->windows; i++) {
		const struct td_file_window *w = profile->window[i].window;

		if (td_window_is_used(w))
			late[n++] = (double)w->value[0] / header->slots_a_cycle -
				    w->requested - own;
	}
	qsort(late, n, sizeof(*late), td_by_double);
	median = n ? late[n / 2] : -1;
	free(late);
	return median;
}
