/* SPDX-License-Identifier: MIT */
/*
 * Work of a known amount: CPU time of the calling thread, spent in the function
 * that asks for it (everything here is inlined into it).
 *
 * Context: any thread.
 */
#ifndef TESTS_PROG_SPIN_H
#define TESTS_PROG_SPIN_H

#include <stdint.h>
#include <time.h>

#define SPIN_INLINE static inline __attribute__((always_inline))
#define SPIN_NOINLINE __attribute__((noinline))
#define SPIN_MS 1000000ull

SPIN_INLINE uint64_t spin_cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
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

/* Some 20 us: long against a reading of the clock, short against a slice. */
SPIN_INLINE void spin_chunk(void)
{
	spin_turns(20000);
}

/*
 * Spins until *spent, the caller's account of its CPU time, reaches `target`:
 * what one call overshoots, the next makes good, so ratios of targets are
 * ratios of CPU time.
 */
SPIN_INLINE void spin_to(uint64_t *spent, uint64_t target)
{
	uint64_t start = spin_cpu_ns(), before = *spent;

	while (*spent < target) {
		spin_chunk();
		*spent = before + spin_cpu_ns() - start;
	}
}

SPIN_INLINE void spin_ms(uint64_t ms)
{
	uint64_t spent = 0;

	spin_to(&spent, ms * SPIN_MS);
}

#endif
