/* SPDX-License-Identifier: MIT */
/*
 * Decoding by SSE2, inline: this is done in each window.  Include registers.h, which
 * says what the functions do.
 *
 * Context: any; pure functions.
 */
#ifndef TD_DECODER_REGISTERS_SSE2_H
#define TD_DECODER_REGISTERS_SSE2_H

#include <emmintrin.h>

#include "decoder/registers.h"

/* floor(number * scale) of four, as two pairs of binary64. */
static inline __m128i td_registers_scaled(__m128i number, __m128d scale)
{
	__m128d low = _mm_mul_pd(_mm_cvtepi32_pd(number), scale);
	__m128d high =
		_mm_mul_pd(_mm_cvtepi32_pd(_mm_shuffle_epi32(number, 0xee)), scale);

	return _mm_unpacklo_epi64(_mm_cvttpd_epi32(low), _mm_cvttpd_epi32(high));
}

static inline void td_registers_store(uint64_t *out, __m128i four)
{
	const __m128i zero = _mm_setzero_si128();

	_mm_storeu_si128((__m128i *)out, _mm_unpacklo_epi32(four, zero));
	_mm_storeu_si128((__m128i *)(out + 2), _mm_unpackhi_epi32(four, zero));
}

/*
 * td_registers_decode_any() for less than 2^30 slots, in half as many instructions: this
 * is done twice a window, in the signal handler.  `fields` are the eight of the register,
 * `borders` the sums of the first 1, 2, 3 and 4 of them, 16 bits each.
 *
 * slots * border / sum is at least 1 / sum away from the integer above, if it is
 * not one itself; binary64 misses it by less than 2^30 * 2^-47.  So what is added
 * to the scale makes a whole number never too small, and nothing else too large.
 */
static inline __m128d td_registers_scale(uint64_t slots, uint32_t sum)
{
	return _mm_set1_pd((double)(int64_t)slots / (double)(int32_t)sum * (1 + 0x1p-48));
}

static inline __m128i td_registers_short_level1(__m128i borders, __m128d scale)
{
	__m128i border = td_registers_scaled(
		_mm_unpacklo_epi16(borders, _mm_setzero_si128()), scale);

	return _mm_sub_epi32(border, _mm_slli_si128(border, 4));
}

static inline __m128i td_registers_short_level2(__m128i fields, __m128d scale)
{
	return td_registers_scaled(_mm_unpackhi_epi16(fields, _mm_setzero_si128()),
				   scale);
}

static inline void td_registers_decode_short(uint64_t slots, __m128i fields,
					     __m128i borders, uint32_t sum,
					     uint32_t wanted, uint64_t *out)
{
	__m128d scale = td_registers_scale(slots, sum);

	td_registers_store(out, td_registers_short_level1(borders, scale));
	if (wanted > TD_FIELDS_LEVEL1)
		td_registers_store(out + TD_FIELDS_LEVEL1,
				   td_registers_short_level2(fields, scale));
}

/* The first and the last two of four products slots * field / 256. */
static inline __m128i td_registers_low_products(__m128i field, __m128i slots)
{
	field = _mm_unpacklo_epi32(field, _mm_setzero_si128());
	return _mm_srli_epi64(_mm_mul_epu32(field, slots), 8);
}

static inline __m128i td_registers_high_products(__m128i field, __m128i slots)
{
	field = _mm_unpackhi_epi32(field, _mm_setzero_si128());
	return _mm_srli_epi64(_mm_mul_epu32(field, slots), 8);
}

static inline void td_registers_store_products(uint64_t *out, __m128i field,
					       __m128i slots)
{
	_mm_storeu_si128((__m128i *)out, td_registers_low_products(field, slots));
	_mm_storeu_si128((__m128i *)(out + 2), td_registers_high_products(field, slots));
}

/* Four fields each, 32 bits: level 1 and level 2. */
static inline __m128i td_registers_level1(uint64_t metrics)
{
	__m128i bytes = _mm_cvtsi64_si128((int64_t)metrics), zero = _mm_setzero_si128();

	return _mm_unpacklo_epi16(_mm_unpacklo_epi8(bytes, zero), zero);
}

static inline __m128i td_registers_level2(uint64_t metrics)
{
	__m128i bytes = _mm_cvtsi64_si128((int64_t)metrics), zero = _mm_setzero_si128();

	return _mm_unpackhi_epi16(_mm_unpacklo_epi8(bytes, zero), zero);
}

/* Can the register be weighed (below)? */
static inline bool td_registers_is_full(uint64_t metrics)
{
	__m128i level1 = _mm_cvtsi32_si128((int32_t)(uint32_t)metrics);

	return _mm_cvtsi128_si32(_mm_sad_epu8(level1, _mm_setzero_si128())) ==
	       (int32_t)TD_FIELDS_FULL;
}

/* The fields, and the sums of the first 1, 2, 3 and 4 of them; 16 bits each. */
static inline uint32_t td_registers_borders(uint64_t metrics, __m128i *field,
					    __m128i *borders)
{
	*field = _mm_unpacklo_epi8(_mm_cvtsi64_si128((int64_t)metrics),
				   _mm_setzero_si128());
	*borders = _mm_add_epi16(*field, _mm_slli_epi64(*field, 16));
	*borders = _mm_add_epi16(*borders, _mm_slli_epi64(*borders, 32));
	return (uint32_t)_mm_extract_epi16(*borders, 3);
}

static inline bool td_registers_is_possible(uint32_t sum)
{
	return sum - (TD_FIELDS_FULL - TD_FIELDS_TOLERANCE) <= 2 * TD_FIELDS_TOLERANCE;
}

static inline bool td_registers_decode(uint64_t slots, uint64_t metrics, uint32_t fields,
				       uint64_t *out)
{
	__m128i field, borders;
	uint32_t sum = td_registers_borders(metrics, &field, &borders);

	if (!td_registers_is_possible(sum)) {
		memset(out, 0, fields * sizeof(*out));
		return false;
	}
	if (slots >> 30)
		td_registers_decode_any(slots, metrics, fields, sum, out);
	else
		td_registers_decode_short(slots, field, borders, sum, fields, out);
	return true;
}

/* The same for less than 2^30 slots, in 32 bits; where it returns false, it sets
 * nothing. */
static inline bool td_registers_decode_less(uint64_t slots, uint64_t metrics,
					    uint32_t fields, int32_t *out)
{
	__m128i field, borders;
	uint32_t sum = td_registers_borders(metrics, &field, &borders);
	__m128d scale;

	if (!td_registers_is_possible(sum))
		return false;
	scale = td_registers_scale(slots, sum);
	_mm_storeu_si128((__m128i *)out, td_registers_short_level1(borders, scale));
	if (fields > TD_FIELDS_LEVEL1)
		_mm_storeu_si128((__m128i *)(out + TD_FIELDS_LEVEL1),
				 td_registers_short_level2(field, scale));
	return true;
}

static inline bool td_registers_weigh(uint64_t slots, uint64_t metrics, uint32_t fields,
				      uint64_t *out)
{
	__m128i factor = _mm_shuffle_epi32(_mm_cvtsi64_si128((int64_t)slots), 0x44);

	if (!td_registers_is_full(metrics) || slots >> 32)
		return false;
	td_registers_store_products(out, td_registers_level1(metrics), factor);
	if (fields > TD_FIELDS_LEVEL1)
		td_registers_store_products(out + TD_FIELDS_LEVEL1,
					    td_registers_level2(metrics), factor);
	return true;
}

#endif
