// SPDX-License-Identifier: MIT
/*
 * Works and ends under PR_TSC_SIGSEGV, with a thread: whoever reads the time stamp
 * counter in this process, libc's clocks included, is killed.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/prctl.h>

#define SPIN_WITHOUT_TSC
#include "spin.h"

static void *work(void *argument)
{
	spin_ms(200); /* by system calls */
	return argument;
}

int main(void)
{
	pthread_t worker;

	/* EINVAL: this architecture has no such thing */
	if (prctl(PR_SET_TSC, PR_TSC_SIGSEGV) && errno != EINVAL)
		return 1;
	work(NULL);
	if (pthread_create(&worker, NULL, work, NULL) || pthread_join(worker, NULL))
		return 1;
	puts("alive");
	return 0;
}
