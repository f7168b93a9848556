/* SPDX-License-Identifier: MIT */
/*
 * An index into an array that somebody else owns: finds the entry with a key in
 * constant time, whatever the array holds.  Entries are never removed.
 *
 * Context: normal.
 */
#ifndef TD_DECODER_HASH_H
#define TD_DECODER_HASH_H

#include <stddef.h>
#include <stdint.h>

struct td_hash {
	struct td_hash_slot *slot;
	size_t size; /* 0 or a power of two */
	size_t used;
};

/* Folds bytes into a hash; start with 0. */
uint64_t td_hash_bytes(uint64_t hash, const void *bytes, size_t size);

/*
 * The array index of the entry with this hash for which same(context, index) is
 * nonzero, or SIZE_MAX.
 */
size_t td_hash_find(const struct td_hash *hash, uint64_t value,
		    int (*same)(const void *context, size_t index), const void *context);

/* Returns 0, or -ENOMEM with the index unchanged. */
int td_hash_add(struct td_hash *hash, uint64_t value, size_t index);

void td_hash_free(struct td_hash *hash);

#endif
