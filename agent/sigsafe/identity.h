/* SPDX-License-Identifier: MIT */
/*
 * Which function is at an address?  Answered from tables that are mapped
 * anyway: _dl_find_object gives the loaded object, its .eh_frame_hdr the
 * function.  No symbol table is read; names are found when somebody reads the
 * profile.
 */
#ifndef TD_SIGSAFE_IDENTITY_H
#define TD_SIGSAFE_IDENTITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decoder/format.h"
#include "decoder/unwind_table.h"

/* What is remembered of a loaded object; the rest is identity.c's. */
struct td_object {
	_Atomic uint32_t ref; /* 0: not ready */
	bool permanent;       /* the program itself: nothing unloads it */
	enum td_object_kind kind;
	struct td_range range;
	uint64_t bias;
	uint64_t twin; /* of JIT: what is added to be in the loaded object that it is a
			  part of, mapped once more; 0: of none */
	const void *link_map;
	uint64_t fingerprint;
	const uint64_t *proof; /* its build-id in memory; NULL: none, or too far in */
	uint64_t proven[2];    /* the first 16 bytes of it */
};

/* A code place.  Two addresses are in the same function if object, kind and
 * region are equal; for a FUNCTION, region == address. */
struct td_identity {
	uint64_t address; /* ELF address of the place (JIT, UNKNOWN: run-time) */
	uint32_t object;  /* ref of the profile's object record, 0 none */
	enum td_place_kind kind;
	uint64_t region;
	uint32_t size;
	uint64_t start;                 /* run-time address of the place */
	const struct td_object *loaded; /* of a FUNCTION, else NULL */
};

_Static_assert(offsetof(struct td_identity, object) ==
			       offsetof(struct td_file_window_end, object) &&
		       offsetof(struct td_identity, kind) ==
			       offsetof(struct td_file_window_end, offset),
	       "the window log copies the beginning");

/* Identifies `ip`.  Never fails: at worst the kind is UNKNOWN.
 * Context: signal; `ip` must be executing or at least mapped code. */
void td_identity_find(uint64_t ip, struct td_identity *identity);

/*
 * Is the object in which the FUNCTION `identity` was found still there, now that
 * `ip` inside of it is executing?  False also if that cannot be told for little.
 * Costs nothing in the program itself, one _dl_find_object in a library.
 * Context: signal.
 */
bool td_identity_is_proven(const struct td_identity *identity, uint64_t ip);

static inline bool td_identity_stands(const struct td_identity *identity, uint64_t ip)
{
	return identity->loaded->permanent || td_identity_is_proven(identity, ip);
}

/* Forgets all objects, with the profile they were recorded in.  Context: normal,
 * no thread of this process takes samples. */
void td_identity_forget(void);

/*
 * True if `ip` is in the FUNCTION that was found a moment ago, in code that was
 * mapped all the time: the tables need not be asked again.
 */
static inline bool td_identity_covers(const struct td_identity *identity, uint64_t ip)
{
	return identity->kind == TD_PLACE_FUNCTION &&
	       ip - identity->start < identity->size;
}

static inline bool td_identity_same_function(const struct td_identity *a,
					     const struct td_identity *b)
{
	return a->kind == b->kind && a->object == b->object && a->region == b->region;
}

#endif
