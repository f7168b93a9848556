// SPDX-License-Identifier: MIT
#include "decoder/window_strays.h"

#include "tests/unit/unit.h"

#define COUNT 1000
#define WIDTH 6.

/* Windows of 1 to 1,000 cycles that take 40 more and up to `spread` on top; each tenth
 * is an empty one, which takes 38. */
static void make(struct td_separate_window *window, double spread)
{
	memset(window, 0, COUNT * sizeof(*window));
	for (int i = 0; i < COUNT; i++) {
		struct td_separate_window *w = &window[i];
		double more = spread * (i * 37 % 100) / 100;

		w->open = (uint32_t)i;
		w->empty = i % 10 == 0;
		w->requested = w->empty ? 0 : (float)(1 + i * 7 % 1000);
		w->slots = (float)(WIDTH * (w->empty ? 38 : w->requested + 40 + more));
	}
}

/* Other threads' cycles, however many, are found, and nothing else. */
START_TEST(leaves_out)
{
	static struct td_separate_window window[COUNT];

	for (int spread = 0; spread < 400; spread += 50) {
		make(window, spread);
		window[3].slots += (float)(WIDTH * 20000);
		window[10].slots += (float)(WIDTH * 100000); /* an empty one */
		window[500].slots += (float)(WIDTH * 110);   /* the same */
		window[999].slots += (float)(WIDTH * (30 * spread + 200));
		ck_assert_int_eq(td_window_strays(window, COUNT, WIDTH), COUNT - 4);
		for (uint32_t i = 0; i < COUNT - 4; i++)
			ck_assert_int_eq(window[i].open,
					 i + (i >= 3) + (i >= 9) + (i >= 498));
	}
}
END_TEST

/* Windows of two kinds of edges, a third of them long, are all the program's. */
START_TEST(keeps)
{
	static struct td_separate_window window[COUNT];

	make(window, 20);
	for (int i = 0; i < COUNT; i += 3)
		window[i].slots += window[i].empty ? 0 : (float)(WIDTH * 300);
	ck_assert_int_eq(td_window_strays(window, COUNT, WIDTH), COUNT);
	window[1].slots = 1e9f;
	ck_assert_int_eq(td_window_strays(window, COUNT, 0), COUNT);
	ck_assert_int_eq(td_window_strays(window, 0, WIDTH), 0);
}
END_TEST

/* Windows that nobody knows the length of have no limit. */
START_TEST(unknown_length)
{
	static struct td_separate_window window[COUNT];

	make(window, 0);
	window[1].requested = 0;
	window[1].slots = 1e9f;
	ck_assert_int_eq(td_window_strays(window, COUNT, WIDTH), COUNT);
}
END_TEST

int main(void)
{
	return unit_main("window_strays",
			 (const TTest *const[]){leaves_out, keeps, unknown_length, NULL});
}
