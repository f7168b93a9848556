// SPDX-License-Identifier: MIT
/* Libraries: an address in a record means something else after dlclose(). */
#include <dlfcn.h>

#include "agent/core/latency.h"
#include "agent/core/real.h"
#include "agent/core/vernier.h"
#include "agent/hook/hook.h"

TD_EXPORT int dlclose(void *handle)
{
	td_vernier_drain_all();
	td_latency_take_own();
	return td_real()->dlclose(handle);
}
