// SPDX-License-Identifier: MIT
/* What functions' own windows counted, with what all windows count (separate.h). */
#include <math.h>

#include "decoder/separate_state.h"

static void add(struct td_separate_own *own, double cycles, double count, double common)
{
	own->n++;
	own->cycles += cycles;
	own->count += count;
	own->common += common;
	own->with_cycles[0] += cycles * cycles;
	own->with_cycles[1] += cycles * count;
	own->with_cycles[2] += cycles * common;
	own->count_count += count * count;
	own->count_common += count * common;
	own->common_common += common * common;
}

static void note_pieces(const struct td_separate_state *s)
{
	for (uint32_t c = 1; c < s->columns.columns; c++) {
		uint32_t function = s->columns.function[c];

		if (function != TD_NO_FUNCTION && function == s->columns.function[c - 1])
			s->trace[function].own.pieces = 1;
	}
}

/* As they were counted: what window_common.c takes off goes with instructions. */
void td_separate_add_own(const struct td_separate_state *s)
{
	const unsigned node = s->input->traced - 1;
	const double width = s->axis.width, cost = s->at.shared[0][node];

	for (size_t i = 0; i < s->input->windows && s->input->common; i++) {
		const struct td_separate_window *w = &s->input->window[i];
		struct td_separate_own *own = &s->trace[w->open].own;
		double length = td_axis_length(&s->axis, w);
		double cycles = length - td_axis_lost(&s->axis, length);
		double common = s->input->common[i] / width;

		if (w->empty || w->silent || isnan(common) || cycles <= 0 ||
		    !td_axis_counts(&s->axis, w) ||
		    !td_columns_own(&s->columns, s->input, &s->axis, i))
			continue;
		add(own, cycles, s->given->window[i].value[node] / width - cost, common);
		own->read = td_axis_least(&s->axis, w->slots / width);
		own->cost = s->axis.cost_error;
	}
	note_pieces(s);
}
