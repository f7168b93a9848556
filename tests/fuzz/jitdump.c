// SPDX-License-Identifier: MIT
/* What is in a jitdump has a name while it is there; any other part may be asked for. */
#include <stdio.h>

#include "decoder/jitdump.h"
#include "tests/fuzz/fuzz.h"

#define PID_AT 20 /* in the header; another process's dump is refused */

static uint32_t pid_of(const unsigned char *data, size_t size)
{
	uint32_t pid = 0;

	if (size >= PID_AT + sizeof(pid))
		memcpy(&pid, data + PID_AT, sizeof(pid));
	return pid;
}

static void find_all(const struct td_jitdump *dump)
{
	for (size_t i = 0; i < dump->codes; i++) {
		const struct td_jit_code *code = &dump->code[i];
		const char *name;

		fuzz_must(code->start < code->end);
		name = td_jitdump_find(dump, code->start, code->end - code->start,
				       code->from_ns, code->until_ns);
		fuzz_must(code->from_ns >= code->until_ns || name);
		td_jitdump_find(dump, code->end - 1, UINT64_MAX, 0, UINT64_MAX);
	}
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	unsigned char *bytes = fuzz_copy(data, size);
	FILE *in = size ? fmemopen(bytes, size, "r") : NULL;
	struct td_jitdump dump;

	if (in && !td_jitdump_read(&dump, in, pid_of(data, size))) {
		find_all(&dump);
		td_jitdump_free(&dump);
	}
	if (in)
		fclose(in);
	free(bytes);
	return 0;
}
