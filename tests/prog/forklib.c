// SPDX-License-Identifier: MIT
/*
 * A library with a thread at work, which ends before a fork and begins again behind it,
 * in the parent and in the child, as those for linear algebra do it.  It is loaded before
 * the program, and registers its handlers before anybody else does.
 */
#include <pthread.h>
#include <stdbool.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_t worker;
static bool at_work, to_end;

static void *work(void *argument)
{
	sigset_t mask;

	pthread_sigmask(SIG_BLOCK, NULL, &mask);
	if (sigismember(&mask, SIGUSR1))
		puts("the worker's signals are blocked");
	pthread_mutex_lock(&mutex);
	at_work = true;
	pthread_cond_broadcast(&changed);
	while (!to_end)
		pthread_cond_wait(&changed, &mutex);
	at_work = false;
	pthread_mutex_unlock(&mutex);
	return argument;
}

static void begin(void)
{
	to_end = false;
	if (pthread_create(&worker, NULL, work, NULL))
		abort();
	pthread_mutex_lock(&mutex);
	while (!at_work)
		pthread_cond_wait(&changed, &mutex);
	pthread_mutex_unlock(&mutex);
}

static void end(void)
{
	pthread_mutex_lock(&mutex);
	to_end = true;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&mutex);
	pthread_join(worker, NULL);
}

__attribute__((constructor)) static void start(void)
{
	pthread_atfork(end, begin, begin);
	begin();
}
