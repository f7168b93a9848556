/* SPDX-License-Identifier: MIT */
/*
 * td_sums_add_window() for the strobe in brief: values of 32 bits, two at a time.
 * Context: signal, on the thread that owns the record.
 */
#ifndef TD_SIGSAFE_SUMS_SSE2_H
#define TD_SIGSAFE_SUMS_SSE2_H

#include <emmintrin.h>

#include "agent/sigsafe/sums.h"
#include "agent/sigsafe/thread.h"
#include "decoder/registers.h"

/* Adds a pair to squares and cross. */
static inline void td_sums_add_products(struct td_file_sum *sum, __m128d products)
{
	_mm_storeu_pd(&sum->squares, _mm_add_pd(_mm_loadu_pd(&sum->squares), products));
}

static inline void td_sums_add_short(struct td_file_sum *sum, int32_t value,
				     __m128d divisor)
{
	__m128d with = _mm_cvtsi32_sd(divisor, value);

	sum->sum += (uint64_t)(int64_t)value;
	td_sums_add_products(sum, _mm_mul_pd(_mm_unpacklo_pd(with, with), with));
}

/* Two counters' values: what is done by twos is done for both at once. */
static inline void td_sums_add_two(struct td_file_sum *sum, const int32_t *values,
				   __m128d divisor)
{
	__m128d both = _mm_cvtepi32_pd(_mm_loadl_epi64((const __m128i *)values));
	__m128d squares = _mm_mul_pd(both, both), cross = _mm_mul_pd(both, divisor);

	sum[0].sum += (uint64_t)(int64_t)values[0];
	sum[1].sum += (uint64_t)(int64_t)values[1];
	td_sums_add_products(&sum[0], _mm_unpacklo_pd(squares, cross));
	td_sums_add_products(&sum[1], _mm_unpackhi_pd(squares, cross));
}

/* Counter 0: its square is its product with itself. */
static inline void td_sums_add_divisor(struct td_file_sum *sum, int32_t value,
				       __m128d divisor)
{
	sum->sum += (uint64_t)(int64_t)value;
	td_sums_add_products(sum, _mm_mul_pd(divisor, divisor));
}

/* What is zero in most windows, or not in the profile. */
static inline void td_sums_add_rare(struct td_file_sum *sum, int32_t value,
				    __m128d divisor)
{
	if (value)
		td_sums_add_short(sum, value, divisor);
}

/*
 * td_sums_add_window() of values of 32 bits: slots, 4 or 8 nodes and TD_EXTRAS_MAX
 * others; what the profile has fewer must be zero, and is not written.
 */
static inline void td_sums_add_short_window(struct td_file_place *place,
					    const int32_t *values, uint32_t nodes)
{
	struct td_file_sum *sum = place->sum;
	__m128d divisor = _mm_set1_pd((double)values[0]);

	place->windows++;
	td_sums_add_divisor(sum++, *values, divisor);
	td_sums_add_two(sum, ++values, divisor);
	td_sums_add_two(sum + 2, values + 2, divisor);
	if (nodes > TD_FIELDS_LEVEL1) {
		td_sums_add_two(sum + 4, values + 4, divisor);
		td_sums_add_two(sum + 6, values + 6, divisor);
	}
	sum += nodes;
	values += nodes;
	_Static_assert(TD_EXTRAS_MAX == 5, "one line for each");
	td_sums_add_rare(sum, values[0], divisor);
	td_sums_add_rare(sum + 1, values[1], divisor);
	td_sums_add_rare(sum + 2, values[2], divisor);
	td_sums_add_rare(sum + 3, values[3], divisor);
	td_sums_add_rare(sum + 4, values[4], divisor);
}

#endif
