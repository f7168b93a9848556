// SPDX-License-Identifier: MIT
#include "tools/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* Written before the handlers are there, read by them. */
static volatile pid_t child_pid;

static const int forwarded[] = {
	SIGINT,  SIGQUIT, SIGTERM, SIGHUP,  SIGUSR1,
	SIGUSR2, SIGALRM, SIGTSTP, SIGTTIN, SIGTTOU,
};
#define FORWARDED (sizeof(forwarded) / sizeof(forwarded[0]))

static struct sigaction before[FORWARDED];
static struct sigaction chld_before;
static sigset_t mask_before;

/* What the kernel sends (the terminal's keys) went to the whole group. */
static void forward(int signal, siginfo_t *info, void *context)
{
	int saved = errno;

	(void)context;
	if (info->si_code <= 0 && info->si_pid != child_pid)
		kill(child_pid, signal);
	errno = saved;
}

/* With SIGCHLD ignored the kernel would throw the exit status away. */
static void signals_block(void)
{
	struct sigaction deliver = {.sa_handler = SIG_DFL};
	sigset_t mask;

	sigaction(SIGCHLD, &deliver, &chld_before);
	sigemptyset(&mask);
	for (size_t i = 0; i < FORWARDED; i++)
		sigaddset(&mask, forwarded[i]);
	sigprocmask(SIG_BLOCK, &mask, &mask_before);
}

/* A signal that we were told to ignore (nohup) stays ignored, by both. */
static void signals_forward(void)
{
	struct sigaction action = {.sa_sigaction = forward,
				   .sa_flags = SA_SIGINFO | SA_RESTART};

	sigfillset(&action.sa_mask);
	for (size_t i = 0; i < FORWARDED; i++) {
		sigaction(forwarded[i], NULL, &before[i]);
		if (before[i].sa_handler != SIG_IGN)
			sigaction(forwarded[i], &action, NULL);
	}
	sigprocmask(SIG_SETMASK, &mask_before, NULL);
}

static void signals_restore(void)
{
	for (size_t i = 0; i < FORWARDED; i++)
		sigaction(forwarded[i], &before[i], NULL);
}

static void become(const char *path, char *const argv[], char *const settings[],
		   int report)
{
	int error;

	sigaction(SIGCHLD, &chld_before, NULL);
	sigprocmask(SIG_SETMASK, &mask_before, NULL);
	for (; *settings; settings++)
		putenv(*settings);
	execvp(path, argv);
	error = errno;
	while (write(report, &error, sizeof(error)) < 0 && errno == EINTR)
		;
	_exit(127);
}

/* 0 once exec has closed the pipe, or the errno that the child sent. */
static int exec_result(int fd)
{
	int error = 0;
	ssize_t length;

	do
		length = read(fd, &error, sizeof(error));
	while (length < 0 && errno == EINTR);
	return length == (ssize_t)sizeof(error) ? error : 0;
}

/* Until the parent has closed its end. */
static void wait_at(const int gate[2])
{
	char go;

	close(gate[1]);
	while (read(gate[0], &go, 1) < 0 && errno == EINTR)
		;
}

/* Returns what attach() says; a child that must not go on is gone then. */
static int attach_held(pid_t pid, int (*attach)(pid_t pid), const int gate[2])
{
	int error = attach ? attach(pid) : 0;

	if (error)
		kill(pid, SIGKILL);
	close(gate[0]);
	close(gate[1]);
	return error;
}

pid_t td_child_start_held(const char *path, char *const argv[], char *const settings[],
			  int (*attach)(pid_t pid))
{
	int pipe_fds[2], gate[2];
	pid_t pid;
	int error;

	if (pipe2(pipe_fds, O_CLOEXEC))
		return -errno;
	if (pipe2(gate, O_CLOEXEC)) {
		error = errno;
		close(pipe_fds[0]);
		close(pipe_fds[1]);
		return -error;
	}
	signals_block();
	pid = fork();
	if (!pid) {
		wait_at(gate);
		become(path, argv, settings, pipe_fds[1]);
	}
	error = pid < 0 ? errno : 0;
	close(pipe_fds[1]);
	child_pid = pid;
	if (pid > 0) {
		signals_forward();
		error = -attach_held(pid, attach, gate);
		if (!error)
			error = exec_result(pipe_fds[0]);
		if (error) {
			signals_restore();
			waitpid(pid, NULL, 0);
		}
	} else {
		close(gate[0]);
		close(gate[1]);
		sigprocmask(SIG_SETMASK, &mask_before, NULL);
	}
	close(pipe_fds[0]);
	return error ? -error : pid;
}

pid_t td_child_start(const char *path, char *const argv[], char *const settings[])
{
	return td_child_start_held(path, argv, settings, NULL);
}

void td_child_ended(void)
{
	signals_restore();
}

int td_child_wait(pid_t pid)
{
	int status;

	for (;;) {
		if (waitpid(pid, &status, WUNTRACED) < 0) {
			if (errno == EINTR)
				continue;
			status = 0;
			break;
		}
		if (!WIFSTOPPED(status))
			break;
		/*
		 * The shell looks at us.  Who continues us may have continued
		 * us alone, and a child that runs already does not mind.
		 */
		raise(SIGSTOP);
		kill(pid, SIGCONT);
	}
	signals_restore();
	return status;
}

void td_child_follow(int status)
{
	sigset_t mask;

	if (WIFEXITED(status))
		exit(WEXITSTATUS(status));
	/* the program's core is the one that matters */
	prctl(PR_SET_DUMPABLE, 0);
	signal(WTERMSIG(status), SIG_DFL);
	sigemptyset(&mask);
	sigaddset(&mask, WTERMSIG(status));
	sigprocmask(SIG_UNBLOCK, &mask, NULL);
	raise(WTERMSIG(status));
	exit(128 + WTERMSIG(status));
}
