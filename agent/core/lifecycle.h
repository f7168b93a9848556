/* SPDX-License-Identifier: MIT */
/*
 * Start, exit, fork, exec of the profiled process.  None of these ever ends,
 * aborts or delays the program for a reason of the agent's own; all of them may
 * be called when the agent is off, and then do nothing.  Context: normal.
 */
#ifndef TD_CORE_LIFECYCLE_H
#define TD_CORE_LIFECYCLE_H

#include <stdbool.h>
#include <stddef.h>

#include "agent/core/core.h"

/* When the library is loaded. */
void td_lifecycle_start(void);

/* Before anybody's handlers of pthread_atfork() are registered: ours.  Once; until the
 * start they do nothing that shows. */
void td_lifecycle_watch_forks(void);

/* When the process ends by its own will: closes the profile, prints the report.
 * The first call does it; a child that shares our memory (vfork) does nothing. */
void td_lifecycle_finish(void);

/* Around exec in the process itself; false: this is not the process that was
 * started (a vfork child), leave everything alone. */
bool td_lifecycle_before_exec(void);
void td_lifecycle_after_failed_exec(void);

/* Ends the measurement while the program goes on: what was measured stays.  From
 * TD_DOWN_SECCOMP on not one system call is made afterwards. */
void td_lifecycle_stand_down(enum td_down why);

/* Before the program makes a second thread: a profile that still waits for its file gets
 * it now. */
void td_lifecycle_settle(void);

/* Before the program gives up a right or a view of the file system: likewise, and whether
 * its children's files can be made afterwards is looked at when it forks. */
void td_lifecycle_give_up_rights(void);

/* td_stacks_room(); 0 where no signals of ours come. */
size_t td_lifecycle_stack_room(void);

/* In a new thread before, and at the end of it after its start routine.  `hidden`:
 * td_masks_begin()'s `inherited`; `stack`: td_stacks_know()'s size. */
void td_lifecycle_thread_begin(bool hidden, size_t stack);

#endif
