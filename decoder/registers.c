// SPDX-License-Identifier: MIT
#include "decoder/registers.h"

#include <string.h>

static uint32_t field_of(uint64_t metrics, uint32_t field)
{
	return (uint32_t)(metrics >> (8 * field)) & 0xff;
}

static uint32_t sum_of_level1(uint64_t metrics)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < TD_FIELDS_LEVEL1; i++)
		sum += field_of(metrics, i);
	return sum;
}

static uint64_t part(uint64_t slots, uint32_t fields, uint32_t sum)
{
	/* what 48 bits hold needs no 128-bit division, which is 60 instructions */
	if (slots <= TD_COUNTER_MASK)
		return slots * fields / sum;
	return (uint64_t)((unsigned __int128)slots * fields / sum);
}

void td_registers_decode_any(uint64_t slots, uint64_t metrics, uint32_t fields,
			     uint32_t sum, uint64_t *out)
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

void td_registers_decode_parts(uint64_t slots, uint64_t metrics, uint32_t fields,
			       double *out)
{
	uint32_t sum = sum_of_level1(metrics);

	for (uint32_t i = 0; i < fields; i++)
		out[i] = (double)slots * field_of(metrics, i) / sum;
}

#ifndef __SSE2__
bool td_registers_decode(uint64_t slots, uint64_t metrics, uint32_t fields, uint64_t *out)
{
	uint32_t sum = sum_of_level1(metrics);

	if (sum < TD_FIELDS_FULL - TD_FIELDS_TOLERANCE ||
	    sum > TD_FIELDS_FULL + TD_FIELDS_TOLERANCE) {
		memset(out, 0, fields * sizeof(*out));
		return false;
	}
	td_registers_decode_any(slots, metrics, fields, sum, out);
	return true;
}

bool td_registers_weigh(uint64_t slots, uint64_t metrics, uint32_t fields, uint64_t *out)
{
	if (sum_of_level1(metrics) != TD_FIELDS_FULL || slots >> 32)
		return false;
	for (uint32_t i = 0; i < fields; i++)
		out[i] = slots * field_of(metrics, i) / 256;
	return true;
}
#endif
