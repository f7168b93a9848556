// SPDX-License-Identifier: MIT
/*
 * Works while system calls, whoever makes them, are signals to it, as emulators of
 * other systems do; ends under that.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SPIN_WITHOUT_TSC
#include "spin.h"

static volatile char selector = SYSCALL_DISPATCH_FILTER_ALLOW;
static volatile sig_atomic_t taken;

static void take(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)info;
	(void)context;
	selector = SYSCALL_DISPATCH_FILTER_ALLOW;
	taken++;
}

static SPIN_NOINLINE void compute(void)
{
	for (volatile unsigned i = 0; i < 20000000; i++)
		;
}

int main(void)
{
	struct sigaction action = {.sa_sigaction = take, .sa_flags = SA_SIGINFO};

	sigaction(SIGSYS, &action, NULL);
	spin_ms(50);
	if (prctl(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON, 0, 0, &selector)) {
		printf("no dispatch: %s\n", strerror(errno));
		return 0;
	}
	for (int i = 0; i < 5; i++) {
		selector = SYSCALL_DISPATCH_FILTER_BLOCK;
		compute();
		syscall(SYS_getppid);
	}
	printf("taken: %d\n", taken);
	return 0;
}
