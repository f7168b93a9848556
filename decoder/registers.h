/* SPDX-License-Identifier: MIT */
/*
 * The PERF_METRICS register: eight 8-bit fields, each a fraction of SLOTS in
 * 255ths, both counted since the last reset.  Sources: the Intel SDM, volume 3,
 * "PERF_METRICS MSR", and the kernel's topdown document.  The difference of two
 * readings without a reset in between is off by up to a 255th of all slots: windows
 * are opened by a reset.
 *
 * What the signal handler needs is inline: it is done in each window.
 *
 * Context: any; pure functions.
 */
#ifndef TD_DECODER_REGISTERS_H
#define TD_DECODER_REGISTERS_H

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

/*
 * td_registers_decode() with parts of a slot, of a reading that it has found possible: of
 * many windows that are alike whole slots are wrong the same way.
 */
void td_registers_decode_parts(uint64_t slots, uint64_t metrics, uint32_t fields,
			       double *out);

/* Slots to the units of weigh, and a sum of such units to slots (to the nearest). */
static inline uint64_t td_registers_to_units(uint64_t slots)
{
	return slots - (slots + 128) / 256;
}

static inline uint64_t td_registers_from_units(uint64_t units)
{
	return units + (units + 127) / 255;
}

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
#define TD_REGISTERS_CORRECT(correction, fields, value)                                  \
	do {                                                                             \
		__typeof__(value) field_ = (value) + 1;                                  \
                                                                                         \
		if ((correction)->uop_dropping) {                                        \
			__typeof__(*field_) dropped_ =                                   \
				(value)[(correction)->uop_dropping];                     \
                                                                                         \
			field_[TD_FIELD_FRONTEND_BOUND] -= dropped_;                     \
			if ((fields) > TD_FIELD_FETCH_LATENCY)                           \
				field_[TD_FIELD_FETCH_LATENCY] -= dropped_;              \
		}                                                                        \
		if ((correction)->clears)                                                \
			field_[TD_FIELD_BACKEND_BOUND] +=                                \
				(value)[(correction)->clears] *                          \
				(__typeof__(*field_))(correction)->clear_slots;          \
		field_[TD_FIELD_BAD_SPECULATION] = (value)[0] -                          \
						   field_[TD_FIELD_RETIRING] -           \
						   field_[TD_FIELD_FRONTEND_BOUND] -     \
						   field_[TD_FIELD_BACKEND_BOUND];       \
	} while (0)

static inline void td_registers_correct(const struct td_correction *correction,
					uint32_t fields, uint64_t *value)
{
	TD_REGISTERS_CORRECT(correction, fields, value);
}

/* The same of 32 bits: one window's values. */
static inline void td_registers_correct_less(const struct td_correction *correction,
					     uint32_t fields, int32_t *value)
{
	TD_REGISTERS_CORRECT(correction, fields, value);
}

/* The same with parts of a slot. */
static inline void td_registers_correct_parts(const struct td_correction *correction,
					      uint32_t fields, double *value)
{
	TD_REGISTERS_CORRECT(correction, fields, value);
}

/*
 * td_registers_decode(slots, metrics, fields, out): the slots of each of the first
 * `fields` (4 or 8) fields.  Level 1 is shared out so that it adds up to `slots`
 * whatever the rounding of the fields; level 2 is its field's share of the same sum.
 * False, with slots[] zero, if the level 1 fields do not add up to 255 +- 8: the
 * register was not counting, or was caught in a switch.
 *
 * td_registers_weigh(), likewise: for complete totals, where only sums matter, in half
 * the time: each field in units of 256/255 slots, rounded down, so that nothing is
 * divided.  False, with out[] untouched, unless level 1 adds up to 255 and slots fit
 * into 32 bits.
 */
#ifdef __SSE2__
#include "decoder/registers_sse2.h"
#else
bool td_registers_decode(uint64_t slots, uint64_t metrics, uint32_t fields,
			 uint64_t *out);
bool td_registers_weigh(uint64_t slots, uint64_t metrics, uint32_t fields, uint64_t *out);
#endif

#endif
