// SPDX-License-Identifier: MIT
/* fork: handlers of libraries that are there before us may wait for threads of theirs
 * to begin or end, for which these want our lock: ours come last before a fork and first
 * behind it. */
#include "agent/core/lifecycle.h"
#include "agent/core/real.h"
#include "agent/hook/hook.h"

/* What pthread_atfork() calls, which is a part of each library. */
TD_EXPORT int __register_atfork(void (*prepare)(void), void (*parent)(void),
				void (*child)(void), void *library);
int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void),
		      void *library)
{
	td_lifecycle_watch_forks();
	return td_real()->__register_atfork(prepare, parent, child, library);
}
