// SPDX-License-Identifier: MIT
#include "decoder/registers.h"

#include <emmintrin.h>
#include <string.h>

#define FULL 255u
#define TOLERANCE 8u

static uint32_t field_of(uint64_t metrics, uint32_t field)
{
	return (uint32_t)(metrics >> (8 * field)) & 0xff;
}

static uint64_t part(uint64_t slots, uint32_t fields, uint32_t sum)
{
	/* what 48 bits hold needs no 128-bit division, which is 60 instructions */
	if (slots <= TD_COUNTER_MASK)
		return slots * fields / sum;
	return (uint64_t)((unsigned __int128)slots * fields / sum);
}

/* Any count, field by field.  Of its own, so that others save no registers for it. */
__attribute__((noinline)) static void
decode_any(uint64_t slots, uint64_t metrics, uint32_t fields, uint32_t sum, uint64_t *out)
{
	uint32_t below = 0;

	/* from border to border, so that no slot gets lost between two fields */
	for (uint32_t i = 0; i < TD_FIELDS_LEVEL1; i++) {
		uint32_t field = field_of(metrics, i);

		out[i] = part(slots, below + field, sum) - part(slots, below, sum);
		below += field;
	}
	for (uint32_t i = TD_FIELDS_LEVEL1; i < fields; i++)
		out[i] = part(slots, field_of(metrics, i), sum);
}

/* floor(number * scale) of four, as two pairs of binary64. */
static __m128i scaled(__m128i number, __m128d scale)
{
	__m128d low = _mm_mul_pd(_mm_cvtepi32_pd(number), scale);
	__m128d high =
		_mm_mul_pd(_mm_cvtepi32_pd(_mm_shuffle_epi32(number, 0xee)), scale);

	return _mm_unpacklo_epi64(_mm_cvttpd_epi32(low), _mm_cvttpd_epi32(high));
}

static void store(uint64_t *out, __m128i four)
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
static void decode_short(uint64_t slots, __m128i fields, __m128i borders, uint32_t sum,
			 uint32_t wanted, uint64_t *out)
{
	const __m128i zero = _mm_setzero_si128();
	__m128d scale = _mm_set1_pd((double)(int64_t)slots / (double)(int32_t)sum *
				    (1 + 0x1p-48));
	__m128i border = scaled(_mm_unpacklo_epi16(borders, zero), scale);

	store(out, _mm_sub_epi32(border, _mm_slli_si128(border, 4)));
	if (wanted > TD_FIELDS_LEVEL1)
		store(out + TD_FIELDS_LEVEL1,
		      scaled(_mm_unpackhi_epi16(fields, zero), scale));
}

bool td_registers_decode(uint64_t slots, uint64_t metrics, uint32_t fields, uint64_t *out)
{
	__m128i field = _mm_unpacklo_epi8(_mm_cvtsi64_si128((int64_t)metrics),
					  _mm_setzero_si128());
	__m128i borders = _mm_add_epi16(field, _mm_slli_epi64(field, 16));
	uint32_t sum;

	borders = _mm_add_epi16(borders, _mm_slli_epi64(borders, 32));
	sum = (uint32_t)_mm_extract_epi16(borders, 3);
	if (sum < FULL - TOLERANCE || sum > FULL + TOLERANCE) {
		memset(out, 0, fields * sizeof(*out));
		return false;
	}
	if (slots >> 30)
		decode_any(slots, metrics, fields, sum, out);
	else
		decode_short(slots, field, borders, sum, fields, out);
	return true;
}

bool td_registers_delta(uint64_t slots_a, uint64_t metrics_a, uint64_t slots_b,
			uint64_t metrics_b, uint32_t fields, uint64_t *out)
{
	uint64_t before[TD_FIELDS];

	if (slots_b < slots_a || !td_registers_decode(slots_b, metrics_b, fields, out))
		return false;
	if (!slots_a)
		return true;
	if (!td_registers_decode(slots_a, metrics_a, fields, before))
		return false;
	for (uint32_t i = 0; i < fields; i++)
		out[i] = out[i] > before[i] ? out[i] - before[i] : 0;
	return true;
}

void td_registers_correct(const struct td_correction *correction, uint32_t fields,
			  uint64_t *value)
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
