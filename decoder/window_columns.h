/* SPDX-License-Identifier: MIT */
/*
 * What gets unknowns of its own: part of separate.c.  A function with enough windows
 * is a column; one that behaves differently in different places is cut into some,
 * so that each of them counts with its share of the samples, however many windows
 * stayed inside it.  The functions with fewest windows are one column together.
 *
 * Context: any; no globals.
 */
#ifndef TD_DECODER_WINDOW_COLUMNS_H
#define TD_DECODER_WINDOW_COLUMNS_H

#include "decoder/window_axis.h"

#define TD_NO_FUNCTION UINT32_MAX

struct td_columns {
	uint32_t columns;
	uint32_t *open, *close; /* [windows]: the columns of its ends */
	uint32_t *function;     /* [columns]; TD_NO_FUNCTION: several */
	double *ends;           /* [columns]: windows that open there or close there */
	/* [columns]: in longer windows it may be left and entered again without a return,
	 * so that none of those is its own */
	float *alone;
	/* [columns]: variance, for each cycle squared, that own windows' counts have
	 * though their scatter does not show it (window_common.h); NULL: none */
	const double *doubt;
	/* [columns]: variance of what is not known of how late interrupts are there,
	 * cycles squared (td_late.doubt); NULL: it is to be left as it is */
	const double *late_doubt;
	/* [columns]: a window in which nobody counted returns, no longer than this and
	 * with the column at both ends, has not left it: those that came back took longer
	 */
	float *back;
};

/* 0 or -ENOMEM; free in either case. */
int td_columns_find(struct td_columns *columns, const struct td_separate_input *input,
		    const struct td_axis *axis);
void td_columns_free(struct td_columns *columns);

/* 1 if returns and ends can tell whether all of the window was in one column, were it
 * so. */
int td_columns_can_tell(const struct td_columns *columns,
			const struct td_separate_input *input, const struct td_axis *axis,
			size_t window);

/* 1 if all of the window was in one column, as far as returns and ends tell. */
int td_columns_own(const struct td_columns *columns,
		   const struct td_separate_input *input, const struct td_axis *axis,
		   size_t window);

#endif
