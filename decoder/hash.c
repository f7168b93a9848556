// SPDX-License-Identifier: MIT
#include "decoder/hash.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct td_hash_slot {
	uint64_t value;
	size_t index; /* + 1; 0 is an empty slot */
};

uint64_t td_hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
	const unsigned char *byte = bytes;

	hash ^= 0xcbf29ce484222325u; /* FNV-1a */
	for (size_t i = 0; i < size; i++)
		hash = (hash ^ byte[i]) * 0x100000001b3u;
	/* FNV's low bits mix poorly, and they choose the slot */
	return hash ^ hash >> 29;
}

size_t td_hash_find(const struct td_hash *hash, uint64_t value,
		    int (*same)(const void *context, size_t index), const void *context)
{
	for (size_t i = value; hash->size; i++) {
		const struct td_hash_slot *slot = &hash->slot[i & (hash->size - 1)];

		if (!slot->index)
			break;
		if (slot->value == value && same(context, slot->index - 1))
			return slot->index - 1;
	}
	return SIZE_MAX;
}

static void put(struct td_hash_slot *slot, size_t size, uint64_t value, size_t index)
{
	size_t i = value & (size - 1);

	while (slot[i].index)
		i = (i + 1) & (size - 1);
	slot[i] = (struct td_hash_slot){value, index};
}

static int grow(struct td_hash *hash)
{
	size_t size = hash->size ? 2 * hash->size : 64;
	struct td_hash_slot *slot = calloc(size, sizeof(*slot));

	if (!slot)
		return -ENOMEM;
	for (size_t i = 0; i < hash->size; i++) {
		if (hash->slot[i].index)
			put(slot, size, hash->slot[i].value, hash->slot[i].index);
	}
	free(hash->slot);
	hash->slot = slot;
	hash->size = size;
	return 0;
}

int td_hash_add(struct td_hash *hash, uint64_t value, size_t index)
{
	if (2 * hash->used >= hash->size && grow(hash) < 0)
		return -ENOMEM;
	put(hash->slot, hash->size, value, index + 1);
	hash->used++;
	return 0;
}

void td_hash_free(struct td_hash *hash)
{
	free(hash->slot);
	memset(hash, 0, sizeof(*hash));
}
