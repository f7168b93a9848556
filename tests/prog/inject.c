// SPDX-License-Identifier: MIT
/*
 * Runs a program in which one system call fails, once.
 *
 *     inject CALL ERROR N COUNT [NAME=value...] PROGRAM [ARGUMENT...]
 *
 * The N-th CALL fails with ERROR, a number; with N 0 none does.  The dynamic
 * linker's calls are left alone and not counted.  How many there were is written
 * to the file COUNT.  The program is not traced: it sees nothing of us but the
 * error.
 */
#include <errno.h>
#include <inttypes.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Younger architectures have the younger calls only. */
#ifndef SYS_readlink
#define SYS_readlink SYS_readlinkat
#define SYS_mkdir SYS_mkdirat
#define SYS_unlink SYS_unlinkat
#endif

#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5) /* Linux 5.19 */
#endif

#define CALL(name)                                                                       \
	{                                                                                \
#name, SYS_##name                                                        \
	}
static const struct {
	const char *name;
	unsigned number;
} calls[] = {
	CALL(openat),       CALL(close),           CALL(read),
	CALL(pread64),      CALL(pwrite64),        CALL(fallocate),
	CALL(ftruncate),    CALL(newfstatat),      CALL(fstat),
	CALL(readlink),     CALL(mkdir),           CALL(unlink),
	CALL(mmap),         CALL(munmap),          CALL(mprotect),
	CALL(fcntl),        CALL(ioctl),           CALL(dup),
	CALL(getdents64),   CALL(perf_event_open), CALL(prlimit64),
	CALL(rt_sigaction), CALL(rt_sigprocmask),  CALL(timer_create),
	CALL(clone),        CALL(timer_settime),   CALL(timer_delete),
	CALL(uname),        CALL(getrandom),       CALL(sched_getaffinity),
	CALL(prctl),        CALL(gettid),
};
#define CALLS (sizeof(calls) / sizeof(calls[0]))

static void die(const char *what)
{
	fprintf(stderr, "inject: %s: %s\n", what, strerror(errno));
	exit(99);
}

/* The descriptor by which the parent hears of each such call. */
static int listen_to(unsigned number)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(filter) / sizeof(filter[0]), filter};
	long fd;

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	/* a signal must not make the kernel start a call anew: it would count twice */
	fd = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
		     SECCOMP_FILTER_FLAG_NEW_LISTENER |
			     SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV,
		     &program);
	if (fd < 0 && errno == EINVAL)
		fd = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
			     SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
	return (int)fd;
}

/* Is the instruction in the dynamic linker, or in us before the exec? */
static bool is_not_counted(pid_t pid, uint64_t ip)
{
	char path[32], line[512];
	bool found = false;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	maps = fopen(path, "r");
	while (maps && !found && fgets(line, sizeof(line), maps)) {
		uint64_t start, end;

		found = sscanf(line, "%" SCNx64 "-%" SCNx64, &start, &end) == 2 &&
			ip >= start && ip < end;
	}
	if (maps)
		fclose(maps);
	return !found || strstr(line, "/ld-linux") || strstr(line, "/inject");
}

/* Answers every call until nobody is left who could make one. */
static unsigned long answer(int fd, unsigned long fail, int error)
{
	struct pollfd listener = {.fd = fd, .events = POLLIN};
	unsigned long count = 0;

	while (poll(&listener, 1, -1) > 0 && !(listener.revents & POLLHUP)) {
		struct seccomp_notif call = {0};
		struct seccomp_notif_resp answer = {0};

		if (ioctl(fd, SECCOMP_IOCTL_NOTIF_RECV, &call))
			continue; /* it was killed meanwhile */
		answer.id = call.id;
		answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
		if (!is_not_counted((pid_t)call.pid, call.data.instruction_pointer) &&
		    ++count == fail) {
			answer.flags = 0;
			answer.error = -error;
		}
		ioctl(fd, SECCOMP_IOCTL_NOTIF_SEND, &answer);
	}
	return count;
}

static int run(unsigned number, char **command, int out)
{
	int fd = listen_to(number);

	if (fd < 0)
		die("seccomp");
	if (write(out, &fd, sizeof(fd)) != sizeof(fd))
		die("pipe");
	while (command[1] && strchr(command[0], '='))
		putenv(*command++);
	execvp(command[0], command); /* which leaves the parent's descriptors */
	die(command[0]);
	return 99;
}

int main(int argc, char **argv)
{
	size_t call = 0;
	int pipe_fd[2], fd, status;
	unsigned long count;
	pid_t child;
	FILE *file;

	while (argc > 5 && call < CALLS && strcmp(argv[1], calls[call].name))
		call++;
	if (argc < 6 || call == CALLS) {
		fprintf(stderr,
			"usage: inject CALL ERROR N COUNT PROGRAM [ARGUMENT...]\n");
		return 99;
	}
	if (pipe(pipe_fd))
		die("pipe");
	/* one table of descriptors for both, until the exec */
	child = (pid_t)syscall(SYS_clone, CLONE_FILES | SIGCHLD, NULL, NULL, NULL, 0);
	if (child < 0)
		die("clone");
	if (child == 0)
		return run(calls[call].number, argv + 5, pipe_fd[1]);
	if (read(pipe_fd[0], &fd, sizeof(fd)) != sizeof(fd))
		die("pipe");
	count = answer(fd, strtoul(argv[3], NULL, 10), atoi(argv[2]));
	if (waitpid(child, &status, 0) != child)
		die("waitpid");
	file = fopen(argv[4], "w");
	if (!file || fprintf(file, "%lu\n", count) < 0 || fclose(file))
		die(argv[4]);
	if (WIFSIGNALED(status)) {
		signal(WTERMSIG(status), SIG_DFL);
		raise(WTERMSIG(status));
	}
	return WEXITSTATUS(status);
}
