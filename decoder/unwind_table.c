// SPDX-License-Identifier: MIT
/*
 * Reads .eh_frame_hdr and .eh_frame as the Linux Standard Base and the DWARF
 * CFI specification describe them; only the encodings that linkers emit for
 * the search table are accepted, anything else is "no table".
 */
#include "decoder/unwind_table.h"

#include <string.h>

enum {
	ENC_ABSPTR = 0x00,
	ENC_UDATA2 = 0x02,
	ENC_UDATA4 = 0x03,
	ENC_UDATA8 = 0x04,
	ENC_SDATA2 = 0x0a,
	ENC_SDATA4 = 0x0b,
	ENC_SDATA8 = 0x0c,
	ENC_PCREL = 0x10,
	ENC_DATAREL = 0x30,
	ENC_FORMAT = 0x0f,
};

struct header {
	uint8_t version;
	uint8_t eh_frame_encoding;
	uint8_t count_encoding;
	uint8_t table_encoding;
	int32_t eh_frame;
	uint32_t count;
};

struct entry {
	int32_t function; /* both relative to the header */
	int32_t fde;
};

static bool inside(struct td_range limits, uint64_t address, uint64_t size)
{
	return address >= limits.start && address <= limits.end &&
	       size <= limits.end - address;
}

/* A bounded cursor over CFI data. */
struct cursor {
	uint64_t at;
	struct td_range limits;
	bool failed;
};

static void take(struct cursor *c, void *to, size_t size)
{
	memset(to, 0, size);
	if (c->failed || !inside(c->limits, c->at, size)) {
		c->failed = true;
		return;
	}
	memcpy(to, (const void *)c->at, size);
	c->at += size;
}

static uint8_t take_byte(struct cursor *c)
{
	uint8_t byte;

	take(c, &byte, 1);
	return byte;
}

static void skip_leb(struct cursor *c)
{
	while (!c->failed && (take_byte(c) & 0x80))
		;
}

static unsigned encoded_size(uint8_t encoding)
{
	switch (encoding & ENC_FORMAT) {
	case ENC_UDATA2:
	case ENC_SDATA2:
		return 2;
	case ENC_UDATA4:
	case ENC_SDATA4:
		return 4;
	case ENC_ABSPTR:
	case ENC_UDATA8:
	case ENC_SDATA8:
		return 8;
	default:
		return 0;
	}
}

/* Skips one augmentation item; false if it is not known. */
static bool skip_augmentation(struct cursor *c, char item, uint8_t *pointer_encoding)
{
	uint8_t encoding;

	switch (item) {
	case 'R':
		*pointer_encoding = take_byte(c);
		return true;
	case 'L':
		take_byte(c);
		return true;
	case 'P':
		encoding = take_byte(c);
		c->at += encoded_size(encoding);
		return encoded_size(encoding) != 0;
	case 'S': /* signal frame */
	case 'B': /* pointer authentication */
		return true;
	default:
		return false;
	}
}

/* The encoding of addresses in the FDEs of the CIE at `address`. */
static bool cie_pointer_encoding(uint64_t address, struct td_range limits,
				 uint8_t *encoding)
{
	struct cursor c = {.at = address + 8, .limits = limits}; /* length, id */
	char augmentation[8];
	uint8_t version = take_byte(&c);
	unsigned n = 0;
	char letter;

	*encoding = ENC_ABSPTR;
	while ((letter = (char)take_byte(&c)) != 0) {
		if (n == sizeof(augmentation) - 1)
			return false;
		augmentation[n++] = letter;
	}
	augmentation[n] = 0;
	skip_leb(&c); /* code alignment */
	skip_leb(&c); /* data alignment */
	if (version == 1)
		take_byte(&c); /* return address register */
	else
		skip_leb(&c);
	if (augmentation[0] != 'z')
		return augmentation[0] == 0 && !c.failed;
	skip_leb(&c); /* augmentation length */
	for (unsigned i = 1; augmentation[i]; i++)
		if (!skip_augmentation(&c, augmentation[i], encoding))
			return false;
	return !c.failed;
}

/* The number of bytes of code that the FDE at `address` covers, 0 if unreadable. */
static uint64_t fde_code_size(uint64_t address, struct td_range limits)
{
	struct cursor c = {.at = address, .limits = limits};
	uint32_t length, cie_offset;
	uint64_t code_size = 0;
	uint8_t encoding;
	unsigned size;

	take(&c, &length, sizeof(length));
	if (length == 0xffffffffu || length == 0) /* 64-bit DWARF: nobody emits it here */
		return 0;
	take(&c, &cie_offset, sizeof(cie_offset));
	if (c.failed ||
	    !cie_pointer_encoding(address + 4 - cie_offset, limits, &encoding))
		return 0;
	size = encoded_size(encoding);
	if (!size)
		return 0;
	c.at += size; /* the start, which the table has as well */
	take(&c, &code_size, size);
	return c.failed ? 0 : code_size;
}

/* The table's entries, or NULL if it is not one of the usual form. */
static const struct entry *table_of(const void *hdr, struct td_range limits,
				    uint32_t *count)
{
	struct header h;

	if (!hdr || (uint64_t)hdr % _Alignof(struct entry) ||
	    !inside(limits, (uint64_t)hdr, sizeof(h)))
		return NULL;
	memcpy(&h, hdr, sizeof(h));
	if (h.version != 1 || encoded_size(h.eh_frame_encoding) != 4 ||
	    h.count_encoding != ENC_UDATA4 ||
	    h.table_encoding != (ENC_DATAREL | ENC_SDATA4) || h.count == 0)
		return NULL;
	if (!inside(limits, (uint64_t)hdr + sizeof(h),
		    (uint64_t)h.count * sizeof(struct entry)))
		return NULL;
	*count = h.count;
	return (const struct entry *)((const char *)hdr + sizeof(h));
}

bool td_unwind_table_find(const void *hdr, struct td_range limits, uint64_t ip,
			  struct td_range *range)
{
	uint64_t base = (uint64_t)hdr;
	uint32_t low = 0, high, count;
	const struct entry *table = table_of(hdr, limits, &count);
	uint64_t end;

	*range = (struct td_range){0, 0};
	if (!table)
		return false;
	for (high = count; low < high;) {
		uint32_t middle = low + (high - low) / 2;

		if (base + (uint64_t)(int64_t)table[middle].function <= ip)
			low = middle + 1;
		else
			high = middle;
	}
	range->end =
		low < count ? base + (uint64_t)(int64_t)table[low].function : limits.end;
	if (low == 0) {
		range->start = limits.start;
		return false;
	}
	range->start = base + (uint64_t)(int64_t)table[low - 1].function;
	end = range->start +
	      fde_code_size(base + (uint64_t)(int64_t)table[low - 1].fde, limits);
	if (ip < end) {
		range->end = end;
		return true;
	}
	range->start = end;
	return false;
}
