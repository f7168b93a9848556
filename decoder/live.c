// SPDX-License-Identifier: MIT
#include "decoder/live.h"

#include <string.h>

#include "decoder/format.h"

static int is_same(const struct td_file_thread *then, const struct td_file_thread *now)
{
	/* sums begin earlier as they grow */
	if (then->state == TD_THREAD_FOLDED)
		return 1;
	return now->state != TD_THREAD_FREE && now->state != TD_THREAD_FOLDED &&
	       then->tid == now->tid && then->start_ns == now->start_ns;
}

static void settle_block(unsigned char *then, const unsigned char *now, size_t stride)
{
	for (size_t at = TD_BLOCK_HEADER; at + stride <= TD_BLOCK_SIZE; at += stride) {
		struct td_file_thread old, new;

		memcpy(&old, then + at, sizeof(old));
		memcpy(&new, now + at, sizeof(new));
		if (old.state == TD_THREAD_FREE || is_same(&old, &new))
			continue;
		old.state = TD_THREAD_FREE;
		memcpy(then + at, &old, sizeof(old));
	}
}

void td_live_settle(unsigned char *bytes, size_t length, td_live_read *read,
		    void *context)
{
	struct td_file_header header;
	struct td_file_block head;
	unsigned char again[TD_BLOCK_SIZE];

	if (length < TD_HEADER_BLOCKS * TD_BLOCK_SIZE)
		return;
	memcpy(&header, bytes, sizeof(header));
	if (header.state != TD_STATE_RUNNING ||
	    header.thread_size < sizeof(struct td_file_thread))
		return;
	for (size_t at = (header.version > 4 ? TD_HEADER_BLOCKS : 1) * TD_BLOCK_SIZE;
	     at + TD_BLOCK_SIZE <= length; at += TD_BLOCK_SIZE) {
		memcpy(&head, bytes + at, sizeof(head));
		if (head.kind != TD_BLOCK_THREADS)
			continue;
		if (read(context, at, again, sizeof(again)) != 0)
			return;
		settle_block(bytes + at, again, header.thread_size);
	}
}
