// SPDX-License-Identifier: MIT
/*
 * Starts N short threads (default 200) of US microseconds (default 2000),
 * eight at a time.
 *
 *     manythreads [N [US]]
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/prog/spin.h"

#define AT_ONCE 8

static unsigned ended;
static uint64_t work_ns = 2 * SPIN_MS;

static SPIN_NOINLINE void short_work(void)
{
	uint64_t spent = 0;

	spin_to(&spent, work_ns);
}

static void *run(void *unused)
{
	short_work();
	__atomic_fetch_add(&ended, 1, __ATOMIC_RELAXED);
	return unused;
}

int main(int argc, char **argv)
{
	int many = argc > 1 ? atoi(argv[1]) : 200;
	pthread_t threads[AT_ONCE];

	if (argc > 2)
		work_ns = strtoull(argv[2], NULL, 10) * 1000;
	for (int i = 0; i < many; i += AT_ONCE) {
		for (int k = 0; k < AT_ONCE; k++)
			if (pthread_create(&threads[k], NULL, run, NULL))
				return 1;
		for (int k = 0; k < AT_ONCE; k++)
			pthread_join(threads[k], NULL);
	}
	printf("manythreads: %u ended\n", ended);
	return 0;
}
