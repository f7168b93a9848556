// SPDX-License-Identifier: MIT
/*
 * Loads each plugin that is named, runs and unloads it, one after the other.
 *
 *     loader [--truth|--deep] PLUGIN.so...
 *
 * --truth says where each of them was mapped and how many ns of CPU time it took, --deep
 * binds them to themselves and to what they need first (RTLD_DEEPBIND).
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static long cpu_time(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000 + t.tv_nsec;
}

static int run_plugin(const char *path, bool truth, int how)
{
	int (*run)(void);
	long begun;
	void *plugin = dlopen(path, RTLD_NOW | how);

	if (!plugin) {
		fprintf(stderr, "loader: %s\n", dlerror());
		return 1;
	}
	*(void **)&run = dlsym(plugin, "plugin_run");
	begun = cpu_time();
	printf("plugin: %d\n", run ? run() : -1);
	if (truth)
		printf("{\"run\": %lu, \"cpu\": %ld}\n", (unsigned long)run,
		       cpu_time() - begun);
	return dlclose(plugin);
}

int main(int argc, char **argv)
{
	bool truth = argc > 1 && !strcmp(argv[1], "--truth");
	bool deep = argc > 1 && !strcmp(argv[1], "--deep");
	int status = 0;

	for (int i = 1 + (truth || deep); i < argc; i++)
		status |= run_plugin(argv[i], truth, deep ? RTLD_DEEPBIND : 0);
	return status;
}
