// SPDX-License-Identifier: MIT
#include "tools/library.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LIBRARY "libtdagent.so"

/* The directory of this command, or "" when /proc does not tell. */
static void own_directory(char *directory, size_t size)
{
	ssize_t length = readlink("/proc/self/exe", directory, size - 1);
	char *slash;

	directory[length < 0 ? 0 : length] = '\0';
	slash = strrchr(directory, '/');
	if (slash)
		*slash = '\0';
}

static int usable(const char *candidate, char *path, size_t size)
{
	char *resolved = realpath(candidate, NULL);
	int error = -ENOENT;

	if (resolved && !access(resolved, R_OK) && strlen(resolved) < size) {
		strcpy(path, resolved);
		error = 0;
	}
	free(resolved);
	return error;
}

int td_library_find(char *path, size_t size, char *why, size_t why_size)
{
	static const char *const near[] = {"/../agent/.libs/" LIBRARY,
					   "/../lib/" LIBRARY};
	char directory[PATH_MAX];
	char candidate[PATH_MAX + sizeof("/../agent/.libs/" LIBRARY)];
	int error = -ENOENT;

	own_directory(directory, sizeof(directory));
	for (size_t i = 0; error && i < sizeof(near) / sizeof(near[0]); i++) {
		snprintf(candidate, sizeof(candidate), "%s%s", directory, near[i]);
		error = usable(candidate, path, size);
	}
	if (error)
		error = usable(TD_LIBDIR "/" LIBRARY, path, size);
	if (error) {
		snprintf(why, why_size,
			 LIBRARY
			 " is neither in %s/../lib nor in " TD_LIBDIR
			 "; run `make install`, or tools/tdagent of the build tree",
			 directory);
		return error;
	}
	if (!path[strcspn(path, ": \t\n")])
		return 0;
	snprintf(why, why_size,
		 "LD_PRELOAD cannot hold '%s'; install it where no blank or colon is in "
		 "the path",
		 path);
	return -EINVAL;
}
