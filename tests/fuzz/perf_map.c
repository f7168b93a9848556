// SPDX-License-Identifier: MIT
/* What is in a perf-PID.map has a name. */
#include <stdint.h>

#include "decoder/perf_map.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	struct td_perf_map map;

	if (td_perf_map_parse(&map, fuzz_text(data, size)) != 0)
		return 0;
	for (size_t i = 0; i < map.symbols; i++) {
		const struct td_perf_symbol *symbol = &map.symbol[i];
		const char *name;

		fuzz_must(symbol->start < symbol->end);
		name = td_perf_map_find(&map, symbol->start, symbol->end - symbol->start);
		fuzz_must(name && strlen(name) <= size);
		td_perf_map_find(&map, symbol->end - 1, UINT64_MAX);
	}
	td_perf_map_free(&map);
	return 0;
}
