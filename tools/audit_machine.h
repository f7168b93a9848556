/* SPDX-License-Identifier: MIT */
/*
 * What an audit has to know of the processor: audit_x86_64.c and audit_aarch64.c.
 *
 * Context: normal; but for td_audit_decode() the thread is stopped under ptrace.
 */
#ifndef TD_TOOLS_AUDIT_MACHINE_H
#define TD_TOOLS_AUDIT_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "tools/audit_code.h"
#include "tools/audit_count.h"

/* Which instruction begins `code`, `size` bytes?  `length`: its own, for TD_AUDIT_REP
 * only. */
enum td_audit_kind td_audit_decode(const uint8_t *code, size_t size, size_t *length);

struct td_audit_moment {
	uint64_t ip;
	bool in_call; /* a system call's */
	bool foreign; /* in a mode that we do not decode */
};

/* Returns 0 or -errno: the thread is gone. */
int td_audit_look(pid_t tid, struct td_audit_moment *moment);

/* The next instruction's address. */
uint64_t td_audit_ip(pid_t tid);

/*
 * Makes the thread stop (TRAP_HWBKPT) behind the repeated instruction or the atomic
 * sequence at `ip`, until td_audit_leap_end().  `length` is td_audit_decode()'s.
 * False: that is not worth it, or cannot be done.
 */
bool td_audit_leap(struct td_audit_code *code, pid_t tid, uint64_t ip, size_t length);
void td_audit_leap_end(pid_t tid);

/* TD_AUDIT_PUSHF was stepped: takes our stepping out of what it saved. */
void td_audit_hide_stepping(pid_t tid);

#endif
