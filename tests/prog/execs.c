// SPDX-License-Identifier: MIT
/*
 * Starts a program in each way that libc has:
 *
 *     execs PATH
 *
 * and prints how each one ended.  Its directory is the last in PATH, and the list forms
 * without an environment of their own come, too.
 */
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char *path, *name, *args[2];

static void by_execv(void)
{
	execv(path, args);
}

static void by_execve(void)
{
	execve(path, args, environ);
}

static void by_execvp(void)
{
	execvp(name, args);
}

static void by_execvpe(void)
{
	execvpe(name, args, environ);
}

static void by_execl(void)
{
	execl(path, path, (char *)NULL);
}

static void by_execlp(void)
{
	execlp(name, path, (char *)NULL);
}

static void by_execle(void)
{
	execle(path, path, (char *)NULL, environ);
}

static void by_fexecve(void)
{
	fexecve(open(path, O_RDONLY | O_CLOEXEC), args, environ);
}

static void by_execveat(void)
{
	char copy[PATH_MAX];

	strcpy(copy, path);
	execveat(open(dirname(copy), O_PATH | O_CLOEXEC), name, args, environ, 0);
}

static void by_descriptor(void)
{
	execveat(open(path, O_RDONLY | O_CLOEXEC), "", args, environ, AT_EMPTY_PATH);
}

static const struct {
	const char *name;
	void (*start)(void);
} ways[] = {
	{"execv", by_execv},       {"execve", by_execve},
	{"execvp", by_execvp},     {"execvpe", by_execvpe},
	{"execl", by_execl},       {"execlp", by_execlp},
	{"execle", by_execle},     {"fexecve", by_fexecve},
	{"execveat", by_execveat}, {"AT_EMPTY_PATH", by_descriptor},
};

static void end(const char *way, pid_t pid)
{
	int status = -1;

	waitpid(pid, &status, 0);
	printf("%s: %#x\n", way, (unsigned)status);
	fflush(stdout);
}

static void set_path(void)
{
	char list[2 * PATH_MAX], copy[PATH_MAX];

	strcpy(copy, path);
	snprintf(list, sizeof(list), "/nowhere:/dev:%s", dirname(copy));
	setenv("PATH", list, 1);
}

int main(int argc, char **argv)
{
	pid_t pid;

	if (argc != 2 || !strchr(argv[1], '/') || strlen(argv[1]) >= PATH_MAX)
		return 2;
	path = args[0] = argv[1];
	name = strrchr(path, '/') + 1;
	set_path();
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		pid = i % 2 ? fork() : vfork();
		if (pid == 0) {
			ways[i].start();
			_exit(127);
		}
		end(ways[i].name, pid);
	}
	if (posix_spawn(&pid, path, NULL, NULL, args, environ) == 0)
		end("posix_spawn", pid);
	if (posix_spawnp(&pid, name, NULL, NULL, args, environ) == 0)
		end("posix_spawnp", pid);
	return 0;
}
