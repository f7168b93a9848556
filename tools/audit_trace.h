/* SPDX-License-Identifier: MIT */
/*
 * Runs a process under ptrace at full speed, and steps one thread through a window
 * at random moments of its CPU time.
 *
 * All its threads are traced, the new ones as well; while one is stepped the others
 * go on.  Processes that it forks are not traced.  Signals are passed on as they
 * come.
 *
 * Context: normal; the caller has no other children.
 */
#ifndef TD_TOOLS_AUDIT_TRACE_H
#define TD_TOOLS_AUDIT_TRACE_H

#include <stdint.h>
#include <sys/types.h>

#include "tools/audit_code.h"
#include "tools/audit_count.h"

struct td_audit_settings {
	uint64_t windows;   /* moments that are looked at, at most */
	uint64_t period_ns; /* mean CPU time of the process between two moments */
	uint64_t seed;
	size_t lengths;
	/* mean lengths; a window has any length from 1 to below twice that */
	uint64_t length[TD_AUDIT_LENGTHS_MAX];
};

/* Why the windows of a moment are not whole, or none were opened. */
enum td_audit_loss {
	TD_AUDIT_SLEPT,     /* a system call in it waited */
	TD_AUDIT_ENDED,     /* the thread or process ended, or became another program */
	TD_AUDIT_STOPPED,   /* by a job-control signal */
	TD_AUDIT_KERNEL,    /* the moment was in a system call: nothing to step */
	TD_AUDIT_IGNORED,   /* the program ignores SIGTRAP, which stepping would undo */
	TD_AUDIT_FOREIGN,   /* code of another mode than the 64-bit one */
	TD_AUDIT_UNSTEPPED, /* an instruction or sequence that could not be run through */
	TD_AUDIT_LOSSES
};

struct td_audit_result {
	uint64_t moments; /* at which windows were opened */
	uint64_t lost[TD_AUDIT_LOSSES];
	uint64_t steps; /* instructions that were stepped */
	uint64_t threads;
	uint64_t cpu_ns; /* of the process, what stepping cost included */
	struct td_audit_code *code;
	struct td_audit_table table;
};

/*
 * Takes hold of our child `pid`, which waits for that before its exec.  Returns 0
 * or -errno.
 */
int td_audit_seize(pid_t pid);

/*
 * Traces it to its end.  Returns its wait status, or -ENOMEM before anything was
 * done.  `result` is filled in either case; td_audit_result_free() it.
 */
int td_audit_trace(pid_t pid, const struct td_audit_settings *settings,
		   struct td_audit_result *result);

void td_audit_result_free(struct td_audit_result *result);

#endif
