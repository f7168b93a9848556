/* SPDX-License-Identifier: MIT */
/*
 * Numbers as options have them.  (The other values that options have, periods
 * and file names, are for everybody: options.h.)
 *
 * Context: any; pure.
 */
#ifndef TD_DECODER_VALUES_H
#define TD_DECODER_VALUES_H

#include <stdint.h>

/*
 * Reads decimal digits and nothing else: no blank, no sign, no 0x.
 * Returns 0, or -EINVAL with *number unchanged (also above 64 bits).
 */
int td_number_parse(const char *text, uint64_t *number);

#endif
