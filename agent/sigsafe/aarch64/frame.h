/* SPDX-License-Identifier: MIT */
/* The frames of aarch64; include agent/sigsafe/unwind.h. */
#ifndef TD_SIGSAFE_AARCH64_FRAME_H
#define TD_SIGSAFE_AARCH64_FRAME_H

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#include "agent/sigsafe/aarch64/arch.h"
#include "agent/sigsafe/memory.h"
#include "agent/sigsafe/rule_kind.h"

/* DWARF's numbers */
#define TD_REGISTER_FP 29u
#define TD_REGISTER_LR 30u
#define TD_REGISTER_SP 31u
#define TD_REGISTERS 32u
#define TD_REGISTERS_OF_GCC 98u /* SVE's predicates are the last, and one more */

/*
 * The caller's stack pointer (CFA) is a register + cfa_offset; the return address is
 * at CFA + lr_offset, the caller's frame pointer at CFA + fp_offset.
 */
struct td_rule {
	uint8_t kind; /* enum td_rule_kind */
	uint8_t base; /* the register; not SP or FP: in the innermost frame only */
	int32_t cfa_offset;
	int32_t fp_offset; /* 0: it is unchanged */
	int32_t lr_offset; /* 0: it is in LR still, which only the innermost frame has */
};

/* What a walk knows of a frame. */
struct td_registers_of_frame {
	uint64_t ip; /* to be looked up: for a caller, inside its call instruction */
	uint64_t sp;
	uint64_t fp;
	uint64_t lr; /* of a frame that a signal interrupted, else 0 */
};

/* The innermost frame. */
static inline struct td_registers_of_frame td_unwind_begin(const ucontext_t *context)
{
	return (struct td_registers_of_frame){
		.ip = context->uc_mcontext.pc,
		.sp = context->uc_mcontext.sp,
		.fp = context->uc_mcontext.regs[TD_REGISTER_FP],
		.lr = context->uc_mcontext.regs[TD_REGISTER_LR],
	};
}

/* td_unwind_step() for nearly all frames: by a standard rule, on the stack that is read
 * directly.  False: nothing was done.  Context: signal. */
static inline bool td_unwind_quickly(const struct td_memory *memory,
				     const struct td_rule *rule,
				     struct td_registers_of_frame *at)
{
	uint64_t cfa = (rule->base == TD_REGISTER_SP ? at->sp : at->fp) +
		       (uint64_t)(int64_t)rule->cfa_offset;
	uint64_t link = cfa + (uint64_t)(int64_t)rule->lr_offset;
	uint64_t saved = cfa + (uint64_t)(int64_t)rule->fp_offset;
	uint64_t back;

	if (rule->kind != TD_RULE_STANDARD || !rule->lr_offset || cfa <= at->sp ||
	    (rule->base != TD_REGISTER_SP && rule->base != TD_REGISTER_FP) ||
	    !td_memory_is_near(memory, link) ||
	    (rule->fp_offset && !td_memory_is_near(memory, saved)))
		return false;
	back = td_arch_address(*(const uint64_t *)link);
	if (!back)
		return false;
	if (rule->fp_offset)
		at->fp = *(const uint64_t *)saved;
	at->sp = cfa;
	at->lr = 0;
	at->ip = back - 1;
	return true;
}

#endif
