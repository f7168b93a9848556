// SPDX-License-Identifier: MIT
/*
 * An .eh_frame_hdr and what it points to, as the agent searches them in the program's
 * memory: nothing outside is read, and a function that covers an address has it.  Before
 * the sections the input has the address to look for, from their beginning.
 */
#include "decoder/unwind_table.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	int32_t offset;
	struct td_range limits, range;
	unsigned char *section;

	if (size < sizeof(offset))
		return 0;
	memcpy(&offset, data, sizeof(offset));
	size -= sizeof(offset);
	section = fuzz_copy(data + sizeof(offset), size);
	limits.start = (uint64_t)(uintptr_t)section;
	limits.end = limits.start + size;
	for (size_t at = 0; at < 2 && at <= size; at++) {
		uint64_t ip = limits.start + (uint64_t)(int64_t)offset;

		if (td_unwind_table_find(section + at, limits, ip, &range))
			fuzz_must(range.start <= ip && ip < range.end);
	}
	free(section);
	return 0;
}
