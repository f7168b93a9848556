/* SPDX-License-Identifier: MIT */
/* What a program of the lab declares about itself, and the emulator's exact account of
 * it. */
#ifndef LAB_TRUTH_H
#define LAB_TRUTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "labpmu.h"

#define LAB_THREADS_MAX 64

/* A stretch of code that behaves alike.  Ranges of one name are one function;
 * they follow each other in the table, the one with the function's address first. */
struct lab_range {
	const char *name;
	const char
		*caller; /* the only function that calls it, NULL: there is none such */
	const char *start, *stop;
	double cpi;
	struct labpmu_mix mix;
	int number; /* the emulator's, from lab_declare() */
};

/* Two mixes instead of one, which change at random; their mean is the range's mix. */
struct lab_noise {
	unsigned
		spread; /* percent that a mix is away from the mean, 0..100; 0: one mix */
	uint64_t dwell; /* mean instructions until it changes */
};

struct lab_options {
	unsigned rounds, threads;
	uint64_t seed;
	struct lab_noise noise;
	bool drop;         /* dropped uops and clears, as much as a mix has room for */
	bool cores;        /* a hybrid: a range is like the next one on small cores */
	uint64_t skid;     /* interrupts come so many instructions late */
	const char *parts; /* the agent's functions one by one (lab_agent_declare()) */
};
#define LAB_USAGE                                                                        \
	"[-r ROUNDS] [-t THREADS] [-s SEED] [-n SPREAD,DWELL] [-d] [-c] [-k SKID] [-a FILE]"

/*
 * Reads the command line; what is not given stays.  `own` is told the program's own
 * option -x and its value; false, or NULL: there is no such.  False: the arguments are
 * wrong, and standard error says so.
 */
bool lab_options(int argc, char **argv, struct lab_options *options,
		 bool (*own)(const char *value));

/* Declares the `n` ranges, the code outside of them and that of libtdagent, if it is
 * here.  False: not in the lab, or the emulator refuses a range.  Context: normal, once.
 */
bool lab_declare(struct lab_range *ranges, size_t n, const struct lab_options *options);

/* What lab_measure() prints, of ranges that were declared: not for threads.  Ends the
 * account. */
void lab_print(const struct lab_range *ranges, size_t n);

/*
 * Declares the `n` ranges, the code outside of them and that of libtdagent, if it is
 * here.  Runs `work` in this thread or in options->threads, each with a seed of its own.
 * Then prints the exact truth, a line of JSON each: the machine, functions, our own code
 * (agent), the rest, edges (with options->cores functions and the rest once for each type
 * of cores), then every thread without our own code, and that; the agent's
 * functions (part).  Outside the lab, or when the emulator refuses a range, it works too,
 * and says so instead. Returns an exit status.  Context: normal, once.
 */
int lab_measure(struct lab_range *ranges, size_t n, const struct lab_options *options,
		void (*work)(unsigned rounds, uint64_t seed));

/* 0..n-1; `state` is any number. */
static inline uint32_t lab_random_below(uint64_t *state, uint32_t n)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((*state >> 32) * n >> 32);
}

static inline void lab_shuffle(uint8_t *order, uint32_t n, uint64_t *state)
{
	while (n > 1) {
		uint32_t other = lab_random_below(state, n--);
		uint8_t swapped = order[n];

		order[n] = order[other];
		order[other] = swapped;
	}
}

#endif
