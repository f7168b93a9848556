/* SPDX-License-Identifier: MIT */
/*
 * A pager as git has it: where standard output is a terminal, what follows goes
 * through $TDAGENT_PAGER, else $PAGER, else less; "" and "cat" mean none.
 *
 * Context: normal; the process has one thread.
 */
#ifndef TD_TOOLS_PAGER_H
#define TD_TOOLS_PAGER_H

#include <sys/types.h>

/* 1 if td_pager_start() would find one, else 0. */
int td_pager_is_there(void);

/*
 * Puts the pager behind standard output.  Returns its process id, or 0 where there
 * is none: no terminal, none wanted, or it cannot be started.
 */
pid_t td_pager_start(void);

/* Ends the output and waits until the reader has left the pager.  0: does nothing. */
void td_pager_end(pid_t pager);

#endif
