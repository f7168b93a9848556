// SPDX-License-Identifier: MIT
#include "tools/live.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decoder/format.h"

/* 1 when the file is a profile, and of this process. */
static int is_of(const char *path, pid_t pid)
{
	struct td_file_header header;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
	ssize_t got = fd < 0 ? -1 : pread(fd, &header, sizeof(header), 0);

	if (fd >= 0)
		close(fd);
	return got >= (ssize_t)TD_HEADER_OLDEST &&
	       memcmp(header.magic, TD_FILE_MAGIC, sizeof(header.magic)) == 0 &&
	       header.pid == (uint32_t)pid;
}

/* The file's name of a line of maps: what begins with the first slash; NULL: none. */
static char *name_in(char *line)
{
	char *name = strchr(line, '/');

	if (name)
		name[strcspn(name, "\n")] = '\0';
	return name;
}

/* 0, -ENOENT without a profile, or another -errno. */
static int find_mapped(pid_t pid, char *path)
{
	char maps[64], *line = NULL;
	size_t size = 0;
	int err = -ENOENT;
	FILE *file;

	snprintf(maps, sizeof(maps), "/proc/%d/maps", (int)pid);
	file = fopen(maps, "re");
	if (!file)
		return errno == ENOENT ? -ESRCH : -errno;
	errno = 0;
	while (err && getline(&line, &size, file) > 0) {
		const char *name = name_in(line);

		/* the agent updates it in place: shared and writable */
		if (!strstr(line, " rw-s "))
			continue;
		if (!name || strlen(name) >= TD_LIVE_PATH || !is_of(name, pid))
			continue;
		strcpy(path, name);
		err = 0;
	}
	if (err && ferror(file))
		err = errno ? -errno : -EIO;
	free(line);
	fclose(file);
	return err;
}

static int find_in_children(pid_t pid, char *path)
{
	char name[64];
	FILE *file;
	int child, err = -ENOENT;

	snprintf(name, sizeof(name), "/proc/%d/task/%d/children", (int)pid, (int)pid);
	file = fopen(name, "re");
	while (file && err && fscanf(file, "%d", &child) == 1)
		err = find_mapped(child, path);
	if (file)
		fclose(file);
	return err;
}

int td_live_find(pid_t pid, char *path, char *why, size_t size)
{
	int err = find_mapped(pid, path);

	if (err == -ENOENT && find_in_children(pid, path) == 0)
		err = 0;
	if (err == -ENOENT)
		snprintf(why, size,
			 "process %d has no profile: it was not started with "
			 "libtdagent.so, or has taken no sample yet",
			 (int)pid);
	else if (err)
		snprintf(why, size, "process %d: %s", (int)pid, strerror(-err));
	return err;
}
