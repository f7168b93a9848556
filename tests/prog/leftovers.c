// SPDX-License-Identifier: MIT
/*
 * What threads leave behind: how many descriptors are open and how many perf
 * mappings there are after eight threads, and after 320 more.
 */
#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "tests/prog/spin.h"

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

int main(void)
{
	for (int round = 0; round <= 40; round++) {
		if (eight_threads())
			return 1;
		if (round == 0 || round == 40)
			printf("{\"descriptors\": %d, \"mappings\": %d}\n", descriptors(),
			       mappings());
	}
	return 0;
}
