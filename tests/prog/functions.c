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
#define ALL(X)                                                                           \
	X(1)                                                                             \
	X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15)      \
		X(16) X(17) X(18) X(19) X(20) X(21) X(22) X(23) X(24) X(25)

ALL(WORK)

static void (*const all[])(void) = {ALL(NAME)};

int main(void)
{
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		all[i]();
	return 0;
}
