/* SPDX-License-Identifier: MIT */
/*
 * The code that a JIT compiler wrote into a jitdump for perf (jit-PID.dump): what was
 * where, and from when to when.  A profile has sums of the run and no times of its
 * samples, so a place that was used again has one name: of what was there for the
 * largest part.
 *
 * Context: normal; no globals, no output.
 */
#ifndef TD_DECODER_JITDUMP_H
#define TD_DECODER_JITDUMP_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct td_jitdump {
	struct td_jit_code {
		uint64_t start, end;        /* addresses */
		uint64_t from_ns, until_ns; /* CLOCK_MONOTONIC; UINT64_MAX: to the end */
		uint64_t reach;             /* the highest end up to here */
		const char *name;           /* as in the file: not clean */
	} * code;                           /* by start */
	size_t codes;
	char **name; /* of the records; what code[] points to */
	size_t names;
};

/*
 * Reads the dump of process `pid`, from its beginning; its memory is that of the
 * names, not of the code.  What is damaged ends it, and what was read before counts:
 * the process may still write.  With the processor's own time stamps only what was
 * there last is kept.  Returns 0, -ENOMEM, or -EINVAL where it is no dump, of another
 * process or in another byte order; free it after 0.
 */
int td_jitdump_read(struct td_jitdump *dump, FILE *in, uint32_t pid);

/*
 * The name of what had most of [start, start + size), bytes times time, between
 * from_ns and until_ns (CLOCK_MONOTONIC); NULL for none.
 */
const char *td_jitdump_find(const struct td_jitdump *dump, uint64_t start, uint64_t size,
			    uint64_t from_ns, uint64_t until_ns);

void td_jitdump_free(struct td_jitdump *dump);

#endif
