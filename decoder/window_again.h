/* SPDX-License-Identifier: MIT */
/*
 * Visits that go on: part of separate.c.
 *
 * A visit is from one call or return to the next.  A function that calls itself stays
 * where it is across that: as long as nobody else runs, all that a window holds is its
 * own, however short each visit.
 *
 * Context: any; no globals.
 */
#ifndef TD_DECODER_WINDOW_AGAIN_H
#define TD_DECODER_WINDOW_AGAIN_H

#include "decoder/window_columns.h"
#include "decoder/window_events.h"

/*
 * Of the visits of each column that another visit follows, the part of which that is one
 * of the same function, 0 or more and below 1, into again[columns]: by windows with one
 * event.  0 where few windows tell, or visits are not known.  td_events_fill() comes
 * before.
 */
void td_again_find(const struct td_events *events, const struct td_columns *columns,
		   double *again);

#endif
