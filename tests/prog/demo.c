// SPDX-License-Identifier: MIT
/*
 * The demonstration: two threads, six functions, each limited by another part
 * of the CPU.  Where there is no PMU, TDAGENT_PMU=simulated shows the mix that
 * each of them declares below; the functions really do what they declare, so
 * that a PMU shows something alike.
 *
 *     demo [--truth] [ROUNDS]
 *
 * prints a checksum that is always the same; --truth adds a JSON line for each
 * function: its share of the CPU time, by its median call and by all of
 * them, and the declared mix.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/prog/simulate.h"

enum phase { OUTSIDE, SORT, BYTECODE, LINKS, MATRIX, DIVIDE, HASH, PHASES };

/* Declared mixes, 1/10000: retiring, bad speculation, frontend bound, backend
 * bound; of these heavy operations, branch mispredicts, fetch latency, memory
 * bound. */
static const struct td_sim_phase mix[PHASES] = {
	[OUTSIDE] = {18000, {2500, 2500, 2500, 2500, 200, 2300, 1500, 1500}},
	[SORT] = {18000, {3400, 4100, 1300, 1200, 200, 4000, 900, 500}},
	[BYTECODE] = {18000, {3700, 1100, 4300, 900, 500, 900, 2900, 400}},
	[LINKS] = {18000, {400, 100, 200, 9300, 0, 100, 100, 9000}},
	[MATRIX] = {18000, {7900, 100, 400, 1600, 600, 100, 100, 900}},
	[DIVIDE] = {18000, {1200, 100, 200, 8500, 700, 100, 100, 300}},
	[HASH] = {18000, {8800, 200, 500, 500, 1500, 200, 200, 100}},
};
SIM_PROGRAM(mix);

static const char *const names[PHASES] = {
	[OUTSIDE] = "",
	[SORT] = "sort_orders",
	[BYTECODE] = "run_bytecode",
	[LINKS] = "follow_links",
	[MATRIX] = "multiply_matrices",
	[DIVIDE] = "divide_chain",
	[HASH] = "hash_blocks",
};

#define NOINLINE __attribute__((noinline))

#define ORDERS 220000u
#define LINK_MANY (4u << 20) /* times 4 bytes: more than a cache holds */
#define MATRIX_N 384
#define BLOCK (256u << 10)

static uint32_t orders[ORDERS];
static uint32_t *links;
static double matrix[3][MATRIX_N][MATRIX_N];
static unsigned char block[BLOCK];

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

/* Branches that nobody predicts: is this order smaller than that one? */
static NOINLINE uint32_t sort_orders(uint32_t seed)
{
	uint32_t previous = sim_enter(SORT), middle;

	for (uint32_t i = 0; i < ORDERS; i++)
		orders[i] = next_random(&seed);
	for (uint32_t gap = ORDERS / 2; gap > 0; gap = gap * 5 / 11)
		for (uint32_t i = gap; i < ORDERS; i++) {
			uint32_t order = orders[i], j = i;

			for (; j >= gap && orders[j - gap] > order; j -= gap)
				orders[j] = orders[j - gap];
			orders[j] = order;
		}
	middle = orders[ORDERS / 2];
	sim_leave(previous);
	return middle;
}

/* An interpreter: a jump to somewhere else for every few instructions. */
static NOINLINE uint32_t run_bytecode(uint32_t seed)
{
	static const char program[] = "+x<-|r*^>+x-r|<*x^+>r-*|x<";
	uint32_t previous = sim_enter(BYTECODE), a = seed | 1, b = 1;

	for (uint32_t pc = 0, steps = 0; steps < 14000000; steps++) {
		switch (program[pc]) {
		case '+':
			a += b;
			break;
		case '-':
			b -= a;
			break;
		case '*':
			a *= 2654435761u;
			break;
		case 'x':
			a ^= b >> 3;
			break;
		case '^':
			b ^= a << 5;
			break;
		case '<':
			b = b << 7 | b >> 25;
			break;
		case '>':
			a = a >> 11 | a << 21;
			break;
		case '|':
			b |= 1;
			break;
		case 'r':
			pc = a % 7;
			break;
		}
		if (++pc >= sizeof(program) - 1)
			pc = 0;
	}
	sim_leave(previous);
	return a ^ b;
}

/* Each load waits for the one before it, and misses. */
static NOINLINE uint32_t follow_links(uint32_t start)
{
	uint32_t previous = sim_enter(LINKS), at = start % LINK_MANY;

	for (uint32_t i = 0; i < 250000; i++)
		at = links[at];
	sim_leave(previous);
	return at;
}

/* Independent multiplications and additions on warm data. */
static NOINLINE uint32_t multiply_matrices(uint32_t seed)
{
	uint32_t previous = sim_enter(MATRIX);
	double sum = 0;

	matrix[0][seed % MATRIX_N][0] = seed % 16;
	for (int i = 0; i < MATRIX_N; i++)
		for (int k = 0; k < MATRIX_N; k++) {
			double factor = matrix[0][i][k];

			for (int j = 0; j < MATRIX_N; j++)
				matrix[2][i][j] += factor * matrix[1][k][j];
		}
	for (int i = 0; i < MATRIX_N; i++)
		sum += matrix[2][i][i];
	sim_leave(previous);
	return (uint32_t)(uint64_t)sum;
}

/* Newton's square root: one divider, and every division waits for the last. */
static NOINLINE uint32_t divide_chain(uint32_t seed)
{
	uint32_t previous = sim_enter(DIVIDE);
	double root = 1;

	for (uint32_t i = 0; i < 3000000; i++)
		root = 0.5 * (root + (double)(seed % 1000 + i) / root);
	sim_leave(previous);
	return (uint32_t)root;
}

