// SPDX-License-Identifier: MIT
/* wild THREADS ROUNDS CANCELLED: wild_work.h, and says what has been.  1: it computed
 * what is wrong. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/prog/wild_work.h"

int main(int argc, char **argv)
{
	static struct wild wild = {.interval_ns = 61000};

	if (argc != 4)
		return 2;
	wild.threads = (unsigned)atoi(argv[1]);
	wild.rounds = (unsigned)atoi(argv[2]);
	wild.cancelled = (unsigned)atoi(argv[3]);
	wild_run(&wild);
	printf("%u wrong; of %u signals %u elsewhere, %u jumps, %u switches, %u within, %u children\n",
	       wild.wrong, wild.signals, wild.elsewhere, wild.jumps, wild.switches,
	       wild.within, wild.children);
	return wild.wrong != 0;
}
