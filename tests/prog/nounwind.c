// SPDX-License-Identifier: MIT
/*
 * Two thirds of the CPU time in a function without unwind information.
 */
#include <stdio.h>

#include "tests/prog/nounwind.h"
#include "tests/prog/spin.h"

static SPIN_NOINLINE void clad_work(void)
{
	spin_ms(200);
}

int main(void)
{
	bare_work();
	clad_work();
	puts("nounwind: done");
	return 0;
}
