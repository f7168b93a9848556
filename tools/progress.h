/* SPDX-License-Identifier: MIT */
/*
 * `tdagent run --progress`: while the program runs, one line on standard error, if that
 * is a terminal, renewed every second by a thread.  It reads the profile that the
 * program has mapped; the program does not notice.
 *
 * Context: normal; no other thread may start a child in between.
 */
#ifndef TD_TOOLS_PROGRESS_H
#define TD_TOOLS_PROGRESS_H

#include <sys/types.h>

struct td_progress;

/* NULL where standard error is no terminal, or without memory: then there is no line. */
struct td_progress *td_progress_start(pid_t pid);

/* Takes the line away; NULL does nothing. */
void td_progress_stop(struct td_progress *progress);

#endif
