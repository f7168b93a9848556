// SPDX-License-Identifier: MIT
/*
 * Does what few programs do and a profiler is easily hurt by, in the way that its
 * argument names, and prints what it saw.
 */
#include <alloca.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "agent/sigsafe/arch.h"
#include "tests/prog/corners.h"
#include "tests/prog/spin.h"

static volatile sig_atomic_t seen, nested;

void corner_start(pthread_t *thread, const pthread_attr_t *attr, void *(*routine)(void *),
		  void *argument)
{
	int error = pthread_create(thread, attr, routine, argument);

	if (error) {
		printf("pthread_create: %s\n", strerror(error));
		exit(3);
	}
}

SPIN_NOINLINE void corner_work(int ms)
{
	spin_ms((uint64_t)ms);
}

/* Works a little and sleeps a little, in all the ways that are not restarted:
 * nothing here may wake a sleeper. */
static void sleepers(void)
{
	struct timespec nap = {0, 300000};
	struct timeval select_nap;
	int epoll = epoll_create1(EPOLL_CLOEXEC), woken[6] = {0}, fds[2];
	sigset_t none;
	struct epoll_event event;

	sigemptyset(&none);
	if (pipe(fds))
		exit(3);
	for (int i = 0; i < 60; i++) {
		struct pollfd pipe_end = {.fd = fds[0], .events = POLLIN};

		corner_work(i % 3);
		spin_chunk();
		woken[0] += nanosleep(&nap, NULL) != 0;
		spin_chunk();
		woken[1] += poll(&pipe_end, 1, 1) != 0;
		spin_chunk();
		select_nap = (struct timeval){0, 300};
		woken[2] += select(0, NULL, NULL, NULL, &select_nap) != 0;
		spin_chunk();
		woken[3] += epoll_wait(epoll, &event, 1, 1) != 0;
		spin_chunk();
		woken[4] += clock_nanosleep(CLOCK_MONOTONIC, 0, &nap, NULL) != 0;
		spin_chunk();
		woken[5] += sigtimedwait(&none, NULL, &nap) != -1 || errno != EAGAIN;
	}
	for (int i = 0; i < 6; i++)
		printf("sleep of kind %d: woken %d times\n", i, woken[i]);
}

static void *write_slowly(void *argument)
{
	int fd = *(int *)argument;

	for (int i = 0; i < 20; i++) {
		corner_work(3);
		if (write(fd, "x", 1) != 1)
			break;
	}
	close(fd);
	return NULL;
}

/* A reader waits for a thread that works. */
static void readers(void)
{
	int fds[2], bytes = 0, errors = 0;
	pthread_t writer;
	char byte;

	if (pipe(fds))
		exit(3);
	corner_start(&writer, NULL, write_slowly, &fds[1]);
	for (;;) {
		ssize_t n = read(fds[0], &byte, 1);

		if (n == 0)
			break;
		bytes += n == 1;
		errors += n < 0;
	}
	pthread_join(writer, NULL);
	printf("read %d bytes, %d errors\n", bytes, errors);
}

#ifdef __x86_64__
/* x87 stack and control word, SSE control word, and vector registers. */
static void registers(void)
{
	unsigned short control = 0x0f7f, found; /* round to zero, extended */
	unsigned mxcsr = 0x7f80, mxcsr_found;   /* round to zero */
	unsigned long long pattern[4] = {0x0123456789abcdef, ~0ull, 1,
					 0xfedcba9876543210},
			   after[4], bad = 0, saved_mxcsr;
	long double x87;
	bool avx = __builtin_cpu_supports("avx");

	__asm__ volatile("stmxcsr %0" : "=m"(saved_mxcsr));
	__asm__ volatile("fldcw %0\n\tldmxcsr %1" : : "m"(control), "m"(mxcsr));
	for (int i = 0; i < 3000; i++) {
		unsigned long long spins = 20000;

		if (avx)
			__asm__ volatile(
				"vmovdqu %2, %%ymm7\n\tfldpi\n1: dec %1\n\tjnz 1b\n\t"
				"vmovdqu %%ymm7, %0\n\tfstpt %3"
				: "=m"(after), "+r"(spins)
				: "m"(pattern), "m"(x87)
				: "xmm7", "memory");
		else
			__asm__ volatile(
				"movdqu %2, %%xmm7\n\tfldpi\n1: dec %1\n\tjnz 1b\n\t"
				"movdqu %%xmm7, %0\n\tfstpt %3"
				: "=m"(after), "+r"(spins)
				: "m"(pattern), "m"(x87)
				: "xmm7", "memory");
		bad += memcmp(after, pattern, avx ? 32 : 16) != 0 || x87 < 3.14L ||
		       x87 > 3.15L;
		__asm__ volatile("fnstcw %0\n\tstmxcsr %1"
				 : "=m"(found), "=m"(mxcsr_found));
		bad += found != control || mxcsr_found != mxcsr;
	}
	__asm__ volatile("fninit\n\tldmxcsr %0" : : "m"(saved_mxcsr));
	printf("registers changed %llu times\n", bad);
}

