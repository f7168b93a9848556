// SPDX-License-Identifier: MIT
/*
 * Patterns that fool who measures functions by short windows.  Every function has a
 * declared behaviour, another one than its neighbours; prints the emulator's exact
 * truth about itself (truth.h).  Outside the lab it runs too, and says so.
 *
 * awkward [-x sleep|migrate]... [-r ROUNDS] [-t THREADS] [-s SEED] [-n SPREAD,DWELL] ...
 * (truth.h)
 *
 * -x: what the function around all of it does now and then.
 * -n: two mixes a function, SPREAD percent from their mean, that change after
 * DWELL instructions on average.
 */
#include "awkward.h"

#include "disturb.h"
#include "truth.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define EXTENT(name) extern const char __start_lab_##name[], __stop_lab_##name[]

/* Caller and callee take turns every 100 cycles. */
IN(alternate_in) static void alternate_in(void)
{
	turn(22);
}

IN(alternate) static void alternate(unsigned n)
{
	while (n--) {
		turn(36);
		alternate_in();
	}
}

/* The same, but both long. */
IN(long_in) static void long_in(void)
{
	turn(1500);
}

IN(long_out) static void long_out(unsigned n)
{
	while (n--) {
		turn(4000);
		long_in();
	}
}

/* Recursion, some 15 cycles a visit. */
IN(recurse) static void recurse(unsigned depth)
{
	STEPS(1);
	if (depth)
		recurse(depth - 1);
	STEPS(1);
}

IN(recursive) static void recursive(unsigned n)
{
	while (n--) {
		turn(60);
		recurse(11);
	}
}

/* Two that call each other. */
static void pong(unsigned depth);

IN(ping) static void ping(unsigned depth)
{
	STEPS(5);
	pong(depth);
	STEPS(1);
}

IN(pong) static void pong(unsigned depth)
{
	STEPS(3);
	if (depth)
		ping(depth - 1);
	STEPS(4);
}

/* Functions of 8, 27, 40 and 30 instructions in a row. */
IN(link8) static void link8(void)
{
	STEPS(1);
	MORE(2);
}

IN(link27) static void link27(void)
{
	STEPS(5);
	MORE(1);
}

IN(link40) static void link40(void)
{
	STEPS(7);
	MORE(4);
}

IN(link30) static void link30(void)
{
	STEPS(5);
	MORE(4);
}

IN(chain) static void chain(unsigned n)
{
	while (n--) {
		link8();
		link27();
		link40();
		link30();
	}
}

/* One function in two places, each with its own unwind entry, as compilers make them:
 * every fourth call takes the cold one. */
void awkward_split(unsigned i);
__asm__(".pushsection lab_split, \"ax\", @progbits\n"
	".globl awkward_split\n"
	".hidden awkward_split\n"
	".type awkward_split, @function\n"
	"awkward_split:\n"
	".cfi_startproc\n"
	".rept 10\n lea 1(%rax), %rax\n lea 1(%rax), %rax\n lea 1(%rax), %rax\n jmp .+2\n .endr\n"
	"test $3, %edi\n"
	"jz awkward_split.cold\n"
	".Lawkward_split_back:\n"
	".rept 10\n lea 1(%rax), %rax\n lea 1(%rax), %rax\n lea 1(%rax), %rax\n jmp .+2\n .endr\n"
	"ret\n"
	".cfi_endproc\n"
	".size awkward_split, . - awkward_split\n"
	".popsection\n"
	".pushsection lab_split_cold, \"ax\", @progbits\n"
	".type awkward_split.cold, @function\n"
	"awkward_split.cold:\n"
	".cfi_startproc\n"
	".rept 30\n lea 1(%rax), %rax\n lea 1(%rax), %rax\n lea 1(%rax), %rax\n jmp .+2\n .endr\n"
	"jmp .Lawkward_split_back\n"
	".cfi_endproc\n"
	".size awkward_split.cold, . - awkward_split.cold\n"
	".popsection\n");

