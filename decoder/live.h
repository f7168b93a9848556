/* SPDX-License-Identifier: MIT */
/*
 * The copy of a profile that was being written while it was read.  Ended threads are
 * folded into a sum meanwhile: in the copy one may be there itself and in the sum.
 *
 * Context: normal.
 */
#ifndef TD_DECODER_LIVE_H
#define TD_DECODER_LIVE_H

#include <stddef.h>
#include <stdint.h>

/* Reads `size` bytes at `offset` of the file once more; 0, or -errno. */
typedef int td_live_read(void *context, size_t offset, void *bytes, size_t size);

/*
 * To be called when all of `bytes` has been read: makes the records free of those
 * threads that are others by now, so that none is counted twice.  A thread that was being
 * folded may then be counted not at all.  Does nothing where the program had ended, or
 * the file cannot be read again.  `bytes` may hold anything.
 */
void td_live_settle(unsigned char *bytes, size_t length, td_live_read *read,
		    void *context);

#endif
