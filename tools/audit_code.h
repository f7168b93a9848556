/* SPDX-License-Identifier: MIT */
/*
 * The code of a process that we trace: which function is at an address, by the
 * same tables and the same search as the agent's (agent/sigsafe/identity.h), and
 * which instruction.  Tables are copied from the process's memory, so deleted
 * files, other mount namespaces and the vdso are no special cases.
 *
 * Context: normal; no globals.
 */
#ifndef TD_TOOLS_AUDIT_CODE_H
#define TD_TOOLS_AUDIT_CODE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "decoder/format.h"

/* A function, or the gap or mapping that stands for one, as windows see it. */
struct td_audit_function {
	enum td_place_kind kind;
	uint32_t object; /* index, or UINT32_MAX for UNKNOWN */
	uint64_t region; /* ELF address of its start (JIT: run-time address) */
	uint32_t size;   /* of a FUNCTION, bytes */
};

struct td_audit_code;

/* NULL without memory. */
struct td_audit_code *td_audit_code_new(pid_t pid);
void td_audit_code_free(struct td_audit_code *code);

/* Before a window: takes notice of what was mapped and unmapped meanwhile. */
void td_audit_code_refresh(struct td_audit_code *code);

/* The process has become another program; what was found so far stays known. */
void td_audit_code_exec(struct td_audit_code *code);

/*
 * The number of the function at `ip`: they are counted from 0 as they turn up.
 * UINT32_MAX without memory.
 */
uint32_t td_audit_code_function(struct td_audit_code *code, uint64_t ip);

/* Copies up to `size` bytes of the code at `ip`; returns how many, 0 if unreadable. */
size_t td_audit_code_bytes(struct td_audit_code *code, uint64_t ip, uint8_t *bytes,
			   size_t size);

const struct td_audit_function *td_audit_code_get(const struct td_audit_code *code,
						  uint32_t number);
/* NULL for UINT32_MAX. */
const struct td_file_object *td_audit_code_object(const struct td_audit_code *code,
						  uint32_t object);
size_t td_audit_code_objects(const struct td_audit_code *code);

#endif
