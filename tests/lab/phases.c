// SPDX-License-Identifier: MIT
/*
 * The kernel's topdown example grown up: functions with a declared behaviour,
 * called in an order that changes each round.  Prints the emulator's exact truth
 * about itself (truth.h).
 *
 * phases [-x sleep|migrate|migrate2|block|FUNCTION:POINTS]... [OPTION]... (truth.h)
 *
 * -x: what the functions do half-way, now and then (migrate: between CPUs 0 and 1,
 * migrate2: 0 and 2); or of FUNCTION so many points of the slots go from retiring to
 * backend bound.
 */
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "disturb.h"
#include "truth.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* One of so many calls is disturbed half-way. */
#define DISTURB_EVERY 16
#define INSNS_A_TURN 5 /* of the loop below */

enum disturbance { SLEEP = 1, MIGRATE = 2, BLOCK = 4 };

static unsigned disturbances;

static inline __attribute__((always_inline)) void spin(uint64_t turns)
{
	uint64_t a = 1;

	for (uint64_t i = 0; i < turns; i++) {
		a = a * 6364136223846793005u + i;
		__asm__ volatile("" : "+r"(a));
	}
}

static inline __attribute__((always_inline)) void disturb(uint64_t turns)
{
	static const unsigned long all = ~0ul, none;

	if (disturbances & SLEEP)
		lab_sleep();
	if (disturbances & MIGRATE)
		lab_migrate();
	if (disturbances & BLOCK) {
		raw_syscall(SYS_rt_sigprocmask, (void *)SIG_SETMASK, &all, NULL, 8);
		spin(turns);
		raw_syscall(SYS_rt_sigprocmask, (void *)SIG_SETMASK, &none, NULL, 8);
	}
}

/* Each in a section of its own, which is the range that is declared. */
#define PHASE(name)                                                                      \
	extern char __start_phase_##name[], __stop_phase_##name[];                       \
	__attribute__((noinline, section("phase_" #name))) static void name(             \
		uint64_t turns, bool disturbed)                                          \
	{                                                                                \
		spin(turns / 2);                                                         \
		if (disturbed)                                                           \
			disturb(turns);                                                  \
		spin(turns / 2);                                                         \
	}

PHASE(retire)
PHASE(heavy)
PHASE(mispredict)
PHASE(clears)
PHASE(fetch_latency)
PHASE(fetch_bandwidth)
PHASE(memory)
PHASE(core)
PHASE(divide)
PHASE(stores)
PHASE(blend)
PHASE(steady)

static const struct phase {
	void (*run)(uint64_t, bool);
	unsigned cycles; /* of a call; each has about the same share of the time */
} phases[] = {
	{retire, 2000},  {heavy, 4000},         {mispredict, 3000},
	{clears, 2500},  {fetch_latency, 6000}, {fetch_bandwidth, 2200},
	{memory, 20000}, {core, 12000},         {divide, 15000},
	{stores, 5000},  {blend, 60000},        {steady, 30000},
};
#define CYCLES_A_ROUND 60000 /* for each function */

#define RANGE(name, cpi, ...)                                                            \
	{                                                                                \
#name, NULL, __start_phase_##name, __stop_phase_##name, cpi,             \
			__VA_ARGS__, -1                                                  \
	}
/* In the order of the phases. */
static struct lab_range ranges[] = {
	RANGE(retire, 0.3, {8500, 200, 800, 500, 600, 100, 300, 200}),
	RANGE(heavy, 0.6, {6000, 300, 1200, 2500, 4000, 200, 500, 1000}),
	RANGE(mispredict, 1.2, {2500, 4500, 2000, 1000, 300, 4300, 1200, 400}),
	RANGE(clears, 1.8, {2000, 3500, 1500, 3000, 400, 500, 900, 1500}),
	RANGE(fetch_latency, 1.5, {2500, 500, 5500, 1500, 200, 400, 4800, 600}),
	RANGE(fetch_bandwidth, 0.7, {4500, 300, 4200, 1000, 500, 200, 700, 500}),
	RANGE(memory, 4.0, {800, 200, 500, 8500, 100, 100, 300, 7800}),
	RANGE(core, 1.0, {3500, 200, 300, 6000, 800, 100, 200, 700}),
	RANGE(divide, 3.0, {1200, 100, 200, 8500, 200, 50, 100, 300}),
	RANGE(stores, 2.2, {1800, 400, 1300, 6500, 300, 200, 700, 5000}),
	/* not 1000: at a tenth of fetch latency the older cores' formula for core bound
	   jumps */
	RANGE(blend, 0.9, {4000, 1500, 2000, 2500, 1000, 1200, 1200, 1500}),
	RANGE(steady, 0.5, {5500, 1000, 1500, 2000, 900, 600, 600, 1100}),
};
_Static_assert(COUNT(ranges) == COUNT(phases), "each phase is a range");

/* Every function as often as makes CYCLES_A_ROUND. */
static uint32_t fill(uint8_t *order)
{
	uint32_t n = 0;

	for (size_t i = 0; i < COUNT(phases); i++)
		for (unsigned k = 0; k < CYCLES_A_ROUND / phases[i].cycles; k++)
			order[n++] = (uint8_t)i;
	return n;
}

static void work(unsigned rounds, uint64_t seed)
{
	uint8_t order[256];
	uint32_t n = fill(order);

	for (unsigned r = 0; r < rounds; r++) {
		lab_shuffle(order, n, &seed);
		for (uint32_t i = 0; i < n; i++) {
			double cpi = ranges[order[i]].cpi;
			const struct phase *phase = &phases[order[i]];

			phase->run((uint64_t)(phase->cycles / cpi / INSNS_A_TURN),
				   disturbances &&
					   lab_random_below(&seed, DISTURB_EVERY) == 0);
		}
	}
}

/* False: there is no such function, or it has no such points. */
static bool move_points(const char *text)
{
	const char *colon = strchr(text, ':');
	unsigned points = colon ? (unsigned)strtoul(colon + 1, NULL, 10) * 100 : 0;

	for (size_t i = 0; colon && i < COUNT(ranges); i++) {
		struct labpmu_mix *mix = &ranges[i].mix;
		size_t length = (size_t)(colon - text);

		if (strncmp(ranges[i].name, text, length) != 0 ||
		    ranges[i].name[length] || mix->retiring < mix->heavy + points)
			continue;
		mix->retiring -= points;
		mix->be += points;
		return true;
	}
	return false;
}

static bool change(const char *name)
{
	unsigned added = strcmp(name, "sleep") == 0      ? SLEEP
			 : strcmp(name, "migrate") == 0  ? MIGRATE
			 : strcmp(name, "migrate2") == 0 ? MIGRATE
			 : strcmp(name, "block") == 0    ? BLOCK
							 : 0;

	if (strcmp(name, "migrate2") == 0)
		lab_second_cpu = 1 << 2;
	disturbances |= added;
	return added || move_points(name);
}

int main(int argc, char **argv)
{
	struct lab_options options = {.rounds = 100, .seed = 1};

	if (!lab_options(argc, argv, &options, change))
		return 2;
	return lab_measure(ranges, COUNT(ranges), &options, work);
}
