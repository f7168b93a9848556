/* SPDX-License-Identifier: MIT */
/*
 * A program run in our place: it shares our process group, so that the
 * terminal reaches it as if it had been started alone, and gets the signals
 * that somebody sends to us.
 *
 * Context: normal.  One child at a time: the signal handler has one pid.
 */
#ifndef TD_TOOLS_CHILD_H
#define TD_TOOLS_CHILD_H

#include <sys/types.h>

/*
 * Starts `path` with `argv` and the environment as it is, plus the
 * NAME=VALUE strings of `settings` (NULL-terminated, kept until exec).
 * Returns the pid; or -errno of fork or exec.
 */
pid_t td_child_start(const char *path, char *const argv[], char *const settings[]);

/*
 * The same, but before the exec the child waits until attach(pid) has returned; where
 * that is not 0 it ends without an exec, and the result is attach's.
 */
pid_t td_child_start_held(const char *path, char *const argv[], char *const settings[],
			  int (*attach)(pid_t pid));

/* To be called once td_child_wait() is not: the child has ended. */
void td_child_ended(void);

/*
 * Waits for its end and returns the wait status.  Signals that a process sends
 * to us go to the child; while the child is stopped, so are we.
 */
int td_child_wait(pid_t pid);

/* Ends this process as the child ended: same status or same signal. */
void td_child_follow(int status) __attribute__((noreturn));

#endif
