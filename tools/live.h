/* SPDX-License-Identifier: MIT */
/*
 * The profile of a running process: the file that it has mapped.  Nothing is sent
 * to the process, it is not stopped, and it does not notice.  Context: normal.
 */
#ifndef TD_TOOLS_LIVE_H
#define TD_TOOLS_LIVE_H

#include <stddef.h>
#include <sys/types.h>

#define TD_LIVE_PATH 4352

/*
 * Writes to `path` (TD_LIVE_PATH bytes) where the profile of process `pid` is; where
 * it has none, that of its first child that has one, as `tdagent run` does.
 * Returns 0, or -errno with `why`: one line.
 */
int td_live_find(pid_t pid, char *path, char *why, size_t size);

#endif