IN(splitter) static void splitter(unsigned n)
{
	while (n--) {
		turn(40);
		awkward_split(n);
	}
}

/* Left by a jump, not by a return. */
IN(tail_third) static void tail_third(void)
{
	STEPS(12);
}

IN(tail_second) static void tail_second(void)
{
	STEPS(21);
	tail_third();
}

IN(tail_first) static void tail_first(void)
{
	STEPS(8);
	tail_second();
}

IN(tailer) static void tailer(unsigned n)
{
	while (n--) {
		turn(24);
		tail_first();
	}
}

/* Across objects, through the PLT and without it. */
IN(caller_plt) static void caller_plt(unsigned n)
{
	while (n--) {
		turn(40);
		awkward_far_plt();
	}
}

IN(caller_got) static void caller_got(unsigned n)
{
	while (n--) {
		turn(40);
		awkward_far_got();
	}
}

/* One function of two halves that differ: how often which is met is chance, and a few
 * hundred samples of so many cycles tell their sum no better than that. */
extern const char lab_phased_middle[];

IN(phased) static void phased(unsigned turns)
{
	turn(turns);
	__asm__ volatile(".globl lab_phased_middle\n"
			 ".hidden lab_phased_middle\n"
			 "lab_phased_middle:\n");
	turn(turns);
}

/* 1,000 cycles a round, exactly: a period of a multiple of that always meets the same
 * place. */
IN(step_one) static void step_one(void)
{
	turn(132); /* 398 instructions */
}

IN(step_two) static void step_two(void)
{
	turn(120);
}

IN(lockstep) static void lockstep(unsigned n)
{
	while (n--) {
		turn(78);
		MORE(1);
		step_one();
		step_two();
	}
}

/* Two callers of one small function. */
IN(shared) static void shared(void)
{
	STEPS(12);
}

IN(share_one) static void share_one(unsigned n)
{
	while (n--) {
		turn(70);
		shared();
	}
}

IN(share_two) static void share_two(unsigned n)
{
	while (n--) {
		turn(150);
		shared();
		turn(30);
		shared();
	}
}

#define STEADY(name)                                                                     \
	IN(name) static void name(unsigned turns)                                        \
	{                                                                                \
		MORE(1);                                                                 \
		turn(turns);                                                             \
	}
STEADY(steady_2000)
STEADY(steady_5000)
STEADY(steady_12000)
STEADY(steady_30000)

/* What runs: for some 5,000 cycles a round in each of its functions.  The lock-step for
 * many periods on end, but not in each round. */
static const struct pattern {
	void (*run)(unsigned);
	unsigned argument, times, every;
} patterns[] = {
	{alternate, 50, 1, 1},      {long_out, 1, 1, 1},        {recursive, 27, 1, 1},
	{ping, 24, 8, 1},           {chain, 200, 1, 1},         {splitter, 60, 1, 1},
	{tailer, 100, 1, 1},        {caller_plt, 45, 1, 1},     {caller_got, 40, 1, 1},
	{phased, 100, 9, 1},        {lockstep, 300, 1, 20},     {share_one, 20, 1, 1},
	{share_two, 14, 1, 1},      {steady_2000, 1333, 2, 1},  {steady_5000, 1666, 1, 1},
	{steady_12000, 5000, 1, 2}, {steady_30000, 7000, 1, 4},
};

EXTENT(dispatch);
EXTENT(alternate);
EXTENT(alternate_in);
EXTENT(long_out);
EXTENT(long_in);
EXTENT(recursive);
EXTENT(recurse);
EXTENT(ping);
EXTENT(pong);
EXTENT(chain);
EXTENT(link8);
EXTENT(link27);
EXTENT(link40);
EXTENT(link30);
EXTENT(splitter);
EXTENT(split);
EXTENT(split_cold);
EXTENT(tailer);
EXTENT(tail_first);
EXTENT(tail_second);
EXTENT(tail_third);
EXTENT(caller_plt);
EXTENT(caller_got);
EXTENT(phased);
EXTENT(lockstep);
EXTENT(step_one);
EXTENT(step_two);
EXTENT(shared);
EXTENT(share_one);
EXTENT(share_two);
EXTENT(steady_2000);
EXTENT(steady_5000);
EXTENT(steady_12000);
EXTENT(steady_30000);

