// SPDX-License-Identifier: MIT
/*
 * Children that share something with their parent, or are made by more than fork(), in
 * the way that the argument names; prints how they ended and what is left of the
 * parent's own signals, masks, memory and descriptors.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/prog/spin.h"

static char *self;
static volatile sig_atomic_t seen[65];
static atomic_int turns;

static SPIN_NOINLINE void family_work(int ms)
{
	spin_ms((uint64_t)ms);
}

static void count(int number)
{
	seen[number]++;
}

static void print_end(const char *what, pid_t pid)
{
	int status = 0;

	if (pid < 0 || waitpid(pid, &status, __WALL) != pid)
		printf("%s: %s\n", what, strerror(errno));
	else if (WIFSIGNALED(status))
		printf("%s: signal %d\n", what, WTERMSIG(status));
	else
		printf("%s: exit %d\n", what, WEXITSTATUS(status));
	fflush(stdout);
}

/* The signals that a profiler likes, as this process has them. */
static void print_own(void)
{
	static const int numbers[] = {SIGTRAP, SIGPROF};
	struct sigaction action;
	sigset_t mask;

	pthread_sigmask(SIG_BLOCK, NULL, &mask);
	for (int i = 0; i < 2; i++) {
		sigaction(numbers[i], NULL, &action);
		printf("signal %d: %s, %s\n", numbers[i],
		       action.sa_handler == count     ? "handled"
		       : action.sa_handler == SIG_IGN ? "ignored"
		       : action.sa_handler == SIG_DFL ? "default"
						      : "OTHER",
		       sigismember(&mask, numbers[i]) ? "blocked" : "let through");
	}
	fflush(stdout);
}

static void act(sighandler_t handler)
{
	signal(SIGTRAP, handler);
	signal(SIGPROF, handler);
}

/* Between vfork() and exec, what launchers do: actions and masks back to their
 * defaults, descriptors away.  `how`: exec, with signals ignored, a failed one, or
 * _exit(); 0 for exec and nothing else. */
static pid_t vfork_and(char how)
{
	sigset_t none;
	pid_t pid;

	sigemptyset(&none);
	pid = vfork();
	if (pid)
		return pid;
	if (how) {
		act(how == 'i' ? SIG_IGN : SIG_DFL);
		sigprocmask(SIG_SETMASK, &none, NULL);
		close_range(3, ~0u, 0);
	}
	if (how == '_')
		_exit(5);
	execl(how == 'f' ? "/nonexistent/program" : self, self, "own", (char *)NULL);
	_exit(6);
}

static void vforks(void)
{
	static const sighandler_t before[] = {count, SIG_DFL, SIG_IGN};

	for (int i = 0; i < 3; i++) {
		act(before[i]);
		print_end("vfork, exec", vfork_and('e'));
		print_end("vfork, ignore, exec", vfork_and('i'));
		print_end("vfork, exec of nothing", vfork_and('f'));
		print_end("vfork, _exit", vfork_and('_'));
		print_end("vfork, only exec", vfork_and(0));
		print_own();
		family_work(5);
	}
	act(count);
	raise(SIGTRAP);
	raise(SIGPROF);
	printf("seen %d and %d\n", (int)seen[SIGTRAP], (int)seen[SIGPROF]);
}

static void *vfork_where_blocked(void *unused)
{
	print_own();
	print_end("vfork, exec", vfork_and('e'));
	print_own();
	print_end("vfork, only exec", vfork_and(0));
	print_own();
	family_work(10);
	return unused;
}

