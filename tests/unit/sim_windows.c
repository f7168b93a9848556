// SPDX-License-Identifier: MIT
#include "tests/unit/sim_windows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH 6
#define PIECES 4 /* of a function's body, with calls between them */
#define DEPTH 64
#define CHAIN 8   /* functions of SIM_CHAIN */
#define LINKS 4   /* that its loop calls */
#define AFTER 45. /* from the program's last to the reading */

struct function {
	double mix[2][TD_SEPARATE_NODES];
	double dwell;  /* mean cycles in one mix, 0: first mix only */
	double left;   /* of the present dwell */
	double slower; /* the first mix is so much faster than `cycles`, the second slower
			*/
	int now;       /* present mix */
	double code;   /* cycles of its loop: where an IP repeats */
	double block;  /* cycles between places where it can be interrupted */
	double pace;   /* cycles an instruction takes in the mean */
	unsigned pieces;
	double piece[PIECES];
	unsigned callee[PIECES]; /* called after the piece, 0: none */
	double spent[2];
};

/* One stay in a function. */
struct visit {
	unsigned function;
	double cycles;
	int returned; /* entered by a return */
	int phase;    /* -1: as its dwell says */
	double place; /* where it begins in its code; SIM_CHAIN only */
};

struct frame {
	unsigned function, piece;
};

struct program {
	const struct sim_setup *setup;
	uint64_t random;
	struct function *function;
	unsigned functions;
	struct frame stack[DEPTH];
	unsigned depth;
	unsigned step, round; /* of the awkward script */
	struct visit visit;   /* the present one */
	double done;          /* of it */
	double start;         /* where in the code it began */
	double calls;         /* counted so far, returns and perhaps calls */
	double ticks;         /* instructions so far */
	double *visits;
};

static double uniform(uint64_t *random)
{
	*random ^= *random << 13;
	*random ^= *random >> 7;
	*random ^= *random << 17;
	return (double)(*random >> 11) / 9007199254740992.;
}

static double between(uint64_t *random, double low, double high)
{
	return low + (high - low) * uniform(random);
}

static uint64_t scramble(uint64_t seed)
{
	seed = (seed + 1) * 0x9e3779b97f4a7c15u;
	seed ^= seed >> 29;
	seed *= 0xbf58476d1ce4e5b9u;
	return (seed ^ seed >> 32) | 1;
}

static void draw_mix(uint64_t *random, double *mix)
{
	double sum = 0;

	for (int k = 0; k < 4; k++) {
		double x = uniform(random);

		mix[k] = x * x + 0.02;
		sum += mix[k];
	}
	for (int k = 0; k < 4; k++) {
		mix[k] /= sum;
		mix[4 + k] = mix[k] * uniform(random);
	}
}

/* Outer nodes against each other, inner ones as well: the mean of both is what was. */
static void move_apart(double (*mix)[TD_SEPARATE_NODES])
{
	static const int other[] = {3, 2, 1, 0};
	double mean[TD_SEPARATE_NODES];

	memcpy(mean, mix[0], sizeof(mean));
	for (int k = 0; k < TD_SEPARATE_NODES; k++) {
		int parent = k % 4, opposite = other[parent];
		double by = 0.4 * fmin(mean[parent], mean[opposite]) / mean[parent];

		by = parent < opposite ? by : -by;
		mix[0][k] = mean[k] * (1 + by);
		mix[1][k] = mean[k] * (1 - by);
	}
}

static double draw_pace(const struct program *program, unsigned function)
{
	uint64_t random = scramble(program->setup->program + 177 + 13 * function);

	if (!program->setup->clock)
		return 1;
	return function % 2 ? between(&random, 0.6, 0.8) : between(&random, 1.2, 1.6);
}