#endif

static sigjmp_buf back;

static void jump_out(int number)
{
	siglongjmp(back, number);
}

static uint64_t faults_at;
static unsigned faults_elsewhere;

static void note_fault(int number, siginfo_t *info, void *context)
{
	uint64_t ip = td_arch_ip(context);

	(void)info;
	if (!faults_at)
		faults_at = ip;
	faults_elsewhere += ip != faults_at;
	siglongjmp(back, number);
}

static SPIN_NOINLINE int read_from(const volatile int *address)
{
	return *address;
}

/* Runtimes ask where it was: the JVM does for each null pointer. */
static void faults(void)
{
	struct sigaction action = {.sa_sigaction = note_fault, .sa_flags = SA_SIGINFO};
	volatile int seen_faults = 0;

	sigfillset(&action.sa_mask);
	sigaction(SIGSEGV, &action, NULL);
	for (volatile int i = 0; i < 30000; i++)
		if (sigsetjmp(back, 1))
			seen_faults++;
		else
			read_from((const int *)sizeof(int));
	printf("faults: %d, elsewhere %u\n", seen_faults, faults_elsewhere);
}

/* Handlers that never return, of a signal that a profiler likes and of another. */
static void jumps(void)
{
	static const int numbers[] = {SIGTRAP, SIGPROF, SIGALRM, SIGIO};
	volatile int out = 0;

	for (volatile int i = 0; i < 200; i++) {
		int number = numbers[i % 4];

		signal(number, jump_out);
		if (sigsetjmp(back, 1) == 0) {
			corner_work(i % 2);
			raise(number);
			printf("not jumped\n");
		} else {
			out++;
		}
	}
	printf("jumped out of %d handlers\n", out);
}

static void inner(int number)
{
	(void)number;
	nested++;
	corner_work(1);
}

static void outer(int number)
{
	(void)number;
	seen++;
	corner_work(1);
	raise(SIGUSR2);
	raise(SIGTRAP);
	corner_work(1);
}

static void nesting(void)
{
	struct sigaction action = {.sa_handler = outer, .sa_flags = SA_ONSTACK};
	stack_t stack = {.ss_sp = malloc(65536), .ss_size = 65536};

	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &action, NULL);
	action.sa_handler = inner;
	sigaction(SIGUSR2, &action, NULL);
	sigaction(SIGTRAP, &action, NULL);
	for (int i = 0; i < 50; i++)
		raise(SIGUSR1);
	printf("outer %d, inner %d\n", (int)seen, (int)nested);
}

static ucontext_t contexts[3];

static void coroutine(int number)
{
	for (int i = 0; i < 100; i++) {
		corner_work(number == 1);
		swapcontext(&contexts[number], &contexts[3 - number]);
	}
}

static void coroutines(void)
{
	for (int i = 1; i < 3; i++) {
		getcontext(&contexts[i]);
		contexts[i].uc_stack.ss_size = 32768;
		contexts[i].uc_stack.ss_sp = malloc(32768);
		contexts[i].uc_link = &contexts[0];
		makecontext(&contexts[i], (void (*)(void))coroutine, 1, i);
	}
	swapcontext(&contexts[0], &contexts[1]);
	printf("coroutines are back\n");
}

static void *in_little_room(void *argument)
{
	char room[2048];

	memset(room, 1, sizeof(room));
	corner_work(3);
	__asm__ volatile("" : : "r"(room) : "memory");
	return argument;
}

struct brink {
	size_t asked; /* for, of the stack; 0: all */
	size_t left;  /* bytes */
};

/* Works where nearly all is used of the stack that was asked for. */
static void *at_the_brink(void *argument)
{
	const struct brink *at = argument;
	pthread_attr_t attr;
	size_t size;
	char *brink;
	void *stack;

	pthread_getattr_np(pthread_self(), &attr);
	pthread_attr_getstack(&attr, &stack, &size);
	pthread_attr_destroy(&attr);
	brink = (char *)stack + (at->asked ? size - at->asked : 0) + at->left;
	*(volatile char *)alloca((size_t)((char *)__builtin_frame_address(0) - brink)) =
		1;
	spin_turns(20000000); /* and without a call */
	return argument;
}

