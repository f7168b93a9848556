// SPDX-License-Identifier: MIT
#include "agent/sigsafe/handler.h"

#include <errno.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>

#include "agent/sigsafe/arch.h"
#include "agent/sigsafe/brief.h"
#include "agent/sigsafe/engine.h"
#include "agent/sigsafe/groups.h"
#include "agent/sigsafe/leave.h"
#include "agent/sigsafe/metrics.h"
#include "agent/sigsafe/release.h"
#include "agent/sigsafe/syscall.h"

/* <linux/signal.h> has these under the same names, but it excludes libc's. */
#define CODE_PERF 6            /* TRAP_PERF */
#define PERF_DELAYED (1u << 0) /* TRAP_PERF_FLAG_ASYNC: it was blocked */

#define KERNEL_SIGSET_SIZE 8

/* siginfo of a sigtrap event; glibc 2.36 does not know it. */
struct __attribute__((may_alias)) perf_siginfo {
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
__thread struct td_own_stack td_own_stack __attribute__((tls_model("initial-exec")));
struct td_signal td_signal;
_Atomic(struct td_thread *) td_threads;
struct sigaction td_program_action;

/* By a value: a timer, or what we send ourselves for an empty window. */
static bool is_cookie(uint64_t value, unsigned *how)
{
	uint64_t marks = value ^ td_signal.cookie;

	if (marks & ~(uint64_t)(TD_EMPTY_MARK | TD_SMALL_MARK))
		return false;
	if (marks & TD_EMPTY_MARK)
		*how = TD_SIGNAL_EMPTY;
	return true;
}

static inline bool is_perf(const siginfo_t *info)
{
	return info->si_signo == SIGTRAP && info->si_code == CODE_PERF;
}

static inline const struct perf_siginfo *perf_of(const siginfo_t *info)
{
	return (const void *)info;
}

/* Of a thread that has no part on small cores.  The cookie is no descriptor and no code
 * of another signal's: whether its number is SIGTRAP need not be asked. */
static inline bool is_our_only_perf(const siginfo_t *info)
{
	return info->si_code == CODE_PERF && perf_of(info)->data == td_signal.cookie;
}

/* Is a signal of ours that of the thread's part on small cores? */
__attribute__((noinline)) static bool is_small_ones(const struct td_thread *thread,
						    const siginfo_t *info)
{
	if (is_perf(info))
		return perf_of(info)->data == td_handler_cookie(TD_CORES_SMALL);
	if (info->si_code == SI_TIMER || info->si_code == SI_QUEUE)
		return (uint64_t)info->si_value.sival_ptr ==
		       (td_handler_cookie(TD_CORES_SMALL) ^ TD_EMPTY_MARK);
	return info->si_fd == thread->small->fd;
}

/* Few threads have one, and all pay for asking in each window. */
static inline bool is_of_small(const struct td_thread *thread, const siginfo_t *info)
{
	return thread->small && is_small_ones(thread, info);
}

static bool is_ours(const siginfo_t *info, unsigned *how)
{
	_Static_assert(PERF_DELAYED == TD_SIGNAL_DELAYED, "no translation");
	*how = 0;
	if (is_perf(info)) {
		*how = perf_of(info)->flags & PERF_DELAYED;
		return !((perf_of(info)->data ^ td_signal.cookie) &
			 ~(uint64_t)TD_SMALL_MARK);
	}
	if (info->si_code == SI_TIMER || info->si_code == SI_QUEUE)
		return is_cookie((uint64_t)info->si_value.sival_ptr, how);
	/* on SIGTRAP these codes are the processor's */
	if (info->si_signo != SIGTRAP &&
	    (info->si_code == POLL_IN || info->si_code == POLL_HUP))
		return td_self ? info->si_fd == td_self->fd || is_of_small(td_self, info)
			       : true;
	return false;
}

bool td_handler_is_ours(const siginfo_t *info)
{
	unsigned how;

	return is_ours(info, &how);
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
		if (atomic_load(&thread->tid) == tid && thread->adopted &&
		    thread->cores == TD_CORES_LARGE)
			break;
	td_self = thread;
	return thread;
}

/* The same, of the part that the signal is of. */
static struct td_thread *find_first(const siginfo_t *info)
{
	struct td_thread *thread = find_self();

