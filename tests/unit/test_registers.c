// SPDX-License-Identifier: MIT
#include <string.h>

#include "decoder/registers.h"
#include "tests/unit/unit.h"

/* The register with these fields, in the order of its bytes. */
static uint64_t metrics(const uint8_t field[TD_FIELDS])
{
	uint64_t value = 0;

	for (int i = TD_FIELDS - 1; i >= 0; i--)
		value = value << 8 | field[i];
	return value;
}

static uint64_t level1(uint8_t retiring, uint8_t bad, uint8_t frontend, uint8_t backend)
{
	return metrics((const uint8_t[TD_FIELDS]){retiring, bad, frontend, backend});
}

START_TEST(each_field_in_its_place)
{
	const uint64_t value =
		metrics((const uint8_t[TD_FIELDS]){51, 25, 77, 102, 11, 22, 33, 44});
	const uint64_t expected[TD_FIELDS] = {51000, 25000, 77000, 102000,
					      11000, 22000, 33000, 44000};
	uint64_t out[TD_FIELDS];

	ck_assert_uint_eq(value, 0x2c21160b664d1933);
	ck_assert(td_registers_decode(255000, value, TD_FIELDS, out));
	ck_assert_mem_eq(out, expected, sizeof(out));
	/* without level 2: its bytes are not looked at, its room not touched */
	out[4] = 7;
	ck_assert(td_registers_decode(255000, value, TD_FIELDS_LEVEL1, out));
	ck_assert_mem_eq(out, expected, 4 * sizeof(out[0]));
	ck_assert_uint_eq(out[4], 7);
}
END_TEST

/* Whatever the register's rounding and the window's length. */
START_TEST(level1_adds_up)
{
	for (unsigned sum = 247; sum <= 263; sum++) {
		for (uint64_t slots = 0; slots < 3000; slots += 7) {
			uint8_t backend = (uint8_t)(sum - 3 - 29 - 151);
			uint64_t out[4];

			ck_assert(td_registers_decode(slots, level1(3, 29, 151, backend),
						      4, out));
			ck_assert_uint_eq(out[0] + out[1] + out[2] + out[3], slots);
			ck_assert_uint_le(out[0], slots * 3 / sum + 1);
			ck_assert_uint_ge(out[2], slots * 151 / sum);
		}
	}
}
END_TEST

/* A child of one field's size is never larger than its parent. */
START_TEST(level2_stays_inside)
{
	for (uint64_t slots = 0; slots < 1000; slots++) {
		uint64_t out[TD_FIELDS];

		ck_assert(td_registers_decode(slots,
					      metrics((const uint8_t[TD_FIELDS]){
						      60, 65, 63, 67, 60, 65, 63, 67}),
					      TD_FIELDS, out));
		for (int i = 0; i < 4; i++)
			ck_assert_uint_le(out[4 + i], out[i]);
	}
}
END_TEST

/* The vectors do what the definition says, for any register and count. */
START_TEST(exactly_as_defined)
{
	uint64_t state = 12345, wrong = 0;

	for (int n = 0; n < 2000000; n++) {
		uint64_t random, slots, out[TD_FIELDS];
		uint32_t sum = 0, below = 0;
		uint8_t field[TD_FIELDS];

		state = state * 6364136223846793005u + 1442695040888963407u;
		random = state ^ state >> 29;
		for (int i = 0; i < TD_FIELDS; i++)
			field[i] = (uint8_t)(random >> 8 * i);
		for (int i = 0; i < 3; i++)
			sum += field[i] /= 3;
		if (247 + random % 17 - sum > 255)
			continue; /* the fourth cannot make up for them */
		field[3] = (uint8_t)(247 + random % 17 - sum);
		sum += field[3];
		/* every size, and often a multiple of the sum: no rounding at all */
		slots = (random >> 32) >> random % 31;
		slots = n % 2 ? slots : slots / sum * sum;
		wrong += !td_registers_decode(slots, metrics(field), TD_FIELDS, out);
		for (int i = 0; i < 4; i++) {
			wrong += out[i] !=
				 slots * (below + field[i]) / sum - slots * below / sum;
			wrong += out[4 + i] != slots * field[4 + i] / sum;
			below += field[i];
		}
	}
	ck_assert_uint_eq(wrong, 0);
}
END_TEST

/* Sums of units give what sums of slots give, but for the rounding of each. */
START_TEST(units_add_up)
{
	static const uint8_t field[TD_FIELDS] = {51, 25, 77, 102, 11, 22, 33, 44};
	uint64_t state = 1, out[TD_FIELDS], sum[TD_FIELDS] = {0}, slots = 0;
	enum { READINGS = 10000 };

	for (int n = 0; n < READINGS; n++) {
		state = state * 6364136223846793005u + 1442695040888963407u;
		ck_assert(
			td_registers_weigh(state >> 36, metrics(field), TD_FIELDS, out));
		slots += state >> 36;
		for (int i = 0; i < TD_FIELDS; i++) {
			ck_assert_uint_eq(out[i], (state >> 36) * field[i] / 256);
			sum[i] += out[i];
		}
	}
	for (int i = 0; i < TD_FIELDS; i++) {
		uint64_t true_sum = slots / 255 * field[i];

		sum[i] = td_registers_from_units(sum[i]);
		ck_assert_uint_le(sum[i], true_sum + READINGS);
		ck_assert_uint_ge(sum[i], true_sum - READINGS - 255);
	}
	for (uint64_t x = 0; x < 3000; x++)
		ck_assert_uint_le(
			td_registers_from_units(td_registers_to_units(x)) - x + 1, 2);
}
END_TEST

