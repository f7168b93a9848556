// SPDX-License-Identifier: MIT
/*
 * A plugin for the loader, built twice: PLUGIN_WORK names the function that
 * takes the CPU time.  Both builds are alike in size, so that one is likely to
 * be mapped where the other was.
 */
#include "tests/prog/spin.h"

#define PLUGIN_EXPORT __attribute__((visibility("default")))

int plugin_run(void);

static SPIN_NOINLINE void PLUGIN_WORK(void)
{
	spin_ms(300);
}

PLUGIN_EXPORT int plugin_run(void)
{
	PLUGIN_WORK();
	return 42;
}
