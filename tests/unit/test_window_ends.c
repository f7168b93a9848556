// SPDX-License-Identifier: MIT
#include <math.h>
#include <string.h>

#include "decoder/window_ends.h"
#include "tests/unit/unit.h"

#define MOST 2000

enum { CALLER, CALLEE, OTHER, FUNCTIONS };
/* Offsets in the caller: a loop's head, what calls the callee, what is behind that, and
 * what calls the other one. */
enum { HEAD = 10, CALLS = 20, BEHIND = 25, FURTHER = 40 };

static struct td_separate_window window[MOST];
static uint32_t open_column[MOST], close_column[MOST];
static const struct td_separate_input empty = {
	.window = window,
	.functions = FUNCTIONS,
	.nodes = TD_NODES_LEVEL1,
	.returns = 1,
};
static struct td_separate_input input;
static struct td_axis axis;
static struct td_columns columns;
static struct td_ends ends;
static float ticks[MOST];

static void begin(void)
{
	input = empty;
	memset(window, 0, sizeof(window));
	axis = (struct td_axis){
		.kind = TD_AXIS_REQUESTED, .start = 100, .start_spread = 20};
	columns = (struct td_columns){
		.columns = FUNCTIONS, .open = open_column, .close = close_column};
}

/* So many windows from one place to another, with so many calls and returns; columns
 * are functions.  Returns the first. */
static size_t add(size_t n, uint32_t open, uint32_t from, uint32_t close, uint32_t to,
		  unsigned calls)
{
	size_t first = input.windows;

	for (size_t i = first; i < first + n; i++) {
		window[i] = (struct td_separate_window){
			.open = open,
			.open_offset = from,
			.close = close,
			.close_offset = to,
			.requested = 300,
			.slots = 2000,
			.calls = (uint8_t)calls,
		};
		open_column[i] = open;
		close_column[i] = close;
	}
	input.windows += n;
	return first;
}

static void find(void)
{
	ck_assert_int_eq(td_ends_find(&ends, &input, &axis, &columns), 0);
}

static void closes(size_t i, uint32_t column, int moved)
{
	ck_assert_uint_eq(ends.close[i], column);
	ck_assert_int_eq(ends.closed[i], moved);
}

static void opens(size_t i, uint32_t column, int moved)
{
	ck_assert_uint_eq(ends.open[i], column);
	ck_assert_int_eq(ends.opened[i], moved);
}

/* The windows of a function that is called in a loop. */
static struct {
	size_t entered, later, returned, round, inside, begun, head;
} at;

static void loop(void)
{
	at.entered = add(10, CALLER, CALLS, CALLEE, 0, 1);
	at.later = add(30, CALLEE, 18, CALLEE, 0, 2);
	at.returned = add(20, CALLEE, 18, CALLER, BEHIND, 1);
	at.round = add(20, CALLER, FURTHER, CALLER, BEHIND, 2);
	at.inside = add(20, CALLEE, 0, CALLEE, 18, 0);
	at.begun = add(20, CALLER, BEHIND, CALLEE, 18, 2);
	at.head = add(30, CALLER, BEHIND, CALLER, HEAD, 0);
	/* the place below, which is entered by another one */
	add(20, OTHER, 5, CALLER, CALLS, 1);
}

/* At an entry the program was in the caller, behind a call in the callee. */
START_TEST(visits_begin)
{
	begin();
	loop();
	find();
	closes(at.entered, CALLER, 1);
	closes(at.later, CALLER, 1);
	opens(at.inside, CALLER, 1);
	closes(at.returned, CALLEE, 1);
	closes(at.round, CALLEE, 1);
	opens(at.begun, CALLEE, 1);
	td_ends_free(&ends);
}
END_TEST

/* Other places are what they seem: the program comes there by itself. */
START_TEST(others_stay)
{
	begin();
	loop();
	find();
	closes(at.inside, CALLEE, 0);
	closes(at.begun, CALLEE, 0);
	closes(at.head, CALLER, 0);
	opens(at.entered, CALLER, 0);
	opens(at.later, CALLEE, 0);
	td_ends_free(&ends);
}
END_TEST

/* Windows that opened before the callee was entered, and ended behind the program's
 * start by so many cycles. */
static void tell(size_t n, uint32_t from, uint32_t place, float cycles)
{
	size_t first = add(n, from, place, CALLEE, 0, 1);

	for (size_t i = first; i < first + n; i++)
		window[i].requested = (float)axis.start + cycles;
}

/* A function whose visits are ten times as long as another's has ten times as many
 * windows that open in one and end behind it; without edges that is known, and the callee
 * is entered from both as often. */
