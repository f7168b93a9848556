/* SPDX-License-Identifier: MIT */
/*
 * What a program of the lab does now and then in the middle of a function.
 * Without libc, whose return would end the window.
 */
#ifndef TD_LAB_DISTURB_H
#define TD_LAB_DISTURB_H

#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>

#define LAB_SLEEP_NS 50000

static inline __attribute__((always_inline)) long
raw_syscall(long number, const volatile void *a, const volatile void *b,
	    const volatile void *c, long d)
{
	long result;
	register long fourth __asm__("r10") = d;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "0"(number), "D"(a), "S"(b), "d"(c), "r"(fourth)
			 : "rcx", "r11", "memory");
	return result;
}

static inline __attribute__((always_inline)) void lab_sleep(void)
{
	static const struct timespec nap = {0, LAB_SLEEP_NS};

	raw_syscall(SYS_nanosleep, &nap, NULL, NULL, 0);
}

/* To the first CPU or the second, in turn. */
static inline __attribute__((always_inline)) void lab_migrate(void)
{
	static const unsigned long cpus[2] = {1, 2};
	static unsigned turn;

	raw_syscall(SYS_sched_setaffinity, NULL, (void *)sizeof(cpus[0]),
		    &cpus[turn++ & 1], 0);
}

#endif
