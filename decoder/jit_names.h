/* SPDX-License-Identifier: MIT */
/*
 * Names of one process's JIT code: from its jitdump, and what that does not have from
 * /tmp/perf-PID.map.
 *
 * Context: normal; no globals, no output.
 */
#ifndef TD_DECODER_JIT_NAMES_H
#define TD_DECODER_JIT_NAMES_H

#include "decoder/jitdump.h"
#include "decoder/perf_map.h"
#include "decoder/profile.h"

struct td_jit_names {
	struct td_jitdump dump;
	struct td_perf_map map;
	uint64_t from_ns, until_ns; /* of the profile, CLOCK_MONOTONIC */
};

/*
 * Reads what there is for a profile that has JIT code and was taken on this host.
 * The dump is `asked`, or jit-PID.dump in the directory `asked`; NULL: jit-PID.dump
 * in the directory of the profile's `path`, in the current one or in /tmp.  As for
 * perf's map, the files are ours or root's and not older than the process.  Empty
 * where there are none.  0 or -ENOMEM; free it in any case.
 */
int td_jit_names_read(struct td_jit_names *names, const struct td_profile *profile,
		      const char *path, const char *asked);

/* As in the file, not clean; NULL for none. */
const char *td_jit_names_find(const struct td_jit_names *names, uint64_t start,
			      uint64_t size);

void td_jit_names_free(struct td_jit_names *names);

#endif
