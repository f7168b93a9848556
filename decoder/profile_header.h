/* SPDX-License-Identifier: MIT */
/*
 * The header of a profile of any version, as that of this one: part of profile.c.
 *
 * Context: normal; no globals, no output.
 */
#ifndef TD_DECODER_PROFILE_HEADER_H
#define TD_DECODER_PROFILE_HEADER_H

#include <stddef.h>
#include <stdint.h>

#include "decoder/format.h"

/*
 * Copies the header of `length` bytes of a file, made fit to be shown; *first is the
 * first block of records.  Returns 0, or -EINVAL with one line in `why` for what is no
 * profile that can be read.
 */
int td_profile_header(struct td_file_header *header, uint32_t *first,
		      const unsigned char *bytes, size_t length, char *why, size_t size);

#endif
