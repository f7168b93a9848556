/* SPDX-License-Identifier: MIT */
/*
 * Adding one reading to the profile's sums.  Inline and unrolled: this is a good
 * part of what a window costs.  Context: signal, on the thread that owns the record.
 */
#ifndef TD_SIGSAFE_SUMS_H
#define TD_SIGSAFE_SUMS_H

#include <stddef.h>
#include <stdint.h>

#include "decoder/format.h"

/* DO(n - 1) ... DO(0), without the overhead of a loop. */
#define TD_SUMS_CASE(n, DO)                                                              \
	case n:                                                                          \
		DO((n)-1);                                                               \
		__attribute__((fallthrough));
#define TD_SUMS_EACH(n, DO)                                                              \
	switch (n) {                                                                     \
		_Static_assert(TD_COUNTERS_MAX == 16, "one case for each");              \
		TD_SUMS_CASE(16, DO)                                                     \
		TD_SUMS_CASE(15, DO)                                                     \
		TD_SUMS_CASE(14, DO)                                                     \
		TD_SUMS_CASE(13, DO)                                                     \
		TD_SUMS_CASE(12, DO)                                                     \
		TD_SUMS_CASE(11, DO)                                                     \
		TD_SUMS_CASE(10, DO)                                                     \
		TD_SUMS_CASE(9, DO)                                                      \
		TD_SUMS_CASE(8, DO)                                                      \
		TD_SUMS_CASE(7, DO)                                                      \
		TD_SUMS_CASE(6, DO)                                                      \
		TD_SUMS_CASE(5, DO)                                                      \
		TD_SUMS_CASE(4, DO)                                                      \
		TD_SUMS_CASE(3, DO)                                                      \
		TD_SUMS_CASE(2, DO)                                                      \
		TD_SUMS_CASE(1, DO)                                                      \
	default:                                                                         \
		break;                                                                   \
	}

/* Both registers' halves at once; may stand anywhere in memory. */
typedef double td_pair __attribute__((vector_size(16), aligned(8), may_alias));

/* Its first half, twice. */
#ifdef __clang__
#define TD_SUMS_TWICE(pair) __builtin_shufflevector(pair, pair, 0, 0)
#else
#define TD_SUMS_TWICE(pair)                                                              \
	__builtin_shuffle(pair, (long __attribute__((vector_size(16)))){0, 0})
#endif

/* A valid window's `n` values, of which the first is the divisor. */
static inline void td_sums_add_window(struct td_file_place *place, const uint64_t *values,
				      uint32_t n)
{
	struct td_file_sum *sum = place->sum;
	td_pair divisor = {(double)(int64_t)values[0], (double)(int64_t)values[0]};

	place->windows++;
/* (x, d) * (x, x): both products at once; corrected values can be below zero */
#define TD_ADD(i)                                                                        \
	do {                                                                             \
		td_pair with = divisor;                                                  \
                                                                                         \
		with[0] = (double)(int64_t)values[i];                                    \
		sum[i].sum += values[i];                                                 \
		*(td_pair *)&sum[i].squares += TD_SUMS_TWICE(with) * with;               \
	} while (0)
	TD_SUMS_EACH(n, TD_ADD)
#undef TD_ADD
	_Static_assert(offsetof(struct td_file_sum, cross) ==
			       offsetof(struct td_file_sum, squares) + sizeof(double),
		       "a pair");
}

/* `n` sums of one record to those of another. */
static inline void td_sums_fold(struct td_file_sum *into, const struct td_file_sum *from,
				uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		into[i].sum += from[i].sum;
		into[i].squares += from[i].squares;
		into[i].cross += from[i].cross;
	}
}

/* `n` values to the thread's totals and, if there is one, to a bucket of its
 * timeline (behind its number of samples). */
static inline void td_sums_add_totals(uint64_t *total, uint64_t *bucket,
				      const uint64_t *values, uint32_t n)
{
	if (!bucket) {
		for (uint32_t i = 0; i < n; i++)
			total[i] += values[i];
		return;
	}
	bucket++;
/* the barrier: pairs in vectors would be twice the work */
#define TD_ADD(i)                                                                        \
	do {                                                                             \
		uint64_t value = values[i];                                              \
                                                                                         \
		__asm__("" : "+r"(value));                                               \
		total[i] += value;                                                       \
		bucket[i] += value;                                                      \
	} while (0)
	TD_SUMS_EACH(n, TD_ADD)
#undef TD_ADD
}

#endif
