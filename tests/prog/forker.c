// SPDX-License-Identifier: MIT
/*
 * A parent and two children, each in a function of its own (no two of them
 * alike, or the compiler makes them one); the children leave by _exit(3) and
 * exit(4).  --truth prints who is who.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/prog/spin.h"

static SPIN_NOINLINE void parent_work(void)
{
	spin_ms(300);
}

static SPIN_NOINLINE void quick_child_work(void)
{
	spin_ms(301);
}

static SPIN_NOINLINE void plain_child_work(void)
{
	spin_ms(302);
}

static void quick_child(void)
{
	quick_child_work();
	_exit(3);
}

static void plain_child(void)
{
	plain_child_work();
	exit(4);
}

static pid_t start(void (*child)(void))
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0)
		child();
	return pid;
}

static int exit_status(pid_t pid)
{
	int status;

	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

int main(int argc, char **argv)
{
	bool truth = argc > 1 && !strcmp(argv[1], "--truth");
	pid_t quick, plain;

	spin_ms(20);
	quick = start(quick_child);
	plain = start(plain_child);
	parent_work();
	printf("forker: quick %d, ", exit_status(quick));
	printf("plain %d\n", exit_status(plain));
	if (truth)
		printf("{\"parent_work\": %d, \"quick_child_work\": %d, "
		       "\"plain_child_work\": %d}\n",
		       getpid(), quick, plain);
	return 0;
}