static void draw_functions(struct program *program)
{
	uint64_t random = scramble(program->setup->program + 77);

	for (unsigned i = 0; i < program->functions; i++) {
		struct function *f = &program->function[i];

		f->pace = draw_pace(program, i);
		draw_mix(&random, f->mix[0]);
		draw_mix(&random, f->mix[1]);
		f->code = exp(between(&random, log(20), log(800)));
		if (uniform(&random) < program->setup->noise)
			f->dwell = exp(between(&random, log(100), log(3000)));
		if (program->setup->slower > 0) {
			move_apart(f->mix);
			f->dwell = program->setup->dwell;
			f->slower = program->setup->slower;
		}
		f->block = program->setup->block * (double)(i % 7 + 1) / 7;
		if (program->setup->kind == SIM_CHAIN) {
			f->block = program->setup->block;
			f->code = program->setup->loops && i < LINKS ? f->block : 4000;
		}
		f->pieces = 1 + (unsigned)(uniform(&random) * PIECES);
		for (unsigned p = 0; p < f->pieces; p++) {
			unsigned rest = program->functions - 1 - i;

			f->piece[p] = exp(between(&random, log(10), log(3000)));
			if (rest && uniform(&random) < 0.6)
				f->callee[p] =
					i + 1 +
					(unsigned)(uniform(&random) * rest * 0.999);
		}
	}
}

/* The random tree: run a piece, call, come back, return. */
static void next_in_tree(struct program *program)
{
	struct visit *visit = &program->visit;
	struct frame *top;

	visit->returned = 0;
	visit->phase = -1;
	for (;;) {
		if (!program->depth) {
			unsigned root = (unsigned)(uniform(&program->random) *
						   (program->functions < 12
							    ? program->functions
							    : program->functions / 3));

			program->stack[0] = (struct frame){root, 0};
			program->depth = 1;
		}
		top = &program->stack[program->depth - 1];
		if (top->piece < program->function[top->function].pieces)
			break;
		program->depth--;
		visit->returned = 1;
		program->calls++;
	}
	visit->function = top->function;
	visit->cycles = program->function[top->function].piece[top->piece] *
			between(&program->random, 0.8, 1.2);
	if (program->function[top->function].callee[top->piece] &&
	    program->depth < DEPTH) {
		program->stack[program->depth++] = (struct frame){
			program->function[top->function].callee[top->piece], 0};
		top->piece++;
	} else {
		top->piece++;
	}
}

/* Function, cycles, returned, phase, how often the group is repeated. */
struct line {
	unsigned function;
	double cycles;
	int returned, phase, group;
};
#define RECURSES 2
static const struct line patterns[] = {
	{0, 103, 1, -1, 20},  {1, 97, 0, -1, 20}, /* a pair */
	{2, 15, 0, -1, 12},   {2, 15, 1, -1, 12}, /* recursion */
	{3, 3, 1, -1, 15},    {4, 40, 0, -1, 15},  {5, 27, 0, -1, 15},
	{6, 8, 0, -1, 15},    {5, 9, 1, -1, 15},   {4, 12, 1, -1, 15}, /* a chain */
	{7, 3000, 1, -1, 1},  {8, 2500, 0, -1, 1},                     /* long in turn */
	{9, 900, 1, 0, 1},    {9, 2100, 0, 1, 1},                      /* phases */
	{10, 55, 0, -1, 8},   {11, 160, 1, -1, 8}, {12, 31, 0, -1, 8},
	{11, 60, 1, -1, 8}, /* one with two callees */
	{13, 1200, 1, -1, 1}, {14, 400, 0, -1, 3}, {13, 250, 1, -1, 3},
};
static const struct line ways[] = {
	{0, 54, 1, -1, 20},  {1, 14, 0, 0, 20},  {0, 54, 1, -1, 20}, {1, 14, 0, 0, 20},
	{0, 54, 1, -1, 20},  {1, 500, 0, 1, 20}, {0, 54, 1, -1, 20}, {1, 14, 0, 0, 20},
	{0, 54, 1, -1, 20},  {1, 14, 0, 0, 20},  {2, 900, 1, -1, 1}, {3, 2500, 1, -1, 1},
	{4, 130, 1, -1, 12}, {5, 45, 0, -1, 12},
};
static const struct line deep[] = {
	{RECURSES, 18, 0, -1, 9}, {RECURSES, 14, 1, -1, 9}, {0, 103, 1, -1, 2},
	{1, 97, 0, -1, 2},        {3, 150, 1, -1, 3},       {4, 80, 0, -1, 3},
};
static const struct line steady[] = {
	{2, 60, 1, -1, 10}, {3, 80, 0, -1, 10},  {4, 110, 1, -1, 10}, {5, 48, 0, -1, 10},
	{2, 60, 1, -1, 10}, {6, 140, 0, -1, 10}, {0, 2000, 1, -1, 1}, {1, 1500, 1, -1, 1},
};
#define SCRIPT(line, functions, jitter)                                                  \
	{                                                                                \
		line, sizeof(line) / sizeof(line[0]), functions, jitter                  \
	}
