// SPDX-License-Identifier: MIT
/*
 * Two versions of one program, for comparisons: what its four functions are
 * limited by is declared to the simulated PMU.
 *
 *     versions [-p POINTS] [-s PERCENT] [MILLISECONDS]
 *
 * -p: of parse, so many points of the slots go from retiring to backend bound.
 * -s: render takes so many percent of its usual time; 0: it is not called.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/prog/simulate.h"
#include "tests/prog/spin.h"

enum phase { OUTSIDE, READ, PARSE, RENDER, WRITE, PHASES };

/* Not const: main() changes it before anything is measured of it. */
static struct td_sim_phase mix[PHASES] = {
	[OUTSIDE] = {18000, {2500, 2500, 2500, 2500, 200, 2300, 1500, 1500}},
	[READ] = {18000, {1000, 200, 800, 8000, 100, 100, 300, 7000}},
	[PARSE] = {18000, {4500, 1500, 2000, 2000, 500, 1200, 1500, 800}},
	[RENDER] = {18000, {7000, 500, 500, 2000, 1000, 400, 200, 400}},
	[WRITE] = {18000, {2000, 300, 3700, 4000, 200, 200, 2900, 3000}},
};
SIM_PROGRAM(mix);

static uint64_t spent[PHASES];

/* `until`: the CPU time that the function shall have had, in ns. */
#define WORK(name, phase)                                                                \
	static SPIN_NOINLINE void name(uint64_t until)                                   \
	{                                                                                \
		uint32_t previous = sim_enter(phase);                                    \
                                                                                         \
		spin_to(&spent[phase], until);                                           \
		sim_leave(previous);                                                     \
	}

WORK(read_input, READ)
WORK(parse, PARSE)
WORK(render, RENDER)
WORK(write_output, WRITE)

/* 2 to 18 ms: rounds of one length could keep step with a timer. */
static uint64_t next_round(void)
{
	static uint32_t state = 1;

	state = state * 1664525u + 1013904223u;
	return (2 + (state >> 8) % 17) * SPIN_MS;
}

static int usage(void)
{
	fprintf(stderr, "versions [-p POINTS] [-s PERCENT] [MILLISECONDS]\n");
	return 2;
}

int main(int argc, char **argv)
{
	uint64_t percent = 100, ms = 1000;
	int option;

	while ((option = getopt(argc, argv, "p:s:")) != -1) {
		uint32_t points = (uint32_t)strtoul(optarg ? optarg : "", NULL, 10);

		if (option == 'p' && points <= 40) {
			mix[PARSE].node[TD_SIM_RETIRING] -= 100 * points;
			mix[PARSE].node[TD_SIM_BACKEND_BOUND] += 100 * points;
		} else if (option == 's') {
			percent = points;
		} else {
			return usage();
		}
	}
	if (optind < argc)
		ms = strtoull(argv[optind], NULL, 10);
	for (uint64_t until = next_round(); until <= ms * SPIN_MS;
	     until += next_round()) {
		read_input(until / 10);
		parse(until / 10 * 4);
		if (percent)
			render(until / 10 * 2 * percent / 100);
		write_output(until / 10 * 3);
	}
	sim_end();
	return 0;
}
