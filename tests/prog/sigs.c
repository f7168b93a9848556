// SPDX-License-Identifier: MIT
/*
 * A program with signals of its own: it uses SIGTRAP, SIGPROF and SIGIO, which
 * a profiler likes too, blocks everything for a while, and watches its errno,
 * its sleeps and its alternate stack.  It prints what it saw.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "tests/prog/breakpoint.h"
#include "tests/prog/spin.h"

#define TIMES 100

static const int numbers[] = {SIGTRAP, SIGPROF, SIGIO};
static volatile sig_atomic_t seen[3];

static void count(int number)
{
	for (int i = 0; i < 3; i++)
		if (numbers[i] == number)
			seen[i]++;
}

/* An action is what the program made it, with its flags and mask. */
static void see_again(int number)
{
	struct sigaction action = {.sa_handler = count, .sa_flags = SA_NODEFER}, old;

	sigaddset(&action.sa_mask, SIGUSR1);
	sigaction(number, &action, NULL);
	action.sa_handler = SIG_IGN;
	action.sa_flags = SA_RESTART;
	sigaction(number, &action, &old);
	printf("signal %d again: %s, SA_NODEFER %d, SA_RESTART %d, SIGUSR1 %d, SIGUSR2 %d\n",
	       number, old.sa_handler == count ? "mine" : "OTHER",
	       !!(old.sa_flags & SA_NODEFER), !!(old.sa_flags & SA_RESTART),
	       sigismember(&old.sa_mask, SIGUSR1), sigismember(&old.sa_mask, SIGUSR2));
	printf("signal %d then: %s\n", number,
	       signal(number, SIG_DFL) == SIG_IGN ? "ignored" : "OTHER");
}

static void install(void)
{
	struct sigaction action = {.sa_handler = count}, old;

	for (int i = 0; i < 3; i++) {
		see_again(numbers[i]);
		sigaction(numbers[i], NULL, &old);
		printf("signal %d before: %s\n", numbers[i],
		       old.sa_handler == SIG_DFL ? "default" : "OTHER");
		sigaction(numbers[i], &action, NULL);
		sigaction(numbers[i], NULL, &old);
		printf("signal %d after: %s\n", numbers[i],
		       old.sa_handler == count ? "mine" : "OTHER");
	}
}

static SPIN_NOINLINE void raise_all(void)
{
	for (int i = 0; i < TIMES; i++) {
		for (int k = 0; k < 3; k++)
			raise(numbers[k]);
		spin_ms(1);
	}
	for (int k = 0; k < 3; k++)
		printf("signal %d raised %d, seen %d\n", numbers[k], TIMES, (int)seen[k]);
}

static void count_and_skip(int number, siginfo_t *info, void *context)
{
	(void)info;
	count(number);
	BREAKPOINT_SKIP(context);
}

/* A debugger's breakpoint, as some programs plant for themselves. */
static SPIN_NOINLINE void trap_all(void)
{
	struct sigaction action = {.sa_sigaction = count_and_skip,
				   .sa_flags = SA_SIGINFO},
			 old;
	int before = seen[0];

	sigaction(SIGTRAP, &action, &old);
	for (int i = 0; i < TIMES; i++) {
		BREAKPOINT();
		spin_ms(1);
	}
	printf("breakpoints %d, seen %d\n", TIMES, (int)seen[0] - before);
	sigaction(SIGTRAP, &old, NULL);
}

static SPIN_NOINLINE void watch_errno(void)
{
	int changed = 0;

	errno = 1234;
	for (int i = 0; i < 10000; i++) {
		spin_chunk();
		changed += errno != 1234;
	}
	printf("errno changed %d times\n", changed);
}

/* A sleeping thread uses no CPU time: nothing may wake it. */
static void sleep_through(void)
{
	struct timespec nap = {0, 2000000};
	int woken = 0;

	for (int i = 0; i < 20; i++) {
		spin_ms(1);
		woken += nanosleep(&nap, NULL) != 0;
	}
	printf("sleeps interrupted %d times\n", woken);
}

/* Blocks everything: handlers of the program must not run, and none is lost. */
static SPIN_NOINLINE void block_all(void)
{
	sigset_t all, old, pending;
	int before = seen[1];

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &old);
	spin_ms(50);
	raise(SIGPROF);
	sigpending(&pending);
	printf("blocked: pending %d, seen %d\n", sigismember(&pending, SIGPROF),
	       seen[1] - before);
	sigprocmask(SIG_SETMASK, &old, NULL);
	printf("unblocked: seen %d\n", seen[1] - before);
}

static SPIN_NOINLINE void alternate_stack(void)
{
	size_t size = 65536;
	stack_t stack = {.ss_sp = malloc(size), .ss_size = size}, found;

	sigaltstack(&stack, NULL);
	spin_ms(50);
	sigaltstack(NULL, &found);
	printf("alternate stack: %s\n", found.ss_sp == stack.ss_sp ? "kept" : "CHANGED");
}

int main(void)
{
	watch_errno();
	install();
	raise_all();
	trap_all();
	sleep_through();
	block_all();
	alternate_stack();
	return 0;
}
