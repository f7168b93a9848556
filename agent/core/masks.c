// SPDX-License-Identifier: MIT
#include "agent/core/masks.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "agent/core/core.h"
#include "agent/core/real.h"
#include "agent/sigsafe/engine.h"
#include "agent/sigsafe/handler.h"
#include "agent/sigsafe/syscall.h"

bool td_masks_has_ours(const sigset_t *set)
{
	return set && td_signal.number && sigismember(set, td_signal.number) == 1;
}

static void block_ours(int how, sigset_t *old)
{
	sigset_t ours;

	sigemptyset(&ours);
	sigaddset(&ours, td_signal.number);
	td_syscall4(SYS_rt_sigprocmask, how, &ours, old, 8);
}

static bool program_handles(void)
{
	return td_program_action.sa_handler != SIG_DFL &&
	       td_program_action.sa_handler != SIG_IGN;
}

bool td_masks_hidden(void)
{
	return td_self && td_self->unblocked;
}

void td_masks_begin(bool inherited)
{
	sigset_t now;

	if (!td_self || program_handles()) {
		if (inherited)
			block_ours(SIG_BLOCK, NULL);
		return;
	}
	td_syscall4(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &now, 8);
	td_self->unblocked = inherited || td_masks_has_ours(&now);
	if (td_self->unblocked)
		block_ours(SIG_UNBLOCK, NULL);
}

void td_masks_show(void)
{
	if (td_masks_hidden())
		block_ours(SIG_BLOCK, NULL);
}

void td_masks_hide(void)
{
	if (td_masks_hidden())
		block_ours(SIG_UNBLOCK, NULL);
}

/* The child that has left us; its parent's thread shares this memory. */
static __thread long left_by __attribute__((tls_model("initial-exec")));

void td_masks_leave(void)
{
	long pid = td_syscall0(SYS_getpid);

	if (!td_masks_hidden() || left_by == pid)
		return;
	block_ours(SIG_BLOCK, NULL);
	left_by = pid;
}

/* A period that ends now would end when nobody listens. */
static void note_blocked(void)
{
	if (td_self && !atomic_load(&td_self->stopped) && td_core_is_here())
		td_engine_block(td_self);
}

/* The thread thinks that our signal is blocked, until it lets it through itself: then one
 * that waits comes at once. */
static int change_hidden(td_masks_call *call, int how, const sigset_t *set, sigset_t *old)
{
	bool ours = td_masks_has_ours(set);
	bool shown =
		set && ((how == SIG_UNBLOCK && ours) || (how == SIG_SETMASK && !ours));
	sigset_t others;
	int result;

	if (set && how != SIG_UNBLOCK) {
		others = *set;
		sigdelset(&others, td_signal.number);
		set = &others;
	}
	td_self->unblocked = !shown;
	result = call(how, set, old);
	if (result == 0 && old)
		sigaddset(old, td_signal.number);
	return result;
}

int td_masks_change(td_masks_call *call, int how, const sigset_t *set, sigset_t *old)
{
	/* `old` may be the same object */
	bool blocks = how != SIG_UNBLOCK && td_masks_has_ours(set);
	int result;

	if (td_masks_hidden()) {
		if (!td_core_is_elsewhere())
			return change_hidden(call, how, set, old);
		td_masks_leave();
	}
	result = call(how, set, old);
	if (result == 0 && blocks)
		note_blocked();
	return result;
}

bool td_masks_before_wait(const sigset_t *set)
{
	if (!td_masks_has_ours(set) || !td_self || atomic_load(&td_self->stopped) ||
	    !td_core_is_here())
		return false;
	td_engine_stop(td_self);
	td_handler_drain();
	return true;
}

static void start_again(void)
{
	int saved_errno = errno;

	atomic_store(&td_self->stopped, td_engine_start(td_self) != 0);
	errno = saved_errno;
}

void td_masks_after_wait(void)
{
	td_masks_hide(); /* what was waited for need not be held back any more */
	start_again();
}

int td_masks_pending(sigset_t *set)
{
	int result = td_real()->sigpending(set);

	if (result != 0 || !td_masks_before_wait(set))
		return result;
	result = td_real()->sigpending(set);
	start_again();
	return result;
}

/* Handlers run behind all that is to be done here: they may jump away. */
int td_masks_raise(int number)
{
	sigset_t all, before;
	bool stopped;
	int result;

	if (number != td_signal.number)
		return td_real()->raise(number);
	memset(&all, 0xff, sizeof(all));
	td_syscall4(SYS_rt_sigprocmask, SIG_BLOCK, &all, &before, 8);
	stopped = td_masks_before_wait(&all);
	result = td_real()->raise(number);
	if (stopped)
		start_again();
	td_syscall4(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, 8);
	return result;
}
