// SPDX-License-Identifier: MIT
/*
 * Two named threads, each in a function of its own; "left" takes twice the CPU
 * time of "right".  --truth prints a JSON line for each thread, --killed ends them while
 * they work.
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "tests/prog/spin.h"

static atomic_int tids[2];

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
	prctl(PR_SET_NAME, "right");
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
	if (argc > 1 && !strcmp(argv[1], "--killed")) {
		while (!tids[0] || !tids[1])
			usleep(1000);
		kill(getpid(), SIGKILL);
	}
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