START_TEST(long_visits_tell_more)
{
	unsigned from_caller = 0;
	size_t more;

	begin();
	axis.start_spread = 0;
	more = add(100, OTHER, 5, CALLEE, 0, 3);
	tell(50, CALLER, CALLS, 60);
	tell(5, OTHER, 7, 6);
	find();
	for (size_t i = more; i < more + 100; i++)
		from_caller += ends.close[i] == CALLER;
	ck_assert_uint_ge(from_caller, 48);
	ck_assert_uint_le(from_caller, 52);
	td_ends_free(&ends);
}
END_TEST

/* Of 200 windows 110 are as short as the caller's visits, 10 of which came directly from
 * there: so some 18 came from there at all, and nobody knows where the others came from,
 * whose visits before were too short for windows. */
START_TEST(too_short_to_tell)
{
	unsigned from_caller = 0;
	size_t later, few;

	begin();
	axis.start_spread = 0;
	few = add(100, OTHER, 5, OTHER, 7, 0);
	for (size_t i = few; i < few + 100; i++)
		window[i].requested = (float)axis.start + 10;
	tell(10, CALLER, CALLS, 50);
	later = add(90, CALLEE, 18, CALLEE, 0, 2);
	find();
	for (size_t i = later; i < later + 90; i++)
		from_caller += ends.closed[i] && ends.close[i] == CALLER;
	ck_assert_uint_ge(from_caller, 7);
	ck_assert_uint_le(from_caller, 9);
	closes(later - 1, CALLER, 1);
	td_ends_free(&ends);
	/* of so few others chance may be what direct ones lack */
	for (size_t i = later + 10; i < later + 90; i++)
		window[i].close_offset = 18;
	find();
	for (size_t i = later; i < later + 10; i++)
		closes(i, CALLER, 1);
	td_ends_free(&ends);
}
END_TEST

/* An entry that the function also jumps to is none. */
START_TEST(entered_from_within)
{
	size_t jump;

	begin();
	loop();
	jump = add(5, CALLEE, 18, CALLEE, 0, 0);
	find();
	closes(at.entered, CALLEE, 0);
	closes(jump, CALLEE, 0);
	opens(at.inside, CALLEE, 0);
	closes(at.returned, CALLEE, 1);
	td_ends_free(&ends);
}
END_TEST

/* What is below belongs to the same visit, or nobody has seen it: behind a call or not?
 */
START_TEST(not_behind_a_call)
{
	size_t same, rare;

	begin();
	add(20, CALLEE, 18, CALLER, CALLS, 1);
	same = add(20, CALLEE, 18, CALLER, BEHIND, 1);
	add(3, OTHER, 5, CALLER, FURTHER - 1, 1);
	rare = add(30, CALLEE, 18, CALLER, FURTHER, 1);
	find();
	closes(same, CALLER, 0);
	closes(rare, CALLER, 0);
	td_ends_free(&ends);
}
END_TEST

/* Few windows with one event, to a function's second place most of them from one caller,
 * to its entry from either: that is by chance. */
START_TEST(few_to_either)
{
	size_t second;

	begin();
	second = add(16, CALLER, CALLS, CALLEE, 20, 1);
	add(3, OTHER, 5, CALLEE, 0, 1);
	add(2, CALLER, CALLS, CALLEE, 0, 1);
	add(20, CALLEE, 40, CALLEE, 0, 2);
	add(20, CALLEE, 40, CALLEE, 20, 2);
	find();
	closes(second, CALLEE, 0);
	td_ends_free(&ends);
	/* as many more, and it is none */
	add(12, OTHER, 5, CALLEE, 0, 1);
	find();
	closes(second, CALLER, 1);
	td_ends_free(&ends);
}
END_TEST

/* Called by two: one call before it was the one that the window opened in, more calls
 * before what it was for others at that time. */
START_TEST(two_callers)
{
	size_t one, two, early, more, inside;

	begin();
	one = add(20, CALLER, CALLS, CALLEE, 0, 1);
	early = add(20, CALLEE, 18, CALLEE, 0, 2);
	two = add(20, OTHER, 5, CALLEE, 0, 1);
	more = add(20, CALLEE, 18, CALLEE, 0, 2);
	inside = add(20, CALLEE, 0, CALLEE, 18, 0);
	find();
	closes(one, CALLER, 1);
	closes(two, OTHER, 1);
	closes(early, CALLER, 1);
	closes(more, OTHER, 1);
	opens(inside, OTHER, 1);
	td_ends_free(&ends);
}
END_TEST

