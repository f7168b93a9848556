// SPDX-License-Identifier: MIT
/*
 * A program that nobody wrote: which function calls which, how long each runs (10 to
 * 3,000 cycles between calls) and what it does are drawn from a seed.  Prints the
 * emulator's exact truth about itself (truth.h).
 *
 * random [OPTION]... (truth.h)
 */
#include "awkward.h"
#include "draw.h"
#include "truth.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define FUNCTIONS 24
#define LEAVES 10        /* the last ones call nobody */
#define CALLS_MAX 5      /* in one body */
#define CALL_COST 40000  /* cycles that a call may take, callees included */
#define ROUND_COST 15000 /* cycles of each function that the dispatcher calls */
#define INSNS_A_TURN 3

typedef uint32_t function(uint32_t random);

static struct body {
	unsigned turns, mask; /* before the first call: turns + (random & mask) */
	unsigned more;        /* after each */
	unsigned calls;
	function *callee[CALLS_MAX];
} bodies[FUNCTIONS];

/* Each visit of another length. */
static inline __attribute__((always_inline)) uint32_t run(const struct body *body,
							  uint32_t random)
{
	random = random * 1664525 + 1013904223;
	turn(body->turns + (random >> 16 & body->mask));
	for (unsigned i = 0; i < body->calls; i++) {
		random = body->callee[i](random);
		turn(body->more);
	}
	return random;
}

/* clang-format off */
#define EACH(X) \
	X(00) X(01) X(02) X(03) X(04) X(05) X(06) X(07) X(08) X(09) X(10) X(11) \
	X(12) X(13) X(14) X(15) X(16) X(17) X(18) X(19) X(20) X(21) X(22) X(23)
/* clang-format on */
#define DEFINE(n)                                                                        \
	extern const char __start_lab_f##n[], __stop_lab_f##n[];                         \
	IN(f##n) static uint32_t f##n(uint32_t random)                                   \
	{                                                                                \
		return run(&bodies[1##n - 100], random);                                 \
	}
EACH(DEFINE)

#define FUNCTION(n) f##n,
static function *const functions[FUNCTIONS] = {EACH(FUNCTION)};

extern const char __start_lab_dispatch[], __stop_lab_dispatch[];
#define RANGE(n) {"f" #n, NULL, __start_lab_f##n, __stop_lab_f##n, 1.0, {0}, -1},
static struct lab_range ranges[FUNCTIONS + 1] = {
	EACH(RANGE){"dispatch",
		    NULL,
		    __start_lab_dispatch,
		    __stop_lab_dispatch,
		    1.0,
		    {4200, 700, 3100, 2000, 900, 500, 1700, 900},
		    -1},
};

static double cost[FUNCTIONS]; /* of a call, callees included, cycles */
static bool called[FUNCTIONS];

static unsigned to_turns(double cycles, double cpi)
{
	double turns = cycles / cpi / INSNS_A_TURN;

	return turns < 1 ? 1 : (unsigned)turns;
}

static void draw_calls(uint64_t *state, unsigned i)
{
	struct body *body = &bodies[i];
	unsigned wanted = 1 + lab_random_below(state, CALLS_MAX);

	for (unsigned k = 0; k < wanted; k++) {
		unsigned callee = i + 1 + lab_random_below(state, FUNCTIONS - i - 1);

		if (cost[i] + cost[callee] > CALL_COST)
			continue;
		body->callee[body->calls++] = functions[callee];
		cost[i] += cost[callee] + body->more * INSNS_A_TURN * ranges[i].cpi;
		called[callee] = true;
	}
}

static void draw(uint64_t seed)
{
	uint64_t state = seed * 0x9e3779b97f4a7c15u;

	for (unsigned i = FUNCTIONS; i-- > 0;) {
		struct body *body = &bodies[i];
		double length = lab_draw_between(&state, 10, 3000);

		ranges[i].cpi = lab_draw_between(&state, 0.3, 3);
		lab_draw_mix(&state, &ranges[i].mix);
		body->turns = to_turns(length, ranges[i].cpi);
		body->more = to_turns(length * lab_draw_between(&state, 0.3, 1.5),
				      ranges[i].cpi);
		while (body->mask < body->turns / 2)
			body->mask = body->mask * 2 + 1;
		body->turns -= body->turns > body->mask / 2 + 1 ? body->mask / 2 : 0;
		cost[i] = length;
		if (i < FUNCTIONS - LEAVES)
			draw_calls(&state, i);
	}
}

/* What nobody calls, in an order that changes. */
IN(dispatch) static void dispatch(unsigned rounds, uint64_t seed)
{
	uint8_t roots[FUNCTIONS];
	uint32_t n = 0, random = (uint32_t)seed;
	uint64_t state = seed;

	for (uint8_t i = 0; i < FUNCTIONS; i++)
		if (!called[i])
			roots[n++] = i;
	for (unsigned r = 0; r < rounds * n; r++) {
		uint8_t root = roots[lab_random_below(&state, n)];

		for (double spent = 0; spent < ROUND_COST; spent += cost[root])
			random = functions[root](random);
	}
}

int main(int argc, char **argv)
{
	struct lab_options options = {.rounds = 100, .seed = 1};

	if (!lab_options(argc, argv, &options, NULL))
		return 2;
	draw(options.seed);
	return lab_measure(ranges, COUNT(ranges), &options, dispatch);
}