START_TEST(what_has_no_units_is_refused)
{
	uint64_t out[TD_FIELDS] = {7, 7, 7, 7, 7};

	ck_assert(!td_registers_weigh(1000, level1(60, 60, 60, 76), 4, out));
	ck_assert(!td_registers_weigh(1000, level1(60, 60, 60, 74), 4, out));
	ck_assert(!td_registers_weigh(1ull << 32, level1(60, 60, 60, 75), 4, out));
	ck_assert_uint_eq(out[0], 7);
	ck_assert(td_registers_weigh((1ull << 32) - 1, level1(60, 60, 60, 75), 4, out));
	ck_assert_uint_eq(out[3], ((1ull << 32) - 1) * 75 / 256);
	ck_assert_uint_eq(out[4], 7); /* without level 2 its room is not touched */
}
END_TEST

START_TEST(large_counts_do_not_overflow)
{
	uint64_t out[4];

	ck_assert(td_registers_decode(TD_COUNTER_MASK, level1(0, 0, 0, 255), 4, out));
	ck_assert_uint_eq(out[3], TD_COUNTER_MASK);
	ck_assert(td_registers_decode(UINT64_MAX, level1(255, 0, 0, 0), 4, out));
	ck_assert_uint_eq(out[0], UINT64_MAX);
}
END_TEST

START_TEST(implausible_sums_are_refused)
{
	uint64_t out[4];
	const uint64_t zero[4] = {0};

	for (unsigned sum = 200; sum <= 300; sum++) {
		uint64_t value = level1(100, 50, 25, (uint8_t)(sum - 175));
		int plausible = sum >= 247 && sum <= 263;

		memset(out, 0xff, sizeof(out));
		ck_assert_int_eq(td_registers_decode(1000, value, 4, out), plausible);
		if (!plausible)
			ck_assert_mem_eq(out, zero, sizeof(out));
	}
	ck_assert(!td_registers_decode(1000, 0, 4, out));
	ck_assert(!td_registers_decode(1000, UINT64_MAX, 4, out));
}
END_TEST

/* Sapphire Rapids: slots, eight fields, near returns, uop dropping. */
START_TEST(uop_dropping_is_not_frontend)
{
	const struct td_correction correction = {.uop_dropping = 10, .clear_slots = 6};
	uint64_t value[11] = {1000, 200, 100, 400, 300, 50, 80, 250, 150, 3, 40};

	td_registers_correct(&correction, TD_FIELDS, value);
	ck_assert_uint_eq(value[1 + TD_FIELD_FRONTEND_BOUND], 360);
	ck_assert_uint_eq(value[1 + TD_FIELD_FETCH_LATENCY], 210);
	ck_assert_uint_eq(value[1 + TD_FIELD_BAD_SPECULATION], 140);
	ck_assert_uint_eq(value[1 + TD_FIELD_RETIRING], 200);
	ck_assert_uint_eq(value[1 + TD_FIELD_BACKEND_BOUND], 300);
	ck_assert_uint_eq(value[1 + TD_FIELD_BRANCH_MISPREDICTS], 80);
}
END_TEST

/* Ice Lake: slots, four fields, near returns, uop dropping, clears. */
START_TEST(clears_are_backend)
{
	const struct td_correction correction = {6, 7, 5};
	uint64_t value[8] = {1000, 200, 150, 400, 250, 2, 40, 10};

	td_registers_correct(&correction, TD_FIELDS_LEVEL1, value);
	ck_assert_uint_eq(value[1 + TD_FIELD_FRONTEND_BOUND], 360);
	ck_assert_uint_eq(value[1 + TD_FIELD_BACKEND_BOUND], 300);
	ck_assert_uint_eq(value[1 + TD_FIELD_BAD_SPECULATION], 140);
	/* the counters behind level 1 are not level 2 */
	ck_assert_uint_eq(value[5], 2);
	ck_assert_uint_eq(value[6], 40);
	ck_assert_uint_eq(value[7], 10);
}
END_TEST

START_TEST(one_window_may_go_below_zero)
{
	const struct td_correction correction = {6, 7, 5};
	uint64_t value[8] = {1000, 500, 0, 300, 200, 0, 0, 20};

	td_registers_correct(&correction, TD_FIELDS_LEVEL1, value);
	ck_assert_int_eq((int64_t)value[1 + TD_FIELD_BAD_SPECULATION], -100);
	ck_assert_uint_eq(value[1] + value[2] + value[3] + value[4], 1000);
}
END_TEST

/* Lunar Lake and later: nothing to correct, level 1 stays. */
START_TEST(nothing_to_correct)
{
	const struct td_correction correction = {.clear_slots = 8};
	uint64_t value[9] = {1000, 200, 100, 400, 300, 50, 80, 250, 150};
	uint64_t same[9];

	memcpy(same, value, sizeof(same));
	td_registers_correct(&correction, TD_FIELDS, value);
	ck_assert_mem_eq(value, same, sizeof(same));
}
END_TEST

int main(void)
{
	return unit_main(
		"registers",
		(const TTest *const[]){
			each_field_in_its_place, exactly_as_defined, units_add_up,
			what_has_no_units_is_refused, level1_adds_up, level2_stays_inside,
			large_counts_do_not_overflow, implausible_sums_are_refused,
			uop_dropping_is_not_frontend, clears_are_backend,
			one_window_may_go_below_zero, nothing_to_correct, NULL});
}
