// SPDX-License-Identifier: MIT
/* Corners of a program that blocks a signal of our number, waits for it, or sends it to
 * itself. */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "tests/prog/corners.h"
#include "tests/prog/spin.h"

static sigjmp_buf back;

/* Both numbers that the profiler's signal may have. */
static void fill(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGTRAP);
	sigaddset(set, SIGPROF);
}

static void *wait_for(void *argument)
{
	sigset_t *set = argument;
	int number = 0, got = 0;

	while (got < 40 && sigwait(set, &number) == 0 && number == SIGTRAP) {
		got++;
		if (got == 20)
			kill(getpid(), SIGPROF);
		if (got == 20 && (sigwait(set, &number) != 0 || number != SIGPROF))
			break;
		kill(getpid(), SIGTRAP);
	}
	printf("waited for %d\n", got);
	return NULL;
}

static void say_pending(const char *when)
{
	sigset_t set;

	corner_work(5);
	sigpending(&set);
	printf("%s: pending %d %d\n", when, sigismember(&set, SIGTRAP),
	       sigismember(&set, SIGPROF));
}

static void *work_on(void *argument)
{
	corner_work(60);
	return argument;
}

/* One thread takes by sigwait() what all have blocked, the profiler's signal too. */
void corner_waiting(void)
{
	pthread_t waiter, worker;
	sigset_t set;

	fill(&set);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	corner_start(&worker, NULL, work_on, NULL);
	corner_start(&waiter, NULL, wait_for, &set);
	kill(getpid(), SIGTRAP);
	pthread_join(waiter, NULL);
	kill(getpid(), SIGPROF);
	pthread_join(worker, NULL);
	corner_work(15);
	say_pending("behind both");
}

static void send_both(int number)
{
	(void)number;
	kill(getpid(), SIGTRAP);
	kill(getpid(), SIGPROF);
	say_pending("in a handler");
}

/* What waits does so for its process alone. */
static void look_from_child(void)
{
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child == 0) {
		say_pending("in a child");
		fflush(stdout);
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

static void *hold(void *argument)
{
	static volatile int returns;
	ucontext_t before;

	getcontext(&before);
	if (returns++) {
		say_pending("in a context");
		return argument;
	}
	if (!sigsetjmp(back, 1)) {
		raise(SIGUSR1);
		say_pending("behind it");
		look_from_child();
		siglongjmp(back, 1);
	}
	say_pending("behind a jump");
	setcontext(&before);
	return NULL;
}

static SPIN_NOINLINE void behind_the_wait(void)
{
	spin_ms(100);
}

static bool waited_for_trap(const sigset_t *set, siginfo_t *info)
{
	struct timespec patience = {.tv_sec = 10};

	return sigtimedwait(set, info, &patience) == SIGTRAP;
}

static void *hold_for_wait(void *set)
{
	int number = 0, waited = 0;
	siginfo_t info;
	pid_t child;

	/* often, as few periods end while one is held back; not by raise(), before which
	 * none does */
	while (waited < 2000) {
		spin_chunk();
		syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), SIGTRAP);
		if (!waited_for_trap(set, NULL))
			break;
		waited++;
	}
	pthread_kill(pthread_self(), SIGTRAP);
	say_pending("before a wait");
	sigwait(set, &number);
	printf("waited for %d %d\n", waited, number == SIGTRAP);
	fflush(stdout);
	child = fork();
	if (child == 0) {
		kill(getppid(), SIGTRAP);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	printf("from the child: %d\n", waited_for_trap(set, &info) &&
					       info.si_code == SI_USER &&
					       info.si_pid == child);
	behind_the_wait();
	return NULL;
}

/* What came while a thread had it blocked waits, whatever brings masks of before back:
 * the end of a handler, a jump, another context; until it is waited for. */