/* Four lanes of integer mixing: all ports busy, nothing to wait for. */
static NOINLINE uint32_t hash_blocks(uint32_t seed)
{
	uint32_t previous = sim_enter(HASH);
	uint64_t lane[4] = {seed, 1, 2, 3}, word;

	for (int pass = 0; pass < 480; pass++)
		for (uint32_t i = 0; i < BLOCK; i += 8) {
			uint64_t *mixed = &lane[i >> 3 & 3];

			__builtin_memcpy(&word, &block[i], 8);
			*mixed = (*mixed ^ word) * 0x9e3779b97f4a7c15u;
			*mixed ^= *mixed >> 29;
		}
	sim_leave(previous);
	return (uint32_t)(lane[0] ^ lane[1] ^ lane[2] ^ lane[3]);
}

/* CPU time of each call, for --truth. */
#define CALLS_MAX 100u
static uint64_t took[PHASES][CALLS_MAX];

struct shift {
	const char *name;
	enum phase first; /* of the three */
	uint32_t (*work[3])(uint32_t);
	uint32_t rounds;
	uint32_t sum;
};

static void *run_shift(void *argument)
{
	struct shift *shift = argument;

	pthread_setname_np(pthread_self(), shift->name);
	for (uint32_t round = 0; round < shift->rounds; round++)
		for (uint32_t i = 0; i < 3; i++) {
			uint64_t start = sim_cpu_ns();

			shift->sum = shift->sum * 31 + shift->work[i](round);
			took[shift->first + i][round % CALLS_MAX] = sim_cpu_ns() - start;
		}
	sim_end();
	return NULL;
}

/* One cycle through all links (Sattolo's shuffle), so that no chase is short. */
static bool prepare(void)
{
	uint32_t seed = 1;

	links = malloc(LINK_MANY * sizeof(*links));
	if (!links)
		return false;
	for (uint32_t i = 0; i < LINK_MANY; i++)
		links[i] = i;
	for (uint32_t i = LINK_MANY - 1; i > 0; i--) {
		uint32_t j = next_random(&seed) % i, kept = links[i];

		links[i] = links[j];
		links[j] = kept;
	}
	for (int i = 0; i < MATRIX_N; i++)
		for (int j = 0; j < MATRIX_N; j++) {
			matrix[0][i][j] = next_random(&seed) % 16;
			matrix[1][i][j] = next_random(&seed) % 16;
		}
	for (uint32_t i = 0; i < BLOCK; i++)
		block[i] = (unsigned char)next_random(&seed);
	return true;
}

static int compare_times(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return (left > right) - (left < right);
}

/* By the median call: a hypervisor may take the processor away in a few, and what that
 * does to CPU time is not what the function took. */
static uint64_t usual_time(enum phase phase, uint32_t rounds)
{
	uint32_t calls = rounds < CALLS_MAX ? rounds : CALLS_MAX;

	if (phase == OUTSIDE)
		return sim_spent_ns(OUTSIDE);
	qsort(took[phase], calls, sizeof(took[phase][0]), compare_times);
	return rounds * took[phase][calls / 2];
}

/* By all calls: on a busy machine what is slow at times is so for some of them. */
static uint64_t mean_time(enum phase phase, uint32_t rounds)
{
	uint32_t calls = rounds < CALLS_MAX ? rounds : CALLS_MAX;
	uint64_t sum = 0;

	if (phase == OUTSIDE)
		return sim_spent_ns(OUTSIDE);
	for (uint32_t i = 0; i < calls; i++)
		sum += took[phase][i];
	return rounds * sum / (calls ? calls : 1);
}

static void print_truth(uint32_t rounds)
{
	static const char *const nodes[TD_SIM_NODES] = {
		"retiring",      "bad_speculation",  "frontend_bound",
		"backend_bound", "heavy_operations", "branch_mispredicts",
		"fetch_latency", "memory_bound",
	};
	uint64_t usual[PHASES], mean[PHASES], all = 0, all_mean = 0;

	for (uint32_t i = 0; i < PHASES; i++) {
		all += usual[i] = usual_time(i, rounds);
		all_mean += mean[i] = mean_time(i, rounds);
	}
	for (uint32_t i = SORT; i < PHASES; i++) {
		printf("{\"name\": \"%s\", \"share\": %.6f, \"mean_share\": %.6f",
		       names[i], (double)usual[i] / (double)all,
		       (double)mean[i] / (double)all_mean);
		for (uint32_t n = 0; n < TD_SIM_NODES; n++)
			printf(", \"%s\": %.4f", nodes[n], mix[i].node[n] / 1e4);
		printf("}\n");
	}
}

int main(int argc, char **argv)
{
	bool truth = argc > 1 && !strcmp(argv[1], "--truth");
	uint32_t rounds = argc > 1 + truth ? (uint32_t)atoi(argv[1 + truth]) : 20;
	struct shift orders_shift = {
		"orders", SORT, {sort_orders, run_bytecode, follow_links}, rounds, 0};
	struct shift science = {"science",
				MATRIX,
				{multiply_matrices, divide_chain, hash_blocks},
				rounds,
				0};
	pthread_t other;

	if (!prepare() || pthread_create(&other, NULL, run_shift, &science))
		return 1;
	run_shift(&orders_shift);
	pthread_join(other, NULL);
	printf("demo: %u rounds, checksum %08x\n", rounds,
	       orders_shift.sum ^ science.sum);
	if (truth)
		print_truth(rounds);
	return 0;
}
