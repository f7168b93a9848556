// SPDX-License-Identifier: MIT
/*
 * What libgcc's unwinder gets in the place of libc: agent/local.mk links it by
 * itself and turns each name below, where it leaves it undefined, into __wrap_NAME
 * (ld --wrap).  What remains is in tests/check/as-zone.allow.
 */
#include <stddef.h>

#include "agent/sigsafe/unwind.h"

/* No way leads there from what we call.  Should there be one in another version, or
 * for broken tables: that walk ends. */
static long refuse(void)
{
	if (td_unwind_frame)
		td_unwind_leave(td_unwind_frame, -1);
	return -1;
}

#define REFUSE(name)                                                                     \
	long __wrap_##name(void);                                                        \
	long __wrap_##name(void)                                                         \
	{                                                                                \
		return refuse();                                                         \
	}

/* Tables that the program registers: it does so with its own libgcc, not with this
 * one, which has none. */
REFUSE(malloc)
REFUSE(calloc)
REFUSE(realloc)
REFUSE(free)
REFUSE(pthread_mutex_lock)
REFUSE(pthread_mutex_unlock)
REFUSE(pthread_cond_wait)
REFUSE(pthread_cond_broadcast)
REFUSE(pthread_once)
REFUSE(__pthread_key_create)
REFUSE(dl_iterate_phdr)

/* on tables that make no sense */
__attribute__((noreturn)) void __wrap_abort(void);
__attribute__((noreturn)) void __wrap_abort(void)
{
	for (;;)
		refuse();
}
