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
#include <string.h>

#include "agent/sigsafe/arch.h"
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
	/* Of a core that are on: SLOTS is distributed among those that run, so a cycle
	 * has width / threads of them at least. */
	uint32_t threads;
	struct td_correction correction;
	/* Reading PERF_METRICS zeroes it and SLOTS (the kernel's metrics_clear, Lunar
	 * Lake and later): a reset without a system call, but at every reading. */
	bool clears_on_read;
	uint32_t lock_step; /* by how much zeroing itself moves the page's lock */
};

extern struct td_metrics_shape td_metrics_shape;

/* What RDPMC gives two of: what joins them would be done in each window. */
typedef uint32_t __attribute__((may_alias)) td_metrics_half;

/*
 * One counter.  False if the kernel has not given it a register just now; then
 * RDPMC is not executed, which could fault.  Index and reading may be torn by a
 * context switch: the caller compares the page's lock.
 */
static inline bool
td_metrics_read_halves(const volatile struct perf_event_mmap_page *page,
		       td_metrics_half *low_half, td_metrics_half *high_half)
{
	uint32_t counter = page->index, low, high;

	/* an index like any other: compilers make more of one that is zero */
	__asm__("" : "+r"(counter));
	if (__builtin_sub_overflow(counter, 1u, &counter))
		return false;
	td_arch_read_counter(counter, &low, &high);
	*low_half = low;
	*high_half = high;
	return true;
}

static inline bool td_metrics_read_one(const volatile struct perf_event_mmap_page *page,
				       uint64_t *value)
{
	td_metrics_half *half = (void *)value;

	return td_metrics_read_halves(page, &half[0], &half[1]);
}

static inline const volatile struct perf_event_mmap_page *
td_metrics_page(const volatile char *pages, uint32_t n)
{
	return (const volatile void *)(pages + n * TD_PAGE);
}

/* The extra counter `n`. */
static inline bool td_metrics_read_extra(const volatile char *pages, uint32_t n,
					 struct td_extras *to)
{
	return td_metrics_read_halves(td_metrics_page(pages, TD_PAGE_EXTRA + n),
				      &to->low[n], &to->high[n]);
}

/*
 * The `extras` counters of the group, up to the first page without a register: so many
 * must there be.  Not a loop: see above.
 */
static inline bool td_metrics_read_extras(const volatile char *pages,
					  const uint32_t *extras, struct td_extras *to)
{
	_Static_assert(TD_EXTRAS_MAX == 5, "one line for each");
	if (!td_metrics_read_extra(pages, 0, to))
		return *extras == 0;
	if (!td_metrics_read_extra(pages, 1, to))
		return *extras == 1;
	if (!td_metrics_read_extra(pages, 2, to))
		return *extras == 2;
	if (!td_metrics_read_extra(pages, 3, to))
		return *extras == 3;
	/* most have no more: the page is not asked */
	return *extras == 4 || td_metrics_read_extra(pages, 4, to);
}

static inline uint32_t td_metrics_lock(const struct td_registers *registers)
{
	return td_metrics_page(registers->pages, TD_PAGE_SLOTS)->lock;
}

/*
 * SLOTS, PERF_METRICS, SLOTS again: the two are never read at once, and what is
 * executed between them must not be taken for the program's.  False if one has no
 * register.  Context: signal.
 */
static inline bool td_metrics_capture_slots(const volatile char *pages,
					    struct td_capture *capture)
{
	const volatile struct perf_event_mmap_page *slots = td_metrics_page(
							   pages, TD_PAGE_SLOTS),
						   *metrics = td_metrics_page(
							   pages, TD_PAGE_METRICS);

	capture->lock = slots->lock;
	return td_metrics_read_one(slots, &capture->slots) &&
	       td_metrics_read_one(metrics, &capture->metrics) &&
	       td_metrics_read_one(slots, &capture->slots_after);
}

/* Then the others: true if all were on a counter, with no switch in between.
 * Context: signal. */
static inline bool td_metrics_capture_extras(const volatile char *pages,
					     const uint32_t *extras,
					     struct td_capture *capture)
{
	bool complete = td_metrics_read_extras(pages, extras, &capture->extra);

	return complete && capture->lock == td_metrics_page(pages, TD_PAGE_SLOTS)->lock;
}

static inline void td_metrics_capture(const struct td_registers *registers,
				      struct td_capture *capture)
{
	const volatile char *pages = registers->pages;

	capture->complete = td_metrics_capture_slots(pages, capture) &&
			    td_metrics_capture_extras(pages, &registers->extras, capture);
}

/* Zeroes SLOTS and PERF_METRICS.  Context: any, on the thread. */
static inline void td_metrics_zero(const struct td_registers *registers)
{
	uint64_t ignored;

	/* the other way is that of most machines: nothing to jump over in each window */
	if (__builtin_expect(td_metrics_shape.clears_on_read, 0))
		td_metrics_read_one(td_metrics_page(registers->pages, TD_PAGE_METRICS),
				    &ignored);
	else
		td_syscall3(SYS_ioctl, registers->slots_fd, PERF_EVENT_IOC_RESET, 0);
}

/*
 * Begins to count anew.  False: the thread was switched out on the way.  A thread that
 * is gone while SLOTS is zero comes back to those of another one, which the kernel has
 * left in the registers; then all is to be done again.  What stands behind the
 * zeroing is in every window.  Context: any, on the thread.
 */
