// SPDX-License-Identifier: MIT
/* Ends that run no destructor; quick_exit() is covered by at_quick_exit(). */
#include <stdlib.h>
#include <unistd.h>

#include "agent/core/latency.h"
#include "agent/core/lifecycle.h"
#include "agent/core/real.h"
#include "agent/core/vernier.h"
#include "agent/hook/hook.h"

TD_EXPORT void _exit(int status)
{
	td_lifecycle_finish();
	td_real()->_exit(status);
}

TD_EXPORT void _Exit(int status)
{
	td_lifecycle_finish();
	td_real()->_Exit(status);
}

/* The program may catch the signal that this raises, and go on: no end yet. */
TD_EXPORT void abort(void)
{
	td_vernier_drain_all();
	td_latency_take_own();
	td_real()->abort();
}
