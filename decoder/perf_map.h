/* SPDX-License-Identifier: MIT */
/*
 * The names that a JIT compiler wrote for perf: /tmp/perf-PID.map, lines of start
 * and size in hexadecimal and a name.
 *
 * Context: normal; no globals, no output.
 */
#ifndef TD_DECODER_PERF_MAP_H
#define TD_DECODER_PERF_MAP_H

#include <stddef.h>
#include <stdint.h>

struct td_perf_map {
	char *bytes; /* the file; what names point into */
	struct td_perf_symbol {
		uint64_t start, end;
		const char *name; /* as in the file: not clean */
		size_t order;     /* later ones replace earlier ones */
	} * symbol;               /* by start */
	size_t symbols;
};

/*
 * Opens what a process wrote for us to read: a regular file of ours or root's, no
 * link, and not older than the process, whose start is `start_ns` (CLOCK_REALTIME).
 * A descriptor, or -1.
 */
int td_perf_map_open(const char *path, uint64_t start_ns);

/*
 * Reads the process's map.  Empty where there is none, where it is not ours as above,
 * or is above 256 MiB.  Returns 0 or -ENOMEM.
 */
int td_perf_map_read(struct td_perf_map *map, uint32_t pid, uint64_t start_ns);

/* The same from text that ends with a NUL, from malloc(); takes it. */
int td_perf_map_parse(struct td_perf_map *map, char *text);

/*
 * The name of what covers most of [start, start + size), the one that begins first
 * of equals; NULL for none.
 */
const char *td_perf_map_find(const struct td_perf_map *map, uint64_t start,
			     uint64_t size);

void td_perf_map_free(struct td_perf_map *map);

#endif
