// SPDX-License-Identifier: MIT
#include "decoder/jit_names.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* 1: it is a dump of this process, and read; else 0 or -ENOMEM. */
static int read_dump(struct td_jit_names *names, const struct td_profile *profile,
		     const char *file)
{
	int fd = td_perf_map_open(file, profile->header.start_realtime_ns);
	FILE *in;
	int err;

	if (fd < 0)
		return 0;
	in = fdopen(fd, "r");
	if (!in) {
		close(fd);
		return -ENOMEM;
	}
	err = td_jitdump_read(&names->dump, in, profile->header.pid);
	fclose(in);
	return err == -EINVAL ? 0 : err < 0 ? err : 1;
}

/* `length` bytes of directory. */
static int read_dump_in(struct td_jit_names *names, const struct td_profile *profile,
			const char *directory, size_t length)
{
	char file[PATH_MAX];
	int wanted = snprintf(file, sizeof(file), "%.*s/jit-%u.dump", (int)length,
			      directory, profile->header.pid);

	if (wanted < 0 || (size_t)wanted >= sizeof(file))
		return 0;
	return read_dump(names, profile, file);
}

static int find_dump(struct td_jit_names *names, const struct td_profile *profile,
		     const char *path, const char *asked)
{
	const char *slash = strrchr(path, '/');
	struct stat st;
	int found = 0;

	if (asked)
		return stat(asked, &st) == 0 && S_ISDIR(st.st_mode)
			       ? read_dump_in(names, profile, asked, strlen(asked))
			       : read_dump(names, profile, asked);
	if (slash)
		found = read_dump_in(names, profile, path, (size_t)(slash - path));
	if (!found)
		found = read_dump_in(names, profile, ".", 1);
	if (!found)
		found = read_dump_in(names, profile, "/tmp", 4);
	return found;
}

static int has_jit(const struct td_profile *profile)
{
	for (size_t i = 0; i < profile->places; i++)
		if (profile->place[i].place->kind == TD_PLACE_JIT)
			return 1;
	return 0;
}

/* The profile's time, in which code was measured. */
static void find_times(struct td_jit_names *names, const struct td_profile *profile)
{
	names->from_ns = profile->header.start_ns;
	names->until_ns = profile->header.end_ns;
	for (size_t i = 0; i < profile->threads && !profile->header.end_ns; i++)
		if (profile->thread[i]->last_ns > names->until_ns)
			names->until_ns = profile->thread[i]->last_ns;
}

int td_jit_names_read(struct td_jit_names *names, const struct td_profile *profile,
		      const char *path, const char *asked)
{
	const struct td_file_header *header = &profile->header;
	char host[sizeof(header->host)] = "";
	int found;

	memset(names, 0, sizeof(*names));
	gethostname(host, sizeof(host) - 1);
	if ((header->host[0] && strcmp(host, header->host) != 0) || !has_jit(profile))
		return 0;
	find_times(names, profile);
	found = find_dump(names, profile, path, asked);
	if (found < 0)
		return found;
	return td_perf_map_read(&names->map, header->pid, header->start_realtime_ns);
}

const char *td_jit_names_find(const struct td_jit_names *names, uint64_t start,
			      uint64_t size)
{
	const char *name = td_jitdump_find(&names->dump, start, size, names->from_ns,
					   names->until_ns);

	return name ? name : td_perf_map_find(&names->map, start, size);
}

void td_jit_names_free(struct td_jit_names *names)
{
	td_jitdump_free(&names->dump);
	td_perf_map_free(&names->map);
}
