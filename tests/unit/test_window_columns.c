// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agent/sigsafe/random.h"
#include "decoder/window_columns.h"
#include "tests/unit/unit.h"

#define WINDOWS 20000
#define LONGEST 600 /* cycles */

#define ENDING 300     /* an offset in HALVES */
#define UNREADABLE 1e3 /* more than a short window's cycles squared */

enum { CALLER, HALVES, COLD, FUNCTIONS };

/* A stretch of code that runs from one end to the other, and how it is left. */
struct part {
	uint32_t function, offset, cycles; /* a byte a cycle */
	int leaves;                        /* by a call or a return, not by a jump */
};

/* A jump to the cold part in the middle, and back behind it. */
static const struct part once[] = {
	{CALLER, 0, 80, 1},
	{HALVES, 0, 30, 0},
	{COLD, 0, 150, 0},
	{HALVES, 30, 30, 1},
};

/* The same, now and then. */
static const struct part seldom[] = {
	{CALLER, 0, 1500, 1},
	{HALVES, 0, 30, 0},
	{COLD, 0, 150, 0},
	{HALVES, 30, 30, 1},
};

/* A loop with a jump to the cold part and back. */
static const struct part often[] = {
	{CALLER, 0, 80, 1}, {HALVES, 0, 60, 0}, {COLD, 0, 50, 0},   {HALVES, 0, 60, 0},
	{COLD, 0, 50, 0},   {HALVES, 0, 60, 0}, {COLD, 0, 50, 0},   {HALVES, 0, 60, 0},
	{COLD, 0, 50, 0},   {HALVES, 0, 60, 0}, {CALLER, 80, 5, 1},
};

/* Round and round by jumps. */
static const struct part ring[] = {{HALVES, 0, 60, 0}, {COLD, 0, 90, 0}};

/* A call and a return, in visits of about `cycles`. */
#define CALLS(cycles)                                                                    \
	{CALLER, 0, 40, 1}, {HALVES, 0, cycles, 1}, {CALLER, 40, 15, 1},                 \
	{                                                                                \
		HALVES, ENDING, 4, 1                                                     \
	}
#define MORE_CALLS(cycles) CALLS(cycles), CALLS(cycles), CALLS(cycles), CALLS(cycles)
static const struct part brief[] = {MORE_CALLS(12)}, longer[] = {MORE_CALLS(60)};

#define TAIL 200 /* an offset in HALVES: its end, which behaves like the rest */

/* The same, and now and then a jump to the end and back. */
#define TAIL_CALLS                                                                       \
	{CALLER, 0, 40, 1}, {HALVES, 0, 60, 1}, {CALLER, 40, 15, 1},                     \
	{                                                                                \
		HALVES, TAIL, 4, 1                                                       \
	}
static const struct part around[] = {
	TAIL_CALLS,         TAIL_CALLS,          TAIL_CALLS,
	{CALLER, 0, 40, 1}, {HALVES, 0, 60, 0},  {HALVES, TAIL, 4, 0},
	{HALVES, 0, 60, 1}, {CALLER, 40, 15, 1}, {HALVES, TAIL, 4, 1},
};

/* Four times a short way, the fifth time a long one; both begin at the same place. */
#define SHORT_WAY                                                                        \
	{CALLER, 0, 40, 1}, {HALVES, ENDING, 6, 0},                                      \
	{                                                                                \
		HALVES, ENDING + 1, 14, 1                                                \
	}
static const struct part ways[] = {
	SHORT_WAY, SHORT_WAY,          SHORT_WAY,
	SHORT_WAY, {CALLER, 0, 40, 1}, {HALVES, ENDING, 306, 1},
};

struct moment {
	uint32_t function, offset, left; /* left: calls and returns so far */
	uint32_t unlike; /* cycles so far of what behaves in another way */
};

