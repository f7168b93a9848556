// SPDX-License-Identifier: MIT
#include "agent/core/masks.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "agent/core/core.h"
#include "agent/core/real.h"
#include "agent/sigsafe/clock.h"
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

static void block_all(sigset_t *before)
{
	sigset_t all;

	memset(&all, 0xff, sizeof(all));
	td_syscall4(SYS_rt_sigprocmask, SIG_BLOCK, &all, before, 8);
}

/* None of ours waits for the thread, and none will until let_go().  False: none would
 * anyway.  Nor does any other signal come in between, whose handler might jump away. */
static bool hold_back(sigset_t *before)
{
	if (!td_self || atomic_load(&td_self->stopped) || !td_core_is_here())
		return false;
	block_all(before);
	td_engine_pause(td_self);
	td_handler_drain();
	return true;
}

/* A period begins anew. */
static void let_go(const sigset_t *before)
{
	td_engine_resume(td_self);
	td_syscall4(SYS_rt_sigprocmask, SIG_SETMASK, before, NULL, 8);
}

#define SECOND_NS 1000000000

static struct timespec left_of(const struct timespec *timeout, uint64_t since)
{
	uint64_t spent = td_clock_now(CLOCK_MONOTONIC) - since;
	struct timespec left = *timeout;

	left.tv_sec -= (time_t)(spent / SECOND_NS);
	left.tv_nsec -= (long)(spent % SECOND_NS);
	if (left.tv_nsec < 0) {
		left.tv_nsec += SECOND_NS;
		left.tv_sec--;
	}
	return left.tv_sec < 0 ? (struct timespec){0} : left;
}

static bool begin_anew(void)
{
	sigset_t before;
	bool held = hold_back(&before);

	if (held)
		let_go(&before);
	return held;
}

/* A handler may jump out of the wait: what stands behind it is not needed then. */
int td_masks_wait(const sigset_t *set, siginfo_t *info, const struct timespec *timeout)
{
	uint64_t since = timeout ? td_clock_now(CLOCK_MONOTONIC) : 0;
	const struct timespec *rest = timeout;
	struct timespec left;
	siginfo_t found;
	bool sampled;
	int number;

	for (;;) {
		sampled = begin_anew();
		number = td_real()->sigtimedwait(set, &found, rest);
		if (number != td_signal.number || !td_handler_is_ours(&found))
			break;
		if (timeout) {
			left = left_of(timeout, since);
			rest = &left;
		}
	}
	if (sampled)
		td_masks_hide(); /* it need not be held back any more */
	if (sampled && number == td_signal.number)
		begin_anew(); /* it may have stood for ours */
	if (number > 0 && info)
		*info = found;
	return number;
}

void td_masks_before_wait(const sigset_t *mask)
{
	sigset_t pending;

	if (!mask || !td_self || !td_signal.number || td_masks_has_ours(mask) ||
	    td_core_is_mute())
		return;
	sigemptyset(&pending);
	td_syscall2(SYS_rt_sigpending, &pending, 8);
	if (td_masks_has_ours(&pending) && begin_anew())
		td_self->places.record->lost[TD_LOST_BLOCKED]++;
}

int td_masks_pending(sigset_t *set)
{
	int result = td_real()->sigpending(set);
	sigset_t before;

	if (result != 0 || !td_masks_has_ours(set) || !hold_back(&before))
		return result;
	result = td_real()->sigpending(set);
	let_go(&before);
	return result;
}

int td_masks_raise(int number)
{
	sigset_t before;
	bool held = number == td_signal.number && hold_back(&before);
	int result = td_real()->raise(number);

	if (held)
		let_go(&before);
	return result;
}
