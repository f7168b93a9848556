// SPDX-License-Identifier: MIT
#include "decoder/perf_map.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_MAX (256u << 20)

static int is_ours(const struct stat *st, uint64_t start_ns)
{
	uint64_t changed = (uint64_t)st->st_mtim.tv_sec * 1000000000u +
			   (uint64_t)st->st_mtim.tv_nsec;

	return S_ISREG(st->st_mode) && (st->st_uid == geteuid() || st->st_uid == 0) &&
	       changed >= start_ns;
}

int td_perf_map_open(const char *path, uint64_t start_ns)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY);
	struct stat st;

	if (fd >= 0 && (fstat(fd, &st) < 0 || !is_ours(&st, start_ns))) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* NULL without memory; what cannot be read is not there. */
static char *read_text(int fd, size_t room)
{
	char *text = malloc(room + 1);
	size_t size = 0;
	ssize_t got;

	while (text && size < room && (got = read(fd, text + size, room - size)) > 0)
		size += (size_t)got;
	if (text)
		text[size] = '\0';
	return text;
}

static int by_start(const void *a, const void *b)
{
	const struct td_perf_symbol *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

/* "START SIZE NAME"; cuts the line.  0 for a line that is none. */
static int parse_line(char *line, struct td_perf_symbol *symbol)
{
	char *end;
	uint64_t size;

	symbol->start = strtoull(line, &end, 16);
	if (end == line || *end != ' ')
		return 0;
	line = end;
	size = strtoull(line, &end, 16);
	if (end == line || *end != ' ' || !end[1] || !size ||
	    size > UINT64_MAX - symbol->start)
		return 0;
	symbol->end = symbol->start + size;
	symbol->name = end + 1;
	return 1;
}

/* Code is moved and freed, and its place used again: the last one counts. */
static void drop_replaced(struct td_perf_map *map)
{
	size_t kept = 0;

	for (size_t i = 0; i < map->symbols; i++) {
		struct td_perf_symbol *symbol = &map->symbol[i];
		struct td_perf_symbol *before = kept ? &map->symbol[kept - 1] : NULL;

		if (before && before->end > symbol->start) {
			if (before->order > symbol->order)
				continue;
			if (before->start == symbol->start) {
				*before = *symbol;
				continue;
			}
			before->end = symbol->start;
		}
		map->symbol[kept++] = *symbol;
	}
	map->symbols = kept;
}

int td_perf_map_parse(struct td_perf_map *map, char *text)
{
	size_t lines = 1;
	char *rest = text, *line;

	memset(map, 0, sizeof(*map));
	map->bytes = text;
	for (const char *at = text; (at = strchr(at, '\n')) != NULL; at++)
		lines++;
	map->symbol = calloc(lines, sizeof(*map->symbol));
	if (!map->symbol) {
		td_perf_map_free(map);
		return -ENOMEM;
	}
	while ((line = strsep(&rest, "\n")) != NULL) {
		struct td_perf_symbol *symbol = &map->symbol[map->symbols];

		symbol->order = map->symbols;
		map->symbols += (size_t)parse_line(line, symbol);
	}
	if (map->symbols)
		qsort(map->symbol, map->symbols, sizeof(*map->symbol), by_start);
	drop_replaced(map);
	return 0;
}

int td_perf_map_read(struct td_perf_map *map, uint32_t pid, uint64_t start_ns)
{
	char path[64], *text;
	struct stat st;
	int fd;

	memset(map, 0, sizeof(*map));
	snprintf(path, sizeof(path), "/tmp/perf-%u.map", pid);
	fd = td_perf_map_open(path, start_ns);
	if (fd < 0)
		return 0;
	if (fstat(fd, &st) < 0 || st.st_size > (off_t)FILE_MAX) {
		close(fd);
		return 0;
	}
	text = read_text(fd, (size_t)st.st_size);
	close(fd);
	return text ? td_perf_map_parse(map, text) : -ENOMEM;
}

/* The first symbol that ends behind the address. */
static size_t first_behind(const struct td_perf_map *map, uint64_t address)
{
	size_t low = 0, high = map->symbols;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (map->symbol[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const char *td_perf_map_find(const struct td_perf_map *map, uint64_t start, uint64_t size)
{
	uint64_t most = 0, end = start + size;
	const char *name = NULL;

	for (size_t i = first_behind(map, start);
	     i < map->symbols && map->symbol[i].start < end; i++) {
		const struct td_perf_symbol *symbol = &map->symbol[i];
		uint64_t from = symbol->start > start ? symbol->start : start;
		uint64_t to = symbol->end < end ? symbol->end : end;

		if (to - from <= most)
			continue;
		most = to - from;
		name = symbol->name;
	}
	return name;
}

void td_perf_map_free(struct td_perf_map *map)
{
	free(map->bytes);
	free(map->symbol);
	memset(map, 0, sizeof(*map));
}