static struct moment moment[16384];
static struct td_separate_window window[WINDOWS];
static size_t windows = WINDOWS;
static double start_spread; /* of edges, cycles */
static int sharp;           /* edges that are all at the end */
static double whole;        /* variance of counts by how they are read */
static int returns = TD_RETURNS_AND_CALLS;

/* The cold part, and the ending. */
static int is_unlike(const struct part *part)
{
	return part->function == COLD || part->offset == ENDING;
}

/* What the program does, cycle by cycle, over and over again. */
static size_t run(const struct part *part, size_t parts)
{
	uint32_t left = 0, unlike = 0;
	size_t n = 0;

	for (int round = 0; round < 8; round++) {
		for (size_t i = 0; i < parts; i++) {
			for (uint32_t c = 0; c < part[i].cycles; c++) {
				unlike += is_unlike(&part[i]);
				moment[n++] =
					(struct moment){part[i].function,
							part[i].offset + c, left, unlike};
			}
			left += part[i].leaves != 0;
		}
	}
	return n;
}

static void cut(const struct part *part, size_t parts)
{
	size_t moments = run(part, parts);
	struct td_random random;

	windows = WINDOWS;
	td_random_seed(&random, 1, 0);
	for (size_t i = 0; i < WINDOWS; i++) {
		uint32_t length = 2 + (uint32_t)td_random_below(&random, LONGEST);
		const struct moment *open =
			&moment[td_random_below(&random, moments - LONGEST - 10)];
		const struct moment *close = open + length;

		window[i] = (struct td_separate_window){
			.open = open->function,
			.open_offset = open->offset,
			.close = close->function,
			.close_offset = close->offset,
			.requested = (float)length,
			.slots = (float)length,
			.calls = (uint8_t)(close->left - open->left),
			.value = {(float)(close->unlike - open->unlike),
				  (float)(length - (close->unlike - open->unlike))},
		};
	}
}

#define INPUT                                                                            \
	{                                                                                \
		.window = window, .windows = windows, .functions = FUNCTIONS,            \
		.nodes = TD_SEPARATE_NODES, .returns = returns,                          \
	}

/* Free them. */
static struct td_columns columns_of_all(void)
{
	const struct td_separate_input input = INPUT;
	struct td_axis axis = {.kind = TD_AXIS_REQUESTED,
			       .width = 1,
			       .start_spread = start_spread,
			       .sharp = sharp,
			       .whole = whole};
	struct td_columns columns;

	ck_assert_int_eq(td_columns_find(&columns, &input, &axis), 0);
	return columns;
}

/* Up to which length windows of the function without a return are its own. */
static double alone_in(uint32_t function)
{
	struct td_columns columns = columns_of_all();
	double alone = -1;

	for (uint32_t c = 0; c < columns.columns; c++)
		if (columns.function[c] == function)
			alone = columns.alone[c];
	td_columns_free(&columns);
	return alone;
}

static double alone_in_cold(const struct part *part, size_t parts)
{
	cut(part, parts);
	return alone_in(COLD);
}

/* Nobody comes back to a cold part from behind the jump to it. */
START_TEST(cold_part)
{
	ck_assert(isinf(alone_in_cold(once, sizeof(once) / sizeof(once[0]))));
}
END_TEST

/* Windows from one to the other without a call or return. */
static int jumps(uint32_t from, uint32_t to)
{
	int n = 0;

	for (size_t i = 0; i < windows; i++)
		n += window[i].open == from && window[i].close == to && !window[i].calls;
	return n;
}

/* Where few have been seen on either way, too: six and seven, of which chance would keep
 * all apart in one of 1,716 orders. */
START_TEST(seldom_cold)
{
	cut(seldom, sizeof(seldom) / sizeof(seldom[0]));
	windows = 1300;
	ck_assert_int_eq(jumps(HALVES, COLD), 6);
	ck_assert_int_eq(jumps(COLD, HALVES), 7);
	ck_assert(isinf(alone_in(COLD)));
}
END_TEST

