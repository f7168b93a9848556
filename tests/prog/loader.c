// SPDX-License-Identifier: MIT
/*
 * Loads each plugin that is named, runs and unloads it, one after the other.
 *
 *     loader [--truth|--deep] PLUGIN.so...
 *
 * --truth says where each of them was mapped, --deep binds them to themselves and
 * to what they need first (RTLD_DEEPBIND).
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static int run_plugin(const char *path, bool truth, int how)
{
	int (*run)(void);
	void *plugin = dlopen(path, RTLD_NOW | how);

	if (!plugin) {
		fprintf(stderr, "loader: %s\n", dlerror());
		return 1;
	}
	*(void **)&run = dlsym(plugin, "plugin_run");
	printf("plugin: %d\n", run ? run() : -1);
	if (truth)
		printf("{\"run\": %lu}\n", (unsigned long)run);
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
