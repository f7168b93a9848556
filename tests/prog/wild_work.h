/* SPDX-License-Identifier: MIT */
/*
 * Threads that compute the same thing again and again, while signals leave it in all
 * ways that there are: they jump out, switch between stacks, come within each other,
 * make children, or end the thread.  What was computed is compared each time.
 */
#ifndef TD_PROG_WILD_WORK_H
#define TD_PROG_WILD_WORK_H

#include <stdatomic.h>
#include <stdbool.h>

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

/* Are no more than 32 KB of this thread's stack in use?  Who asks is interrupted by
 * itself where a machine is slower than signals by the clock are frequent: again and
 * again, for it lets them in before it is done.  Context: signal. */
bool wild_has_room(void);

#endif