/* From the loop one does. */
START_TEST(cold_part_of_a_loop)
{
	double alone = alone_in_cold(often, sizeof(often) / sizeof(often[0]));

	ck_assert_msg(alone < 100, "up to %g cycles", alone);
}
END_TEST

/* Chance: whoever jumped to the cold part was seen in its first two thirds only, and who
 * came back from it in the last one.  He has come through, all the same. */
START_TEST(there_and_back)
{
	double alone;

	cut(once, sizeof(once) / sizeof(once[0]));
	for (size_t i = 0; i < WINDOWS; i++) {
		struct td_separate_window *w = &window[i];

		if ((w->close == COLD && w->close_offset > 100) ||
		    (w->open == COLD && w->open_offset < 110))
			w->empty = 1;
	}
	alone = alone_in(HALVES);
	ck_assert_msg(alone < 160, "up to %g cycles", alone);
}
END_TEST

/* Leaves so many windows from one to the other without a call or return. */
static void keep_jumps(uint32_t from, uint32_t to, int n)
{
	for (size_t i = 0; i < WINDOWS; i++) {
		struct td_separate_window *w = &window[i];

		if (w->open == from && w->close == to && !w->calls && n-- <= 0)
			w->empty = 1;
	}
}

static double alone_with(size_t n, int there, int back)
{
	cut(once, sizeof(once) / sizeof(once[0]));
	windows = n;
	keep_jumps(HALVES, COLD, there);
	keep_jumps(COLD, HALVES, back);
	ck_assert_int_ge(jumps(COLD, HALVES), back);
	return alone_in(HALVES);
}

/* Two steps from the cold part, and no other window that opens there: nothing is known.
 */
START_TEST(too_few_open)
{
	ck_assert(!isinf(alone_with(400, 0, 2)));
	for (size_t i = 0; i < windows; i++)
		window[i].empty |= window[i].open == COLD &&
				   (window[i].close != HALVES || window[i].calls);
	ck_assert(isinf(alone_in(HALVES)));
}
END_TEST

/* Few steps: one back is enough, and none may be for want of them.  Of many one may be a
 * stray, and none is none. */
START_TEST(few_go_round)
{
	ck_assert(!isinf(alone_with(400, 1, 6)));
	ck_assert(!isinf(alone_with(400, 0, 2)));
	ck_assert(!isinf(alone_with(800, 1, 19)));
	ck_assert(isinf(alone_with(800, 1, 20)));
	ck_assert(isinf(alone_with(400, 0, 8)));
	ck_assert(isinf(alone_with(400, 1, 0)));
	/* they may be calls */
	returns = 1;
	ck_assert(isinf(alone_with(400, 1, 6)));
	returns = TD_RETURNS_AND_CALLS;
}
END_TEST

/* Who has come back has been through: windows too short for that are own. */
START_TEST(way_round)
{
	double alone;

	cut(ring, sizeof(ring) / sizeof(ring[0]));
	alone = alone_in(HALVES);
	ck_assert_msg(alone > 60 && alone <= 90, "up to %g cycles", alone);
	alone = alone_in(COLD);
	ck_assert_msg(alone > 40 && alone <= 60, "up to %g cycles", alone);
}
END_TEST

/* Edges: of windows that are too short by what was asked for some have been through. */
START_TEST(way_round_behind_edges)
{
	cut(ring, sizeof(ring) / sizeof(ring[0]));
	start_spread = 20;
	ck_assert_double_lt(alone_in(HALVES), 50);
	start_spread = 0;
}
END_TEST

/* In every third window nobody counts what leaves and comes back. */
static void count_not_all(void)
{
	for (size_t i = 0; i < WINDOWS; i += 3) {
		window[i].unsure = 1;
		window[i].calls = 0;
	}
}

/*
 * Of these windows, those in the caller that are short are its own as well; no window
 * is that left what it was opened in.
 */
