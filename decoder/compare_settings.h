/* SPDX-License-Identifier: MIT */
/*
 * Whether two sides were measured alike.  Context: normal; no globals, no output.
 */
#ifndef TD_DECODER_COMPARE_SETTINGS_H
#define TD_DECODER_COMPARE_SETTINGS_H

#include "decoder/compare.h"

/* Why the two cannot be compared, one line to be freed; NULL: they can. */
char *td_compare_refusal(const struct td_compare_side side[2]);

/* The unit of all periods of that side (enum td_unit), or -1. */
int td_compare_unit(const struct td_report *report);

/*
 * Whether the runs of both sides took turns: only then what runs differ by has
 * had its chance on both sides alike.  Two runs cannot.
 */
int td_compare_alternating(const struct td_compare_side side[2]);

/* Adds what the reader must know of their differences.  0 or -ENOMEM. */
int td_compare_notes(struct td_compare *compare, const struct td_compare_side side[2]);

#endif
