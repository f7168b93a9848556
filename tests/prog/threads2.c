// SPDX-License-Identifier: MIT
/*
 * Two named threads, each in a function of its own; "left" takes twice the CPU
 * time of "right".  --truth prints a JSON line for each thread.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/prog/spin.h"

static pid_t tids[2];

static SPIN_NOINLINE void work_left(void)
{
	spin_ms(600);
}

static SPIN_NOINLINE void work_right(void)
{
	spin_ms(300);
}

static void *left(void *unused)
{
	pthread_setname_np(pthread_self(), "left");
	tids[0] = gettid();
	work_left();
	return unused;
}

static void *right(void *unused)
{
	pthread_setname_np(pthread_self(), "right");
	tids[1] = gettid();
	work_right();
	return unused;
}

int main(int argc, char **argv)
{
	bool truth = argc > 1 && !strcmp(argv[1], "--truth");
	pthread_t threads[2];

	if (pthread_create(&threads[0], NULL, left, NULL) ||
	    pthread_create(&threads[1], NULL, right, NULL))
		return 1;
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	puts("threads2: done");
	if (truth) {
		printf("{\"name\": \"left\", \"tid\": %d, \"share\": 0.6667}\n", tids[0]);
		printf("{\"name\": \"right\", \"tid\": %d, \"share\": 0.3333}\n",
		       tids[1]);
	}
	return 0;
}