static const struct script {
	const struct line *line;
	size_t lines;
	unsigned functions;
	double jitter; /* of visits, part */
} scripts[] = {
	[SIM_AWKWARD] = SCRIPT(patterns, 15, 0.1),
	[SIM_WAYS] = SCRIPT(ways, 6, 0.1),
	[SIM_DEEP] = SCRIPT(deep, 5, 0.1),
	[SIM_EXACT] = SCRIPT(steady, 7, 0),
};

static int has_script(const struct sim_setup *setup)
{
	return setup->kind < sizeof(scripts) / sizeof(scripts[0]) &&
	       scripts[setup->kind].lines;
}

static void next_in_script(struct program *program)
{
	const struct script *script = &scripts[program->setup->kind];
	const struct line *line = &script->line[program->step];

	program->visit = (struct visit){
		.function = line->function,
		.cycles = line->cycles * between(&program->random, 1 - script->jitter,
						 1 + script->jitter),
		.returned = line->returned,
		.phase = line->phase,
	};
	program->calls += line->returned;
	program->step++;
	if (program->step < script->lines &&
	    script->line[program->step].group == line->group)
		return;
	if (++program->round < (unsigned)line->group) {
		while (program->step &&
		       script->line[program->step - 1].group == line->group)
			program->step--;
		return;
	}
	program->round = 0;
	/* any group may be next */
	program->step = (unsigned)(uniform(&program->random) * (double)script->lines);
	while (program->step &&
	       script->line[program->step - 1].group == script->line[program->step].group)
		program->step--;
}

static void next_long(struct program *program)
{
	unsigned f = (unsigned)(uniform(&program->random) * program->functions);

	program->visit = (struct visit){
		.function = f,
		.cycles = program->function[f].piece[0] * 20 + 2000,
		.returned = 1,
		.phase = -1,
	};
	program->calls++;
}

#define CYCLE 7
static void next_in_cycle(struct program *program)
{
	static const double cycles[] = {27, 40, 30, 103, 3000, 3000, 3000};
	static const unsigned rounds = 100;

	program->step = (program->step + 1) % CYCLE;
	if (program->step == 4 && ++program->round % rounds != 0)
		program->step = 0;
	program->visit = (struct visit){
		.function = program->step,
		.cycles = cycles[program->step] * between(&program->random, 0.9, 1.1),
		.returned = 1,
		.phase = -1,
	};
	program->calls++;
}

static void next_in_chain(struct program *program)
{
	/* the loop is returned to where it calls the next one */
	static const struct visit chain[] = {
		{4, 1, 1, -1, 25}, {0, 27, 0, -1, 0}, {4, 1, 1, -1, 30},
		{1, 40, 0, -1, 0}, {4, 1, 1, -1, 35}, {2, 30, 0, -1, 0},
		{4, 2, 1, -1, 40}, {3, 8, 0, -1, 0},
	};
	static const unsigned rounds = 60;

	program->visit = chain[program->step];
	if (program->round == rounds) {
		program->visit.function = 5 + (unsigned)(uniform(&program->random) * 3);
		program->visit.cycles = 3000;
		program->visit.returned = 1;
		program->visit.place = 0;
		program->round = 0;
	} else {
		program->step = (program->step + 1) % (sizeof(chain) / sizeof(chain[0]));
		program->round += program->step == 0;
	}
	program->calls += program->visit.returned;
}

