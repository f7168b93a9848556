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

/* The second CPU, or another than that (its bit). */
static unsigned long lab_second_cpu = 2;

/* To the first CPU or that one, in turn. */
static inline __attribute__((always_inline)) void lab_migrate(void)
{
	static unsigned turn;
	unsigned long cpu = turn++ & 1 ? lab_second_cpu : 1;

	raw_syscall(SYS_sched_setaffinity, NULL, (void *)sizeof(cpu), &cpu, 0);
}

#endif
