/* SPDX-License-Identifier: MIT */
/*
 * Numbers and words as options have them.  (The other values that options have,
 * periods and file names, are for everybody: options.h.)
 *
 * Context: any; pure.
 */
#ifndef TD_DECODER_VALUES_H
#define TD_DECODER_VALUES_H

#include <stddef.h>
#include <stdint.h>

/*
 * Reads decimal digits and nothing else: no blank, no sign, no 0x.
 * Returns 0, or -EINVAL with *number unchanged (also above 64 bits).
 */
int td_number_parse(const char *text, uint64_t *number);

#define TD_SHOWN 48u /* bytes of a bad value that a message repeats */

struct td_shown {
	char text[TD_SHOWN + 4];
};

/* What a message may repeat of somebody's value: one short line. */
struct td_shown td_show(const char *value, size_t length);

/*
 * Characters to insert, delete or replace to turn `word` into `into`; SIZE_MAX
 * where that has 16 characters or more.
 */
size_t td_slips(const char *word, const char *into);
#define TD_SLIPS_MOST 2u /* two make a typing error, three another word */

#endif
