/* SPDX-License-Identifier: MIT */
/*
 * The directory for profiles: ${TMPDIR:-/tmp}/tdagent-UID, ours alone.  Other
 * users may write to its parent, so it is used only if it is a real directory
 * that belongs to us and is closed to everybody else.
 *
 * Context: normal.
 */
#ifndef TD_TOOLS_DIRECTORY_H
#define TD_TOOLS_DIRECTORY_H

#include <stddef.h>

/*
 * Makes the directory if it is missing and writes its absolute path.
 * Returns 0, or -errno with `why`: one line that names the directory.
 */
int td_directory_private(char *path, size_t size, char *why, size_t why_size);

/* Likewise a new directory in it, named after `name`. */
int td_directory_fresh(const char *name, char *path, size_t size, char *why,
		       size_t why_size);

#endif
