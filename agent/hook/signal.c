// SPDX-License-Identifier: MIT
/* Signals: the program keeps its view of the one that we use. */
#include <errno.h>
#include <signal.h>
#include <stddef.h>

#include "agent/core/actions.h"
#include "agent/core/real.h"
#include "agent/hook/hook.h"

TD_EXPORT int sigaction(int number, const struct sigaction *action, struct sigaction *old)
{
	if (!td_actions_is_ours(number))
		return td_real()->sigaction(number, action, old);
	td_actions_exchange(action, old);
	return 0;
}

static sighandler_t set_handler(int number, sighandler_t handler, int flags)
{
	struct sigaction action = {.sa_handler = handler, .sa_flags = flags}, old;

	/* BSD: the signal is blocked while its handler runs, by sigaction's default */
	if (handler == SIG_ERR || sigaction(number, &action, &old) != 0) {
		if (handler == SIG_ERR)
			errno = EINVAL;
		return SIG_ERR;
	}
	return old.sa_handler;
}

TD_EXPORT sighandler_t signal(int number, sighandler_t handler)
{
	return set_handler(number, handler, SA_RESTART);
}

TD_EXPORT sighandler_t ssignal(int number, sighandler_t handler)
{
	return set_handler(number, handler, SA_RESTART);
}

TD_EXPORT sighandler_t bsd_signal(int number, sighandler_t handler);
TD_EXPORT sighandler_t bsd_signal(int number, sighandler_t handler)
{
	return set_handler(number, handler, SA_RESTART);
}

#define SYSV_FLAGS (SA_RESETHAND | SA_NODEFER)

TD_EXPORT sighandler_t __sysv_signal(int number, sighandler_t handler)
{
	return set_handler(number, handler, (int)SYSV_FLAGS);
}

TD_EXPORT sighandler_t sysv_signal(int number, sighandler_t handler)
{
	return set_handler(number, handler, (int)SYSV_FLAGS);
}

/* True if the call makes our signal blocked. */
static int blocks_ours(int how, const sigset_t *set)
{
	if (!set || how == SIG_UNBLOCK)
		return 0;
	for (int number = 1; number < SIGRTMIN; number++)
		if (td_actions_is_ours(number))
			return sigismember(set, number) == 1;
	return 0;
}

TD_EXPORT int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
	int blocks = blocks_ours(how, set); /* `old` may be the same object */
	int result = td_real()->sigprocmask(how, set, old);

	if (result == 0 && blocks)
		td_actions_blocked();
	return result;
}

TD_EXPORT int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
	int blocks = blocks_ours(how, set);
	int result = td_real()->pthread_sigmask(how, set, old);

	if (result == 0 && blocks)
		td_actions_blocked();
	return result;
}