	return thread && is_of_small(thread, info) ? thread->small : thread;
}

static void set_mask(const sigset_t *mask)
{
	td_syscall4(SYS_rt_sigprocmask, SIG_SETMASK, mask, NULL, KERNEL_SIGSET_SIZE);
}

/* Does what the signal does to a program that set nothing. */
static void take_default(int number)
{
	struct td_kernel_action action = {0};
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

/* To whom it was sent, once more: a signal that we took and that is the program's.  The
 * kernel lets a thread forge what others sent by its own number alone, and takes that of
 * any thread for the process. */
static void give_back(const siginfo_t *info)
{
	if (info->si_code == SI_TKILL)
		td_syscall4(SYS_rt_tgsigqueueinfo, td_syscall0(SYS_getpid), td_gettid(),
			    info->si_signo, info);
	else
		td_syscall3(SYS_rt_sigqueueinfo, td_gettid(), info->si_signo, info);
}

void td_handler_drain(void)
{
	struct timespec none = {0};
	siginfo_t info, others[2]; /* pending of the thread, and of the process */
	unsigned n = 0;
	sigset_t ours;

	memset(&ours, 0, sizeof(ours));
	sigaddset(&ours, td_signal.number);
	while (n < 2 && td_syscall4(SYS_rt_sigtimedwait, &ours, &info, &none,
				    KERNEL_SIGSET_SIZE) > 0)
		if (!td_handler_is_ours(&info))
			others[n++] = info;
	while (n > 0)
		give_back(&others[--n]);
}

/* The program has it blocked here (core/masks.h): so it is from now on, until a mask of
 * before is back; then it comes, and goes, once more. */
static bool was_blocked(const siginfo_t *info, ucontext_t *interrupted)
{
	struct td_thread *thread = td_self;
	bool running;

	if (!thread || !thread->unblocked || is_fault(info))
		return false;
	sigaddset(&interrupted->uc_sigmask, info->si_signo);
	running = !atomic_load(&thread->stopped);
	if (running)
		td_engine_pause(thread);
	td_handler_drain(); /* of two that wait for a thread the kernel keeps the first */
	give_back(info);
	if (running)
		td_engine_resume(thread);
	return true;
}

/* The program's signal may have stood for ours: of two that wait the kernel keeps the
 * first, and no other follows where each arming sends one.  A period begins anew. */
static void begin_period(struct td_thread *thread)
{
	if (!thread || thread->trigger->echoes || atomic_load(&thread->stopped) ||
	    atomic_load(&thread->inside))
		return;
	td_engine_pause(thread);
	td_engine_resume(thread);
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

/* The handler was on its way to the program (td_leave()), where handlers of the program
 * may run: it may never get there. */
__attribute__((noinline)) static void give_release_up(struct td_thread *thread)
{
	thread->release.wanted = false;
	td_strobe_block(thread);
	atomic_store_explicit(&thread->inside, false, memory_order_relaxed);
}

/* There is room for what drops a sample, and for no more, below what the kernel put there
 * of what is interrupted. */
static inline bool is_where_stack_ends(const ucontext_t *interrupted)
{
	return td_own_stack_has_no_room((uint64_t)interrupted);
}

/* Nothing that is reached from here sets errno. */
static inline void take_sample(struct td_thread *thread, const ucontext_t *interrupted,
			       unsigned how)
{
	/* relaxed: nobody but this thread's handlers looks */
	if (atomic_load_explicit(&thread->inside, memory_order_relaxed)) {
		thread->places.record->lost[TD_LOST_GUARD]++;
		if (thread->release.wanted)
			give_release_up(thread);
		return;
	}
	if (is_where_stack_ends(interrupted)) {
		thread->places.record->lost[TD_LOST_STACK]++;
		td_engine_skip(thread);
		return;
	}
	thread->interrupted = interrupted;
	atomic_store_explicit(&thread->inside, true, memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);
	td_engine_signal(thread, td_arch_ip(interrupted), how);
	atomic_signal_fence(memory_order_seq_cst);
	atomic_store_explicit(&thread->inside, false, memory_order_relaxed);
}

/* The usual signal: see take_sample() for the guard.  False: nothing is to be released,
 * as a window has been closed. */
static inline bool take_in_brief(struct td_thread *thread, const ucontext_t *interrupted)
{
	uint64_t ip = td_arch_ip(interrupted);
	bool opens = !thread->in_window;

	atomic_store_explicit(&thread->inside, true, memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);
	if (opens)
		td_brief_open(thread, ip);
	else
		td_brief_close(thread, ip);
	atomic_signal_fence(memory_order_seq_cst);
	atomic_store_explicit(&thread->inside, false, memory_order_relaxed);
	return opens;
}

/* Signals of threads without mapped registers, and of others.  Returns whose it was, as a
 * thread finds itself at its first one; NULL: not ours.  Then nothing is to be released:
 * what is wanted is so of a handler on its way to the program, which this one
 * interrupted. */
static struct td_thread *handle(struct td_thread *thread, int number, siginfo_t *info,
				void *context)
{
	int saved_errno;
	unsigned how;

	if (thread && thread->groups)
		td_groups_capture(thread); /* before all else */
	saved_errno = errno;
	if (is_ours(info, &how)) {
		if (!thread)
			thread = find_first(info);
		if (thread && !atomic_load(&thread->stopped))
			take_sample(thread, context, how);
		if (thread && thread->groups)
			thread->groups->fresh = false;
	} else {
		thread = NULL;
		if (!was_blocked(info, context)) {
			if (!is_fault(info))
				begin_period(td_self);
			pass_on(number, info, context);
		}
	}
	errno = saved_errno;
	return thread;
}

/* The registers first of all, if it has a group of events. */
__attribute__((noinline)) static void
handle_unmapped(struct td_thread *thread, int number, siginfo_t *info, void *context)
{
	if (thread && is_of_small(thread, info))
		thread = thread->small;
	if (thread && thread->groups)
		td_groups_begin_capture(thread->groups);
	thread = handle(thread, number, info, context);
	if (thread && thread->release.wanted && td_leave(thread, context))
		td_release_now(thread);
}

/* The registers are captured; anything else may be unusual.  False: nothing is to be
 * released, as it is not ours (handle()). */
__attribute__((noinline)) static bool take_fully(struct td_thread *thread, int number,
						 siginfo_t *info, void *context)
{
	unsigned how;

	td_brief_hand_over(thread);
	if (!is_ours(info, &how))
		return handle(thread, number, info, context) != NULL;
	if (!atomic_load_explicit(&thread->stopped, memory_order_relaxed))
		take_sample(thread, context, how);
	return true;
}

__attribute__((noinline)) static void leave(struct td_thread *thread)
{
	if (td_leave(thread, thread->interrupted))
		td_metrics_release(thread);
}

/*
 * What stands here before the capture and after the release is in every window;
 * what stands in between, in the cost of each.
 */
void td_handler(int number, siginfo_t *info, void *context)
{
	struct td_thread *thread = td_self;
	const volatile char *pages;
	bool captured;

	if (!thread || !thread->registers.mapped) {
		handle_unmapped(thread, number, info, context);
		return;
	}
	pages = thread->registers.pages;
	captured = td_metrics_capture_slots(pages, &thread->capture);
	if (captured && td_brief_is_echo(thread) && is_our_only_perf(info))
		return;
	captured = captured && td_metrics_capture_extras(pages, &thread->registers.extras,
							 &thread->capture);
	thread->interrupted = context; /* so that it need not be kept in a register */
	if (captured && is_our_only_perf(info) && td_brief_may(thread) &&
	    !(perf_of(info)->flags & PERF_DELAYED) && !is_where_stack_ends(context)) {
		if (!take_in_brief(thread, context))
			return;
	} else {
		thread->capture.complete = captured;
		if (!take_fully(thread, number, info, context))
			return;
	}
	if (!thread->release.wanted)
		return;
	if (__builtin_expect(td_leave_is_set_up, 0))
		leave(thread);
	else
		td_metrics_release(thread);
}