/* The first thread's, which nobody makes larger: ruby uses it up so as it starts.  What
 * is left is enough for the kernel's part of a signal (4 KB where it does not say), and a
 * bit. */
static void brink(void)
{
	size_t frame = getauxval(AT_MINSIGSTKSZ);

	at_the_brink(&(struct brink){.left = (frame ? frame : 4096) + 512});
}

static char given[1 << 16] __attribute__((aligned(4096)));

/* NULL: not on the stack that it was given. */
static void *on_given_stack(void *argument)
{
	char here;

	corner_work(3);
	return (uintptr_t)&here - (uintptr_t)given < sizeof(given) ? argument : NULL;
}

static void *run_till_cancelled(void *argument)
{
	for (;;) {
		spin_chunk();
		pthread_testcancel();
	}
	return argument;
}

/* A child of a thread with little room, and its end there. */
static void *fork_in_little_room(void *argument)
{
	int *status = argument;
	pid_t child = fork();

	if (child == 0) {
		corner_work(5);
		exit(9);
	}
	waitpid(child, status, 0);
	return NULL;
}

static int c11_thread(void *argument)
{
	corner_work(3);
	return *(int *)argument;
}

static void *leave_early(void *argument)
{
	corner_work(1);
	pthread_exit(argument);
}

static SPIN_NOINLINE int descriptors(void)
{
	int n = 0;

	for (int fd = 0; fd < 400; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

/* Threads of all kinds: on the smallest stacks, detached, cancelled, of C11. */
static void threads(void)
{
	int before = descriptors(), value = 42, result = 0, cancelled = 0, status = 0;
	size_t least = (size_t)sysconf(_SC_THREAD_STACK_MIN);
	struct brink near = {.asked = least, .left = 1024};
	pthread_attr_t small, own;
	pthread_t ids[8];
	thrd_t c11;
	void *how, *where;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, least);
	for (int i = 0; i < 8; i++)
		corner_start(&ids[i], &small, in_little_room, NULL);
	for (int i = 0; i < 8; i++)
		pthread_join(ids[i], NULL);
	corner_start(&ids[0], &small, fork_in_little_room, &status);
	pthread_join(ids[0], NULL);
	corner_start(&ids[0], &small, at_the_brink, &near);
	pthread_join(ids[0], NULL);
	pthread_attr_init(&own);
	pthread_attr_setstack(&own, given, sizeof(given));
	corner_start(&ids[0], &own, on_given_stack, given);
	pthread_join(ids[0], &where);
	pthread_attr_setdetachstate(&small, PTHREAD_CREATE_DETACHED);
	for (int i = 0; i < 8; i++)
		corner_start(&ids[i], &small, in_little_room, NULL);
	for (int i = 0; i < 8; i++) {
		corner_start(&ids[i], NULL, i % 2 ? run_till_cancelled : leave_early,
			     NULL);
		corner_work(1);
		pthread_cancel(ids[i]);
		pthread_join(ids[i], &how);
		cancelled += i % 2 && how == PTHREAD_CANCELED;
	}
	thrd_create(&c11, c11_thread, &value);
	thrd_join(c11, &result);
	while (access("/proc/self/task", F_OK) ==
	       0) { /* till the detached ones are gone */
		struct stat st;

		if (stat("/proc/self/task", &st) || st.st_nlink <= 3)
			break;
		usleep(1000);
	}
	printf("threads: cancelled %d, of C11 %d, the child's status %d, more descriptors %d, "
	       "on the given stack %d\n",
	       cancelled, result, WEXITSTATUS(status), descriptors() - before,
	       where == given);
}

#ifdef __x86_64__
/* An action set behind libc's back, as some runtimes do. */
struct kernel_action {
	void (*handler)(int);
	unsigned long flags;
	void *restorer;
	uint64_t mask;
};

static void count(int number)
{
	(void)number;
	seen++;
}

__asm__(".text\nraw_return: mov $15, %eax\n\tsyscall\n");
extern void raw_return(void);

static void raw_actions(void)
{
	struct kernel_action action = {.handler = count,
				       .flags = 0x04000000 | SA_RESTART, /* SA_RESTORER */
				       .restorer = (void *)raw_return};

	syscall(SYS_rt_sigaction, SIGTRAP, &action, NULL, 8);
	syscall(SYS_rt_sigaction, SIGPROF, &action, NULL, 8);
	corner_work(50);
	printf("raw action: seen %d without cause\n", (int)seen);
	raise(SIGTRAP);
	raise(SIGPROF);
	printf("raw action: seen %d\n", (int)seen);
}
#endif

#define ALLOW(number)                                                                    \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),                               \
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

/* All that this program needs from here on; anything else is death. */
static struct sock_filter filter[] = {
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	ALLOW(SYS_write),
	ALLOW(SYS_read),
	ALLOW(SYS_exit),
	ALLOW(SYS_exit_group),
	ALLOW(SYS_rt_sigreturn),
	ALLOW(SYS_rt_sigprocmask),
	ALLOW(SYS_futex),
	ALLOW(SYS_clock_gettime),
	ALLOW(SYS_munmap),
	ALLOW(SYS_madvise),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
};

static struct sock_fprog program = {sizeof(filter) / sizeof(filter[0]), filter};
static atomic_bool working, confined;

static void *work_till_confined(void *argument)
{
	atomic_store(&working, true);
	while (!atomic_load(&confined))
		spin_chunk();
	corner_work(10);
	return argument;
}

static void confine(bool all)
{
	pthread_t worker;
	long error;

	corner_start(&worker, NULL, work_till_confined, NULL);
	while (!atomic_load(&working)) /* what starts a thread is not allowed */
		spin_chunk();
	corner_work(20);
	puts("to be confined");
	fflush(stdout);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	error = all ? syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
			      SECCOMP_FILTER_FLAG_TSYNC, &program)
		    : prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
	atomic_store(&confined, true);
	corner_work(30);
	pthread_join(worker, NULL);
	printf("confined: %ld\n", error);
}

