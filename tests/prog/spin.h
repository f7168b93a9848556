/* SPDX-License-Identifier: MIT */
/*
 * Work of a known amount: time in which the calling thread runs, spent in the function
 * that asks for it (everything here is inlined into it).
 *
 * It is not CPU time: where a hypervisor takes the processor away, that clock goes on,
 * by tenths of a second, and stands still later; nothing can be sampled meanwhile.
 *
 * Context: any thread.
 */
#ifndef TESTS_PROG_SPIN_H
#define TESTS_PROG_SPIN_H

#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define SPIN_INLINE static inline __attribute__((always_inline))
/* A function that is there once, by its own name (GCC makes name.isra.0 of some). */
#ifdef __clang__
#define SPIN_NOINLINE __attribute__((noinline))
#else
#define SPIN_NOINLINE __attribute__((noipa))
#endif
#define SPIN_MS 1000000ull
/* A step of the clock that is longer was not ours alone: it counts as this. */
#define SPIN_STEP_NS 200000u

/* SPIN_WITHOUT_TSC: of a process that may not read the time stamp counter. */
SPIN_INLINE uint64_t spin_now_ns(void)
{
	struct timespec now;

#ifdef SPIN_WITHOUT_TSC
	syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
#else
	clock_gettime(CLOCK_MONOTONIC, &now);
#endif
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* How long the thread ran since *last, which becomes now: to be asked after each chunk
 * of work. */
SPIN_INLINE uint64_t spin_ran_ns(uint64_t *last)
{
	uint64_t now = spin_now_ns(), step = now - *last;

	*last = now;
	return step < SPIN_STEP_NS ? step : SPIN_STEP_NS;
}

/* A nanosecond or two each; no compiler makes one of several. */
SPIN_INLINE void spin_turns(unsigned n)
{
	uint64_t x = 1;

	for (unsigned i = 0; i < n; i++) {
		x = x * 6364136223846793005u + 1442695040888963407u;
		__asm__ volatile("" : "+r"(x));
	}
}

/* Some 20 us: long against a reading of the clock, short against a slice; where it takes
 * more than SPIN_STEP_NS work is counted in chunks. */
SPIN_INLINE void spin_chunk(void)
{
	spin_turns(20000);
}

/*
 * Spins until *spent, the caller's account of the time it ran, reaches `target`:
 * what one call overshoots, the next makes good, so ratios of targets are
 * ratios of that time.
 */
SPIN_INLINE void spin_to(uint64_t *spent, uint64_t target)
{
	uint64_t last = spin_now_ns();

	while (*spent < target) {
		spin_chunk();
		*spent += spin_ran_ns(&last);
	}
}

SPIN_INLINE void spin_ms(uint64_t ms)
{
	uint64_t spent = 0;

	spin_to(&spent, ms * SPIN_MS);
}

#endif