START_TEST(own_by_length)
{
	static struct td_separate_window counted[WINDOWS];
	const struct td_separate_input input = INPUT;
	const struct td_axis axis = {.kind = TD_AXIS_REQUESTED, .width = 1};
	struct td_columns columns;
	unsigned own = 0, of = 0, left = 0;

	cut(once, sizeof(once) / sizeof(once[0]));
	memcpy(counted, window, sizeof(window));
	count_not_all();
	ck_assert_int_eq(td_columns_find(&columns, &input, &axis), 0);
	for (size_t i = 0; i < WINDOWS; i += 3) {
		int taken = td_columns_own(&columns, &input, &axis, i);

		left += taken && counted[i].calls;
		if (window[i].open != CALLER || window[i].close != CALLER ||
		    counted[i].calls)
			continue;
		of++;
		own += taken;
	}
	ck_assert_uint_eq(left, 0);
	ck_assert_msg(own > 3 * of / 4, "%u of %u", own, of);
	td_columns_free(&columns);
}
END_TEST

/* Columns of a function whose second half retires so many 255ths of its slots more. */
static unsigned columns_of_halves(double more)
{
	struct td_columns columns;
	unsigned n;

	for (uint32_t i = 0; i < WINDOWS; i++) {
		uint32_t length = 5 + 5 * (i % 5), at = i % 31;
		float part = (float)((100 + (at > 15 ? more : 0)) / 255);

		window[i] = (struct td_separate_window){
			.open = HALVES,
			.open_offset = at,
			.close = HALVES,
			.close_offset = at,
			.requested = (float)length,
			.slots = (float)length,
			.value = {part * (float)length, 0, 0, (1 - part) * (float)length},
		};
	}
	columns = columns_of_all();
	n = columns.columns;
	td_columns_free(&columns);
	return n;
}

/* Windows that are alike show any difference, but fields are rounded. */
START_TEST(rounding_makes_no_pieces)
{
	ck_assert_uint_eq(columns_of_halves(0), 1);
	ck_assert_uint_eq(columns_of_halves(0.3), 1);
	ck_assert_uint_eq(columns_of_halves(3), 2);
}
END_TEST

#define SLOTS 6 /* a cycle */

/* One of a function that is left soon from its second half, where it has few windows for
 * itself: of so many cycles, and with so much more of the last node. */
static struct td_separate_window left_window(uint32_t i, uint32_t cycles, double more)
{
	static const double mix[TD_NODES_LEVEL1] = {0.42, 0.07, 0.31, 0.2};
	int second = i % 31 > 15;
	double slots = SLOTS * (second ? cycles : 20 + 40 * (i % 5));
	struct td_separate_window w = {
		.open = HALVES,
		.open_offset = i % 31,
		.close = HALVES,
		.close_offset = i % 31,
		.calls = second && i % 4000 > 31,
		.requested = (float)(slots / SLOTS),
		.slots = (float)slots,
	};

	for (int k = 0; k < TD_NODES_LEVEL1; k++) {
		double part = mix[k] + second * (k == 3 ? more : -more / 3);

		w.value[k] = (float)(second ? round(part * slots) : part * slots);
	}
	return w;
}

/* Of so many of its windows the counts are known. */
static unsigned columns_of_left(const struct td_axis *axis, uint32_t cycles, double more,
				uint32_t counted)
{
	const struct td_separate_input input = INPUT;
	struct td_columns columns;
	unsigned n;

	for (uint32_t i = 0; i < WINDOWS; i++) {
		window[i] = left_window(i, cycles, more);
		window[i].silent = i >= counted;
	}
	ck_assert_int_eq(td_columns_find(&columns, &input, axis), 0);
	n = columns.columns;
	td_columns_free(&columns);
	return n;
}

/* What the kernel has cut off a short window is no difference, though long ones show
 * nothing like it; nor does it hide one. */
