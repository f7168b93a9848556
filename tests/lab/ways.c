// SPDX-License-Identifier: MIT
/*
 * Functions of which own windows tell little, or what is not so: one with a short way
 * and a long one, which behave differently; an interpreter whose small operations
 * jump to each other, and one that calls them.  Prints the emulator's exact truth about
 * itself.
 *
 * ways [-r ROUNDS] [-s SEED] ... (truth.h)
 */
#include "awkward.h"
#include "truth.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define EXTENT(name) extern const char __start_lab_##name[], __stop_lab_##name[]
#define END 255

/* Four times of five it takes some 20 cycles, the fifth time 500. */
extern const char ways_choose_long[];
EXTENT(choose);
__asm__(".pushsection lab_choose, \"ax\", @progbits\n"
	".type ways_choose, @function\n"
	"ways_choose:\n"
	".cfi_startproc\n"
	"test %edi, %edi\n"
	"jz ways_choose_long\n"
	".rept 4\n lea 1(%rax), %rax\n lea 1(%rax), %rax\n lea 1(%rax), %rax\n jmp .+2\n .endr\n"
	"ret\n"
	"ways_choose_long:\n"
	".rept 125\n lea 1(%rax), %rax\n lea 1(%rax), %rax\n lea 1(%rax), %rax\n jmp .+2\n .endr\n"
	"ret\n"
	".cfi_endproc\n"
	".size ways_choose, . - ways_choose\n"
	".popsection\n");
void ways_choose(unsigned way);

EXTENT(chooser);
IN(chooser) static void chooser(unsigned n)
{
	while (n--) {
		for (unsigned way = 5; way--;) {
			turn(14);
			MORE(8); /* a long last block */
			ways_choose(way);
		}
	}
}

/* Each operation jumps to the next one. */
struct machine {
	const uint8_t *next;
	uint64_t done;
};
typedef void operation(struct machine *machine);

static operation *const jumps[5];
#define JUMPS(n, steps)                                                                  \
	EXTENT(jump##n);                                                                 \
	IN(jump##n) static void jump##n(struct machine *machine)                         \
	{                                                                                \
		uint8_t next;                                                            \
                                                                                         \
		STEPS(steps);                                                            \
		next = *machine->next++;                                                 \
		if (next != END)                                                         \
			jumps[next](machine);                                            \
	}
JUMPS(0, 6)
JUMPS(1, 9)
JUMPS(2, 14)
JUMPS(3, 22)
JUMPS(4, 32)
static operation *const jumps[5] = {jump0, jump1, jump2, jump3, jump4};

EXTENT(jumper);
IN(jumper) static void jumper(unsigned n)
{
	static const uint8_t codes[][10] = {{2, 0, 3, 1, 4, 1, 0, 2, END},
					    {4, 0, 0, 1, 3, END}};

	while (n--) {
		struct machine machine = {codes[n % COUNT(codes)], 0};

		turn(15);
		jumps[*machine.next++](&machine);
	}
}

/* Each operation is called. */
#define CALLED(n, steps)                                                                 \
	EXTENT(called##n);                                                               \
	IN(called##n) static void called##n(struct machine *machine)                     \
	{                                                                                \
		STEPS(steps);                                                            \
		machine->done++;                                                         \
	}
CALLED(0, 2)
CALLED(1, 6)
CALLED(2, 8)
CALLED(3, 10)
CALLED(4, 16)
CALLED(5, 24)
static operation *const calls[] = {called0, called1, called2, called3, called4, called5};

EXTENT(caller);
IN(caller) static void caller(unsigned n, uint64_t *state)
{
	static const uint8_t codes[][10] = {{3, 5, 0, 1, 4, 2, END},
					    {4, 4, 1, 5, 3, END}};
	struct machine machine = {NULL, 0};

	while (n--) {
		machine.next = codes[lab_random_below(state, COUNT(codes))];
		while (*machine.next != END)
			calls[*machine.next++](&machine);
	}
}

EXTENT(steady);
IN(steady) static void steady(unsigned turns)
{
	turn(turns);
}

EXTENT(dispatch);
IN(dispatch) static void dispatch(unsigned rounds, uint64_t seed)
{
	uint8_t order[] = {0, 1, 2, 3};
	uint64_t state = seed;

	for (unsigned r = 0; r < rounds; r++) {
		lab_shuffle(order, COUNT(order), &state);
		for (unsigned i = 0; i < COUNT(order); i++) {
			if (order[i] == 0)
				chooser(10);
			else if (order[i] == 1)
				jumper(80);
			else if (order[i] == 2)
				caller(100, &state);
			else
				steady(8000);
		}
	}
}

#define RANGE(name, caller, cpi, ...)                                                    \
	{                                                                                \
#name, caller, __start_lab_##name, __stop_lab_##name, cpi, __VA_ARGS__,  \
			-1                                                               \
	}
static struct lab_range ranges[] = {
	RANGE(dispatch, NULL, 1.0, {4200, 700, 3100, 2000, 900, 500, 1700, 900}),
	RANGE(chooser, "dispatch", 1.0, {2500, 1000, 3500, 3000, 300, 800, 2900, 800}),
	{"choose",
	 "chooser",
	 __start_lab_choose,
	 ways_choose_long,
	 1.0,
	 {6500, 300, 2500, 700, 900, 200, 1800, 300},
	 -1},
	{"choose",
	 "chooser",
	 ways_choose_long,
	 __stop_lab_choose,
	 1.0,
	 {1500, 700, 600, 7200, 200, 500, 300, 6100},
	 -1},
	RANGE(jumper, "dispatch", 1.0, {3300, 500, 4700, 1500, 500, 300, 3600, 900}),
	RANGE(jump0, "jumper", 1.0, {5700, 600, 1200, 2500, 800, 400, 700, 1100}),
	RANGE(jump1, "jumper", 1.0, {1000, 7400, 1200, 400, 200, 7000, 700, 200}),
	RANGE(jump2, "jumper", 1.0, {2300, 2600, 700, 4400, 300, 2300, 400, 2900}),
	RANGE(jump3, "jumper", 1.0, {1100, 2700, 3100, 3100, 200, 2500, 2600, 2300}),
	RANGE(jump4, "jumper", 1.0, {6200, 200, 600, 3000, 2600, 100, 300, 800}),
	RANGE(caller, "dispatch", 1.0, {4800, 400, 800, 4000, 600, 300, 300, 900}),
	RANGE(called0, "caller", 1.0, {5200, 300, 3500, 1000, 1500, 200, 2000, 400}),
	RANGE(called1, "caller", 1.0, {900, 300, 800, 8000, 200, 200, 400, 6900}),
	RANGE(called2, "caller", 1.0, {3000, 2500, 2500, 2000, 300, 2200, 1300, 1000}),
	RANGE(called3, "caller", 1.0, {1500, 300, 6200, 2000, 300, 200, 5400, 900}),
	RANGE(called4, "caller", 1.3, {1200, 6400, 2200, 200, 100, 6000, 1500, 100}),
	RANGE(called5, "caller", 1.1, {2000, 600, 900, 6500, 500, 500, 400, 2200}),
	RANGE(steady, "dispatch", 0.7, {8300, 200, 900, 600, 500, 100, 300, 200}),
};

int main(int argc, char **argv)
{
	struct lab_options options = {.rounds = 100, .seed = 1};

	if (!lab_options(argc, argv, &options, NULL))
		return 2;
	return lab_measure(ranges, COUNT(ranges), &options, dispatch);
}
