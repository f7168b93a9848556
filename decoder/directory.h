/* SPDX-License-Identifier: MIT */
/*
 * The private directory in which profiles are by default; agent and tools must
 * agree on it.  Nothing is made, looked at or asked for here.
 *
 * Context: any; pure functions.
 */
#ifndef TD_DECODER_DIRECTORY_H
#define TD_DECODER_DIRECTORY_H

#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

/* Its path below `parent` (TMPDIR; NULL or "": /tmp).  0 or -ENAMETOOLONG. */
int td_directory_path(const char *parent, uid_t user, char *path, size_t size);

/* What makes it not the user's alone, as "is a symbolic link"; NULL: it is. */
const char *td_directory_fault(const struct stat *stat, uid_t user);

#endif