START_TEST(slots_make_no_pieces)
{
	struct td_axis axis = {.kind = TD_AXIS_REQUESTED, .width = SLOTS, .opening = 1};

	ck_assert_uint_eq(columns_of_left(&axis, 2, 0, 18), 1);
	ck_assert_uint_eq(columns_of_left(&axis, 60, 0, WINDOWS), 1);
	ck_assert_uint_eq(columns_of_left(&axis, 60, 0.1, WINDOWS), 2);
	axis.opening = 0;
	ck_assert_uint_eq(columns_of_left(&axis, 2, 0, 18), 2);
}
END_TEST

/* Two windows do not show how much chance is in counts of events. */
START_TEST(chance_makes_no_pieces)
{
	const struct td_axis axis = {
		.kind = TD_AXIS_REQUESTED, .width = SLOTS, .whole = 1};

	ck_assert_uint_eq(columns_of_left(&axis, 102, 0.02, 18), 1);
	ck_assert_uint_eq(columns_of_left(&axis, 102, 0.2, 18), 2);
}
END_TEST

#define COUNTED 300 /* windows that count the part */

/* Columns of a function of two halves, of which a part is counted that is 2 % of the
 * slots in the first and 3 in the second.  Edges of 36 to 64 cycles are in the rest. */
static unsigned columns_of_part(const float *clock)
{
	const struct td_axis axis = {
		.kind = TD_AXIS_REQUESTED, .width = SLOTS, .sharp = 1, .whole = 0.3};
	struct td_separate_input input = INPUT;
	struct td_columns columns;
	unsigned n;

	for (uint32_t i = 0; i < WINDOWS; i++) {
		struct td_separate_window *w = &window[i];
		double cycles = 60 + 4 * (i % 50), edge = 36 + i * 7 % 29;
		double part = (i % 31 > 15 ? 0.03 : 0.02) * SLOTS * cycles;

		*w = left_window(i, 0, 0);
		w->calls = 0;
		w->silent = i >= COUNTED;
		w->requested = (float)cycles;
		w->slots = (float)(SLOTS * (cycles + edge));
		memset(w->value, 0, sizeof(w->value));
		w->value[1] = (float)round(part);
		w->value[3] = w->slots - w->value[1];
	}
	input.clock = clock;
	input.exact = 1;
	input.left = 1 + 3;
	ck_assert_int_eq(td_columns_find(&columns, &input, &axis), 0);
	n = columns.columns;
	td_columns_free(&columns);
	return n;
}

/* Instructions tell halves from each other of which that part does not: all parts of
 * level 1 have the same columns then. */
START_TEST(pieces_by_instructions)
{
	static float clock[WINDOWS];

	for (uint32_t i = 0; i < WINDOWS; i++)
		clock[i] = (float)((60 + 4 * (i % 50)) / (i % 31 > 15 ? 1.5 : 0.6));
	ck_assert_uint_eq(columns_of_part(NULL), 1);
	ck_assert_uint_ge(columns_of_part(clock), 2);
}
END_TEST

static unsigned pieces_of_halves(void)
{
	struct td_columns columns = columns_of_all();
	unsigned pieces = 0;

	for (uint32_t c = 0; c < columns.columns; c++)
		pieces += columns.function[c] == HALVES;
	td_columns_free(&columns);
	return pieces;
}

static unsigned pieces_of(const struct part *part, size_t parts)
{
	cut(part, parts);
	return pieces_of_halves();
}

/* At the end of a short visit no window is own, whatever it does there. */
START_TEST(brief_visits)
{
	ck_assert_uint_eq(pieces_of(brief, sizeof(brief) / sizeof(brief[0])), 1);
	ck_assert_uint_ge(pieces_of(longer, sizeof(longer) / sizeof(longer[0])), 2);
}
END_TEST

/* Behind edges own windows are scarce wherever they are, and of what they count nothing
 * says that the ending differs. */
