/* SPDX-License-Identifier: MIT */
/*
 * Writes JSON, indented: each value on a line of its own but in flat ones.  A key is
 * NULL for an element of an array.  Errors of writing are left in the stream.
 *
 * Context: normal.
 */
#ifndef TD_TOOLS_JSON_H
#define TD_TOOLS_JSON_H

#include <stdint.h>
#include <stdio.h>

#include "decoder/topdown.h"

/* At the beginning zero but for `out` and first = 1. */
struct td_json {
	FILE *out;
	int depth;
	int first; /* no comma before the next value */
	int flat;  /* what is open at this depth goes on one line; 0: nothing */
};

/* bracket: '{' or '[', and its other half. */
void td_json_open(struct td_json *json, const char *key, char bracket);
void td_json_close(struct td_json *json, char bracket);

/* Clean text (decoder/text.h); NULL is "". */
void td_json_clean(struct td_json *json, const char *key, const char *text);
/* Up to `size` bytes of any text. */
void td_json_text(struct td_json *json, const char *key, const char *text, size_t size);
void td_json_count(struct td_json *json, const char *key, uint64_t value);
/* A sum of corrected counts, which may be below zero. */
void td_json_sum(struct td_json *json, const char *key, uint64_t value);
/* Nothing for what is not bounded, which JSON cannot say. */
void td_json_number(struct td_json *json, const char *key, double value);
void td_json_bool(struct td_json *json, const char *key, int value);
/* "0x12" */
void td_json_hex(struct td_json *json, const char *key, uint64_t value);
/* {"value", "low", "high"} */
void td_json_estimate(struct td_json *json, const char *key,
		      const struct td_estimate *estimate);
/* "topdown" of the nodes that are present and "bottleneck", if there are any. */
void td_json_topdown(struct td_json *json, const struct td_topdown_value value[TD_NODES]);

#endif
