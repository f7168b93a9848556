/* SPDX-License-Identifier: MIT */
/*
 * The labels of a profile, as TDAGENT_LABELS and the file have them:
 * "rank=3,version=1.2".  A key is of letters, digits and _ and begins with no
 * digit; a value is without commas and control characters.
 *
 * Context: any.  Pure functions.
 */
#ifndef TD_DECODER_LABEL_LIST_H
#define TD_DECODER_LABEL_LIST_H

#include <stddef.h>

#define TD_LABEL_LIST_MAX 32u /* labels */
#define TD_LABEL_LIST_KEY 512 /* bytes that the longest key has room in, with a NUL */

struct td_label_text {
	const char *key, *value; /* in the list, which has no NUL behind them */
	size_t key_length, value_length;
};

/*
 * Takes the list's next label and moves *list behind it.  1, 0 at the end, or -1 for
 * one that is none, with `label` from its beginning to its end in key.
 */
int td_label_list_next(const char **list, struct td_label_text *label);

/* 1 if both have the same key. */
int td_label_list_same_key(const struct td_label_text *a, const struct td_label_text *b);

/* 1 if the list has that key before this one of its labels, which then does not count. */
int td_label_list_repeats(const char *list, const struct td_label_text *label);

#endif