#define TABLE 6
static void next_in_table(struct program *program)
{
	int returned = program->visit.function != TABLE - 1;

	program->visit = (struct visit){
		.function = returned
				    ? TABLE - 1
				    : (unsigned)(uniform(&program->random) * (TABLE - 1)),
		.cycles = 30 * between(&program->random, 0.95, 1.05),
		.returned = returned,
		.phase = -1,
	};
	program->calls += returned;
}

static void next_visit(struct program *program)
{
	unsigned last = program->visit.function;

	if (has_script(program->setup))
		next_in_script(program);
	else if (program->setup->kind == SIM_TREE)
		next_in_tree(program);
	else if (program->setup->kind == SIM_CYCLE)
		next_in_cycle(program);
	else if (program->setup->kind == SIM_TABLE)
		next_in_table(program);
	else if (program->setup->kind == SIM_CHAIN)
		next_in_chain(program);
	else
		next_long(program);
	program->done = 0;
	program->start = floor(uniform(&program->random) * 3) * 7;
	if (program->setup->kind == SIM_CHAIN)
		program->start = program->visit.place;
	if (program->setup->calls && !program->visit.returned &&
	    (program->visit.function != last || program->visit.function == RECURSES))
		program->calls++;
	program->visits[program->visit.function]++;
}

/* Cycles that one of a visit's takes now. */
static double speed_of(const struct function *f)
{
	return f->now ? 1 + f->slower : 1 - f->slower;
}

/* Runs `cycles` of the program; what they did is added to y[] in cycles. */
static void advance(struct program *program, double cycles, double *y)
{
	while (cycles > 0) {
		struct visit *visit = &program->visit;
		struct function *f = &program->function[visit->function];
		double speed = 1, step, work;
		int mix = visit->phase >= 0 ? visit->phase : 0;

		if (f->dwell > 0) {
			if (f->left <= 0) {
				f->now = !f->now;
				f->left = -f->dwell * log(1 - uniform(&program->random));
			}
			mix = f->now;
			speed = speed_of(f);
		}
		work = fmin(cycles / speed, visit->cycles - program->done);
		if (f->dwell > 0) {
			work = fmin(work, f->left);
			f->left -= work;
		}
		step = work * speed;
		f->spent[mix] += step;
		program->ticks += work / f->pace;
		for (int k = 0; y && k < TD_SEPARATE_NODES; k++)
			y[k] += step * f->mix[mix][k];
		program->done += work;
		cycles -= step;
		if (program->done >= visit->cycles - 1e-9)
			next_visit(program);
	}
}

/* To where the program can be interrupted; returns the cycles. */
static double end_block(struct program *program, double *y)
{
	const struct visit *visit = &program->visit;
	double block = program->function[visit->function].block, late;

	if (block <= 0)
		return 0;
	late = ceil(program->done / block) * block - program->done;
	late = fmin(late, visit->cycles - program->done);
	late *= speed_of(&program->function[visit->function]);
	advance(program, late, y);
	return late;
}

/* An interrupt that was due before comes behind the program's next block. */
static double next_block(struct program *program, double *y)
{
	const struct visit *visit = &program->visit;
	double block = program->function[visit->function].block, cycles;

	if (block <= 0)
		return 0;
	cycles = (floor(program->done / block + 1e-9) + 1) * block - program->done;
	cycles = fmin(cycles, visit->cycles - program->done);
	advance(program, cycles, y);
	return cycles;
}

static double address(const struct program *program)
{
	double code = program->function[program->visit.function].code;

	/* phases are in different places */
	return floor(fmod(program->start + program->done, code)) +
	       1000 * fmax(0, program->visit.phase);
}

static void add(double *y, double *total, double cycles, const double *mix)
{
	*total += cycles;
	for (int k = 0; k < TD_SEPARATE_NODES; k++)
		y[k] += cycles * mix[k];
}

