/* SPDX-License-Identifier: MIT */
/*
 * Which windows are a key, of window_rows.h or clock.h: part of separate.c.
 *
 * Windows that open in one column are a key; where many do, those that open at places
 * next to each other are one each.  Where in a visit a window has opened says when it
 * leaves that visit, so windows of a key differ less, in what they count as in where they
 * end, and what is chance in one key's times is less of them.  The same for windows that
 * close there, backwards.  doc/estimates.md, "Keys".
 *
 * Context: any; no globals.
 */
#ifndef TD_DECODER_WINDOW_KEYS_H
#define TD_DECODER_WINDOW_KEYS_H

#include "decoder/window_columns.h"

struct td_keys {
	uint32_t *open, *close; /* [windows]: keys; not of those that are empty */
	uint32_t *column;       /* [keys]: those of one next to each other */
	uint32_t forward;       /* so many are of windows that open, the rest of those
				   that close */
	uint32_t keys;
	uint8_t *many; /* [keys]: it has windows enough for a place of its own, and they
			  may be cut by place */
};

/* Whether places help where windows are told apart by lengths. */
int td_keys_are_cut(const struct td_separate_input *input, const struct td_axis *axis);

/* cut: by places, not by columns alone.  0 or -ENOMEM; free in either case. */
int td_keys_find(struct td_keys *keys, const struct td_separate_input *input,
		 const struct td_columns *columns, int cut);
void td_keys_free(struct td_keys *keys);

#endif
