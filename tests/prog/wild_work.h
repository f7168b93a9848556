/* SPDX-License-Identifier: MIT */
/*
 * Threads that compute the same thing again and again, while signals leave it in all
 * ways that there are: they jump out, switch between stacks, come within each other,
 * make children, or end the thread.  What was computed is compared each time.
 */
#ifndef TD_PROG_WILD_WORK_H
#define TD_PROG_WILD_WORK_H

#include <stdatomic.h>

struct wild {
	unsigned threads;
	unsigned rounds;      /* of each thread */
	unsigned cancelled;   /* threads that are cancelled anywhere in a round */
	unsigned interval_ns; /* between two signals of a thread */
	void (*begin)(void);  /* on each thread; NULL: nothing */
	/* what has been */
	_Atomic unsigned wrong, signals, elsewhere, jumps, switches, within, children;
};

/* Takes SIGUSR1, SIGUSR2 and alternate stacks for it.  Exits where it cannot do it. */
void wild_run(struct wild *wild);

#endif
