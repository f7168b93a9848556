// SPDX-License-Identifier: MIT
/* Corners of a program that makes calls which have more to them than it seems. */
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/select.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/prog/corners.h"
#include "tests/prog/spin.h"

/* siginterrupt() and System V's are what this is about. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#define FORKS 60

static atomic_int wrong_parents, wrong_children;

/* NULL or not: with a signal blocked. */
static void *fork_again(void *argument)
{
	int blocks = argument != NULL, status;
	sigset_t set, now;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	for (int i = 0; i < FORKS; i++) {
		pthread_sigmask(blocks ? SIG_BLOCK : SIG_UNBLOCK, &set, NULL);
		pid_t pid = fork();

		pthread_sigmask(SIG_BLOCK, NULL, &now);
		status = sigismember(&now, SIGUSR1) != blocks;
		if (pid == 0)
			_exit(status);
		wrong_parents += status;
		waitpid(pid, &status, 0);
		wrong_children += status != 0;
	}
	return NULL;
}

/* Threads with different masks fork at once, and keep theirs. */
void corner_forks(void)
{
	static char yes;
	pthread_t threads[4];

	for (int i = 0; i < 4; i++)
		corner_start(&threads[i], NULL, fork_again, i % 2 ? &yes : NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	printf("wrong masks: %d of parents, %d of children\n", (int)wrong_parents,
	       (int)wrong_children);
}

static volatile sig_atomic_t came;
static int ends[2];

static void alarm_soon(void)
{
	struct itimerval soon = {.it_value = {.tv_usec = 50000}};

	setitimer(ITIMER_REAL, &soon, NULL);
}

/* As of old: each time anew.  Who is not ended by two gets a byte, and goes on. */
static void come_again(int number)
{
	char byte = 0;

	signal(number, come_again);
	if (++came > 2 && write(ends[1], &byte, 1) < 0)
		_exit(2);
	alarm_soon();
}

static void say_action(const char *what, int number)
{
	struct sigaction action;

	sigaction(number, NULL, &action);
	printf("%s %d: restart %d, once %d, blocks itself %d, handler %d\n", what, number,
	       !!(action.sa_flags & SA_RESTART), !!(action.sa_flags & SA_RESETHAND),
	       sigismember(&action.sa_mask, number), action.sa_handler == come_again);
}

static void say_actions(int number)
{
	signal(number, come_again);
	say_action("signal", number);
	siginterrupt(number, 1);
	say_action("siginterrupt", number);
	signal(number, come_again);
	say_action("signal, interrupted", number);
	siginterrupt(number, 0);
	sysv_signal(number, come_again);
	say_action("sysv_signal", number);
	printf("sigset: %d", sigset(number, SIG_HOLD) == come_again);
	printf(" %d", sigset(number, SIG_DFL) == SIG_HOLD);
	printf(" %d\n", sigset(number, SIG_DFL) == SIG_DFL);
	corner_work(10);
	sigignore(number);
	say_action("sigignore", number);
	corner_work(10);
	printf("sigset: %d\n", sigset(number, SIG_DFL) == SIG_IGN);
	corner_work(10);
}

/* The older ways to set an action, and a read() that a signal ends. */
void corner_interrupted(void)
{
	char byte;

	say_actions(SIGUSR1);
	say_actions(SIGTRAP);
	say_actions(SIGPROF);
	if (pipe(ends) != 0)
		return;
	siginterrupt(SIGALRM, 1);
	signal(SIGALRM, come_again);
	alarm_soon();
	for (int i = 0; i < 2; i++) {
		ssize_t n = read(ends[0], &byte, 1);

		printf("read: %s\n", n < 0 ? strerror(errno) : "a byte");
	}
	signal(SIGALRM, SIG_IGN);
}

static int cut_short;

static void count_cut(int result)
{
	cut_short += result < 0 && errno == EINTR;
}

/* Works with all signals blocked, and lets them in where it waits. */
void corner_opened(void)
{
	struct timespec little = {.tv_nsec = 1000000};
	sigset_t all, none;
	struct epoll_event event;
	int fd = epoll_create1(0);

	sigfillset(&all);
	sigemptyset(&none);
	sigprocmask(SIG_BLOCK, &all, NULL);
	for (int i = 0; i < 20; i++) {
		corner_work(3);
		count_cut(ppoll(NULL, 0, &little, &none));
		corner_work(3);
		count_cut(pselect(0, NULL, NULL, NULL, &little, &none));
		corner_work(3);
		count_cut(epoll_pwait(fd, &event, 1, 1, &none));
	}
	signal(SIGALRM, come_again);
	came = 0; /* no byte */
	for (int i = 0; i < 4; i++) {
		int before = came;

		corner_work(3);
		alarm_soon();
		sigsuspend(&none);
		cut_short += came == before;
		signal(SIGALRM, come_again);
		came = 0;
	}
	signal(SIGALRM, SIG_IGN);
	close(fd);
	printf("waits cut short: %d\n", cut_short);
}

static SPIN_NOINLINE void behind_the_child(void)
{
	spin_ms(60);
}

/* A child that shares our memory puts a file where in us there may be another one. */
void corner_overwritten(void)
{
	pid_t pid = vfork();
	int status;

	if (pid == 0) {
		for (int fd = 400; fd < 410; fd++)
			dup2(STDOUT_FILENO, fd);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	corner_work(20); /* what is lost shows at the next sample */
	behind_the_child();
	printf("child: %#x\n", (unsigned)status);
}

static void *load(void *path)
{
	dlopen(path, RTLD_NOW);
	return NULL;
}

/* Ends at once, whoever else is in dlopen(). */
void corner_loading(void)
{
	char path[PATH_MAX + 16];
	ssize_t n = readlink("/proc/self/exe", path, PATH_MAX);
	pthread_t loader;

	path[n > 0 ? n : 0] = 0;
	if (!strrchr(path, '/'))
		return;
	strcpy(strrchr(path, '/'), "/.libs/stay.so");
	alarm(60);
	corner_start(&loader, NULL, load, path);
	corner_work(50);
	usleep(100000);
	puts("ends");
	fflush(stdout);
	_exit(0);
}

static char around[16384 + 4096];

static void on_little(size_t size)
{
	stack_t stack = {.ss_sp = around + 16384, .ss_size = size};
	size_t intact = 0;
	int status = -1;
	pid_t pid;

	memset(around, 1, sizeof(around));
	if (sigaltstack(&stack, NULL) != 0)
		return;
	corner_work(10);
	pid = fork();
	corner_work(10);
	if (pid == 0)
		_exit(3);
	waitpid(pid, &status, 0);
	while (intact < 16384 && around[intact] == 1)
		intact++;
	printf("stack of %zu: child %#x, intact %zu\n", size, (unsigned)status, intact);
	fflush(stdout);
}

static SPIN_NOINLINE void behind_the_little(void)
{
	spin_ms(61);
}

/* Alternate stacks with hardly any room for a signal, on which none comes. */
void corner_little(void)
{
	stack_t none = {.ss_flags = SS_DISABLE};

	on_little(2048);
	on_little(4096);
	sigaltstack(&none, NULL);
	behind_the_little();
}

static SPIN_NOINLINE void behind_the_unmapped(void)
{
	spin_ms(61);
}

/* An alternate stack that goes before it is given up, as a whole and in part. */
void corner_unmapped(void)
{
	stack_t none = {.ss_flags = SS_DISABLE}, stack = {.ss_size = 65536};

	for (int part = 0; part < 2; part++) {
		stack.ss_sp = mmap(NULL, stack.ss_size, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (stack.ss_sp == MAP_FAILED || sigaltstack(&stack, NULL) != 0)
			return;
		corner_work(10);
		printf("%d\n", munmap((char *)stack.ss_sp + 1, 4096));
		munmap((char *)stack.ss_sp + part * 32768, 65536 - part * 32768);
		corner_work(50);
	}
	sigaltstack(&none, NULL);
	behind_the_unmapped();
}

static void *close_apart(void *first)
{
	if (close_range(*(unsigned *)first, ~0u, CLOSE_RANGE_UNSHARE) != 0)
		perror("close_range");
	return NULL;
}

/* A thread closes all in a table of its own: where the first of them is ours, and others.
 */
void corner_unshared(void)
{
	static const int mine = 700;

	for (unsigned first = 390; first < 410; first++) {
		pthread_t thread;

		dup2(STDOUT_FILENO, mine);
		corner_start(&thread, NULL, close_apart, &first);
		pthread_join(thread, NULL);
		printf("%s", close(mine) == 0 ? "." : "closed for all");
	}
	putchar('\n');
}

/* A child that its parent traces stops for nothing that is not its own. */
void corner_followed(void)
{
	int status = -1, stops = 0;
	pid_t pid = fork();

	if (pid == 0) {
		corner_work(5);
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		corner_work(20);
		_exit(3);
	}
	while (waitpid(pid, &status, 0) == pid && WIFSTOPPED(status)) {
		stops++;
		ptrace(PTRACE_CONT, pid, NULL, NULL);
	}
	printf("%d stops, then %#x\n", stops, (unsigned)status);
}

static void *say_guard(void *argument)
{
	pthread_attr_t attr;
	size_t guard;

	pthread_getattr_np(pthread_self(), &attr);
	pthread_attr_getguardsize(&attr, &guard);
	pthread_attr_destroy(&attr);
	printf("guard: %zu\n", guard);
	return argument;
}

/* A thread that asks for nothing has what is the default here. */
void corner_defaults(void)
{
	pthread_attr_t attr;
	pthread_t thread;

	pthread_getattr_default_np(&attr);
	pthread_attr_setstacksize(&attr, 256 * 1024);
	pthread_attr_setguardsize(&attr, 64 * 1024);
	pthread_setattr_default_np(&attr);
	pthread_attr_destroy(&attr);
	corner_start(&thread, NULL, say_guard, NULL);
	pthread_join(thread, NULL);
	corner_work(10);
}

static void *cancelled(void *argument)
{
	int status = -1;
	pid_t pid;

	pthread_cancel(pthread_self());
	pid = fork();
	if (pid == 0) {
		execl("/bin/sh", "sh", "-c", "exit 6", NULL);
		_exit(1);
	}
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	waitpid(pid, &status, 0);
	printf("child: %#x\n", (unsigned)status);
	fflush(stdout);
	corner_work(10);
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
	_exit(argument != NULL);
}

/* A thread that is to be cancelled calls what is no place to be: fork(), exec, _exit().
 */
void corner_cancelled(void)
{
	pthread_t thread;

	corner_start(&thread, NULL, cancelled, NULL);
	pthread_join(thread, NULL);
	puts("cancelled before it has ended");
}
