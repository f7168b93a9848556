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
static inline void td_registers_decode_short(uint64_t slots, __m128i fields,
					     __m128i borders, uint32_t sum,
					     uint32_t wanted, uint64_t *out)
{
	const __m128i zero = _mm_setzero_si128();
	__m128d scale = _mm_set1_pd((double)(int64_t)slots / (double)(int32_t)sum *
				    (1 + 0x1p-48));
	__m128i border = td_registers_scaled(_mm_unpacklo_epi16(borders, zero), scale);

	td_registers_store(out, _mm_sub_epi32(border, _mm_slli_si128(border, 4)));
	if (wanted > TD_FIELDS_LEVEL1)
		td_registers_store(
			out + TD_FIELDS_LEVEL1,
			td_registers_scaled(_mm_unpackhi_epi16(fields, zero), scale));
}

/* slots * field / 256 of four. */
static inline void td_registers_store_products(uint64_t *out, __m128i field,
					       __m128i slots)
{
	const __m128i zero = _mm_setzero_si128();
	__m128i low = _mm_mul_epu32(_mm_unpacklo_epi32(field, zero), slots);
	__m128i high = _mm_mul_epu32(_mm_unpackhi_epi32(field, zero), slots);

	_mm_storeu_si128((__m128i *)out, _mm_srli_epi64(low, 8));
	_mm_storeu_si128((__m128i *)(out + 2), _mm_srli_epi64(high, 8));
}

static inline bool td_registers_decode(uint64_t slots, uint64_t metrics, uint32_t fields,
				       uint64_t *out)
{
	__m128i field = _mm_unpacklo_epi8(_mm_cvtsi64_si128((int64_t)metrics),
					  _mm_setzero_si128());
	__m128i borders = _mm_add_epi16(field, _mm_slli_epi64(field, 16));
	uint32_t sum;

	borders = _mm_add_epi16(borders, _mm_slli_epi64(borders, 32));
	sum = (uint32_t)_mm_extract_epi16(borders, 3);
	if (sum < TD_FIELDS_FULL - TD_FIELDS_TOLERANCE ||
	    sum > TD_FIELDS_FULL + TD_FIELDS_TOLERANCE) {
		memset(out, 0, fields * sizeof(*out));
		return false;
	}
	if (slots >> 30)
		td_registers_decode_any(slots, metrics, fields, sum, out);
	else
		td_registers_decode_short(slots, field, borders, sum, fields, out);
	return true;
}

static inline bool td_registers_weigh(uint64_t slots, uint64_t metrics, uint32_t fields,
				      uint64_t *out)
{
	const __m128i zero = _mm_setzero_si128();
	__m128i bytes = _mm_cvtsi64_si128((int64_t)metrics);
	__m128i field = _mm_unpacklo_epi8(bytes, zero);
	__m128i factor = _mm_shuffle_epi32(_mm_cvtsi64_si128((int64_t)slots), 0x44);
	uint32_t level1 = (uint32_t)metrics;
	uint64_t sum = (uint32_t)_mm_cvtsi128_si32(
		_mm_sad_epu8(_mm_cvtsi32_si128((int32_t)level1), zero));

	if (sum != TD_FIELDS_FULL || slots >> 32)
		return false;
	td_registers_store_products(out, _mm_unpacklo_epi16(field, zero), factor);
	if (fields > TD_FIELDS_LEVEL1)
		td_registers_store_products(out + TD_FIELDS_LEVEL1,
					    _mm_unpackhi_epi16(field, zero), factor);
	return true;
}

#endif
