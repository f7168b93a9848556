/* SPDX-License-Identifier: MIT */
/*
 * Where libtdagent.so is: in the build tree that this command was built in,
 * next to the directory it is installed in, or in the configured libdir.
 *
 * Context: normal.
 */
#ifndef TD_TOOLS_LIBRARY_H
#define TD_TOOLS_LIBRARY_H

#include <stddef.h>

/*
 * Writes the absolute path to `path`, and the places searched to `why` if
 * there is none.  Returns 0, or -ENOENT, or -EINVAL for a path that LD_PRELOAD
 * cannot hold (it has a colon or a blank); then `why` is one line.
 */
int td_library_find(char *path, size_t size, char *why, size_t why_size);

#endif
