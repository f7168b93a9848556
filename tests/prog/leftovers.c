// SPDX-License-Identifier: MIT
/*
 * What threads leave behind: how many descriptors are open and how many perf
 * mappings there are after eight threads, and after 320 more.
 *
 *     leftovers [fork]
 *
 * fork: what processes leave to their children, in this one, its child and the child of
 * that.
 */
#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/prog/spin.h"

#define GENERATIONS 4

static void *work(void *unused)
{
	spin_ms(1);
	return unused;
}

static int eight_threads(void)
{
	pthread_t threads[8];

	for (int i = 0; i < 8; i++)
		if (pthread_create(&threads[i], NULL, work, NULL))
			return 1;
	for (int i = 0; i < 8; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

static int descriptors(void)
{
	DIR *directory = opendir("/proc/self/fd");
	int n = 0;

	while (directory && readdir(directory))
		n++;
	if (directory)
		closedir(directory);
	return n;
}

static int mappings(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[512];
	int n = 0;

	while (maps && fgets(line, sizeof(line), maps))
		n += strstr(line, "perf_event") != NULL;
	if (maps)
		fclose(maps);
	return n;
}

static void print(void)
{
	printf("{\"descriptors\": %d, \"mappings\": %d}\n", descriptors(), mappings());
	fflush(stdout);
}

static int generations(void)
{
	int status = 0;

	for (int i = 0; i < GENERATIONS; i++) {
		spin_ms(1);
		print();
		if (i + 1 < GENERATIONS && fork())
			return wait(&status) < 0 || status != 0;
	}
	return 0;
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "fork"))
		return generations();
	for (int round = 0; round <= 40; round++) {
		if (eight_threads())
			return 1;
		if (round == 0 || round == 40)
			print();
	}
	return 0;
}
