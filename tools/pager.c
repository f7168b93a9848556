// SPDX-License-Identifier: MIT
#include "tools/pager.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *command(void)
{
	const char *pager = getenv("TDAGENT_PAGER");

	if (!pager)
		pager = getenv("PAGER");
	if (!pager)
		pager = "less";
	return *pager && strcmp(pager, "cat") ? pager : NULL;
}

/* The defaults are git's: quit if it fits the screen, colours, no clearing. */
__attribute__((noreturn)) static void run(const char *pager, const int ends[2])
{
	dup2(ends[0], STDIN_FILENO);
	close(ends[0]);
	close(ends[1]);
	setenv("LESS", "FRX", 0);
	setenv("LV", "-c", 0);
	execl("/bin/sh", "sh", "-c", pager, (char *)NULL);
	_exit(127);
}

/* A pager that is not there must not swallow the report. */
static int exists(const char *pager)
{
	char *line = NULL;
	int found;

	if (strpbrk(pager, " \t|&;<>()$`\\\"'*?[#~=%"))
		return 1; /* the shell's to find */
	if (asprintf(&line, "command -v %s >/dev/null 2>&1", pager) < 0)
		return 0;
	found = system(line) == 0;
	free(line);
	return found;
}

int td_pager_is_there(void)
{
	return isatty(STDOUT_FILENO) && command() && exists(command());
}

pid_t td_pager_start(void)
{
	int ends[2];
	pid_t pid;

	if (!td_pager_is_there() || pipe2(ends, O_CLOEXEC) < 0)
		return 0;
	fflush(stdout);
	pid = fork();
	if (pid == 0)
		run(command(), ends);
	if (pid > 0) {
		dup2(ends[1], STDOUT_FILENO);
		/* who leaves the pager early has seen enough: no error */
		signal(SIGPIPE, SIG_IGN);
		signal(SIGINT, SIG_IGN);
	}
	close(ends[0]);
	close(ends[1]);
	return pid > 0 ? pid : 0;
}

void td_pager_end(pid_t pager)
{
	if (!pager)
		return;
	fflush(stdout);
	clearerr(stdout);
	close(STDOUT_FILENO);
	/* whatever is still written has a place to go to */
	if (open("/dev/null", O_WRONLY | O_CLOEXEC) < 0)
		errno = 0;
	while (waitpid(pager, NULL, 0) < 0 && errno == EINTR)
		;
}
