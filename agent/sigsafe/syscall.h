/* SPDX-License-Identifier: MIT */
/*
 * System calls without libc: no errno, no cancellation point, no hook of ours
 * or of anybody else in between.  Each returns the kernel's value, -errno on
 * failure.  Context: any.
 */
#ifndef TD_SIGSAFE_SYSCALL_H
#define TD_SIGSAFE_SYSCALL_H

#include <stdint.h>
#include <sys/syscall.h>

#include "agent/sigsafe/arch.h"

#define td_syscall0(nr) td_syscall6(nr, 0, 0, 0, 0, 0, 0)
#define td_syscall1(nr, a) td_syscall6(nr, (long)(a), 0, 0, 0, 0, 0)
#define td_syscall2(nr, a, b) td_syscall_of_3(nr, (long)(a), (long)(b), 0)
#define td_syscall3(nr, a, b, c) td_syscall_of_3(nr, (long)(a), (long)(b), (long)(c))
#define td_syscall4(nr, a, b, c, d)                                                      \
	td_syscall_of_4(nr, (long)(a), (long)(b), (long)(c), (long)(d))

static inline uint32_t td_gettid(void)
{
	return (uint32_t)td_syscall0(SYS_gettid);
}

#endif
