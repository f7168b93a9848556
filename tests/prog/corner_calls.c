// SPDX-License-Identifier: MIT
/* Corners of a program that makes calls which have more to them than it seems. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/prog/corners.h"
#include "tests/prog/spin.h"

#define FORKS 60

static atomic_int wrong_parents, wrong_children;

/* NULL or not: with a signal blocked. */
static void *fork_again(void *argument)
{
	int blocks = argument != NULL, status;
	sigset_t set, now;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	for (int i = 0; i < FORKS; i++) {
		pthread_sigmask(blocks ? SIG_BLOCK : SIG_UNBLOCK, &set, NULL);
		pid_t pid = fork();

		pthread_sigmask(SIG_BLOCK, NULL, &now);
		status = sigismember(&now, SIGUSR1) != blocks;
		if (pid == 0)
			_exit(status);
		wrong_parents += status;
		waitpid(pid, &status, 0);
		wrong_children += status != 0;
	}
	return NULL;
}

/* Threads with different masks fork at once, and keep theirs. */
void corner_forks(void)
{
	static char yes;
	pthread_t threads[4];

	for (int i = 0; i < 4; i++)
		corner_start(&threads[i], NULL, fork_again, i % 2 ? &yes : NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	printf("wrong masks: %d of parents, %d of children\n", (int)wrong_parents,
	       (int)wrong_children);
}