static void confine_myself(void)
{
	confine(false);
}

static void confine_all(void)
{
	confine(true);
}

/* read(), write() and the end of the thread are all that is left. */
static void strict(void)
{
	char text[] = "strict\n";

	fflush(stdout);
	prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
	for (int i = 0; i < 2000; i++)
		spin_chunk();
	if (write(STDOUT_FILENO, text, sizeof(text) - 1) < 0)
		for (;;)
			;
	syscall(SYS_exit, 0);
}

static void say_result(const char *what, int result)
{
	printf("%s: %s\n", what, result == 0 ? "done" : strerror(errno));
}

/* What needs a process of one thread, and what takes away the files that we know. */
static void elsewhere(void)
{
	char root[] = "/tmp/corners.XXXXXX";

	say_result("unshare user", unshare(CLONE_NEWUSER | CLONE_NEWNS));
	if (!mkdtemp(root))
		return;
	say_result("chroot", chroot(root));
	say_result("chdir", chdir("/"));
	corner_work(10);
	say_result("setgid", setgid(getgid()));
	say_result("setuid", setuid(getuid()));
	say_result("no new privileges", prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	corner_work(10);
}

/* The child that is left has no terminal, no parent and no standard files. */
static void as_daemon(void)
{
	int out = dup(STDOUT_FILENO);

	fflush(stdout);
	if (daemon(0, 0))
		exit(3);
	setsid();
	corner_work(40);
	dprintf(out, "the daemon is done\n");
}

static const struct {
	const char *name;
	void (*run)(void);
} corners[] = {
#ifdef __x86_64__
	{"registers", registers},
	{"raw", raw_actions},
#endif
	{"sleepers", sleepers},
	{"readers", readers},
	{"faults", faults},
	{"jumps", jumps},
	{"nesting", nesting},
	{"waiting", corner_waiting},
	{"held", corner_held},
	{"left", corner_left},
	{"raised", corner_raised},
	{"descriptor", corner_descriptor},
	{"coroutines", coroutines},
	{"threads", threads},
	{"brink", brink},
	{"forks", corner_forks},
	{"interrupted", corner_interrupted},
	{"opened", corner_opened},
	{"cancelled", corner_cancelled},
	{"defaults", corner_defaults},
	{"followed", corner_followed},
	{"overwritten", corner_overwritten},
	{"unshared", corner_unshared},
	{"loading", corner_loading},
	{"little", corner_little},
	{"unmapped", corner_unmapped},
	{"confined", confine_myself},
	{"confined_all", confine_all},
	{"strict", strict},
	{"elsewhere", elsewhere},
	{"daemon", as_daemon},
};

/* Without an argument: the list, but for what outlives us. */
int main(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof(corners) / sizeof(corners[0]); i++) {
		if (argc < 2) {
			if (corners[i].run != as_daemon)
				puts(corners[i].name);
		} else if (!strcmp(argv[1], corners[i].name)) {
			corner_work(10);
			corners[i].run();
			corner_work(10);
			return 0;
		}
	}
	return argc < 2 ? 0 : 2;
}
