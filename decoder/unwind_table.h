/* SPDX-License-Identifier: MIT */
/*
 * What a function is, to the agent and to those who check it: an entry in an
 * object's table of unwind information.
 *
 * Context: any, signal handlers included.
 */
#ifndef TD_DECODER_UNWIND_TABLE_H
#define TD_DECODER_UNWIND_TABLE_H

#include <stdbool.h>
#include <stdint.h>

/* [start, end) of addresses */
struct td_range {
	uint64_t start;
	uint64_t end;
};

/*
 * Searches the table of an .eh_frame_hdr section at `hdr` for `ip`; nothing
 * outside `limits` is read.  Returns true if a function covers ip; otherwise
 * false with `range` the gap around it, or 0..0 if there is no usable table.
 * The code itself is not read: tables may be searched in a copy of the object.
 */
bool td_unwind_table_find(const void *hdr, struct td_range limits, uint64_t ip,
			  struct td_range *range);

#endif
