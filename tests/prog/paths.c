// SPDX-License-Identifier: MIT
/*
 * Call paths that are known: paths [--truth] [ROUNDS].  Each part spends its share
 * of CPU time below a function of its own:
 *
 *	chain       in three short functions by turns, each with a mix of its own
 *	recurse     at the bottom of 40 calls of itself
 *	deep        of 400, more than are kept
 *	tail        in a function that tail calls another one
 *	handled     in a handler on an alternate stack
 *	coroutine   on a stack of swapcontext
 *	small       in a thread whose stack is the smallest there is, 30 calls deep
 *
 * With --truth it prints a JSON line for each about its total.
 */
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include "tests/prog/simulate.h"
#include "tests/prog/spin.h"

#define MS_A_ROUND 10u
#define KEEP_FRAME __asm__ volatile("" ::: "memory")
/* there once, under its name */
#ifdef __clang__
#define FRAME SPIN_NOINLINE
#else
#define FRAME SPIN_NOINLINE __attribute__((noclone))
#endif

enum phase { PHASE_OTHER, PHASE_A, PHASE_B, PHASE_C, PHASES };

static const struct td_sim_phase phases[PHASES] = {
	[PHASE_OTHER] = {18000, {2500, 2500, 2500, 2500, 200, 2300, 1500, 1500}},
	[PHASE_A] = {18000, {8000, 500, 500, 1000, 500, 400, 300, 200}},
	[PHASE_B] = {18000, {1000, 500, 500, 8000, 100, 400, 300, 7000}},
	[PHASE_C] = {18000, {2000, 1000, 6000, 1000, 200, 800, 4000, 500}},
};
SIM_PROGRAM(phases);

static uint64_t spent_chain, spent_recurse, spent_deep, spent_tail, spent_handled,
	spent_coroutine, spent_small;
static uint64_t target; /* ns that each part is to spend up to now */

/* Some 3 us each. */
static const uint32_t turns[PHASES] = {
	[PHASE_A] = 3000,
	[PHASE_B] = 2000,
	[PHASE_C] = 4000,
};

FRAME static void short_a(void)
{
	uint32_t previous = sim_enter(PHASE_A);

	spin_turns(turns[PHASE_A]);
	sim_leave(previous);
}

FRAME static void short_b(void)
{
	uint32_t previous = sim_enter(PHASE_B);

	spin_turns(turns[PHASE_B]);
	sim_leave(previous);
}

FRAME static void short_c(void)
{
	uint32_t previous = sim_enter(PHASE_C);

	spin_turns(turns[PHASE_C]);
	sim_leave(previous);
}

FRAME static void chain(void)
{
	uint64_t last = spin_now_ns();

	while (spent_chain < target) {
		for (int i = 0; i < 2; i++) {
			short_a();
			short_b();
			short_c();
		}
		spent_chain += spin_ran_ns(&last);
	}
}

FRAME static void bottom_of_recurse(void)
{
	spin_to(&spent_recurse, target);
}

FRAME static void recurse(unsigned depth)
{
	if (depth)
		recurse(depth - 1);
	else
		bottom_of_recurse();
	KEEP_FRAME;
}

FRAME static void bottom_of_deep(void)
{
	spin_to(&spent_deep, target);
}

FRAME static void deep(unsigned depth)
{
	if (depth)
		deep(depth - 1);
	else
		bottom_of_deep();
	KEEP_FRAME;
}

FRAME static void tail_second(void)
{
	spin_to(&spent_tail, target);
}

FRAME static void tail_first(void)
{
	tail_second(); /* a jump */
}

FRAME static void tail(void)
{
	tail_first();
	KEEP_FRAME;
}

static void handler(int number)
{
	(void)number;
	spin_to(&spent_handled, target);
}

FRAME static void handled(void)
{
	static char memory[65536];
	struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
	stack_t stack = {.ss_sp = memory, .ss_size = sizeof(memory)}, old;

	sigaltstack(&stack, &old);
	sigaction(SIGUSR2, &action, NULL);
	raise(SIGUSR2);
	sigaltstack(&old, NULL);
}

static ucontext_t caller, other;

static void coroutine(void)
{
	spin_to(&spent_coroutine, target);
	KEEP_FRAME;
}

FRAME static void switching(void)
{
	static char stack[65536];

	getcontext(&other);
	other.uc_stack.ss_sp = stack;
	other.uc_stack.ss_size = sizeof(stack);
	other.uc_link = &caller;
	makecontext(&other, coroutine, 0);
	swapcontext(&caller, &other);
}

FRAME static void small(unsigned depth)
{
	if (depth)
		small(depth - 1);
	else
		spin_to(&spent_small, target);
	KEEP_FRAME;
}

static void *small_main(void *unused)
{
	(void)unused;
	small(29);
	sim_end();
	return NULL;
}

static bool start_small(pthread_t *thread)
{
	pthread_attr_t attributes;

	return pthread_attr_init(&attributes) == 0 &&
	       pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN) == 0 &&
	       pthread_create(thread, &attributes, small_main, NULL) == 0;
}

FRAME static void parts(void)
{
	chain();
	recurse(39);
	deep(399);
	tail();
	handled();
	switching();
	KEEP_FRAME;
}

static void print_share(const char *name, uint64_t ns, uint64_t all)
{
	printf("{\"name\": \"%s\", \"total\": %.4f}\n", name, (double)ns / (double)all);
}

/* All phases have as many slots a turn.  Not by their times: one pause of a virtual
 * machine of 60 ms was half of them. */
static void print_mix(void)
{
	static const char *const name[] = {"retiring", "bad_speculation",
					   "frontend_bound", "backend_bound"};
	double all = 0;

	for (uint32_t i = PHASE_A; i < PHASES; i++)
		all += turns[i];
	printf("{\"name\": \"chain\", \"topdown\": {");
	for (int node = 0; node < 4; node++) {
		double sum = 0;

		for (uint32_t i = PHASE_A; i < PHASES; i++)
			sum += turns[i] * phases[i].node[node] / 10000;
		printf("%s\"%s\": %.5f", node ? ", " : "", name[node], sum / all);
	}
	printf("}}\n");
}

static void print_truth(void)
{
	uint64_t all = spent_chain + spent_recurse + spent_deep + spent_tail +
		       spent_handled + spent_coroutine + spent_small;

	print_share("chain", spent_chain, all);
	print_share("recurse", spent_recurse, all);
	print_share("bottom_of_recurse", spent_recurse, all);
	print_share("deep", spent_deep, all);
	print_share("tail", spent_tail, all);
	print_share("tail_second", spent_tail, all);
	print_share("handled", spent_handled, all);
	print_share("coroutine", spent_coroutine, all);
	print_share("small", spent_small, all);
	print_mix();
}

int main(int argc, char **argv)
{
	bool truth = argc > 1 && strcmp(argv[1], "--truth") == 0;
	unsigned rounds = argc > 1 + truth ? (unsigned)atoi(argv[1 + truth]) : 30;
	pthread_t thread;

	for (unsigned i = 1; i <= rounds; i++) {
		target = i * MS_A_ROUND * SPIN_MS;
		parts();
	}
	if (!start_small(&thread))
		return 1;
	pthread_join(thread, NULL);
	sim_end();
	if (truth)
		print_truth();
	puts("done");
	return 0;
}
