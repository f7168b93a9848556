// SPDX-License-Identifier: MIT
/*
 * A thread that begins with every signal blocked, as liblzma's workers do.
 *
 *     masked [handle]
 *
 * With `handle` the program has handlers for the signals that a profiler likes,
 * and the thread prints which of them it found blocked.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>

#include "tests/prog/spin.h"

static SPIN_NOINLINE void masked_work(void)
{
	spin_ms(200);
}

static void nothing(int number)
{
	(void)number;
}

static void *run(void *handles)
{
	sigset_t mask;

	pthread_sigmask(SIG_BLOCK, NULL, &mask);
	if (handles)
		printf("blocked: SIGTRAP %d, SIGPROF %d\n", sigismember(&mask, SIGTRAP),
		       sigismember(&mask, SIGPROF));
	printf("blocked: SIGTERM %d\n", sigismember(&mask, SIGTERM));
	masked_work();
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	sigset_t all, old;

	(void)argv;
	if (argc > 1) {
		signal(SIGTRAP, nothing);
		signal(SIGPROF, nothing);
	}
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	if (pthread_create(&thread, NULL, run, argc > 1 ? &all : NULL))
		return 1;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_join(thread, NULL);
	return 0;
}
