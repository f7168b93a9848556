// SPDX-License-Identifier: MIT
/* System calls that the program makes by itself: a filter that it puts on them
 * may end it at ours, as may a handler that it gets them by, an action set so
 * would take our signal away, and a tracer would stop it at each. */
#include <linux/seccomp.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>

#include "agent/core/actions.h"
#include "agent/core/lifecycle.h"
#include "agent/core/real.h"
#include "agent/core/threads.h"
#include "agent/hook/hook.h"

/* Without the prototypes of unistd.h and sys/prctl.h, which end in dots: all that
 * may be there is passed on as it is. */
TD_EXPORT long hook_syscall(long number, long a, long b, long c, long d, long e,
			    long f) __asm__("syscall");
TD_EXPORT int hook_prctl(int option, unsigned long a, unsigned long b, unsigned long c,
			 unsigned long d) __asm__("prctl");
TD_EXPORT long hook_ptrace(int request, pid_t pid, void *address,
			   void *data) __asm__("ptrace");

/* See rights.c. */
static bool gives_up_rights(long number)
{
	static const long numbers[] = {
		SYS_setuid,    SYS_setreuid, SYS_setresuid,
		SYS_setgid,    SYS_setregid, SYS_setresgid,
		SYS_setgroups, SYS_setfsuid, SYS_setfsgid,
		SYS_capset,    SYS_chroot,   SYS_pivot_root,
		SYS_unshare,   SYS_setns,    SYS_landlock_restrict_self,
	};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (number == numbers[i])
			return true;
	return false;
}

static void look_at(long number, long a, long b)
{
	bool filter = number == SYS_seccomp &&
		      (a == SECCOMP_SET_MODE_STRICT || a == SECCOMP_SET_MODE_FILTER);

	if (filter || (number == SYS_prctl && a == PR_SET_SECCOMP))
		td_lifecycle_stand_down(TD_DOWN_SECCOMP);
	if (number == SYS_prctl && a == PR_SET_SYSCALL_USER_DISPATCH &&
	    b != PR_SYS_DISPATCH_OFF)
		td_lifecycle_stand_down(TD_DOWN_DISPATCH);
	if (number == SYS_ptrace && a == PTRACE_TRACEME)
		td_lifecycle_stand_down(TD_DOWN_TRACED);
	if (gives_up_rights(number))
		td_lifecycle_give_up_rights();
}

/* The program's action for our signal stays with us, as by sigaction(). */
static bool is_our_action(long number, long a, long size)
{
	return number == SYS_rt_sigaction && size == 8 && td_actions_is_ours((int)a);
}

long hook_syscall(long number, long a, long b, long c, long d, long e, long f)
{
	long result;

	look_at(number, a, b);
	if (is_our_action(number, a, d)) {
		td_actions_exchange_raw((const void *)b, (void *)c);
		return 0;
	}
	result = td_real()->syscall(number, a, b, c, d, e, f);
	if (result == 0 && number == SYS_prctl && a == PR_SET_NAME)
		td_threads_named((const char *)b);
	return result;
}

int hook_prctl(int option, unsigned long a, unsigned long b, unsigned long c,
	       unsigned long d)
{
	int result;

	look_at(SYS_prctl, option, (long)a);
	result = td_real()->prctl(option, a, b, c, d);
	if (result == 0 && option == PR_SET_NAME)
		td_threads_named((const char *)a);
	return result;
}

long hook_ptrace(int request, pid_t pid, void *address, void *data)
{
	look_at(SYS_ptrace, request, pid);
	return td_real()->ptrace(request, pid, address, data);
}
