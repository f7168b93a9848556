/* SPDX-License-Identifier: MIT */
/* The frames of x86_64; include agent/sigsafe/unwind.h. */
#ifndef TD_SIGSAFE_X86_64_FRAME_H
#define TD_SIGSAFE_X86_64_FRAME_H

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#include "agent/sigsafe/memory.h"
#include "agent/sigsafe/rule_kind.h"

/* DWARF's numbers */
#define TD_REGISTER_BX 3u
#define TD_REGISTER_BP 6u
#define TD_REGISTER_SP 7u
#define TD_REGISTERS 16u
#define TD_REGISTERS_OF_GCC 18u /* 16, the return address, and one more */

/*
 * The caller's stack pointer (CFA) is a register + cfa_offset, the return address
 * stands below it, the caller's base pointer at CFA + bp_offset.  BX, the base of
 * a few frames (the dynamic linker's), likewise.
 */
struct td_rule {
	uint8_t kind;      /* enum td_rule_kind */
	uint8_t base;      /* the register; not SP, BP, BX: in the innermost frame only */
	int16_t bp_offset; /* 0: it is unchanged */
	int32_t cfa_offset;
	int16_t bx_offset; /* likewise */
};

/* What a walk knows of a frame. */
struct td_registers_of_frame {
	uint64_t ip; /* to be looked up: for a caller, inside its call instruction */
	uint64_t sp;
	uint64_t bp;
	uint64_t bx_at; /* where BX was saved, first of all by the signal */
};

/* The innermost frame. */
static inline struct td_registers_of_frame td_unwind_begin(const ucontext_t *context)
{
	return (struct td_registers_of_frame){
		.ip = (uint64_t)context->uc_mcontext.gregs[REG_RIP],
		.sp = (uint64_t)context->uc_mcontext.gregs[REG_RSP],
		.bp = (uint64_t)context->uc_mcontext.gregs[REG_RBP],
		.bx_at = (uint64_t)&context->uc_mcontext.gregs[REG_RBX],
	};
}

/* td_unwind_step() for nearly all frames: by a standard rule, on the stack that is read
 * directly.  False: nothing was done.  Context: signal. */
static inline bool td_unwind_quickly(const struct td_memory *memory,
				     const struct td_rule *rule,
				     struct td_registers_of_frame *at)
{
	uint64_t cfa = (rule->base == TD_REGISTER_SP ? at->sp : at->bp) +
		       (uint64_t)(int64_t)rule->cfa_offset;
	uint64_t saved = cfa + (uint64_t)(int64_t)rule->bp_offset;
	uint64_t back;

	if (rule->kind != TD_RULE_STANDARD || cfa <= at->sp ||
	    (rule->base != TD_REGISTER_SP && rule->base != TD_REGISTER_BP) ||
	    !td_memory_is_near(memory, cfa - 8) ||
	    (rule->bp_offset && !td_memory_is_near(memory, saved)))
		return false;
	back = *(const uint64_t *)(cfa - 8);
	if (!back)
		return false;
	if (rule->bp_offset)
		at->bp = *(const uint64_t *)saved;
	if (rule->bx_offset)
		at->bx_at = cfa + (uint64_t)(int64_t)rule->bx_offset;
	at->sp = cfa;
	at->ip = back - 1;
	return true;
}

#endif