static inline bool td_metrics_begin(struct td_registers *registers)
{
	const volatile struct perf_event_mmap_page *slots =
		td_metrics_page(registers->pages, TD_PAGE_SLOTS);
	uint32_t lock = slots->lock + td_metrics_shape.lock_step;

	registers->lock = lock;
	td_metrics_read_extras(registers->pages, &registers->extras,
			       &registers->extra_base);
	td_metrics_zero(registers);
	return slots->lock == lock;
}

/* The same after a switch, a few times at most: a window that still is not right is
 * rejected as switched. */
void td_metrics_begin_again(struct td_registers *registers);

/* Opens the window, as the last thing that the handler does.  Context: signal. */
static inline void td_metrics_release(struct td_thread *thread)
{
	struct td_registers *registers = &thread->registers;
	struct td_release *release = &thread->release;

	release->wanted = false;
	if (__builtin_expect(!td_metrics_begin(registers), 0))
		td_metrics_begin_again(registers);
	release->error = td_syscall4(release->call[0], release->call[1], release->call[2],
				     release->call[3], release->call[4]);
}

/* Readings that zero the registers add up to what one since the reset would be. */
void td_metrics_carry(struct td_thread *thread, struct td_reading *now);

/*
 * What SLOTS was when PERF_METRICS was read: half-way between its two readings.
 * With the first alone, the fields' share of the program is too small by what
 * we execute up to the second, and the own cost that is taken out does not fit:
 * 1 to 2 points in windows of 300 cycles.  Where reading PERF_METRICS zeroes
 * both, the second reading is that distance by itself.
 */
static inline uint64_t td_metrics_slots(const struct td_capture *capture)
{
	if (td_metrics_shape.clears_on_read)
		return capture->slots + capture->slots_after;
	return capture->slots + (capture->slots_after - capture->slots) / 2;
}

static inline uint64_t td_metrics_joined(const struct td_extras *extras, uint32_t n)
{
	return (uint64_t)extras->high[n] << 32 | extras->low[n];
}

static inline uint64_t td_metrics_counted(const struct td_thread *thread, uint32_t extra)
{
	return (td_metrics_joined(&thread->capture.extra, extra) -
		td_metrics_joined(&thread->registers.extra_base, extra)) &
	       TD_COUNTER_MASK;
}

/* Slots and the extra counters, as the handler captured them on entry.  Nodes
 * are for td_metrics_decode().  Context: signal, as of all that follow. */
static inline bool td_metrics_take(const struct td_thread *thread, struct td_reading *now)
{
	const struct td_capture *capture = &thread->capture;
	uint64_t *extra = now->values + 1 + td_metrics_shape.nodes;
	uint32_t n = thread->registers.extras;

	now->values[0] = td_metrics_slots(capture);
	now->elapsed = now->values[0] / td_metrics_shape.width;
	_Static_assert(TD_EXTRAS_MAX == 5, "one line for each");
	if (n > 0)
		extra[0] = td_metrics_counted(thread, 0);
	if (n > 1)
		extra[1] = td_metrics_counted(thread, 1);
	if (n > 2)
		extra[2] = td_metrics_counted(thread, 2);
	if (n > 3)
		extra[3] = td_metrics_counted(thread, 3);
	if (n > 4)
		extra[4] = td_metrics_counted(thread, 4);
	/* slots going backwards: something reset them */
	return capture->complete && (td_metrics_shape.clears_on_read ||
				     capture->slots_after >= capture->slots);
}

/* The nodes, corrected.  False if the register is not plausible. */
static inline bool td_metrics_decode(struct td_thread *thread, struct td_reading *now)
{
	if (!td_registers_decode(now->values[0], thread->capture.metrics,
				 td_metrics_shape.nodes, now->values + 1))
		return false;
	if (td_metrics_shape.clears_on_read)
		td_metrics_carry(thread, now);
	td_registers_correct(&td_metrics_shape.correction, td_metrics_shape.nodes,
			     now->values);
	return true;
}

/* The nodes in units of the raw totals, where td_registers_weigh() cannot. */
bool td_metrics_decode_total(struct td_thread *thread, struct td_reading *now);

/* All for the totals.  False as well for the first one of a thread that began where the
 * extra counters have no register. */
static inline bool td_metrics_take_total(struct td_thread *thread, struct td_reading *now)
{
	bool unbased = thread->registers.unbased;

	thread->registers.unbased = false;
	if (!td_metrics_take(thread, now) || unbased)
		return false;
	return (!td_metrics_shape.clears_on_read &&
		td_registers_weigh(now->values[0], thread->capture.metrics,
				   td_metrics_shape.nodes, now->values + 1)) ||
	       td_metrics_decode_total(thread, now);
}

/* The registers of the latest reading for the window log, td_file_window.value: the
 * extra counters are never corrected and raw among the values.  Context: signal. */
static inline void td_metrics_raw(const struct td_thread *thread,
				  const struct td_reading *now, uint32_t *to)
{
	const uint64_t *extra = now->values + 1 + td_metrics_shape.nodes;
	uint32_t n = td_metrics_shape.extras;

	memcpy(&to[1], &thread->capture.metrics, 8);
	_Static_assert(TD_EXTRAS_MAX == 5, "one line for each");
	if (n > 0)
		to[3] = td_saturated(extra[0]);
	if (n > 1)
		to[4] = td_saturated(extra[1]);
	if (n > 2)
		to[5] = td_saturated(extra[2]);
	if (n > 3)
		to[6] = td_saturated(extra[3]);
	if (n > 4)
		to[7] = td_saturated(extra[4]);
	to[0] = td_saturated(now->values[0]);
}

#endif
