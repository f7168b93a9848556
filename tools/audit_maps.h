/* SPDX-License-Identifier: MIT */
/*
 * The mappings of another process, from /proc/PID/maps.
 *
 * Context: normal; no globals.
 */
#ifndef TD_TOOLS_AUDIT_MAPS_H
#define TD_TOOLS_AUDIT_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct td_audit_mapping {
	uint64_t start, end, offset;
	uint64_t inode; /* mixed with the device; 0: no file */
	bool writable;
	const char *path; /* "[anon]" where the kernel has no name */
};

struct td_audit_maps {
	char *text, *shown; /* as the kernel gave it, and cut into strings */
	size_t size;
	struct td_audit_mapping *mapping; /* by address */
	size_t count;
};

/* Reads them anew; returns true if anything has changed.  What cannot be read is as
 * it was. */
bool td_audit_maps_read(struct td_audit_maps *maps, pid_t pid);

/* The mapping with that address; NULL for none. */
const struct td_audit_mapping *td_audit_maps_find(const struct td_audit_maps *maps,
						  uint64_t address);

/* The mapping of the beginning of the same file, at or below this one; or NULL. */
const struct td_audit_mapping *
td_audit_maps_first(const struct td_audit_maps *maps,
		    const struct td_audit_mapping *mapping);

void td_audit_maps_free(struct td_audit_maps *maps);

#endif
