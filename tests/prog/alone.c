// SPDX-License-Identifier: MIT
/*
 * A program that the dynamic linker starts and that needs no library, as Go makes them
 * without cgo: it sets its signals by system calls, and what it did not ask for ends it.
 * Exits 7 after a billion steps of work.
 */
#include <signal.h>

#include "agent/sigsafe/syscall.h"

/* the kernel's struct sigaction, all of it zero: SIG_DFL */
static const unsigned long by_default[4];

void alone_start(void);
void alone_start(void)
{
	static const char done[] = "done\n";

	td_syscall4(SYS_rt_sigaction, SIGTRAP, by_default, 0, 8);
	td_syscall4(SYS_rt_sigaction, SIGPROF, by_default, 0, 8);
	for (unsigned long i = 0; i < 1000000000; i++)
		__asm__ volatile("" : "+r"(i));
	td_syscall3(SYS_write, 1, done, sizeof(done) - 1);
	td_syscall1(SYS_exit_group, 7);
}
