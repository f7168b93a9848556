// SPDX-License-Identifier: MIT
/* Loaded: start.  Unloaded, which is after the atexit handlers: finish. */
#include "agent/core/lifecycle.h"

__attribute__((constructor)) static void start(void)
{
	td_lifecycle_start();
}

__attribute__((destructor)) static void finish(void)
{
	td_lifecycle_finish();
}
