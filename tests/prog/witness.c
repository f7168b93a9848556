// SPDX-License-Identifier: MIT
/*
 * Runs a command and writes how it ended, "exit 3" or "signal 9": a shell cannot
 * tell a signal from an exit status above 128.
 *
 *     witness FILE COMMAND [ARG...]
 *
 * Exits 0, or 99 where it cannot do its own work.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int status, failed;
	FILE *file;
	pid_t pid;

	if (argc < 3)
		return 99;
	pid = fork();
	if (pid < 0)
		return 99;
	if (pid == 0) {
		execvp(argv[2], argv + 2);
		perror(argv[2]);
		_exit(127);
	}
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return 99;
	file = fopen(argv[1], "w");
	if (!file)
		return 99;
	if (WIFSIGNALED(status))
		failed = fprintf(file, "signal %d\n", WTERMSIG(status)) < 0;
	else
		failed = fprintf(file, "exit %d\n", WEXITSTATUS(status)) < 0;
	failed |= fclose(file) != 0;
	return failed ? 99 : 0;
}
