// SPDX-License-Identifier: MIT
/*
 * Children whose profile has no file yet when something happens to them:
 *
 *     later nothing              ends at once
 *     later exec PROGRAM...      runs another program at once
 *     later work                 works
 *     later killed               works and is killed
 *     later thread               works in another thread only
 *     later user                 becomes nobody, then works
 *     later root DIRECTORY       makes DIRECTORY its root, then works
 *     later taken PREFIX         first makes a file of its own, PREFIX and its pid;
 *                                ends with 3 if somebody was faster
 *     later briefly              works a little, and nothing is printed
 *
 * The parent prints the child's pid and how it ended.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/prog/spin.h"

#define NOBODY 65534

static SPIN_NOINLINE int brief_work(void)
{
	spin_ms(4);
	return 0;
}

static SPIN_NOINLINE int child_work(void)
{
	spin_ms(100);
	return 0;
}

static SPIN_NOINLINE void *thread_work(void *unused)
{
	spin_ms(100);
	return unused;
}

static int work_in_thread(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, thread_work, NULL) != 0)
		return 2;
	return pthread_join(thread, NULL) == 0 ? 0 : 2;
}

static int take(const char *prefix)
{
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s%d", prefix, (int)getpid());
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0644);
	if (fd < 0 && errno == EEXIST)
		return 3;
	if (fd < 0 || write(fd, "the program's own\n", 18) != 18)
		return 2;
	close(fd);
	return child_work();
}

static int be_child(const char *what, char **arguments)
{
	if (!strcmp(what, "nothing"))
		return 0;
	if (!strcmp(what, "briefly"))
		return brief_work();
	if (!strcmp(what, "exec")) {
		execv(arguments[0], arguments);
		return 2;
	}
	if (!strcmp(what, "thread"))
		return work_in_thread();
	if (!strcmp(what, "user") && setuid(NOBODY) != 0)
		return 2;
	if (!strcmp(what, "root") && (chroot(arguments[0]) != 0 || chdir("/") != 0))
		return 2;
	if (!strcmp(what, "taken"))
		return take(arguments[0]);
	child_work();
	if (!strcmp(what, "killed"))
		raise(SIGKILL);
	return 0;
}

int main(int argc, char **argv)
{
	pid_t pid;
	int status;

	if (argc < 2)
		return 2;
	pid = fork();
	if (pid == 0)
		_exit(be_child(argv[1], argv + 2));
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return 2;
	if (strcmp(argv[1], "briefly") != 0)
		printf("%d %d\n", (int)pid,
		       WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status));
	return 0;
}
