// SPDX-License-Identifier: MIT
#include "decoder/directory.h"

#include <errno.h>
#include <stdio.h>

int td_directory_path(const char *parent, uid_t user, char *path, size_t size)
{
	int length = snprintf(path, size, "%s/tdagent-%u",
			      parent && *parent ? parent : "/tmp", (unsigned)user);

	return length < 0 || (size_t)length >= size ? -ENAMETOOLONG : 0;
}

const char *td_directory_fault(const struct stat *stat, uid_t user)
{
	if (S_ISLNK(stat->st_mode))
		return "is a symbolic link";
	if (!S_ISDIR(stat->st_mode))
		return "is not a directory";
	if (stat->st_uid != user)
		return "belongs to somebody else";
	if (stat->st_mode & 077)
		return "is open to others (chmod 700 closes it)";
	return NULL;
}