START_TEST(whole_behind_edges)
{
	whole = UNREADABLE;
	ck_assert_uint_eq(pieces_of(longer, sizeof(longer) / sizeof(longer[0])), 2);
	sharp = 1;
	ck_assert_uint_eq(pieces_of_halves(), 1);
	sharp = 0;
	start_spread = 2;
	ck_assert_uint_eq(pieces_of_halves(), 1);
	start_spread = whole = 0;
}
END_TEST

/* Chance: no window is own of the short way.  Those that begin where both do, and go the
 * long way, do not tell what the short one is like. */
START_TEST(two_ways)
{
	unsigned long_way = 0;

	cut(ways, sizeof(ways) / sizeof(ways[0]));
	for (size_t i = 0; i < WINDOWS; i++) {
		struct td_separate_window *w = &window[i];

		if (w->open != HALVES || w->close != HALVES || w->calls ||
		    w->open_offset > ENDING + 14)
			continue;
		w->empty = w->close_offset < ENDING + 40;
		long_way += !w->empty;
	}
	ck_assert_uint_ge(long_way, 40);
	ck_assert_uint_eq(pieces_of_halves(), 2);
}
END_TEST

/* Where it jumps to the ending and back no window is for sure one piece's own, and
 * nothing says that the pieces differ. */
START_TEST(whole_where_pieces_know_less)
{
	whole = UNREADABLE;
	ck_assert_uint_eq(pieces_of(around, sizeof(around) / sizeof(around[0])), 1);
	whole = 0;
}
END_TEST

/* Windows that went to the cold part and back are no reason to cut. */
START_TEST(whole_where_it_jumps)
{
	ck_assert_uint_eq(pieces_of(often, sizeof(often) / sizeof(often[0])), 1);
}
END_TEST

/* Two loops of three instructions each, one behind the other. */
static const uint32_t loops[] = {2, 6, 8, 10, 14, 16};
#define LOOP_TWO 3 /* of loops[] */

/* One that opens in loops[at] and stays in its loop, or goes on into the second one for
 * half of its time. */
static struct td_separate_window loop_window(uint32_t at, uint32_t i)
{
	int two = at >= LOOP_TWO, on = !two && i % 4 == 0;
	float cycles = (float)(20 + 40 * (i % 5));
	float unlike = two ? cycles : on ? cycles / 2 : 0;
	uint32_t to = (two || on ? LOOP_TWO : 0) + i % 3;

	return (struct td_separate_window){
		.open = HALVES,
		.open_offset = loops[at],
		.close = HALVES,
		.close_offset = loops[to],
		.requested = cycles,
		.slots = cycles,
		.value = {unlike, cycles - unlike},
	};
}

/* Of as many windows each, the second and the third piece would begin in the middle of a
 * loop, and no window be a piece's own. */
START_TEST(pieces_end_where_loops_do)
{
	static const uint32_t each[] = {25, 25, 25, 32, 32, 32};
	struct td_columns columns;

	windows = 0;
	for (uint32_t at = 0; at < sizeof(each) / sizeof(each[0]); at++)
		for (uint32_t i = 0; i < each[at]; i++)
			window[windows++] = loop_window(at, i);
	columns = columns_of_all();
	ck_assert_uint_eq(columns.columns, 2);
	for (size_t i = 0; i < windows; i++)
		ck_assert_int_eq(columns.open[i] == columns.open[0],
				 window[i].open_offset < loops[LOOP_TWO]);
	td_columns_free(&columns);
	windows = WINDOWS;
}
END_TEST

int main(void)
{
	return unit_main("window_columns",
			 (const TTest *const[]){cold_part,
						seldom_cold,
						cold_part_of_a_loop,
						there_and_back,
						few_go_round,
						too_few_open,
						way_round,
						way_round_behind_edges,
						own_by_length,
						brief_visits,
						whole_behind_edges,
						two_ways,
						whole_where_pieces_know_less,
						whole_where_it_jumps,
						rounding_makes_no_pieces,
						slots_make_no_pieces,
						chance_makes_no_pieces,
						pieces_by_instructions,
						pieces_end_where_loops_do,
						NULL});
}
