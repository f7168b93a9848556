// SPDX-License-Identifier: MIT
/* Signals: the program keeps its view of the one that we use. */
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/signalfd.h>

#include "agent/core/actions.h"
#include "agent/core/lifecycle.h"
#include "agent/core/masks.h"
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

TD_EXPORT int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
	return td_masks_change(td_real()->sigprocmask, how, set, old);
}

TD_EXPORT int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
	return td_masks_change(td_real()->pthread_sigmask, how, set, old);
}

/* Those that wait for signals: ours are not among them. */
TD_EXPORT int sigtimedwait(const sigset_t *set, siginfo_t *info,
			   const struct timespec *timeout)
{
	if (td_masks_has_ours(set))
		return td_masks_wait(set, info, timeout);
	return td_real()->sigtimedwait(set, info, timeout);
}

TD_EXPORT int sigwaitinfo(const sigset_t *set, siginfo_t *info)
{
	if (td_masks_has_ours(set))
		return td_masks_wait(set, info, NULL);
	return td_real()->sigwaitinfo(set, info);
}

TD_EXPORT int sigwait(const sigset_t *set, int *number)
{
	int found;

	if (!td_masks_has_ours(set))
		return td_real()->sigwait(set, number);
	do
		found = td_masks_wait(set, NULL, NULL);
	while (found < 0 && errno == EINTR); /* which it never says */
	if (found < 0)
		return errno;
	*number = found;
	return 0;
}

TD_EXPORT int sigpending(sigset_t *set)
{
	return td_masks_pending(set);
}

TD_EXPORT int raise(int number)
{
	return td_masks_raise(number);
}

TD_EXPORT int pthread_kill(pthread_t thread, int number)
{
	if (!pthread_equal(thread, pthread_self()))
		return td_real()->pthread_kill(thread, number);
	return td_masks_raise(number) == 0 ? 0 : errno;
}

/* Who reads signals from a descriptor reads those of the reading thread. */
TD_EXPORT int signalfd(int fd, const sigset_t *set, int flags)
{
	if (td_masks_has_ours(set))
		td_lifecycle_stand_down(TD_DOWN_SIGNAL);
	return td_real()->signalfd(fd, set, flags);
}
