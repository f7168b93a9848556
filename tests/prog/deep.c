// SPDX-License-Identifier: MIT
/*
 * A plugin for the loader that has a thread and a signal handler of its own: with
 * RTLD_DEEPBIND it gets libc's pthread_create, sigaction and their like, not those
 * of who stands before libc.
 */
#include <pthread.h>
#include <signal.h>
#include <stddef.h>

#include "tests/prog/spin.h"

__attribute__((visibility("default"))) int plugin_run(void);

static volatile sig_atomic_t caught;

static void count(int number)
{
	(void)number;
	caught = caught + 1;
}

static SPIN_NOINLINE void deep_thread(void)
{
	spin_ms(60);
	raise(SIGUSR1);
}

static SPIN_NOINLINE void deep_work(void)
{
	spin_ms(100);
	raise(SIGUSR1);
}

static void *run(void *unused)
{
	deep_thread();
	return unused;
}

int plugin_run(void)
{
	struct sigaction action = {.sa_handler = count}, before, mine;
	sigset_t all, mask;
	pthread_t thread;

	sigaction(SIGUSR1, &action, &before);
	if (pthread_create(&thread, NULL, run, NULL))
		return -1;
	deep_work();
	pthread_join(thread, NULL);
	/* A mask that blocks everything is what it reads back. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &mask);
	spin_ms(20);
	pthread_sigmask(SIG_SETMASK, &mask, &all);
	sigaction(SIGUSR1, &before, &mine);
	return caught * 100 + sigismember(&all, SIGUSR2) * 10 +
	       (mine.sa_handler == count);
}
