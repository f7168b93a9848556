// SPDX-License-Identifier: MIT
/* Rates of a few windows, beside instructions that all windows know. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/jackknife.h"
#include "decoder/separate_state.h"
#include "decoder/student.h"
#include "tests/unit/unit.h"

#define RUNS 400
#define AT 1     /* the count that all windows know */
#define BY 2.    /* times what is known is what it counts */
#define RATE 0.3 /* of the event, truly */
#define INSNS 0.25
#define SLOPE -0.7 /* between a function's states: event on instructions */

/* How a run comes by its errors; standard deviations, of means over the batches. */
struct errors {
	double states; /* of the group's instructions, by which states it met */
	double event;  /* of the event, whatever instructions do */
	double known;  /* of what all windows know, as batches show it */
	double hidden; /* the same, and no batch shows it */
	double bias;   /* of the group's instructions, and no batch shows it */
	double slope;  /* by which the event has what instructions have */
};

static struct td_separate_trace known;
static struct td_separate_input input = {
	.rates = 1, .known = &known, .known_at = AT, .known_by = BY};
static struct td_reading reading[TD_NODES], before; /* before it is taken */
static struct td_separate_moves moves;
static uint16_t seed[3];

static double normal(double deviation)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += erand48(seed);
	return deviation * sum;
}

/* Batches' values, their mean in *mean, and how that changes without each. */
static void without_each(const double *batch, double *mean, double *change)
{
	*mean = 0;
	for (int b = 0; b < TD_BATCHES; b++)
		*mean += batch[b] / TD_BATCHES;
	for (int b = 0; b < TD_BATCHES; b++)
		change[b] = (*mean - batch[b]) / (TD_BATCHES - 1);
}

static void read_value(int node, double value, const double *change)
{
	reading[node] = (struct td_reading){.bounded = value,
					    .free = value,
					    .variance = td_jackknife_variance(change),
					    .df = TD_BATCHES - 1};
}

/* One run; reading[0] is the event's. */
static void run(const struct errors *e)
{
	double event[TD_BATCHES], insns[TD_BATCHES], all[TD_BATCHES],
		many = sqrt(TD_BATCHES);
	double change[2][TD_BATCHES], mean[2];
	struct td_beside beside = {.mean = 0};

	for (int b = 0; b < TD_BATCHES; b++) {
		double off = normal(many * e->states);

		insns[b] = BY * (INSNS + off + e->bias);
		event[b] = RATE + e->slope * (off + e->bias) + normal(many * e->event);
		all[b] = INSNS + normal(many * e->known);
	}
	without_each(all, &known.value, known.change);
	known.value += normal(e->hidden);
	known.variance = td_jackknife_variance(known.change) + e->hidden * e->hidden;
	without_each(event, &mean[0], change[0]);
	without_each(insns, &mean[1], change[1]);
	memset(reading, 0, sizeof(reading));
	read_value(0, mean[0], change[0]);
	read_value(AT, mean[1], change[1]);
	for (unsigned b = 0; b < TD_BATCHES; b++) {
		const double of[TD_SEPARATE_NODES] = {change[0][b], change[1][b]};

		td_beside_add(&beside, &input, 0, b, of);
		for (int k = 0; k < 2; k++)
			moves.change[k][b] = (float)change[k][b];
	}
	before = reading[0];
	td_beside_take(&beside, &input, 0, reading, &moves);
}

/* Of a value, by its moves. */
static double moves_by(int value)
{
	double change[TD_BATCHES];

	for (int b = 0; b < TD_BATCHES; b++)
		change[b] = moves.change[value][b];
	return sqrt(td_jackknife_variance(change));
}

/* Root mean square error of the event over many runs; intervals that hold, percent, in
 * *held; the mean standard error in *said. */
static double error_of(const struct errors *e, double *held, double *said)
{
	double square = 0, holds = 0;

	memset(seed, 7, sizeof(seed));
	*said = 0;
	for (int i = 0; i < RUNS; i++) {
		double off, sure;

		run(e);
		off = reading[0].free - RATE;
		sure = sqrt(reading[0].variance);
		square += off * off / RUNS;
		holds += fabs(off) <= td_student_t95(reading[0].df) * sure;
		*said += sure / RUNS;
	}
	*held = 100 * holds / RUNS;
	return sqrt(square);
}

static double held, said;

