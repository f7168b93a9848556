/* SPDX-License-Identifier: MIT */
/*
 * aarch64; include agent/sigsafe/arch.h.  Context: any, signal handlers included.
 */
#ifndef TD_SIGSAFE_AARCH64_ARCH_H
#define TD_SIGSAFE_AARCH64_ARCH_H

#include <elf.h>
#include <stdint.h>
#include <ucontext.h>

#define TD_ARCH_MACHINE EM_AARCH64

/* perf_event_attr.config1 of an event that user mode wants to read, what reads it, and
 * why it may not. */
#define TD_ARCH_USER_READING 2
#define TD_ARCH_READING "MRS"
#define TD_ARCH_READING_OFF "user access is off (kernel.perf_user_access)"

/* System call `nr`; returns the kernel's value, -errno on failure. */
static inline long td_syscall6(long nr, long a, long b, long c, long d, long e, long f)
{
	register long x8 __asm__("x8") = nr;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;
	register long x5 __asm__("x5") = f;

	__asm__ volatile("svc #0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
			 : "memory");
	return x0;
}

/* The same for fewer arguments. */
static inline long td_syscall_of_4(long nr, long a, long b, long c, long d)
{
	return td_syscall6(nr, a, b, c, d, 0, 0);
}

static inline long td_syscall_of_3(long nr, long a, long b, long c)
{
	return td_syscall6(nr, a, b, c, 0, 0, 0);
}

/* The instruction that a signal interrupted. */
static inline uint64_t td_arch_ip(const ucontext_t *interrupted)
{
	return interrupted->uc_mcontext.pc;
}

#define TD_ARCH_CYCLE_COUNTER 31u

/*
 * A counter that the kernel lets user mode read, by its number: the index in the
 * event's page - 1.  The architecture has a name for each.  No barrier: the way into
 * the handler is one.
 */
static inline void td_arch_read_counter(uint32_t counter, uint32_t *low, uint32_t *high)
{
	uint64_t value = 0;

#define TD_READ_EVENT(n)                                                                 \
	case n:                                                                          \
		__asm__ volatile("mrs %0, pmevcntr" #n "_el0" : "=r"(value)::"memory");  \
		break
	switch (counter) {
		TD_READ_EVENT(0);
		TD_READ_EVENT(1);
		TD_READ_EVENT(2);
		TD_READ_EVENT(3);
		TD_READ_EVENT(4);
		TD_READ_EVENT(5);
		TD_READ_EVENT(6);
		TD_READ_EVENT(7);
		TD_READ_EVENT(8);
		TD_READ_EVENT(9);
		TD_READ_EVENT(10);
		TD_READ_EVENT(11);
		TD_READ_EVENT(12);
		TD_READ_EVENT(13);
		TD_READ_EVENT(14);
		TD_READ_EVENT(15);
		TD_READ_EVENT(16);
		TD_READ_EVENT(17);
		TD_READ_EVENT(18);
		TD_READ_EVENT(19);
		TD_READ_EVENT(20);
		TD_READ_EVENT(21);
		TD_READ_EVENT(22);
		TD_READ_EVENT(23);
		TD_READ_EVENT(24);
		TD_READ_EVENT(25);
		TD_READ_EVENT(26);
		TD_READ_EVENT(27);
		TD_READ_EVENT(28);
		TD_READ_EVENT(29);
		TD_READ_EVENT(30);
	case TD_ARCH_CYCLE_COUNTER:
		__asm__ volatile("mrs %0, pmccntr_el0" : "=r"(value)::"memory");
		break;
	default:
		break;
	}
#undef TD_READ_EVENT
	*low = (uint32_t)value;
	*high = (uint32_t)(value >> 32);
}

/* glibc's control block of the calling thread is below, its static TLS above. */
static inline uint64_t td_arch_thread_pointer(void)
{
	uint64_t address;

	__asm__("mrs %0, tpidr_el0" : "=r"(address));
	return address;
}

/* Pointer authentication puts a signature into return addresses: this takes it off,
 * and is no operation where the processor has none (XPACLRI). */
static inline uint64_t td_arch_address(uint64_t signed_address)
{
	register uint64_t x30 __asm__("x30") = signed_address;

	__asm__("hint #7" : "+r"(x30));
	return x30;
}

#endif
