// SPDX-License-Identifier: MIT
#include "agent/sigsafe/maps.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "agent/sigsafe/path.h"
#include "agent/sigsafe/syscall.h"

static const char *read_hex(const char *text, uint64_t *value)
{
	*value = 0;
	for (;; text++) {
		unsigned digit;

		if (*text >= '0' && *text <= '9')
			digit = (unsigned)(*text - '0');
		else if (*text >= 'a' && *text <= 'f')
			digit = (unsigned)(*text - 'a' + 10);
		else
			return text;
		*value = *value << 4 | digit;
	}
}

/* The sixth column, after perms, offset, device and inode. */
static const char *path_of(const char *line)
{
	for (int column = 0; column < 5; column++) {
		while (*line && *line != ' ')
			line++;
		while (*line == ' ')
			line++;
	}
	return *line ? line : "[anon]";
}

static bool same_path(const char *a, const char *b, size_t size)
{
	for (size_t i = 0; i + 1 < size; i++)
		if (a[i] != b[i] || !a[i])
			return a[i] == b[i];
	return true;
}

bool td_maps_line(const char *line, uint64_t ip, struct td_mapping *run)
{
	bool covered = ip >= run->range.start && ip < run->range.end;
	struct td_range range;
	const char *at = read_hex(line, &range.start);

	if (*at != '-')
		return covered;
	read_hex(at + 1, &range.end);
	if (range.start == run->range.end &&
	    same_path(run->path, path_of(line), sizeof(run->path))) {
		run->range.end = range.end;
		return false;
	}
	if (covered)
		return true;
	run->range = range;
	td_path_copy(run->path, path_of(line), sizeof(run->path));
	return false;
}

/* One line by itself. */
static bool line_covers(const char *line, uint64_t ip, struct td_mapping *run)
{
	const char *at = read_hex(line, &run->range.start);

	if (*at != '-')
		return false;
	read_hex(at + 1, &run->range.end);
	td_path_copy(run->path, path_of(line), sizeof(run->path));
	return ip >= run->range.start && ip < run->range.end;
}

/* Lines arrive in pieces: a reader keeps what belongs to the next one. */
struct reader {
	bool (*take)(const char *line, uint64_t ip, struct td_mapping *run);
	char line[512];
	size_t used;
};

/* Feeds every whole line to the walk; true when it found the mapping. */
static bool feed(struct reader *reader, const char *data, long size, uint64_t ip,
		 struct td_mapping *run)
{
	for (long i = 0; i < size; i++) {
		if (data[i] != '\n') {
			if (reader->used < sizeof(reader->line) - 1)
				reader->line[reader->used++] = data[i];
			continue;
		}
		reader->line[reader->used] = 0;
		reader->used = 0;
		if (reader->take(reader->line, ip, run))
			return true;
	}
	return false;
}

static bool walk(struct reader *reader, uint64_t ip, struct td_mapping *mapping)
{
	char data[512];
	bool found = false;
	long n;
	int fd = (int)td_syscall4(SYS_openat, AT_FDCWD, "/proc/self/maps",
				  O_RDONLY | O_CLOEXEC, 0);

	if (fd < 0)
		return false;
	do {
		n = td_syscall3(SYS_read, fd, data, sizeof(data));
		if (n > 0)
			found = feed(reader, data, n, ip, mapping);
	} while (!found && (n > 0 || n == -EINTR));
	td_syscall1(SYS_close, fd);
	return found;
}

bool td_maps_find(uint64_t ip, struct td_mapping *mapping)
{
	struct reader reader = {.take = td_maps_line};

	memset(mapping, 0, sizeof(*mapping));
	return walk(&reader, ip, mapping) ||
	       (ip >= mapping->range.start && ip < mapping->range.end);
}

bool td_maps_exactly(uint64_t address, struct td_mapping *mapping)
{
	struct reader reader = {.take = line_covers};

	return walk(&reader, address, mapping);
}
