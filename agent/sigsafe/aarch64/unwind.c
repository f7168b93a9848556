// SPDX-License-Identifier: MIT
#include "agent/sigsafe/unwind_state.h"

#include <signal.h>
#include <stddef.h>

#define GUESS_MOST 0x10000u /* bytes from the stack to the record of a frame */
#define NEARBY 4096u        /* bytes, of one function */

/* The code that returns here does so once, normally or by td_unwind_leave(). */
__asm__(".pushsection .text\n"
	".balign 4\n"
	".type td_unwind_call, %function\n"
	".hidden td_unwind_call\n"
	".globl td_unwind_call\n"
	"td_unwind_call:\n"
	".cfi_startproc\n"
	"	stp x29, x30, [sp, #-160]!\n"
	"	.cfi_def_cfa_offset 160\n"
	"	.cfi_offset x29, -160\n"
	"	.cfi_offset x30, -152\n"
	"	mov x29, sp\n"
	"	.cfi_def_cfa_register x29\n"
	"	stp x19, x20, [x29, #16]\n"
	"	.cfi_offset x19, -144\n"
	"	.cfi_offset x20, -136\n"
	"	stp x21, x22, [x29, #32]\n"
	"	.cfi_offset x21, -128\n"
	"	.cfi_offset x22, -120\n"
	"	stp x23, x24, [x29, #48]\n"
	"	.cfi_offset x23, -112\n"
	"	.cfi_offset x24, -104\n"
	"	stp x25, x26, [x29, #64]\n"
	"	.cfi_offset x25, -96\n"
	"	.cfi_offset x26, -88\n"
	"	stp x27, x28, [x29, #80]\n"
	"	.cfi_offset x27, -80\n"
	"	.cfi_offset x28, -72\n"
	"	stp d8, d9, [x29, #96]\n"
	"	stp d10, d11, [x29, #112]\n"
	"	stp d12, d13, [x29, #128]\n"
	"	stp d14, d15, [x29, #144]\n"
	"	str x29, [x3]\n"
	"	mov x4, x0\n"
	"	mov x0, x1\n"
	"	mov sp, x2\n"
	"	blr x4\n"
	".Ltd_unwind_back:\n"
	"	mov sp, x29\n"
	"	ldp d14, d15, [x29, #144]\n"
	"	ldp d12, d13, [x29, #128]\n"
	"	ldp d10, d11, [x29, #112]\n"
	"	ldp d8, d9, [x29, #96]\n"
	"	ldp x27, x28, [x29, #80]\n"
	"	ldp x25, x26, [x29, #64]\n"
	"	ldp x23, x24, [x29, #48]\n"
	"	ldp x21, x22, [x29, #32]\n"
	"	ldp x19, x20, [x29, #16]\n"
	"	ldp x29, x30, [sp], #160\n"
	"	.cfi_def_cfa sp, 0\n"
	"	ret\n"
	".cfi_endproc\n"
	".size td_unwind_call, . - td_unwind_call\n"
	".type td_unwind_leave, %function\n"
	".hidden td_unwind_leave\n"
	".globl td_unwind_leave\n"
	"td_unwind_leave:\n"
	"	mov x29, x0\n"
	"	mov w0, w1\n"
	"	b .Ltd_unwind_back\n"
	".size td_unwind_leave, . - td_unwind_leave\n"
	".type td_unwind_outermost, %function\n"
	".hidden td_unwind_outermost\n"
	".globl td_unwind_outermost\n"
	"td_unwind_outermost:\n"
	".cfi_startproc\n"
	"	.cfi_undefined x30\n"
	"	nop\n"
	".cfi_endproc\n"
	".size td_unwind_outermost, . - td_unwind_outermost\n"
	".popsection\n");

/* Where a register was saved.  False: not at a fixed distance of the CFA. */
static bool saved_at(const struct td_frame_state *state, unsigned number, int32_t *at)
{
	long offset;

	if (!td_unwind_saved_at(state, number, INT32_MIN, &offset))
		return false;
	*at = (int32_t)offset;
	return true;
}