/* Which states the group met is chance; the event's own error stays. */
START_TEST(states_are_known)
{
	const struct errors e = {
		.states = 0.02, .event = 0.004, .known = 0.003, .slope = SLOPE};

	/* 0.015 before */
	ck_assert_double_lt(error_of(&e, &held, &said), 0.006);
	ck_assert_double_gt(held, 93);
	ck_assert_double_lt(said, 0.006);
}
END_TEST

/* Slow states are met too often in every batch: the count is away from what is known by
 * more than both errors, and that is its own. */
START_TEST(bias_is_known)
{
	const struct errors e = {.states = 0.004,
				 .event = 0.002,
				 .known = 0.002,
				 .bias = -0.03,
				 .slope = SLOPE};

	/* 0.021 before */
	ck_assert_double_lt(error_of(&e, &held, &said), 0.008);
	ck_assert_double_gt(held, 90);
}
END_TEST

/* An event that has nothing to do with instructions stays as it is, but for what looks
 * like it by chance. */
START_TEST(what_does_not_go_along)
{
	static const double bias[] = {0, 0.06};

	for (int i = 0; i < 2; i++) {
		const struct errors e = {
			.states = 0.01, .event = 0.005, .known = 0.003, .bias = bias[i]};

		/* 0.005 without; 0.0076 by the slope as it is */
		ck_assert_double_lt(error_of(&e, &held, &said), 0.0068);
		ck_assert_double_gt(held, 92);
	}
}
END_TEST

/* What is known badly, though no batch shows it, moves nothing. */
START_TEST(badly_known)
{
	const struct errors e = {.states = 0.01,
				 .event = 0.002,
				 .known = 0.001,
				 .hidden = 0.05,
				 .slope = SLOPE};

	/* 0.007 without */
	ck_assert_double_lt(error_of(&e, &held, &said), 0.012);
	ck_assert_double_gt(held, 93);
}
END_TEST

/* The count itself becomes what is known. */
START_TEST(the_count_itself)
{
	const struct errors e = {
		.states = 0.02, .event = 0.004, .known = 0.001, .slope = SLOPE};

	memset(seed, 9, sizeof(seed));
	run(&e);
	ck_assert_double_eq_tol(reading[AT].free, BY * known.value, 0.003);
	ck_assert_double_lt(sqrt(reading[AT].variance), 0.006);
}
END_TEST

/* How rates go together is known as they are taken: what states did is in neither of them
 * any more, and what all windows know is in both. */
START_TEST(batches_follow)
{
	const struct errors e = {
		.states = 0.02, .event = 0.001, .known = 0.003, .slope = SLOPE};

	memset(seed, 9, sizeof(seed));
	run(&e);
	/* 0.015 and 0.04 before */
	ck_assert_double_eq_tol(moves_by(0), 0.7 * 0.003, 0.001);
	ck_assert_double_eq_tol(moves_by(AT), BY * 0.003, 0.002);
	for (int b = 0; b < TD_BATCHES; b++)
		moves.change[0][b] -= (float)SLOPE / (float)BY * moves.change[AT][b];
	ck_assert_double_lt(moves_by(0), 0.0015);
}
END_TEST

/* What no batch shows of what all windows know is in both rates alike. */
START_TEST(hidden_ones_go_together)
{
	const struct errors e = {.states = 0.02,
				 .event = 0.001,
				 .known = 0.003,
				 .hidden = 0.004,
				 .slope = SLOPE};

	memset(seed, 9, sizeof(seed));
	run(&e);
	ck_assert_double_eq_tol(moves.beside[0], SLOPE * 0.004, 0.0005);
	ck_assert_double_eq_tol(moves.beside[AT], BY * 0.004, 0.001);
}
END_TEST

START_TEST(nobody_knows)
{
	const struct errors e = {.states = 0.02, .event = 0.004, .slope = SLOPE};

	memset(seed, 9, sizeof(seed));
	run(&e);
	/* all[] has no scatter: as of a function that has no trace */
	ck_assert_double_eq(reading[0].free, before.free);
	ck_assert_double_eq(reading[0].variance, before.variance);
	ck_assert_uint_eq(reading[0].df, TD_BATCHES - 1);
}
END_TEST

int main(void)
{
	return unit_main("separate_beside",
			 (const TTest *const[]){
				 states_are_known, bias_is_known, what_does_not_go_along,
				 badly_known, the_count_itself, batches_follow,
				 hidden_ones_go_together, nobody_knows, NULL});
}
