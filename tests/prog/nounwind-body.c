// SPDX-License-Identifier: MIT
/* Built with -fno-asynchronous-unwind-tables. */
#include "tests/prog/nounwind.h"

#include "tests/prog/spin.h"

SPIN_NOINLINE void bare_work(void)
{
	spin_ms(400);
}
