/* SPDX-License-Identifier: MIT */
/*
 * xorshift64*: one generator a thread, seeded from the run's seed, so that a
 * run can be repeated.  Context: any; a generator belongs to one thread.
 */
#ifndef TD_SIGSAFE_RANDOM_H
#define TD_SIGSAFE_RANDOM_H

#include <stdint.h>

struct td_random {
	uint64_t state; /* never 0 */
};

static inline void td_random_seed(struct td_random *random, uint64_t seed,
				  uint64_t stream)
{
	uint64_t s = seed + (stream + 1) * 0x9e3779b97f4a7c15u;

	s = (s ^ (s >> 30)) * 0xbf58476d1ce4e5b9u;
	s = (s ^ (s >> 27)) * 0x94d049bb133111ebu;
	random->state = (s ^ (s >> 31)) | 1;
}

static inline uint64_t td_random_next(struct td_random *random)
{
	uint64_t s = random->state;

	s ^= s >> 12;
	s ^= s << 25;
	s ^= s >> 27;
	random->state = s;
	return s * 0x2545f4914f6cdd1du;
}

/* Uniform in [0, bound); 0 for bound 0. */
static inline uint64_t td_random_below(struct td_random *random, uint64_t bound)
{
	return (uint64_t)((unsigned __int128)td_random_next(random) * bound >> 64);
}

#endif
