/* SPDX-License-Identifier: MIT */
/*
 * What the report is to say, in lines of the profile's header.  td_core_note() in core.h
 * adds one.  Context: normal.
 */
#ifndef TD_CORE_NOTES_H
#define TD_CORE_NOTES_H

#include "decoder/format.h"

/*
 * A profile begins: what was noted before there was one, in this process or in those
 * that it was forked from, goes into its header.  How many have no room there is the last
 * note.
 */
void td_notes_begin(struct td_file_header *header);

#endif