void td_unwind_make_rule(const struct td_frame_state *state, char undefined,
			 struct td_rule *rule)
{
	if (state->retaddr_column != TD_REGISTER_LR)
		return;
	if (undefined && state->saved[TD_REGISTER_LR] == undefined) {
		rule->kind = TD_RULE_LAST;
		return;
	}
	if (state->cfa_reg >= TD_REGISTERS ||
	    state->cfa_offset != (int32_t)state->cfa_offset)
		return;
	rule->base = (uint8_t)state->cfa_reg;
	rule->cfa_offset = (int32_t)state->cfa_offset;
	if (saved_at(state, TD_REGISTER_FP, &rule->fp_offset) &&
	    saved_at(state, TD_REGISTER_LR, &rule->lr_offset))
		rule->kind = TD_RULE_STANDARD;
}

/* The frame is left by a return to `back`: cfa is the caller's stack pointer. */
static bool return_to(struct td_registers_of_frame *at, uint64_t back, uint64_t cfa,
		      uint64_t fp)
{
	back = td_arch_address(back);
	if (!back)
		return false;
	at->sp = cfa;
	at->fp = fp;
	at->lr = 0;
	at->ip = back - 1; /* in the call: what follows it may be another function */
	return true;
}

/* To the caller by LR: a function that has no frame has a CFA that is its SP. */
static bool return_by_link(struct td_registers_of_frame *at, uint64_t cfa, uint64_t fp)
{
	return at->lr && cfa >= at->sp && return_to(at, at->lr, cfa, fp);
}

/* The value of the rule's register in this frame. */
static bool base_of(const struct td_rule *rule, const struct td_registers_of_frame *at,
		    const ucontext_t *context, uint64_t *value)
{
	if (rule->base == TD_REGISTER_SP)
		*value = at->sp;
	else if (rule->base == TD_REGISTER_FP)
		*value = at->fp;
	else if (context)
		*value = context->uc_mcontext.regs[rule->base];
	else
		return false;
	return true;
}

static bool step_by_rule(struct td_memory *memory, const struct td_rule *rule,
			 struct td_registers_of_frame *at, const ucontext_t *context)
{
	uint64_t cfa, back, fp = at->fp;

	if (!base_of(rule, at, context, &cfa))
		return false;
	cfa += (uint64_t)(int64_t)rule->cfa_offset;
	if (rule->fp_offset &&
	    !td_memory_read(memory, cfa + (uint64_t)(int64_t)rule->fp_offset, &fp))
		return false;
	if (!rule->lr_offset)
		return return_by_link(at, cfa, fp);
	return cfa > at->sp &&
	       td_memory_read(memory, cfa + (uint64_t)(int64_t)rule->lr_offset, &back) &&
	       return_to(at, back, cfa, fp);
}

/* mov x8, #139; svc #0: what a handler returns to, with its frame on the stack. */
static bool is_sigreturn(struct td_memory *memory, uint64_t code)
{
	uint64_t bytes;

	return td_memory_read(memory, code, &bytes) && bytes == 0xd4000001d2801168ull;
}

/* The kernel's frame: what it told the handler of the signal, then the context. */
static uint64_t in_signal_frame(uint64_t frame, size_t offset)
{
	return frame + sizeof(siginfo_t) + offset;
}

#define IN_FRAME(at, member)                                                             \
	in_signal_frame((at)->sp, offsetof(ucontext_t, uc_mcontext.member))

static bool step_by_signal_frame(struct td_memory *memory,
				 struct td_registers_of_frame *at)
{
	struct td_registers_of_frame from;

