/* SPDX-License-Identifier: MIT */
/*
 * Arrays that grow by one: room for so many elements is made that only how many are
 * used need be known.
 *
 * Context: normal.
 */
#ifndef TD_DECODER_RESERVE_H
#define TD_DECODER_RESERVE_H

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TD_RESERVE_FIRST 16u /* a power of two */

/*
 * Makes room for one more element behind the `used` ones of *array, which begins as NULL
 * and is the caller's to free.  `array` is the address of a pointer to elements.  Returns
 * 0, or -ENOMEM with the array as it was.
 */
static inline int td_reserve(void *array, size_t used, size_t element)
{
	void *more;

	if (used && (used & (used - 1) || used < TD_RESERVE_FIRST))
		return 0;
	memcpy(&more, array, sizeof(more)); /* whatever it points to */
	more = reallocarray(more, used ? 2 * used : TD_RESERVE_FIRST, element);
	if (!more)
		return -ENOMEM;
	memcpy(array, &more, sizeof(more));
	return 0;
}

#endif
