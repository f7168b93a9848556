/* SPDX-License-Identifier: MIT */
/*
 * Shares our signal with the program: it sets and sees its own disposition
 * while the kernel keeps our handler, which passes on what is not ours.
 * Context: normal or signal (sigaction is async-signal-safe and so are these).
 */
#ifndef TD_CORE_ACTIONS_H
#define TD_CORE_ACTIONS_H

#include <signal.h>
#include <stdbool.h>

/* Installs our handler.  Returns 0 or -errno. */
int td_actions_install(void);

/* Gives the signal back to the program. */
void td_actions_remove(void);

/* True if calls about `number` are to be answered by td_actions_exchange(). */
bool td_actions_is_ours(int number);

/* What sigaction(number, action, old) would do, without the kernel; by the kernel in a
 * child that has our memory by vfork() or a clone() of its own.  (Where it shares the
 * actions as well, as LinuxThreads did, setting one takes ours away.) */
void td_actions_exchange(const struct sigaction *action, struct sigaction *old);

/* The same for a system call that the program makes by itself: both are the
 * kernel's struct sigaction. */
void td_actions_exchange_raw(const void *action, void *old);

/* Before exec: no signal of ours may be left for the new image, and what the
 * program ignores must stay ignored.  After a failed exec: undone. */
void td_actions_before_exec(void);
void td_actions_after_exec(void);

/* Before an exec of a child that has our memory, but may share it: what the program
 * ignores and blocks is so in the new image.  Nothing has to be undone. */
void td_actions_before_exec_elsewhere(void);

#endif
