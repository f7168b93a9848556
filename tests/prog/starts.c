// SPDX-License-Identifier: MIT
/*
 * What a process or a thread costs that does nothing:
 *
 *     starts fork|thread N
 *
 * starts N of them, one after the other, and prints how long one takes, in
 * microseconds: CPU time of all processes together, and wall time.
 *
 *     starts leave N
 *
 * starts N threads and ends while they begin and end.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double cpu_of(int who)
{
	struct rusage usage;

	getrusage(who, &usage);
	return 1e6 * (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
	       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static double cpu_us(void)
{
	return cpu_of(RUSAGE_SELF) + cpu_of(RUSAGE_CHILDREN);
}

static double wall_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return 1e6 * (double)now.tv_sec + 1e-3 * (double)now.tv_nsec;
}

static void *nothing(void *unused)
{
	return unused;
}

static bool start_thread(void)
{
	pthread_t thread;

	return pthread_create(&thread, NULL, nothing, NULL) == 0 &&
	       pthread_join(thread, NULL) == 0;
}

static int leave(long n)
{
	pthread_t thread;

	for (long i = 0; i < n; i++)
		if (pthread_create(&thread, NULL, nothing, NULL) != 0)
			return 1;
	return 0;
}

static bool start_process(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	return pid > 0 && waitpid(pid, NULL, 0) == pid;
}

int main(int argc, char **argv)
{
	long n = argc == 3 ? atol(argv[2]) : 0;
	bool (*start)(void) = start_process;
	double cpu, wall;

	if (n <= 0)
		return 2;
	if (!strcmp(argv[1], "leave"))
		return leave(n);
	if (!strcmp(argv[1], "thread"))
		start = start_thread;
	cpu = cpu_us();
	wall = wall_us();
	for (long i = 0; i < n; i++)
		if (!start())
			return 1;
	printf("%.1f %.1f\n", (cpu_us() - cpu) / (double)n,
	       (wall_us() - wall) / (double)n);
	return 0;
}
