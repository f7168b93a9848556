// SPDX-License-Identifier: MIT
/*
 * What servers do to what others may see of them, before a shell command of theirs:
 *
 *     titled title COMMAND      writes a title over the arguments and the environment
 *     titled user COMMAND       becomes nobody
 *     titled supervisor COMMAND handles all signals (not SIGXCPU), and becomes nobody
 *     titled shell COMMAND      handles all signals (not SIGSTKFLT), and becomes nobody
 *
 * Ends with the command's status.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOBODY 65534

/* One behind the strings that the kernel has put in one piece. */
static char *end_of(char **strings, char *end)
{
	for (; *strings; strings++)
		if (*strings == end)
			end += strlen(end) + 1;
	return end;
}

static int give_title(char **argv)
{
	char *end = end_of(environ, end_of(argv, argv[0]));

	for (char **entry = environ; *entry; entry++)
		if (!(*entry = strdup(*entry)))
			return 1;
	memset(argv[0], 0, (size_t)(end - argv[0]));
	strcpy(argv[0], "titled: ready");
	return 0;
}

static void ignore(int number)
{
	(void)number;
}

static void handle_all(int but)
{
	for (int number = 1; number < NSIG; number++)
		if (number != SIGCHLD && number != but)
			signal(number, ignore);
}

static int become_nobody(void)
{
	return setgid(NOBODY) != 0 || setuid(NOBODY) != 0;
}

int main(int argc, char **argv)
{
	char *command = argc == 3 ? strdup(argv[2]) : NULL;
	int status;
	pid_t pid;

	if (!command)
		return 2;
	if (!strcmp(argv[1], "supervisor"))
		handle_all(SIGXCPU);
	if (!strcmp(argv[1], "shell"))
		handle_all(SIGSTKFLT);
	if (!strcmp(argv[1], "title") ? give_title(argv) : become_nobody())
		return 2;
	pid = fork();
	if (pid == 0) {
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(2);
	}
	free(command);
	if (waitpid(pid, &status, 0) != pid)
		return 2;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 2;
}
