// SPDX-License-Identifier: MIT
/*
 * Starts N short threads (default 200) of US microseconds (default 2000), AT_ONCE at a
 * time (8); if that is given, at most 1,000, all of one time are there before the first
 * ends.
 *
 *     manythreads [N [US [AT_ONCE]]]
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/prog/spin.h"

#define AT_ONCE_MAX 1000

static unsigned ended;
static uint64_t work_ns = 2 * SPIN_MS;

static SPIN_NOINLINE void short_work(void)
{
	uint64_t spent = 0;

	spin_to(&spent, work_ns);
}

static pthread_barrier_t barrier;
static int at_once = 8;
static bool together;

static void *run(void *unused)
{
	short_work();
	__atomic_fetch_add(&ended, 1, __ATOMIC_RELAXED);
	if (together)
		pthread_barrier_wait(&barrier);
	return unused;
}

int main(int argc, char **argv)
{
	int many = argc > 1 ? atoi(argv[1]) : 200;
	pthread_t threads[AT_ONCE_MAX];

	if (argc > 2)
		work_ns = strtoull(argv[2], NULL, 10) * 1000;
	if (argc > 3) {
		together = true;
		at_once = atoi(argv[3]);
		if (at_once < 1 || at_once > AT_ONCE_MAX)
			return 2;
		pthread_barrier_init(&barrier, NULL, (unsigned)at_once);
	}
	for (int i = 0; i < many; i += at_once) {
		for (int k = 0; k < at_once; k++)
			if (pthread_create(&threads[k], NULL, run, NULL))
				return 1;
		for (int k = 0; k < at_once; k++)
			pthread_join(threads[k], NULL);
	}
	printf("manythreads: %u ended\n", ended);
	return 0;
}
