// SPDX-License-Identifier: MIT
#include "tests/prog/notify.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5) /* Linux 5.19 */
#endif

void notify_die(const char *what)
{
	fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what,
		strerror(errno));
	exit(99);
}

/* The descriptor by which the parent hears of each such call. */
static int listen_to(struct sock_filter *filter, unsigned short length)
{
	struct sock_fprog program = {length, filter};
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

static void run(int fd, char **command, int out)
{
	if (fd < 0)
		notify_die("seccomp");
	if (write(out, &fd, sizeof(fd)) != sizeof(fd))
		notify_die("pipe");
	while (command[1] && strchr(command[0], '='))
		putenv(*command++);
	execvp(command[0], command); /* which leaves the parent's descriptors */
	notify_die(command[0]);
}

/* Every call, until nobody is left who could make one. */
static void answer_all(int fd, notify_fn *answer_one, void *context)
{
	struct pollfd listener = {.fd = fd, .events = POLLIN};

	while (poll(&listener, 1, -1) > 0 && !(listener.revents & POLLHUP)) {
		struct seccomp_notif call = {0};
		struct seccomp_notif_resp answer = {0};

		if (ioctl(fd, SECCOMP_IOCTL_NOTIF_RECV, &call))
			continue; /* it was killed meanwhile */
		answer.id = call.id;
		answer_one(context, fd, &call, &answer);
		ioctl(fd, SECCOMP_IOCTL_NOTIF_SEND, &answer);
	}
}

int notify_run(struct sock_filter *filter, unsigned short length, char **command,
	       notify_fn *answer, void *context)
{
	int pipe_fd[2], fd, status;
	pid_t child;

	if (pipe(pipe_fd))
		notify_die("pipe");
	/* one table of descriptors for both, until the exec */
	child = (pid_t)syscall(SYS_clone, CLONE_FILES | SIGCHLD, NULL, NULL, NULL, 0);
	if (child < 0)
		notify_die("clone");
	if (child == 0)
		run(listen_to(filter, length), command, pipe_fd[1]);
	if (read(pipe_fd[0], &fd, sizeof(fd)) != sizeof(fd))
		notify_die("pipe");
	answer_all(fd, answer, context);
	if (waitpid(child, &status, 0) != child)
		notify_die("waitpid");
	return status;
}

int notify_end(int status)
{
	if (WIFSIGNALED(status)) {
		signal(WTERMSIG(status), SIG_DFL);
		raise(WTERMSIG(status));
	}
	return WEXITSTATUS(status);
}
