// SPDX-License-Identifier: MIT
/* 25 functions, work_1 to work_25, of the same CPU time. */
#include <stddef.h>

#include "tests/prog/spin.h"

/* The number is in the code, too: the compiler would make one function of all. */
#define WORK(n)                                                                          \
	static SPIN_NOINLINE void work_##n(void)                                         \
	{                                                                                \
		__asm__ volatile("" : : "r"(n));                                         \
		spin_ms(5);                                                              \
	}
#define NAME(n) work_##n,
#define FIVE(X, a, b, c, d, e) X(a) X(b) X(c) X(d) X(e)
#define ALL(X)                                                                           \
	FIVE(X, 1, 2, 3, 4, 5)                                                           \
	FIVE(X, 6, 7, 8, 9, 10)                                                          \
	FIVE(X, 11, 12, 13, 14, 15)                                                      \
	FIVE(X, 16, 17, 18, 19, 20)                                                      \
	FIVE(X, 21, 22, 23, 24, 25)

ALL(WORK)

static void (*const all[])(void) = {ALL(NAME)};

int main(void)
{
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		all[i]();
	return 0;
}
