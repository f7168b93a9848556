// SPDX-License-Identifier: MIT
#include "tools/found.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "decoder/format.h"

/* A profile of the time asked for: `header` is filled. */
static bool header_read(int directory, const char *name, uint64_t since,
			struct td_file_header *header)
{
	int fd = openat(directory, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
	struct stat stat;
	bool good;

	if (fd < 0)
		return false;
	good = !fstat(fd, &stat) && S_ISREG(stat.st_mode) &&
	       (uint64_t)stat.st_mtime >= since / 1000000000 &&
	       pread(fd, header, sizeof(*header), 0) >= (ssize_t)TD_HEADER_OLDEST &&
	       !memcmp(header->magic, TD_FILE_MAGIC, sizeof(header->magic)) &&
	       header->start_realtime_ns >= since;
	close(fd);
	return good;
}

static int add(struct td_found *found, const char *directory, const char *name,
	       const struct td_file_header *header)
{
	struct td_found_profile *profiles =
		reallocarray(found->profiles, found->count + 1, sizeof(*profiles));
	char *path;

	if (!profiles)
		return -ENOMEM;
	found->profiles = profiles;
	if (asprintf(&path, "%s/%s", directory, name) < 0)
		return -ENOMEM;
	profiles[found->count++] = (struct td_found_profile){
		.path = path,
		.pid = header->pid,
		.start = header->start_realtime_ns,
	};
	return 0;
}

static int compare_start(const void *a, const void *b)
{
	uint64_t first = ((const struct td_found_profile *)a)->start;
	uint64_t second = ((const struct td_found_profile *)b)->start;

	return (first > second) - (first < second);
}

int td_found_list(const char *directory, uint64_t since, struct td_found *found)
{
	DIR *stream = opendir(directory);
	struct td_file_header header;
	struct dirent *entry;
	int error = 0;

	*found = (struct td_found){0};
	if (!stream)
		return -errno;
	while (!error && (entry = readdir(stream)))
		if (header_read(dirfd(stream), entry->d_name, since, &header))
			error = add(found, directory, entry->d_name, &header);
	closedir(stream);
	if (error)
		td_found_release(found);
	else if (found->count)
		qsort(found->profiles, found->count, sizeof(*found->profiles),
		      compare_start);
	return error;
}

void td_found_release(struct td_found *found)
{
	for (size_t i = 0; i < found->count; i++)
		free(found->profiles[i].path);
	free(found->profiles);
	*found = (struct td_found){0};
}