/* What PERF_METRICS makes of it: level 1 by the largest remainder. */
static void in_255ths(double *y, double total)
{
	double exact[TD_SEPARATE_NODES];
	int left = 255;

	for (int k = 0; k < TD_SEPARATE_NODES; k++) {
		exact[k] = y[k] / total * 255;
		y[k] = k < 4 ? floor(exact[k]) : floor(exact[k] + 0.5);
		left -= k < 4 ? (int)y[k] : 0;
	}
	for (; left > 0; left--) {
		int most = 0;

		for (int k = 1; k < 4; k++)
			most = exact[k] - y[k] > exact[most] - y[most] ? k : most;
		y[most]++;
	}
	for (int k = 0; k < TD_SEPARATE_NODES; k++)
		y[k] *= total / 255;
}

static const double own_mix[] = {.30, .10, .20, .40, .03, .08, .12, .25};
static const double edge_mix[] = {0, .05, .55, .40, 0, .03, .45, .30};

static double edge(struct program *program)
{
	const struct sim_setup *setup = program->setup;

	return setup->edge * (1 + setup->edge_spread * between(&program->random, -1, 1));
}

/* At the end of the window, where the program is now. */
static void take_counts(const struct program *program, struct td_separate_window *window,
			double requested, double *y, double total)
{
	window->close = program->visit.function;
	window->close_offset = (uint32_t)address(program);
	window->requested = program->setup->unknown_requested ? 0 : (float)requested;
	in_255ths(y, total);
	window->slots = (float)(round(total * WIDTH));
	for (int k = 0; k < TD_SEPARATE_NODES; k++)
		window->value[k] = (float)(y[k] * WIDTH);
}

/*
 * Returns to user mode: after the reset and after the arming, both by system
 * calls, after the handler, and into the next handler.  The trigger runs from the
 * arming on.
 */
static void one_window(struct program *program, struct td_separate_window *window,
		       double requested)
{
	double y[TD_SEPARATE_NODES] = {0}, total = 0, inside, back = edge(program);
	double at = address(program), calls = program->calls;
	unsigned opened = program->visit.function;

	add(y, &total, edge(program), edge_mix);
	add(y, &total, SIM_BEFORE, own_mix);
	inside = SIM_BEFORE + back;
	add(y, &total, back, edge_mix);
	if (!window->empty && inside < requested) {
		double more = edge(program);

		add(y, &total, more, edge_mix);
		inside += more;
		if (inside < requested) {
			advance(program, requested - inside, y);
			total += requested - inside + end_block(program, y);
		}
	}
	if (!window->empty && inside >= requested && program->setup->kind == SIM_CHAIN)
		total += next_block(program, y);
	add(y, &total, edge(program), edge_mix);
	add(y, &total, AFTER, own_mix);
	window->open = opened;
	window->open_offset = (uint32_t)at;
	take_counts(program, window, requested, y, total);
	window->calls = program->setup->no_returns
				? 0
				: (uint8_t)fmin(UINT8_MAX, program->calls - calls);
}

/* The agent goes back to the program by itself: an edge before the trigger is armed, and
 * none from there to the program. */
static void sharp_window(struct program *program, struct td_separate_window *window,
			 double requested)
{
	double y[TD_SEPARATE_NODES] = {0}, total = 0, calls = program->calls;

	window->open = program->visit.function;
	window->open_offset = (uint32_t)address(program);
	window->sharp = !window->empty;
	add(y, &total, edge(program), edge_mix);
	add(y, &total, SIM_BEFORE, own_mix);
	if (requested > SIM_BEFORE) {
		advance(program, requested - SIM_BEFORE, y);
		total += requested - SIM_BEFORE + end_block(program, y);
	}
	add(y, &total, edge(program), edge_mix);
	add(y, &total, AFTER, own_mix);
	take_counts(program, window, requested, y, total);
	window->calls = (uint8_t)fmin(UINT8_MAX, program->calls - calls);
}