/* A loop with one call: nobody goes on from where it calls, so it returns above that. */
START_TEST(one_call_in_a_loop)
{
	size_t returned;

	begin();
	add(100, CALLER, BEHIND, CALLER, HEAD, 0);
	add(100, CALLER, HEAD, CALLER, CALLS, 0);
	add(100, CALLER, CALLS, CALLEE, 18, 1);
	add(30, CALLEE, 18, CALLER, CALLS, 1);
	returned = add(30, CALLEE, 18, CALLER, BEHIND, 1);
	find();
	closes(returned, CALLEE, 1);
	td_ends_free(&ends);
	add(1, CALLER, CALLS, CALLER, BEHIND, 0);
	find();
	closes(returned, CALLER, 0);
	td_ends_free(&ends);
}
END_TEST

/* Where lengths are known: where others jump to, and where windows from below do not
 * arrive. */
START_TEST(where_lengths_are_known)
{
	size_t jumped, returned, unsure, below, within;

	begin();
	axis.start_spread = 0;
	jumped = add(5, CALLER, CALLS, CALLEE, 0, 0);
	returned = add(30, CALLEE, 18, CALLER, BEHIND, 1);
	unsure = add(10, OTHER, 5, CALLER, BEHIND, 0);
	below = add(30, CALLER, HEAD, CALLER, CALLS, 0);
	add(30, CALLEE, 18, CALLER, CALLS, 1);
	for (size_t i = unsure; i < below; i++)
		window[i].unsure = 1;
	find();
	closes(jumped, CALLER, 0);
	closes(returned, CALLEE, 1);
	closes(unsure, CALLEE, 1);
	closes(below, CALLER, 0);
	td_ends_free(&ends);
	within = add(5, CALLEE, 18, CALLEE, 0, 0);
	add(5, CALLER, CALLS, CALLER, BEHIND, 0);
	find();
	closes(jumped, CALLEE, 0);
	closes(within, CALLEE, 0);
	closes(returned, CALLER, 0);
	td_ends_free(&ends);
}
END_TEST

/* The same, of a place that few windows come to from the visit before alone. */
START_TEST(few_tell_where_lengths_are_known)
{
	size_t later, alone;

	begin();
	axis.start_spread = 0;
	later = add(26, OTHER, 5, CALLER, BEHIND, 2);
	add(30, CALLER, HEAD, CALLER, CALLS, 0);
	add(30, CALLEE, 18, CALLER, CALLS, 1);
	alone = add(5, CALLEE, 18, CALLER, BEHIND, 1);
	for (size_t i = alone; i < alone + 5; i++)
		window[i].requested = 150; /* shorter than most */
	input.windows--;
	find();
	closes(later, CALLER, 0);
	td_ends_free(&ends);
	input.windows++;
	find();
	closes(later, CALLEE, 1);
	td_ends_free(&ends);
}
END_TEST

/* A function that nobody is in twice without a call or return: all its places are first,
 * but for one where the program stays. */
START_TEST(left_everywhere)
{
	size_t one, stays;

	begin();
	axis.start_spread = 0;
	one = add(400, CALLEE, 18, CALLER, BEHIND, 1);
	add(600, CALLER, BEHIND, CALLEE, 18, 1);
	stays = add(400, CALLEE, 18, OTHER, HEAD, 1);
	add(400, OTHER, HEAD, OTHER, HEAD, 0);
	find();
	closes(one, CALLEE, 1);
	closes(stays, OTHER, 0);
	td_ends_free(&ends);
	axis.start_spread = 20;
	find();
	closes(one, CALLER, 0);
	td_ends_free(&ends);
}
END_TEST

/* How far apart places are: two that a visit comes by once, one of three quarters of the
 * windows, and a loop, where it comes again. */
START_TEST(how_often_at_each)
{
	begin();
	add(1, CALLER, CALLS, OTHER, 10, 1);
	window[0].empty = 1;
	add(30, CALLER, CALLS, OTHER, 10, 1);
	add(10, CALLER, CALLS, OTHER, 20, 1);
	add(40, CALLER, CALLS, CALLEE, 10, 1);
	add(5, CALLEE, 10, CALLEE, 10, 0);
	find();
	ck_assert_double_eq_tol(ends.once[OTHER], 1, 1e-9);
	ck_assert_double_eq_tol(ends.squares[OTHER], (30 * 29 + 10 * 9) / 1600., 1e-9);
	ck_assert_double_eq(ends.once[CALLEE], 0);
	ck_assert_double_eq(ends.squares[CALLEE], 0);
	td_ends_free(&ends);
}
END_TEST

/* The same, of windows that hold so many instructions. */
static size_t step(size_t n, uint32_t open, uint32_t from, uint32_t close, uint32_t to,
		   unsigned calls, float instructions)
{
	size_t first = add(n, open, from, close, to, calls);

	input.clock = ticks;
	for (size_t i = first; i < first + n; i++)
		ticks[i] = instructions;
	return first;
}

