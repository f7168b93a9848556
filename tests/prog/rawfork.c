// SPDX-License-Identifier: MIT
/*
 * Forks by the system call itself, so that no handler of pthread_atfork() runs: the
 * child has a copy of everything but what the kernel does not copy.  It blocks signals,
 * unloads a library, has a thread and ends by pthread_exit() or exit().  Prints how the
 * children ended.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/prog/spin.h"

static void *work(void *argument)
{
	spin_ms(3);
	return argument;
}

static void child(int round)
{
	pthread_t thread;
	sigset_t all;
	void *library = dlopen("libm.so.6", RTLD_NOW | RTLD_LOCAL);

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	if (library)
		dlclose(library);
	if (pthread_create(&thread, NULL, work, NULL) == 0)
		pthread_join(thread, NULL);
	spin_ms(3);
	if (round == 0)
		pthread_exit(NULL);
	exit(round);
}

int main(void)
{
	for (int round = 0; round < 3; round++) {
		int status = -1;
		pid_t pid;

		spin_ms(100);
		fflush(stdout);
		pid = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
		if (pid == 0)
			child(round);
		if (waitpid(pid, &status, 0) != pid)
			return 1;
		printf("child %d: status %#x\n", round, (unsigned)status);
	}
	spin_ms(300);
	return 0;
}
