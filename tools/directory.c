// SPDX-License-Identifier: MIT
#include "tools/directory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "decoder/directory.h"

static int path_private(char *path, size_t size)
{
	const char *parent = getenv("TMPDIR");
	char *absolute = parent && *parent ? realpath(parent, NULL) : NULL;
	int error =
		td_directory_path(absolute ? absolute : parent, geteuid(), path, size);

	free(absolute);
	return error;
}

static int refuse_errno(const char *path, char *why, size_t size)
{
	int error = errno;

	snprintf(why, size, "%s: %s; set TMPDIR, or give --output=FILE", path,
		 strerror(error));
	return -error;
}

int td_directory_private(char *path, size_t size, char *why, size_t why_size)
{
	struct stat stat;
	const char *wrong;

	if (path_private(path, size)) {
		snprintf(why, why_size, "TMPDIR: the path is too long");
		return -ENAMETOOLONG;
	}
	if (mkdir(path, 0700) && errno != EEXIST)
		return refuse_errno(path, why, why_size);
	if (lstat(path, &stat))
		return refuse_errno(path, why, why_size);
	wrong = td_directory_fault(&stat, geteuid());
	if (!wrong)
		return 0;
	snprintf(why, why_size, "%s: %s; remove it, set TMPDIR, or give --output=FILE",
		 path, wrong);
	return -EPERM;
}

int td_directory_fresh(const char *name, char *path, size_t size, char *why,
		       size_t why_size)
{
	const char *slash = strrchr(name, '/');
	int error = td_directory_private(path, size, why, why_size);
	size_t used;

	if (error)
		return error;
	used = strlen(path);
	snprintf(path + used, size - used, "/%.64s-XXXXXX", slash ? slash + 1 : name);
	if (!mkdtemp(path))
		return refuse_errno(path, why, why_size);
	return 0;
}
