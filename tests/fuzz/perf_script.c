// SPDX-License-Identifier: MIT
/* A line of `perf script`: its strings are in it. */
#include "tests/fuzz/fuzz.h"
#include "tools/perf_script.h"

static void parse(char *text, size_t size)
{
	struct td_perf_line line;

	td_perf_parse(text, &line);
	if (line.kind == TD_PERF_SAMPLE)
		fuzz_must(line.event >= text && line.event <= text + size);
	if (line.kind == TD_PERF_MMAP)
		fuzz_must(line.path >= text && line.path <= text + size);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	struct td_perf_event event;
	char *text = fuzz_text(data, size);
	char counter[16];

	if (td_perf_parse_event(text, &event))
		fuzz_must(strnlen(event.name, sizeof(event.name)) < sizeof(event.name));
	td_perf_counter(text, counter, sizeof(counter));
	fuzz_must(strnlen(counter, sizeof(counter)) < sizeof(counter));
	parse(text, size);
	free(text);
	return 0;
}