#define RANGE(name, caller, cpi, ...)                                                    \
	{                                                                                \
#name, caller, __start_lab_##name, __stop_lab_##name, cpi, __VA_ARGS__,  \
			-1                                                               \
	}
#define NAMED(text, caller, start, stop, cpi, ...)                                       \
	{                                                                                \
		text, caller, start, stop, cpi, __VA_ARGS__, -1                          \
	}
static struct lab_range ranges[] = {
	RANGE(dispatch, NULL, 1.0, {4200, 700, 3100, 2000, 900, 500, 1700, 900}),
	RANGE(alternate, "dispatch", 1.0, {6500, 500, 1500, 1500, 600, 300, 700, 900}),
	RANGE(alternate_in, "alternate", 1.6,
	      {1500, 500, 1500, 6500, 200, 300, 700, 5200}),
	RANGE(long_out, "dispatch", 0.4, {7800, 300, 1100, 800, 900, 200, 400, 300}),
	RANGE(long_in, "long_out", 1.2, {2600, 4400, 1900, 1100, 300, 4200, 1100, 500}),
	RANGE(recursive, "dispatch", 1.0, {2200, 600, 1200, 6000, 500, 400, 600, 4700}),
	RANGE(recurse, "recursive", 1.0, {4000, 1200, 4200, 600, 400, 1000, 3300, 200}),
	RANGE(ping, "dispatch", 1.0, {5200, 300, 3500, 1000, 1500, 200, 2000, 400}),
	RANGE(pong, "ping", 1.1, {1800, 2800, 900, 4500, 300, 2500, 400, 3800}),
	RANGE(chain, "dispatch", 1.0, {3000, 2500, 2500, 2000, 300, 2200, 1300, 1000}),
	RANGE(link8, "chain", 1.0, {6000, 500, 2500, 1000, 700, 300, 900, 300}),
	RANGE(link27, "chain", 1.0, {1500, 300, 6200, 2000, 300, 200, 5400, 900}),
	RANGE(link40, "chain", 1.0, {2000, 600, 900, 6500, 500, 500, 400, 2200}),
	RANGE(link30, "chain", 1.0, {4500, 3500, 1000, 1000, 600, 2900, 500, 400}),
	RANGE(splitter, "dispatch", 1.0, {3500, 300, 700, 5500, 500, 200, 300, 4100}),
	RANGE(split, "splitter", 0.8, {7000, 600, 1400, 1000, 800, 500, 600, 400}),
	RANGE(split_cold, "split", 1.5, {1200, 1800, 5500, 1500, 200, 1500, 4900, 300}),
	RANGE(tailer, "dispatch", 1.0, {5500, 300, 1700, 2500, 300, 200, 800, 1700}),
	RANGE(tail_first, "tailer", 1.0, {2500, 4000, 2500, 1000, 300, 3600, 1500, 500}),
	RANGE(tail_second, "tailer", 1.0, {1000, 300, 700, 8000, 100, 200, 300, 7400}),
	RANGE(tail_third, "tailer", 1.0, {4500, 500, 4000, 1000, 1900, 300, 1100, 600}),
	RANGE(caller_plt, "dispatch", 1.0, {2500, 1000, 3500, 3000, 300, 800, 2900, 800}),
	NAMED("far_plt", "caller_plt", NULL, NULL, 1.0,
	      {6300, 400, 1300, 2000, 1100, 300, 500, 1300}),
	RANGE(caller_got, "dispatch", 1.0, {6200, 200, 600, 3000, 2600, 100, 300, 800}),
	NAMED("far_got", "caller_got", NULL, NULL, 1.0,
	      {1900, 2600, 4000, 1500, 300, 2000, 3500, 700}),
	NAMED("phased", "dispatch", __start_lab_phased, lab_phased_middle, 0.6,
	      {5500, 200, 2500, 1800, 400, 100, 1500, 300}),
	NAMED("phased", "dispatch", lab_phased_middle, __stop_lab_phased, 1.5,
	      {2500, 900, 1100, 5500, 200, 700, 800, 4600}),
	RANGE(lockstep, "dispatch", 1.0, {3300, 500, 4700, 1500, 500, 300, 3600, 900}),
	RANGE(step_one, "lockstep", 1.0, {5800, 1700, 1500, 1000, 700, 1300, 800, 400}),
	RANGE(step_two, "lockstep", 1.0, {1700, 300, 1000, 7000, 200, 200, 400, 2600}),
	RANGE(shared, NULL, 1.0, {4800, 400, 800, 4000, 600, 300, 300, 900}),
	RANGE(share_one, "dispatch", 1.0,
	      {1400, 3600, 3000, 2000, 100, 3300, 1300, 1300}),
	RANGE(share_two, "dispatch", 1.0, {2700, 300, 5500, 1500, 600, 200, 1200, 800}),
	RANGE(steady_2000, "dispatch", 0.5, {8300, 200, 900, 600, 500, 100, 300, 200}),
	RANGE(steady_5000, "dispatch", 1.0, {900, 300, 800, 8000, 200, 200, 400, 6900}),
	RANGE(steady_12000, "dispatch", 0.8,
	      {3400, 2600, 2500, 1500, 1000, 2100, 900, 500}),
	RANGE(steady_30000, "dispatch", 1.4,
	      {2300, 400, 5800, 1500, 300, 300, 5100, 600}),
};

