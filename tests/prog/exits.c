// SPDX-License-Identifier: MIT
/*
 * Ends in the way that its argument names, after some work.  The handlers of
 * atexit and at_quick_exit, and what stdio still held, show which of them ran.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/prog/breakpoint.h"
#include "tests/prog/spin.h"

static char *self;
static volatile int *volatile nowhere;

static void at_exit(void)
{
	puts("exits: atexit ran");
}

static void at_quick(void)
{
	puts("exits: at_quick_exit ran");
	fflush(stdout);
}

static SPIN_NOINLINE void some_work(void)
{
	spin_ms(40);
}

static void by_return(void)
{
}

static void by_exit(void)
{
	exit(8);
}

static void by__exit(void)
{
	_exit(9);
}

static void by_quick_exit(void)
{
	quick_exit(10);
}

static void *last_thread(void *unused)
{
	some_work();
	puts("exits: the last thread ends");
	return unused;
}

/* The process ends with status 0 when its last thread does. */
static void by_pthread_exit(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, last_thread, NULL))
		exit(1);
	pthread_detach(thread);
	pthread_exit(NULL);
}

static void *exiting_thread(void *unused)
{
	some_work();
	exit(11);
	return unused;
}

static void by_thread(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, exiting_thread, NULL))
		exit(1);
	for (;;)
		pause();
}

static void by_exec(void)
{
	execl(self, self, "exit", (char *)NULL);
}

static void by_exec_failed(void)
{
	execl("/nonexistent/program", "program", (char *)NULL);
	perror("exits");
	exit(12);
}

static void by_kill(void)
{
	kill(getpid(), SIGKILL);
}

static void by_term(void)
{
	kill(getpid(), SIGTERM);
}

static void by_prof(void)
{
	kill(getpid(), SIGPROF);
}

static void by_trap(void)
{
	BREAKPOINT();
}

static void by_segv(void)
{
	*nowhere = 1;
}

static const struct {
	const char *name;
	void (*leave)(void);
} ways[] = {
	{"return", by_return},
	{"exit", by_exit},
	{"_exit", by__exit},
	{"quick_exit", by_quick_exit},
	{"abort", abort},
	{"pthread_exit", by_pthread_exit},
	{"thread", by_thread},
	{"exec", by_exec},
	{"exec_failed", by_exec_failed},
	{"kill", by_kill},
	{"term", by_term},
	{"prof", by_prof},
	{"trap", by_trap},
	{"segv", by_segv},
};

/* Without an argument: the list of the ways. */
int main(int argc, char **argv)
{
	struct rlimit no_core = {0, 0};

	self = argv[0];
	setrlimit(RLIMIT_CORE, &no_core);
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		if (argc < 2) {
			puts(ways[i].name);
		} else if (!strcmp(argv[1], ways[i].name)) {
			atexit(at_exit);
			at_quick_exit(at_quick);
			some_work();
			printf("exits: leaving by %s\n", argv[1]);
			fflush(stdout);
			printf("exits: stdio had this\n");
			ways[i].leave();
			return 7;
		}
	}
	return argc < 2 ? 0 : 2;
}
