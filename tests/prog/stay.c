// SPDX-License-Identifier: MIT
/* A library that is never done with its constructor. */
#include <unistd.h>

__attribute__((constructor)) static void stay(void)
{
	for (;;)
		pause();
}
