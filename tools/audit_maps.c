// SPDX-License-Identifier: MIT
#include "tools/audit_maps.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The whole file into *text; its size, or 0. */
static size_t read_all(pid_t pid, char **text, size_t *room)
{
	char path[32];
	size_t used = 0;
	ssize_t got = 0;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	do {
		used += (size_t)got;
		if (*room - used < 8192) {
			char *grown = realloc(*text, *room + 65536);

			if (!grown)
				break;
			*text = grown;
			*room += 65536;
		}
		got = read(fd, *text + used, *room - used - 1);
	} while (got > 0);
	close(fd);
	if (got)
		return 0;
	if (*text)
		(*text)[used] = '\0';
	return used;
}

/* One line, which is cut off where its name ends. */
static bool parse(char *line, struct td_audit_mapping *mapping)
{
	unsigned major, minor;
	char rights[5];
	int name = 0;

	if (sscanf(line, "%lx-%lx %4s %lx %x:%x %lu %n", &mapping->start, &mapping->end,
		   rights, &mapping->offset, &major, &minor, &mapping->inode,
		   &name) < 7 ||
	    !name)
		return false;
	if (mapping->inode)
		mapping->inode += ((uint64_t)major << 52) ^ ((uint64_t)minor << 40);
	mapping->writable = rights[1] == 'w';
	mapping->path = line[name] ? line + name : "[anon]";
	return true;
}

static void parse_all(struct td_audit_maps *maps)
{
	size_t lines = 0;
	char *rest = maps->shown;

	for (const char *at = maps->shown; (at = strchr(at, '\n')) != NULL; at++)
		lines++;
	free(maps->mapping);
	maps->count = 0;
	maps->mapping = calloc(lines + 1, sizeof(*maps->mapping));
	while (maps->mapping && maps->count < lines) {
		char *line = strsep(&rest, "\n");

		if (line && parse(line, &maps->mapping[maps->count]))
			maps->count++;
		else
			lines--;
	}
}

bool td_audit_maps_read(struct td_audit_maps *maps, pid_t pid)
{
	char *text = NULL;
	size_t room = 0;
	size_t size = read_all(pid, &text, &room);

	if (!size || (size == maps->size && !memcmp(text, maps->text, size))) {
		free(text);
		return false;
	}
	free(maps->text);
	free(maps->shown);
	maps->text = text;
	maps->size = size;
	maps->shown = strdup(text);
	if (maps->shown)
		parse_all(maps);
	else
		maps->count = 0;
	return true;
}

const struct td_audit_mapping *td_audit_maps_find(const struct td_audit_maps *maps,
						  uint64_t address)
{
	size_t low = 0, high = maps->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (maps->mapping[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < maps->count && maps->mapping[low].start <= address
		       ? &maps->mapping[low]
		       : NULL;
}

const struct td_audit_mapping *td_audit_maps_first(const struct td_audit_maps *maps,
						   const struct td_audit_mapping *mapping)
{
	const struct td_audit_mapping *at = mapping;

	if (!mapping->inode)
		return NULL;
	for (;; at--) {
		if (at->inode == mapping->inode && !at->offset)
			return at;
		if (at == maps->mapping)
			return NULL;
	}
}

void td_audit_maps_free(struct td_audit_maps *maps)
{
	free(maps->text);
	free(maps->shown);
	free(maps->mapping);
	*maps = (struct td_audit_maps){0};
}
