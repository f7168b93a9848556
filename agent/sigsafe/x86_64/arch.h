/* SPDX-License-Identifier: MIT */
/*
 * x86_64; include agent/sigsafe/arch.h.  Context: any, signal handlers included.
 */
#ifndef TD_SIGSAFE_X86_64_ARCH_H
#define TD_SIGSAFE_X86_64_ARCH_H

#include <elf.h>
#include <stdint.h>
#include <ucontext.h>

#define TD_ARCH_MACHINE EM_X86_64

/* perf_event_attr.config1 of an event that user mode wants to read, what reads it, and
 * why it may not. */
#define TD_ARCH_USER_READING 0
#define TD_ARCH_READING "RDPMC"
#define TD_ARCH_READING_OFF "RDPMC is off (cpu/rdpmc)"

/* System call `nr`; returns the kernel's value, -errno on failure. */
static inline long td_syscall6(long nr, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long ret;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "a"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return ret;
}

/* The same for fewer arguments: the others' registers may hold anything. */
static inline long td_syscall_of_4(long nr, long a, long b, long c, long d)
{
	register long r10 __asm__("r10") = d;
	long ret;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "a"(nr), "D"(a), "S"(b), "d"(c), "r"(r10)
			 : "rcx", "r11", "memory");
	return ret;
}

static inline long td_syscall_of_3(long nr, long a, long b, long c)
{
	long ret;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "a"(nr), "D"(a), "S"(b), "d"(c)
			 : "rcx", "r11", "memory");
	return ret;
}

/* The instruction that a signal interrupted. */
static inline uint64_t td_arch_ip(const ucontext_t *interrupted)
{
	return (uint64_t)interrupted->uc_mcontext.gregs[REG_RIP];
}

/*
 * A counter that the kernel lets user mode read, by its number: the index in the
 * event's page - 1.  By halves: what joins them would be done in each window.
 */
static inline void td_arch_read_counter(uint32_t counter, uint32_t *low, uint32_t *high)
{
	__asm__ volatile("rdpmc" : "=a"(*low), "=d"(*high) : "c"(counter) : "memory");
}

/* glibc's control block of the calling thread. */
static inline uint64_t td_arch_thread_pointer(void)
{
	uint64_t address;

	__asm__("movq %%fs:0, %0" : "=r"(address));
	return address;
}

#endif
