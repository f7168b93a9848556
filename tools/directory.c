// SPDX-License-Identifier: MIT
#include "tools/directory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What makes the directory not ours alone, or NULL. */
static const char *fault(const struct stat *stat)
{
	if (S_ISLNK(stat->st_mode))
		return "is a symbolic link";
	if (!S_ISDIR(stat->st_mode))
		return "is not a directory";
	if (stat->st_uid != geteuid())
		return "belongs to somebody else";
	if (stat->st_mode & 077)
		return "is open to others (chmod 700 closes it)";
	return NULL;
}

static int path_private(char *path, size_t size)
{
	const char *parent = getenv("TMPDIR");
	char *absolute;
	int length;

	if (!parent || !*parent)
		parent = "/tmp";
	absolute = realpath(parent, NULL);
	length = snprintf(path, size, "%s/tdagent-%u", absolute ? absolute : parent,
			  (unsigned)geteuid());
	free(absolute);
	return length < 0 || (size_t)length >= size ? -ENAMETOOLONG : 0;
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
	wrong = fault(&stat);
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
