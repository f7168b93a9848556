/* SPDX-License-Identifier: MIT */
/*
 * The profiles that a run left in a directory, told by their headers.
 *
 * Context: normal.
 */
#ifndef TD_TOOLS_FOUND_H
#define TD_TOOLS_FOUND_H

#include <stddef.h>
#include <stdint.h>

struct td_found_profile {
	char *path;
	uint32_t pid;
	uint64_t start; /* CLOCK_REALTIME, ns */
};

struct td_found {
	struct td_found_profile *profiles; /* oldest first */
	size_t count;
};

/*
 * Lists the profiles in `directory` that were begun at or after `since`
 * (CLOCK_REALTIME, ns); other files are passed over.  Returns 0 or -errno with
 * `found` empty.  td_found_release() frees it.
 */
int td_found_list(const char *directory, uint64_t since, struct td_found *found);
void td_found_release(struct td_found *found);

#endif
