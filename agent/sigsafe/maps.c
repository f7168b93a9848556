// SPDX-License-Identifier: MIT
#include "agent/sigsafe/maps.h"

#include <dlfcn.h>
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

static bool read_range(const char *line, struct td_range *range)
{
	const char *at = read_hex(line, &range->start);

	if (*at != '-')
		return false;
	read_hex(at + 1, &range->end);
	return true;
}

enum column { RANGE, PERMISSIONS, OFFSET, DEVICE, INODE, PATH };

static const char *column_of(const char *line, enum column number)
{
	for (unsigned column = RANGE; column < number; column++) {
		while (*line && *line != ' ')
			line++;
		while (*line == ' ')
			line++;
	}
	return line;
}

static const char *path_of(const char *line)
{
	const char *path = column_of(line, PATH);

	return *path ? path : "[anon]";
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

	if (!read_range(line, &range))
		return covered;
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

static bool take_line(const char *line, uint64_t ip, void *run)
{
	return td_maps_line(line, ip, run);
}

/* One line by itself. */
static bool line_covers(const char *line, uint64_t ip, void *context)
{
	struct td_mapping *run = context;

	if (!read_range(line, &run->range))
		return false;
	td_path_copy(run->path, path_of(line), sizeof(run->path));
	return ip >= run->range.start && ip < run->range.end;
}

/* A place in a file, and where it is in memory. */
struct spot {
	char file[40]; /* device and inode */
	uint64_t offset;
	uint64_t address;
};

/* What of a file is at `address`, which the line covers.  False: no file's, or not to be
 * read. */
static bool read_spot(const char *line, uint64_t start, uint64_t address,
		      struct spot *spot)
{
	const char *file = column_of(line, DEVICE), *inode = column_of(line, INODE);
	size_t size = (size_t)(inode - file) + strspn(inode, "0123456789");

	if (size >= sizeof(spot->file) || *inode == '0' ||
	    *column_of(line, PERMISSIONS) != 'r')
		return false;
	memcpy(spot->file, file, size);
	spot->file[size] = 0;
	read_hex(column_of(line, OFFSET), &spot->offset);
	spot->offset += address - start;
	spot->address = address;
	return true;
}

static bool find_spot(const char *line, uint64_t ip, void *spot)
{
	struct td_range range;

	return read_range(line, &range) && ip >= range.start && ip < range.end &&
	       read_spot(line, range.start, ip, spot);
}

/* The same spot of the file, elsewhere and of a loaded object. */
static bool find_twin(const char *line, uint64_t ip, void *context)
{
	struct spot *spot = context, here;
	struct dl_find_object found;
	struct td_range range;
	uint64_t twin;

	if (!read_range(line, &range) || (ip >= range.start && ip < range.end) ||
	    !read_spot(line, range.start, range.start, &here) ||
	    strcmp(here.file, spot->file) != 0 ||
	    spot->offset - here.offset >= range.end - range.start)
		return false;
	twin = range.start + spot->offset - here.offset;
	if (_dl_find_object((void *)twin, &found) != 0)
		return false;
	spot->address = twin;
	return true;
}

/* Lines arrive in pieces: a reader keeps what belongs to the next one. */
struct reader {
	bool (*take)(const char *line, uint64_t ip, void *context);
	char line[512];
	size_t used;
};

/* Feeds every whole line to the walk; true when it found the mapping. */
static bool feed(struct reader *reader, const char *data, long size, uint64_t ip,
		 void *context)
{
	for (long i = 0; i < size; i++) {
		if (data[i] != '\n') {
			if (reader->used < sizeof(reader->line) - 1)
				reader->line[reader->used++] = data[i];
			continue;
		}
		reader->line[reader->used] = 0;
		reader->used = 0;
		if (reader->take(reader->line, ip, context))
			return true;
	}
	return false;
}

static bool walk(struct reader *reader, uint64_t ip, void *context)
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
			found = feed(reader, data, n, ip, context);
	} while (!found && (n > 0 || n == -EINTR));
	td_syscall1(SYS_close, fd);
	return found;
}

bool td_maps_find(uint64_t ip, struct td_mapping *mapping)
{
	struct reader reader = {.take = take_line};

	memset(mapping, 0, sizeof(*mapping));
	return walk(&reader, ip, mapping) ||
	       (ip >= mapping->range.start && ip < mapping->range.end);
}

bool td_maps_exactly(uint64_t address, struct td_mapping *mapping)
{
	struct reader reader = {.take = line_covers};

	return walk(&reader, address, mapping);
}

static bool walk_for(bool (*take)(const char *, uint64_t, void *), uint64_t ip,
		     struct spot *spot)
{
	struct reader reader = {.take = take};

	return walk(&reader, ip, spot);
}

bool td_maps_twin(uint64_t ip, uint64_t *twin)
{
	struct spot spot;

	if (!walk_for(find_spot, ip, &spot) || !walk_for(find_twin, ip, &spot))
		return false;
	*twin = spot.address;
	return true;
}
