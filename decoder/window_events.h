/* SPDX-License-Identifier: MIT */
/*
 * Windows sorted by how often the program called or returned in them: part of
 * separate.c.
 *
 * Where edges are large and random, nobody knows when in a window the program started:
 * its length is a clock that shows the wrong time.  Calls and returns are another
 * one, which stands still during edges.  Windows that open in g and hold k of them
 * end in the k-th visit after the one in g; how many end where, all lengths together, is
 * how long those visits are.  doc/estimates.md, "By calls and returns".
 *
 * The rows are like those of window_rows.h: a key for each column that windows open
 * in, a bin for each k.
 *
 * Context: any; no globals.
 */
#ifndef TD_DECODER_WINDOW_EVENTS_H
#define TD_DECODER_WINDOW_EVENTS_H

#include "decoder/window_ends.h"
#include "decoder/window_rows.h"

#define TD_EVENTS_LENGTHS 24

struct td_events {
	struct td_rows rows; /* only rows of TD_ROW_ALL; bins hold windows that the
				program has started in */
	uint32_t *events;    /* [bins]: k */
	uint32_t *still;     /* [bins]: behind the bin's windows, up to here: those in
				which it cannot have started */
	double *count; /* like rows.time: windows that end there, less those in which
			  the program has not started */
	/* [keys]: all windows that open there, by batch: the program may have started in
	 * them, or cannot have */
	struct td_events_opened {
		uint32_t started[TD_BATCHES], still[TD_BATCHES];
	} * opened;
	double *visit;  /* [columns]: cycles from one event to the next, mean */
	uint8_t *known; /* [columns]: windows say so, and it is not cut off by their
			   lengths */
	uint8_t *jumps; /* [columns]: entered or left without a call or return */
	const uint32_t *open,
		*close; /* [windows of the input]: columns; or the other way round */
	const struct td_ends *ends; /* must be there as long as this is */
	const uint8_t *late; /* [windows of the input]: `close` is before an event that it
				counted; backwards, before one more */
	int more;            /* events of such a window beyond those that it counted */
	double wait;         /* cycles from a trigger to its interrupt, mean */
	double shortest, longest; /* requested lengths of the windows that count */
	int visits_only; /* no edges: lengths are the better clock, there are no rows */
	/* What a window counts for by its length: those from `from` on to the next one's.
	 * 1 on average; 1 for all where lengths are equally frequent. */
	struct td_events_length {
		double from, weight;
	} length[TD_EVENTS_LENGTHS];
};

/*
 * From the input's windows that are not empty.  No keys where the assumptions do not hold
 * (no counter of events; edges and lengths that are not equally frequent).  0 or -ENOMEM;
 * free in either case.
 */
int td_events_build(struct td_events *events, const struct td_separate_input *input,
		    const struct td_axis *axis, const struct td_columns *columns,
		    const struct td_ends *ends, int backward);

/* Finds the visits and fills all rows, their variances included, without the windows of a
 * batch (TD_NO_BATCH: with all).  0 or -ENOMEM. */
int td_events_fill(struct td_events *events, unsigned without);

void td_events_free(struct td_events *events);

#endif
