// SPDX-License-Identifier: MIT
/*
 * Works under PR_TSC_SIGSEGV: whoever reads the time stamp counter in this
 * process, libc's clocks included, is killed.
 */
#include <errno.h>
#include <stdio.h>
#include <sys/prctl.h>

#define SPIN_WITHOUT_TSC
#include "spin.h"

int main(void)
{
	/* EINVAL: this architecture has no such thing */
	if (prctl(PR_SET_TSC, PR_TSC_SIGSEGV) && errno != EINVAL)
		return 1;
	spin_ms(200); /* by system calls */
	prctl(PR_SET_TSC, PR_TSC_ENABLE);
	puts("alive");
	return 0;
}
