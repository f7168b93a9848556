// SPDX-License-Identifier: MIT
#include "agent/core/actions.h"

#include <errno.h>
#include <string.h>

#include "agent/core/core.h"
#include "agent/core/masks.h"
#include "agent/core/real.h"
#include "agent/sigsafe/engine.h"
#include "agent/sigsafe/handler.h"
#include "agent/sigsafe/leave.h"
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
	if (td_core.choice.back)
		td_leave_setup();
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

/* In a child whose parent may see what we write. */
static void exchange_elsewhere(const struct sigaction *action, struct sigaction *old)
{
	struct sigaction before;

	td_real()->sigaction(td_signal.number, action, &before);
	if (old)
		*old = before.sa_sigaction == td_handler ? td_program_action : before;
}

void td_actions_exchange(const struct sigaction *action, struct sigaction *old)
{
	sigset_t all, saved;

	if (td_core_is_elsewhere()) {
		exchange_elsewhere(action, old);
		return;
	}
	sigfillset(&all);
	td_syscall4(SYS_rt_sigprocmask, SIG_SETMASK, &all, &saved, 8);
	if (old)
		*old = td_program_action;
	if (action)
		td_program_action = *action;
	td_syscall4(SYS_rt_sigprocmask, SIG_SETMASK, &saved, NULL, 8);
}

void td_actions_exchange_raw(const void *action, void *old)
{
	const struct td_kernel_action *given = action;
	struct td_kernel_action *taken = old;
	struct sigaction now = {0}, before;

	if (given) {
		now.sa_handler = (sighandler_t)given->handler;
		now.sa_flags = (int)given->flags;
		memcpy(&now.sa_mask, &given->mask, sizeof(given->mask));
	}
	td_actions_exchange(given ? &now : NULL, &before);
	if (!taken)
		return;
	taken->handler = (void *)before.sa_handler;
	taken->flags = (unsigned long)before.sa_flags;
	taken->restorer = NULL;
	memcpy(&taken->mask, &before.sa_mask, sizeof(taken->mask));
}

void td_actions_before_exec(void)
{
	if (!td_self || !td_signal.number)
		return;
	td_engine_stop(td_self);
	td_handler_drain();
	td_masks_show();
	if (td_program_action.sa_handler == SIG_IGN)
		td_real()->sigaction(td_signal.number, &td_program_action, NULL);
}

void td_actions_before_exec_elsewhere(void)
{
	struct sigaction now;

	if (!td_signal.number)
		return;
	td_masks_leave();
	td_real()->sigaction(td_signal.number, NULL, &now);
	if (now.sa_sigaction == td_handler && td_program_action.sa_handler == SIG_IGN)
		td_real()->sigaction(td_signal.number, &td_program_action, NULL);
}

void td_actions_after_exec(void)
{
	struct sigaction ignored;

	if (!td_self || !td_signal.number)
		return;
	if (td_program_action.sa_handler == SIG_IGN)
		install(&ignored);
	td_masks_hide();
	if (!td_self->rests)
		atomic_store(&td_self->stopped, td_engine_start(td_self) != 0);
}
