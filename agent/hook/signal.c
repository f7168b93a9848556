// SPDX-License-Identifier: MIT
/* Signals: the program keeps its view of the one that we use. */
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/signalfd.h>

#include "agent/core/actions.h"
#include "agent/core/lifecycle.h"
#include "agent/core/masks.h"
#include "agent/core/real.h"
#include "agent/core/stacks.h"
#include "agent/core/threads.h"
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

	if (!(flags & SA_NODEFER))
		sigaddset(&action.sa_mask, number); /* as libc says it to who asks */
	if (handler == SIG_ERR || sigaction(number, &action, &old) != 0) {
		if (handler == SIG_ERR)
			errno = EINVAL;
		return SIG_ERR;
	}
	return old.sa_handler;
}

/* siginterrupt() of our signal: signal() goes by it; of the others libc knows. */
static atomic_bool interrupts;

TD_EXPORT sighandler_t signal(int number, sighandler_t handler)
{
	if (!td_actions_is_ours(number))
		return td_real()->signal(number, handler);
	return set_handler(number, handler, atomic_load(&interrupts) ? 0 : SA_RESTART);
}

TD_EXPORT sighandler_t ssignal(int number, sighandler_t handler)
{
	return signal(number, handler);
}

TD_EXPORT sighandler_t bsd_signal(int number, sighandler_t handler);
TD_EXPORT sighandler_t bsd_signal(int number, sighandler_t handler)
{
	return signal(number, handler);
}

TD_EXPORT int siginterrupt(int number, int interrupt)
{
	struct sigaction action;

	if (!td_actions_is_ours(number))
		return td_real()->siginterrupt(number, interrupt);
	atomic_store(&interrupts, interrupt != 0);
	td_actions_exchange(NULL, &action);
	if (interrupt)
		action.sa_flags &= ~SA_RESTART;
	else
		action.sa_flags |= SA_RESTART;
	td_actions_exchange(&action, NULL);
	return 0;
}

#define SYSV_FLAGS (SA_RESETHAND | SA_NODEFER)

TD_EXPORT sighandler_t __sysv_signal(int number, sighandler_t handler)
{
	if (!td_actions_is_ours(number))
		return td_real()->__sysv_signal(number, handler);
	return set_handler(number, handler, (int)SYSV_FLAGS);
}

TD_EXPORT sighandler_t sysv_signal(int number, sighandler_t handler)
{
	return __sysv_signal(number, handler);
}

/* System V's others, which libc makes of its own sigaction(). */
TD_EXPORT int sigignore(int number)
{
	struct sigaction action = {.sa_handler = SIG_IGN};

	if (!td_actions_is_ours(number))
		return td_real()->sigignore(number);
	td_actions_exchange(&action, NULL);
	return 0;
}

TD_EXPORT sighandler_t sigset(int number, sighandler_t handler)
{
	struct sigaction action = {.sa_handler = handler}, old;
	bool holds = handler == SIG_HOLD;
	sigset_t set, before;

	if (!td_actions_is_ours(number))
		return td_real()->sigset(number, handler);
	if (handler == SIG_ERR) {
		errno = EINVAL;
		return SIG_ERR;
	}
	sigemptyset(&set);
	sigaddset(&set, number);
	td_actions_exchange(holds ? NULL : &action, &old);
	if (sigprocmask(holds ? SIG_BLOCK : SIG_UNBLOCK, &set, &before) != 0)
		return SIG_ERR;
	return sigismember(&before, number) == 1 ? SIG_HOLD : old.sa_handler;
}

/* Ours come on it, too, where it is large enough. */
TD_EXPORT int sigaltstack(const stack_t *stack, stack_t *old)
{
	bool small = stack && td_stacks_is_small(stack);
	bool rests = small && td_threads_rest(true);
	int result = td_real()->sigaltstack(stack, old);
	int saved_errno = errno;

	if (rests)
		td_threads_say_rest();
	if (result == 0 && stack)
		td_stacks_know_alternate(stack);
	if ((result == 0 && stack && !small) || (result != 0 && rests))
		td_threads_rest(false);
	errno = saved_errno;
	return result;
}

/* The calling thread's alternate stack is gone for our signals, too: no more of them
 * until it has set another one, or none. */
TD_EXPORT int munmap(void *start, size_t size)
{
	bool rests = td_stacks_alternate_is_in(start, size) && td_threads_rest(true);
	int result = td_real()->munmap(start, size);
	int saved_errno = errno;

	if (result != 0 && rests)
		td_threads_rest(false);
	errno = saved_errno;
	return result;
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