/* One of so many runs of a pattern is disturbed. */
#define DISTURB_EVERY 16

static bool sleeps, migrates;

static inline __attribute__((always_inline)) void
run_pattern(const struct pattern *pattern, uint64_t *state)
{
	if ((sleeps || migrates) && lab_random_below(state, DISTURB_EVERY) == 0) {
		if (sleeps)
			lab_sleep();
		if (migrates)
			lab_migrate();
	}
	pattern->run(pattern->argument);
}

static bool change(const char *name)
{
	bool sleep = strcmp(name, "sleep") == 0, migrate = strcmp(name, "migrate") == 0;

	sleeps |= sleep;
	migrates |= migrate;
	return sleep || migrate;
}

IN(dispatch) static void dispatch(unsigned rounds, uint64_t seed)
{
	uint8_t order[COUNT(patterns)];
	uint64_t state = seed;

	for (size_t i = 0; i < COUNT(order); i++)
		order[i] = (uint8_t)i;
	for (unsigned r = 0; r < rounds; r++) {
		lab_shuffle(order, COUNT(order), &state);
		for (size_t i = 0; i < COUNT(order); i++) {
			const struct pattern *pattern = &patterns[order[i]];

			for (unsigned k = 0;
			     r % pattern->every == 0 && k < pattern->times; k++)
				run_pattern(pattern, &state);
		}
	}
}

static void find_far(void)
{
	const char *far[4];
	size_t n = 0;

	awkward_far_ranges(far);
	for (size_t i = 0; i < COUNT(ranges); i++) {
		if (ranges[i].start)
			continue;
		ranges[i].start = far[n++];
		ranges[i].stop = far[n++];
	}
}

int main(int argc, char **argv)
{
	struct lab_options options = {.rounds = 100, .seed = 1};

	if (!lab_options(argc, argv, &options, change))
		return 2;
	find_far();
	return lab_measure(ranges, COUNT(ranges), &options, dispatch);
}
