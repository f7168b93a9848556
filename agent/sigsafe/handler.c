// SPDX-License-Identifier: MIT
#include "agent/sigsafe/handler.h"

#include <errno.h>
#include <string.h>
#include <ucontext.h>

#include "agent/sigsafe/metrics.h"
#include "agent/sigsafe/strobe.h"
#include "agent/sigsafe/syscall.h"

/* <linux/signal.h> has these under the same names, but it excludes libc's. */
#define CODE_PERF 6            /* TRAP_PERF */
#define PERF_DELAYED (1u << 0) /* TRAP_PERF_FLAG_ASYNC: it was blocked */

#define KERNEL_SIGSET_SIZE 8

/* siginfo of a sigtrap event; glibc 2.36 does not know it. */
struct perf_siginfo {
	int number;
	int error;
	int code;
	int padding;
	uint64_t address;
	uint64_t data;
	uint32_t type;
	uint32_t flags;
};

__thread struct td_thread *td_self __attribute__((tls_model("initial-exec")));
struct td_signal td_signal;
_Atomic(struct td_thread *) td_threads;
struct sigaction td_program_action;

static bool is_ours(const siginfo_t *info, bool *delayed)
{
	*delayed = false;
	if (info->si_signo == SIGTRAP && info->si_code == CODE_PERF) {
		struct perf_siginfo perf;

		memcpy(&perf, info, sizeof(perf));
		*delayed = perf.flags & PERF_DELAYED;
		return perf.data == td_signal.cookie;
	}
	if (info->si_code == SI_TIMER || info->si_code == SI_QUEUE)
		return (uint64_t)info->si_value.sival_ptr == td_signal.cookie;
	/* on SIGTRAP these codes are the processor's */
	if (info->si_signo != SIGTRAP &&
	    (info->si_code == POLL_IN || info->si_code == POLL_HUP))
		return td_self ? info->si_fd == td_self->fd : true;
	return false;
}

/* A thread older than the agent has no TLS of ours yet. */
static struct td_thread *find_self(void)
{
	uint32_t tid;
	struct td_thread *thread;

	if (td_self)
		return td_self;
	tid = td_gettid();
	for (thread = atomic_load(&td_threads); thread; thread = thread->next)
		if (atomic_load(&thread->tid) == tid && thread->adopted)
			break;
	td_self = thread;
	return thread;
}

static void set_mask(const sigset_t *mask)
{
	td_syscall4(SYS_rt_sigprocmask, SIG_SETMASK, mask, NULL, KERNEL_SIGSET_SIZE);
}

/* The kernel's struct sigaction. */
struct kernel_action {
	void *handler;
	unsigned long flags;
	void *restorer;
	uint64_t mask;
};

/* Does what the signal does to a program that set nothing. */
static void take_default(int number)
{
	struct kernel_action action = {0};
	sigset_t mask;

	td_syscall4(SYS_rt_sigaction, number, &action, NULL, KERNEL_SIGSET_SIZE);
	memset(&mask, 0xff, sizeof(mask));
	sigdelset(&mask, number);
	td_syscall3(SYS_tgkill, td_syscall0(SYS_getpid), td_gettid(), number);
	set_mask(&mask);
}

/* Signals of the processor itself cannot be ignored. */
static bool is_fault(const siginfo_t *info)
{
	return info->si_code > 0 && info->si_signo == SIGTRAP;
}

/* Runs the program's own handler under the mask that it would have had. */
static void pass_on(int number, siginfo_t *info, void *context)
{
	struct sigaction action = td_program_action;
	ucontext_t *interrupted = context;
	sigset_t mask = interrupted->uc_sigmask, all;

	if (action.sa_handler == SIG_IGN && !is_fault(info))
		return;
	if (action.sa_handler == SIG_IGN || action.sa_handler == SIG_DFL) {
		take_default(number);
		return;
	}
	if (action.sa_flags & SA_RESETHAND)
		td_program_action.sa_handler = SIG_DFL;
	sigorset(&mask, &mask, &action.sa_mask);
	if (!(action.sa_flags & SA_NODEFER))
		sigaddset(&mask, number);
	set_mask(&mask);
	if (action.sa_flags & SA_SIGINFO)
		action.sa_sigaction(number, info, context);
	else
		action.sa_handler(number);
	memset(&all, 0xff, sizeof(all));
	set_mask(&all); /* as it was when we were called */
}

static void take_sample(struct td_thread *thread, const ucontext_t *interrupted,
			bool delayed)
{
	if (atomic_exchange(&thread->inside, true)) {
		thread->places.record->lost[TD_LOST_GUARD]++;
		return;
	}
	thread->interrupted = interrupted;
	td_strobe_signal(thread, (uint64_t)interrupted->uc_mcontext.gregs[REG_RIP],
			 delayed);
	atomic_store(&thread->inside, false);
}

/* Everything between the capture of the registers and the next window. */
__attribute__((noinline)) static void handle(int number, siginfo_t *info, void *context)
{
	const ucontext_t *interrupted = context;
	int saved_errno = errno;
	struct td_thread *thread;
	bool delayed;

	if (is_ours(info, &delayed)) {
		thread = find_self();
		if (thread && !atomic_load(&thread->stopped))
			take_sample(thread, interrupted, delayed);
	} else {
		pass_on(number, info, context);
	}
	errno = saved_errno;
}

/* What stands here before the capture and after the release is in every window. */
void td_handler(int number, siginfo_t *info, void *context)
{
	struct td_thread *thread = td_self;

	if (!thread || !thread->registers.mapped) {
		handle(number, info, context);
		return;
	}
	td_metrics_capture(&thread->registers, &thread->capture);
	handle(number, info, context);
	if (thread->release.wanted)
		td_metrics_release(thread);
}