	if (!is_sigreturn(memory, at->ip + 1) ||
	    !td_memory_read(memory, IN_FRAME(at, pc), &from.ip) ||
	    !td_memory_read(memory, IN_FRAME(at, sp), &from.sp) ||
	    !td_memory_read(memory, IN_FRAME(at, regs[TD_REGISTER_FP]), &from.fp) ||
	    !td_memory_read(memory, IN_FRAME(at, regs[TD_REGISTER_LR]), &from.lr))
		return false;
	*at = from;
	/* that may be another stack */
	td_memory_begin(memory, at->sp);
	return true;
}

#define STUB 4u /* instructions; bti may stand before them */

/* adrp x16; ldr x17, [x16]; add x16; br x17: as the linker makes it. */
static bool is_stub(const uint32_t *code)
{
	return (code[0] & 0x9f00001f) == 0x90000010 &&
	       (code[1] & 0xffc003ff) == 0xf9400211 &&
	       (code[2] & 0xffc003ff) == 0x91000210 && code[3] == 0xd61f0220;
}

/* In a stub neither the stack nor LR has changed. */
static bool step_by_stub(struct td_memory *memory, struct td_registers_of_frame *at)
{
	for (uint64_t before = 0; before < STUB; before++) {
		uint64_t start = at->ip - before * sizeof(uint32_t);
		uint32_t code[STUB];
		uint64_t half[2];

		if (!td_memory_read(memory, start, &half[0]) ||
		    !td_memory_read(memory, start + sizeof(half[0]), &half[1]))
			return false;
		__builtin_memcpy(code, half, sizeof(code));
		if (is_stub(code))
			return return_by_link(at, at->sp, at->fp);
	}
	return false;
}

/* The record that the frame pointer points to, if it looks like one. */
static bool read_frame_record(struct td_memory *memory,
			      const struct td_registers_of_frame *at, uint64_t *fp,
			      uint64_t *back)
{
	return at->fp >= at->sp && at->fp - at->sp <= GUESS_MOST && at->fp % 8 == 0 &&
	       td_memory_read(memory, at->fp, fp) &&
	       td_memory_read(memory, at->fp + 8, back);
}

/* No rule tells: by the record. */
static bool step_by_frame_record(struct td_memory *memory,
				 struct td_registers_of_frame *at)
{
	uint64_t fp, back;

	return read_frame_record(memory, at, &fp, &back) &&
	       return_to(at, back, at->fp + 16, fp);
}

/* Does it stand behind BL, BLR, or BLR with authentication? */
static bool is_behind_call(struct td_memory *memory, uint64_t address)
{
	uint64_t code;
	uint32_t call;

	if (!td_memory_read(memory, address - 8, &code))
		return false;
	call = code >> 32;
	return call >> 26 == 0x25 || (call & 0xfffffc1f) == 0xd63f0000 ||
	       (call & 0xfefff800) == 0xd63f0800;
}

/*
 * The innermost function without a rule may have no record either: the vdso's have
 * none.  Then LR is where it was called; else it is what the record says, or where the
 * last call returned to, nearby.
 */
static bool step_without_record(struct td_memory *memory,
				struct td_registers_of_frame *at)
{
	uint64_t link = td_arch_address(at->lr), distance = link - at->ip;
	uint64_t fp, back;

	if (distance + NEARBY <= 2 * NEARBY || !is_behind_call(memory, link) ||
	    (read_frame_record(memory, at, &fp, &back) && td_arch_address(back) == link))
		return false;
	return return_by_link(at, at->sp, at->fp);
}

static enum td_step caller_if(bool stepped)
{
	return stepped ? TD_STEP_CALLER : TD_STEP_BROKEN;
}

enum td_step td_unwind_step(struct td_memory *memory, const struct td_rule *rule,
			    struct td_registers_of_frame *at, const ucontext_t *context)
{
	if (rule->kind == TD_RULE_STANDARD)
		return caller_if(step_by_rule(memory, rule, at, context));
	if (!context && step_by_signal_frame(memory, at))
		return TD_STEP_INTERRUPTED;
	return caller_if((context && (step_by_stub(memory, at) ||
				      step_without_record(memory, at))) ||
			 step_by_frame_record(memory, at));
}