/* Opened by an interrupt, behind which the program comes back with an edge. */
static void kernel_window(struct program *program, struct td_separate_window *window,
			  double requested)
{
	double y[TD_SEPARATE_NODES] = {0}, total = 0, back = edge(program);
	double calls = program->calls;

	window->open = program->visit.function;
	window->open_offset = (uint32_t)address(program);
	add(y, &total, back, edge_mix);
	if (back < requested) {
		advance(program, requested - back, y);
		total += requested - back + end_block(program, y);
	} else {
		total += next_block(program, y);
	}
	take_counts(program, window, requested, y, total);
	window->calls = (uint8_t)fmin(UINT8_MAX, program->calls - calls);
}

/* Whole instructions are counted. */
static void next_window(struct sim *sim, struct program *program, size_t n,
			double requested)
{
	double ticks = floor(program->ticks);

	(program->setup->by_kernel ? kernel_window
	 : program->setup->sharp   ? sharp_window
				   : one_window)(program, &sim->window[n], requested);
	if (sim->clock)
		sim->clock[n] = (float)(floor(program->ticks) - ticks);
}

static void truth_of(struct sim *sim, const struct program *program)
{
	for (unsigned i = 0; i < sim->functions; i++) {
		const struct function *f = &program->function[i];
		double all = f->spent[0] + f->spent[1];

		sim->cycles[i] = all;
		sim->pace[i] = f->pace;
		for (int k = 0; k < TD_SEPARATE_NODES && all > 0; k++)
			sim->truth[i][k] = (f->spent[0] * f->mix[0][k] +
					    f->spent[1] * f->mix[1][k]) /
					   all;
	}
}

static double next_length(struct program *program)
{
	const struct sim_setup *setup = program->setup;
	double most = setup->most;

	if (setup->by_kernel)
		most /= 1 << (int)(3 * uniform(&program->random));
	return floor(between(&program->random, setup->shortest, most));
}

void sim_run(struct sim *sim, const struct sim_setup *setup)
{
	struct program program = {.setup = setup, .random = scramble(setup->seed)};
	size_t n = 0, room = setup->windows + setup->windows / 63 + 1;

	program.functions = has_script(setup)          ? scripts[setup->kind].functions
			    : setup->kind == SIM_LONG  ? 12
			    : setup->kind == SIM_CYCLE ? CYCLE
			    : setup->kind == SIM_TABLE ? TABLE
			    : setup->kind == SIM_CHAIN ? CHAIN
						       : setup->functions;
	sim->functions = program.functions;
	sim->by_kernel = setup->by_kernel;
	sim->truth = calloc(program.functions, sizeof(*sim->truth));
	sim->cycles = calloc(program.functions, sizeof(*sim->cycles));
	sim->visits = program.visits = calloc(program.functions, sizeof(*sim->visits));
	sim->window = calloc(room, sizeof(*sim->window));
	sim->pace = calloc(program.functions, sizeof(*sim->pace));
	sim->clock = setup->clock ? calloc(room, sizeof(*sim->clock)) : NULL;
	program.function = calloc(program.functions, sizeof(*program.function));
	draw_functions(&program);
	next_visit(&program);
	for (size_t i = 0; i < setup->windows; i++) {
		advance(&program, between(&program.random, 2000, 6000), NULL);
		end_block(&program, NULL);
		if (i % 63 == 0 && !setup->by_kernel) {
			sim->window[n].empty = 1;
			next_window(sim, &program, n++, 0);
		}
		next_window(sim, &program, n++, next_length(&program));
	}
	sim->windows = n;
	truth_of(sim, &program);
	free(program.function);
}

void sim_free(struct sim *sim)
{
	free(sim->window);
	free(sim->truth);
	free(sim->cycles);
	free(sim->visits);
	free(sim->pace);
	free(sim->clock);
}

struct td_separate_input sim_input(const struct sim *sim)
{
	return (struct td_separate_input){
		.window = sim->window,
		.windows = sim->windows,
		.clock = sim->clock,
		.functions = sim->functions,
		.nodes = TD_SEPARATE_NODES,
		.returns = 1,
		.by_kernel = sim->by_kernel,
	};
}