void corner_held(void)
{
	pthread_t holder, waiter;
	sigset_t set;

	fill(&set);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	say_pending("blocked");
	corner_work(30);
	raise(SIGTRAP);
	say_pending("blocked and raised");
	printf("waited for it: %d\n", waited_for_trap(&set, NULL));
	say_pending("behind its wait");
	corner_start(&waiter, NULL, hold_for_wait, &set);
	pthread_join(waiter, NULL);
	signal(SIGUSR1, send_both);
	corner_start(&holder, NULL, hold, NULL);
	pthread_join(holder, NULL);
}

static volatile sig_atomic_t handled;

static void count_handled(int number)
{
	(void)number;
	handled++;
}

static SPIN_NOINLINE void behind_the_signal(void)
{
	spin_ms(100);
}

/* A period that ends on the way into raise() may send its signal before, and one that
 * ends while the program's waits sends none. */
void corner_raised(void)
{
	sigset_t set;

	signal(SIGTRAP, count_handled);
	for (int i = 0; i < 5000; i++) {
		raise(SIGTRAP);
		pthread_kill(pthread_self(), SIGTRAP);
		spin_chunk();
	}
	sigemptyset(&set);
	sigaddset(&set, SIGTRAP);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	raise(SIGTRAP);
	corner_work(60);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	behind_the_signal();
	printf("raised 10001, handled %d\n", (int)handled);
}

static SPIN_NOINLINE void work_in_the_wait(void)
{
	spin_ms(100);
}

static SPIN_NOINLINE void behind_the_jump(void)
{
	spin_ms(100);
}

static void return_from_wait(int number)
{
	(void)number;
	work_in_the_wait();
}

static void jump_from_wait(int number)
{
	(void)number;
	siglongjmp(back, 1);
}

static void alarm_by(sighandler_t handler)
{
	static const struct itimerval soon = {.it_value.tv_usec = 20000};

	signal(SIGALRM, handler);
	setitimer(ITIMER_REAL, &soon, NULL);
}

static void say_result(const char *of, int result)
{
	printf("%s: %d %s\n", of, result, strerror(errno));
}

static void *leave_waits(void *argument)
{
	struct timespec none = {0}, wrong = {.tv_nsec = -1};
	const sigset_t *set = argument;
	sigset_t alarms;
	int number = 0;
	siginfo_t info;

	sigemptyset(&alarms);
	sigaddset(&alarms, SIGALRM);
	pthread_sigmask(SIG_UNBLOCK, &alarms, NULL);
	say_result("no time", sigtimedwait(set, &info, &none));
	say_result("no such time", sigtimedwait(set, &info, &wrong));
	alarm_by(return_from_wait);
	say_result("interrupted", sigwaitinfo(set, &info));
	if (!sigsetjmp(back, 1)) {
		alarm_by(jump_from_wait);
		sigwaitinfo(set, &info);
	}
	behind_the_jump();
	say_pending("behind the jump");
	kill(getpid(), SIGPROF);
	printf("sigwait: %d", sigwait(set, &number));
	printf(" %d\n", number == SIGPROF);
	return NULL;
}

/* Handlers of others' signals that come in a wait for ours: they work, return and jump.
 */
void corner_left(void)
{
	sigset_t set, all;
	pthread_t thread;

	fill(&set);
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	corner_start(&thread, NULL, leave_waits, &set);
	pthread_join(thread, NULL);
}

/* Signals from a descriptor, the only thing that is ever in it. */
void corner_descriptor(void)
{
	struct signalfd_siginfo info;
	pthread_t worker;
	sigset_t set;
	int fd, own = 0, other = 0;

	fill(&set);
	sigprocmask(SIG_BLOCK, &set, NULL);
	fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	corner_start(&worker, NULL, work_on, NULL);
	for (int i = 0; i < 40; i++) {
		corner_work(1);
		kill(getpid(), i % 2 ? SIGTRAP : SIGPROF);
		while (read(fd, &info, sizeof(info)) == sizeof(info)) {
			own += info.ssi_pid == (uint32_t)getpid();
			other += info.ssi_pid != (uint32_t)getpid();
		}
	}
	pthread_join(worker, NULL);
	printf("by descriptor: own %d, other %d\n", own, other);
}
