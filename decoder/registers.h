/* SPDX-License-Identifier: MIT */
/*
 * The PERF_METRICS register: eight 8-bit fields, each a fraction of SLOTS in
 * 255ths, both counted since the last reset.  Sources: the Intel SDM, volume 3,
 * "PERF_METRICS MSR", and the kernel's topdown document, whose delta rule
 * td_registers_delta() is.
 *
 * What the signal handler needs is inline: it is done in each window.
 *
 * Context: any; pure functions.
 */
#ifndef TD_DECODER_REGISTERS_H
#define TD_DECODER_REGISTERS_H

#include <emmintrin.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* In the order of the register's bytes. */
enum td_field {
	TD_FIELD_RETIRING,
	TD_FIELD_BAD_SPECULATION,
	TD_FIELD_FRONTEND_BOUND,
	TD_FIELD_BACKEND_BOUND,
	TD_FIELD_HEAVY_OPERATIONS, /* from here on Sapphire Rapids and later */
	TD_FIELD_BRANCH_MISPREDICTS,
	TD_FIELD_FETCH_LATENCY,
	TD_FIELD_MEMORY_BOUND,
	TD_FIELDS,
};
#define TD_FIELDS_LEVEL1 4u

#define TD_COUNTER_MASK 0xffffffffffffull /* 48 bits */

#define TD_FIELDS_FULL 255u
#define TD_FIELDS_TOLERANCE 8u

/* td_registers_decode() for any count, field by field, its sum known to be right. */
void td_registers_decode_any(uint64_t slots, uint64_t metrics, uint32_t fields,
			     uint32_t sum, uint64_t *out);

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
 * The same result for less than 2^30 slots, in half as many instructions: this is
 * done twice a window, in the signal handler.  `fields` are the eight of the
 * register, `borders` the sums of the first 1, 2, 3 and 4 of them, 16 bits each.
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

/*
 * The slots of each of the first `fields` (4 or 8) fields.  Level 1 is shared
 * out so that it adds up to `slots` whatever the rounding of the fields; level 2
 * is its field's share of the same sum.  False, with slots[] zero, if the
 * level 1 fields do not add up to 255 +- 8: the register was not counting, or
 * was caught in a switch.
 */
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

/*
 * The same for complete totals, where only sums matter, in half the time: each
 * field in units of 256/255 slots, rounded down, so that nothing is divided.  False,
 * with out[] untouched, unless level 1 adds up to 255 and slots fit into 32 bits.
 */
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

/* Slots to such units, and a sum of such units to slots (to the nearest). */
static inline uint64_t td_registers_to_units(uint64_t slots)
{
	return slots - (slots + 128) / 256;
}

static inline uint64_t td_registers_from_units(uint64_t units)
{
	return units + (units + 127) / 255;
}

/*
 * The same between two readings without a reset in between: the difference of
 * the scaled values, never below zero.  Its error is up to slots_b / 255 for each
 * field, which is why windows are opened by a reset.  False if slots went
 * backwards or one of the readings is not plausible.
 */
bool td_registers_delta(uint64_t slots_a, uint64_t metrics_a, uint64_t slots_b,
			uint64_t metrics_b, uint32_t fields, uint64_t *out);

/* Which values correct level 1, by index; 0: the value is not there. */
struct td_correction {
	uint32_t uop_dropping; /* slots that the register calls frontend bound, and are
				  not */
	uint32_t clears;       /* machine clears, each of ... */
	uint32_t
		clear_slots; /* ... so many slots called bad speculation: backend bound */
};

/*
 * Ice Lake to Granite Rapids: what the formulas of intel/perfmon (TMA metrics)
 * do to the register's level 1 and to fetch latency.  value[0] is slots, then
 * come the fields.  A single window's result may be below zero (two's
 * complement): only sums have a meaning, and they stay unbiased that way.
 */
static inline void td_registers_correct(const struct td_correction *correction,
					uint32_t fields, uint64_t *value)
{
	uint64_t *field = value + 1;

	if (correction->uop_dropping) {
		uint64_t dropped = value[correction->uop_dropping];

		field[TD_FIELD_FRONTEND_BOUND] -= dropped;
		if (fields > TD_FIELD_FETCH_LATENCY)
			field[TD_FIELD_FETCH_LATENCY] -= dropped;
	}
	if (correction->clears)
		field[TD_FIELD_BACKEND_BOUND] +=
			value[correction->clears] * correction->clear_slots;
	field[TD_FIELD_BAD_SPECULATION] = value[0] - field[TD_FIELD_RETIRING] -
					  field[TD_FIELD_FRONTEND_BOUND] -
					  field[TD_FIELD_BACKEND_BOUND];
}

#endif
