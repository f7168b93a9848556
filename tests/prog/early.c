// SPDX-License-Identifier: MIT
/* A library to preload, whose constructor starts a thread that works 300 ms. */
#include <pthread.h>
#include <stddef.h>

#include "tests/prog/spin.h"

static SPIN_NOINLINE void early_work(void)
{
	spin_ms(300);
}

static void *run(void *unused)
{
	early_work();
	return unused;
}

__attribute__((constructor)) static void start(void)
{
	pthread_t thread;

	if (!pthread_create(&thread, NULL, run, NULL))
		pthread_detach(thread);
}