/* Windows with the fewest instructions went to the next place; those with more tell
 * nothing. */
START_TEST(steps_tell)
{
	size_t returned, within;

	begin();
	returned = step(20, CALLEE, 18, CALLER, BEHIND, 1, 5);
	within = step(20, CALLER, BEHIND, CALLER, FURTHER, 0, 4);
	step(20, CALLER, CALLS, CALLEE, 18, 1, 5);
	step(5, CALLER, CALLS, CALLER, BEHIND, 0, 9);
	find();
	closes(returned, CALLEE, 1);
	opens(within, CALLEE, 1);
	closes(within, CALLER, 0);
	td_ends_free(&ends);
	axis.start_spread = 0; /* windows as short end late, not early */
	find();
	closes(returned, CALLER, 0);
	td_ends_free(&ends);
	axis.start_spread = 20;
	step(2, CALLER, FURTHER, CALLER, BEHIND, 0, 3);
	find();
	closes(returned, CALLEE, 1);
	td_ends_free(&ends);
	step(20, CALLER, FURTHER, CALLER, BEHIND, 0, 3);
	find();
	closes(returned, CALLER, 0);
	td_ends_free(&ends);
}
END_TEST

/* What is jumped to is behind no call or return. */
START_TEST(steps_by_jumps)
{
	size_t jumped, later;

	begin();
	jumped = step(20, CALLER, CALLS, CALLEE, 0, 0, 5);
	later = step(20, CALLER, HEAD, CALLEE, 0, 1, 30);
	step(20, CALLER, HEAD, CALLER, CALLS, 0, 5);
	find();
	closes(jumped, CALLER, 0);
	closes(later, CALLER, 0);
	td_ends_free(&ends);
}
END_TEST

/* As many windows open at the last place of either, but nine times as many triggers come
 * behind the one with nine instructions from there on. */
START_TEST(steps_take_time)
{
	unsigned from_callee = 0;
	size_t more;

	begin();
	step(20, CALLEE, 0, CALLEE, 18, 0, 5);
	step(20, OTHER, 0, OTHER, 5, 0, 5);
	for (int i = 0; i < 20; i++) {
		step(2, CALLEE, 18, CALLER, BEHIND, 1, 9);
		step(5, CALLER, HEAD, CALLER, BEHIND, 2, 40);
		step(2, OTHER, 5, CALLER, BEHIND, 1, 1);
		step(5, CALLER, HEAD, CALLER, BEHIND, 2, 40);
	}
	more = input.windows;
	find();
	for (size_t i = 0; i < more; i++)
		from_callee += window[i].calls == 2 && ends.close[i] == CALLEE;
	ck_assert_uint_ge(from_callee, 170);
	ck_assert_uint_le(from_callee, 190);
	td_ends_free(&ends);
}
END_TEST

/* A window may end where it opened because nothing has run: then that is no loop's head,
 * though by its length something should have. */
START_TEST(windows_of_nothing)
{
	size_t entered, still;

	begin();
	axis.start_spread = 0;
	entered = step(30, CALLER, CALLS, CALLEE, 0, 1, 5);
	still = step(1, CALLEE, 0, CALLEE, 0, 0, 0);
	window[still].requested = 101;
	find();
	closes(entered, CALLER, 1);
	td_ends_free(&ends);
	ticks[still] = NAN; /* nobody counted */
	find();
	closes(entered, CALLEE, 0);
	td_ends_free(&ends);
	window[still].requested = 100;
	find();
	closes(entered, CALLER, 1);
	td_ends_free(&ends);
	ticks[still] = 9;
	find();
	closes(entered, CALLEE, 0);
	td_ends_free(&ends);
}
END_TEST

/* Without a counter of returns, or windows that hold some, nothing is known. */
START_TEST(of_no_use)
{
	begin();
	loop();
	input.returns = 0;
	find();
	closes(at.entered, CALLEE, 0);
	td_ends_free(&ends);
	input.returns = 1;
	for (size_t i = 0; i < input.windows; i++)
		window[i].empty = window[i].calls > 0;
	find();
	closes(at.entered, CALLEE, 0);
	td_ends_free(&ends);
}
END_TEST

int main(void)
{
	return unit_main("window_ends",
			 (const TTest *const[]){
				 visits_begin, long_visits_tell_more, too_short_to_tell,
				 others_stay, entered_from_within, not_behind_a_call,
				 few_to_either, two_callers, one_call_in_a_loop,
				 where_lengths_are_known,
				 few_tell_where_lengths_are_known, left_everywhere,
				 how_often_at_each, steps_tell, steps_by_jumps,
				 steps_take_time, windows_of_nothing, of_no_use, NULL});
}
