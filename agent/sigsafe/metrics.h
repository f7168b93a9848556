/* SPDX-License-Identifier: MIT */
/*
 * SLOTS and PERF_METRICS, read by RDPMC.  doc/top-down.md explains the window;
 * the kernel's Documentation/arch/x86/topdown.rst the registers.
 *
 * What lies between the reset and the reading is the program's window plus our
 * own instructions, so both ends are inline and short: the handler captures
 * the registers before anything else, and resets them with almost nothing
 * left to do.
 */
#ifndef TD_SIGSAFE_METRICS_H
#define TD_SIGSAFE_METRICS_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

#include "agent/sigsafe/syscall.h"
#include "agent/sigsafe/thread.h"
#include "decoder/registers.h"

/* Read by RDPMC: slots, the nodes of the register, then the extra events. */
extern const struct td_counter_ops td_metrics_rdpmc_counters;
/* The same by read(), where the kernel does not let us use RDPMC: the read is
 * a system call inside the window, and it resets the hardware by itself. */
extern const struct td_counter_ops td_metrics_read_counters;

/* What all threads' registers have in common; constant after the start. */
struct td_metrics_shape {
	uint32_t nodes;  /* 4 or 8 fields in PERF_METRICS */
	uint32_t extras; /* events beside them */
	uint32_t width;  /* slots a cycle */
	struct td_correction correction;
	/* Reading PERF_METRICS zeroes it and SLOTS (the kernel's metrics_clear, Lunar
	 * Lake and later): a reset without a system call, but at every reading. */
	bool clears_on_read;
};

extern struct td_metrics_shape td_metrics_shape;

static inline uint64_t td_rdpmc(uint32_t counter)
{
	uint32_t low, high;

	__asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(counter) : "memory");
	return (uint64_t)high << 32 | low;
}

/*
 * One counter.  False if the kernel has not given it a register just now; then
 * RDPMC is not executed, which could fault.  Index and reading may be torn by a
 * context switch: the caller compares the page's lock.
 */
static inline bool td_metrics_read_one(const volatile struct perf_event_mmap_page *page,
				       uint64_t *value)
{
	uint32_t index = page->index;

	if (!index)
		return false;
	*value = td_rdpmc(index - 1);
	return true;
}

/*
 * SLOTS, PERF_METRICS, SLOTS again, then the others: the two are never read at
 * once, and what is executed between them must not be taken for the program's.
 * Context: signal.
 */
static inline void td_metrics_capture(const struct td_registers *registers,
				      struct td_capture *capture)
{
	capture->lock = registers->slots->lock;
	capture->complete = td_metrics_read_one(registers->slots, &capture->slots) &&
			    td_metrics_read_one(registers->metrics, &capture->metrics) &&
			    td_metrics_read_one(registers->slots, &capture->slots_after);
	for (uint32_t i = 0; i < registers->extras; i++)
		capture->complete &=
			td_metrics_read_one(registers->extra[i], &capture->extra[i]);
	__asm__ volatile("" ::: "memory");
	capture->complete &= capture->lock == registers->slots->lock;
}

/* Zeroes SLOTS and PERF_METRICS.  Context: any, on the thread. */
static inline void td_metrics_zero(const struct td_registers *registers)
{
	uint64_t ignored;

	if (td_metrics_shape.clears_on_read)
		td_metrics_read_one(registers->metrics, &ignored);
	else
		td_syscall3(SYS_ioctl, registers->slots_fd, PERF_EVENT_IOC_RESET, 0);
}

/* Opens the window, as the last thing that the handler does.  Context: signal. */
static inline void td_metrics_release(struct td_thread *thread)
{
	struct td_registers *registers = &thread->registers;
	struct td_release *release = &thread->release;

	release->wanted = false;
	for (uint32_t i = 0; i < registers->extras; i++)
		td_metrics_read_one(registers->extra[i], &registers->extra_base[i]);
	td_metrics_zero(registers);
	registers->lock = registers->slots->lock;
	release->error = td_syscall4(release->call[0], release->call[1], release->call[2],
				     release->call[3], release->call[4]);
}

#endif
