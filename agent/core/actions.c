// SPDX-License-Identifier: MIT
#include "agent/core/actions.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "agent/core/core.h"
#include "agent/core/real.h"
#include "agent/sigsafe/engine.h"
#include "agent/sigsafe/handler.h"
#include "agent/sigsafe/syscall.h"

static int install(struct sigaction *old)
{
	struct sigaction action = {
		.sa_sigaction = td_handler,
		/* the alternate stack if there is one: some runtimes' stacks are tiny */
		.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK,
	};

	sigfillset(&action.sa_mask); /* no handler of the program inside ours */
	return td_real()->sigaction(td_signal.number, &action, old) == 0 ? 0 : -errno;
}

int td_actions_install(void)
{
	return install(&td_program_action);
}

void td_actions_remove(void)
{
	if (!td_signal.number)
		return;
	td_real()->sigaction(td_signal.number, &td_program_action, NULL);
	td_signal.number = 0;
}

bool td_actions_is_ours(int number)
{
	return number == td_signal.number && number != 0;
}

void td_actions_exchange(const struct sigaction *action, struct sigaction *old)
{
	sigset_t all, saved;

	sigfillset(&all);
	td_syscall4(SYS_rt_sigprocmask, SIG_SETMASK, &all, &saved, 8);
	if (old)
		*old = td_program_action;
	if (action)
		td_program_action = *action;
	td_syscall4(SYS_rt_sigprocmask, SIG_SETMASK, &saved, NULL, 8);
}

void td_actions_blocked(void)
{
	if (td_self && !atomic_load(&td_self->stopped) && td_core_is_here())
		td_engine_block(td_self);
}

static bool program_handles(void)
{
	return td_program_action.sa_handler != SIG_DFL &&
	       td_program_action.sa_handler != SIG_IGN;
}

void td_actions_unblock(void)
{
	sigset_t ours;

	if (program_handles())
		return;
	sigemptyset(&ours);
	sigaddset(&ours, td_signal.number);
	td_syscall4(SYS_rt_sigprocmask, SIG_UNBLOCK, &ours, NULL, 8);
}

/* A signal sent while it was blocked would kill the new image. */
static void drain(void)
{
	struct timespec none = {0};
	sigset_t ours;

	sigemptyset(&ours);
	sigaddset(&ours, td_signal.number);
	while (td_syscall4(SYS_rt_sigtimedwait, &ours, NULL, &none, 8) > 0)
		;
}

void td_actions_before_exec(void)
{
	if (!td_self || !td_signal.number)
		return;
	td_engine_stop(td_self);
	drain();
	if (td_program_action.sa_handler == SIG_IGN)
		td_real()->sigaction(td_signal.number, &td_program_action, NULL);
}

void td_actions_after_exec(void)
{
	struct sigaction ignored;

	if (!td_self || !td_signal.number)
		return;
	if (td_program_action.sa_handler == SIG_IGN)
		install(&ignored);
	atomic_store(&td_self->stopped, td_engine_start(td_self) != 0);
}