/* The same in a thread that has begun with everything blocked. */
static void vforks_blocked(void)
{
	pthread_t thread;
	sigset_t all, old;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	if (pthread_create(&thread, NULL, vfork_where_blocked, NULL))
		exit(3);
	pthread_join(thread, NULL);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

static pid_t spawn(short flags, const sigset_t *defaults, const sigset_t *mask)
{
	char *const arguments[] = {self, "own", NULL};
	posix_spawnattr_t attributes;
	pid_t pid = -1;

	posix_spawnattr_init(&attributes);
	posix_spawnattr_setflags(&attributes, flags);
	posix_spawnattr_setsigdefault(&attributes, defaults);
	posix_spawnattr_setsigmask(&attributes, mask);
	if (posix_spawn(&pid, self, NULL, &attributes, arguments, environ))
		pid = -1;
	posix_spawnattr_destroy(&attributes);
	return pid;
}

static void spawns(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTRAP);
	sigaddset(&set, SIGPROF);
	act(count);
	print_end("posix_spawn", spawn(0, &set, &set));
	print_end("posix_spawn, mask", spawn(POSIX_SPAWN_SETSIGMASK, &set, &set));
	print_end("posix_spawn, default", spawn(POSIX_SPAWN_SETSIGDEF, &set, &set));
	print_own();
	fflush(stdout);
	printf("system: %#x\n", (unsigned)system("exit 4"));
}

static int share_memory(void *argument)
{
	int *value = argument;

	for (int i = 0; i < 20; i++) {
		spin_chunk();
		atomic_fetch_add(&turns, 1);
	}
	*value += 1;
	_exit(7);
}

static int share_and_return(void *argument)
{
	return *(int *)argument + 7;
}

/* A process that has our memory but is none of our threads, while we work on. */
static void clone_with(const char *what, int flags, int (*child)(void *))
{
	size_t size = 65536;
	char *stack = malloc(size);
	int value = 1;
	pid_t pid = clone(child, stack + size, flags | SIGCHLD, &value);

	family_work(5);
	print_end(what, pid);
	printf("value %d\n", value);
	free(stack);
}

static void clones(void)
{
	clone_with("clone", 0, share_memory);
	clone_with("clone, returning", 0, share_and_return);
	for (int i = 0; i < 4; i++) {
		clone_with("memory", CLONE_VM, share_memory);
		clone_with("memory, returning", CLONE_VM, share_and_return);
		clone_with("memory and files", CLONE_VM | CLONE_FILES | CLONE_FS,
			   share_memory);
		clone_with("memory, files and actions",
			   CLONE_VM | CLONE_FILES | CLONE_FS | CLONE_SIGHAND,
			   share_memory);
		clone_with("memory, vfork", CLONE_VM | CLONE_VFORK, share_memory);
	}
	printf("turns %d\n", atomic_load(&turns));
}

/* A fork that takes longer than the profiler's period: a signal that interrupts it
 * again and again would keep it from ever ending. */
static void large(void)
{
	size_t size = (size_t)200 << 20;
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		exit(3);
	madvise(memory, size, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < size; i += 4096)
		memory[i] = 1;
	for (int i = 0; i < 4; i++) {
		pid_t pid;

		family_work(1);
		pid = i % 2 ? fork()
			    : (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
		if (pid == 0)
			_exit(memory[size - 4096] + i);
		print_end("of a large process", pid);
	}
}

static void say_result(const char *what, int result)
{
	printf("%s: %s\n", what, result == 0 ? "done" : strerror(errno));
}

/* Other namespaces and back: a process with a thread of somebody's could not. */
static void namespaces(void)
{
	int fd;

	say_result("unshare", unshare(CLONE_NEWUSER | CLONE_NEWNS));
	fd = open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC);
	say_result("unshare again", unshare(CLONE_NEWNS));
	family_work(10);
	say_result("setns", setns(fd, CLONE_NEWNS));
	say_result("setsid", setsid() == getpid() ? 0 : -1);
	family_work(10);
}

static void own(void)
{
	print_own();
	exit(8);
}

static const struct {
	const char *name;
	void (*run)(void);
} ways[] = {
	{"vforks", vforks}, {"vforks_blocked", vforks_blocked},
	{"spawns", spawns}, {"clones", clones},
	{"large", large},   {"namespaces", namespaces},
	{"own", own},
};

/* Without an argument: the list of the ways. */
int main(int argc, char **argv)
{
	self = argv[0];
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		if (argc < 2) {
			if (ways[i].run != own)
				puts(ways[i].name);
		} else if (!strcmp(argv[1], ways[i].name)) {
			if (ways[i].run != own)
				family_work(10);
			ways[i].run();
			return 0;
		}
	}
	return argc < 2 ? 0 : 2;
}
