// SPDX-License-Identifier: MIT
#include "agent/sigsafe/unwind_state.h"

#include <stddef.h>
#include <string.h>

#define GUESS_MOST 0x10000u /* bytes from the stack to the base pointer of a frame */
#define SAVED_MOST 48u      /* bytes of saved registers, with the CFA */

/* The code that returns here does so once, normally or by td_unwind_leave(). */
__asm__(".pushsection .text\n"
	".type td_unwind_call, @function\n"
	".hidden td_unwind_call\n"
	".globl td_unwind_call\n"
	"td_unwind_call:\n"
	".cfi_startproc\n"
	"	pushq %rbp\n"
	"	.cfi_def_cfa_offset 16\n"
	"	.cfi_offset %rbp, -16\n"
	"	movq %rsp, %rbp\n"
	"	.cfi_def_cfa_register %rbp\n"
	"	pushq %rbx\n"
	"	.cfi_offset %rbx, -24\n"
	"	pushq %r12\n"
	"	.cfi_offset %r12, -32\n"
	"	pushq %r13\n"
	"	.cfi_offset %r13, -40\n"
	"	pushq %r14\n"
	"	.cfi_offset %r14, -48\n"
	"	pushq %r15\n"
	"	.cfi_offset %r15, -56\n"
	"	movq %rbp, (%rcx)\n"
	"	movq %rdi, %rax\n"
	"	movq %rsi, %rdi\n"
	"	movq %rdx, %rsp\n"
	"	call *%rax\n"
	".Ltd_unwind_back:\n"
	"	leaq -40(%rbp), %rsp\n"
	"	popq %r15\n"
	"	popq %r14\n"
	"	popq %r13\n"
	"	popq %r12\n"
	"	popq %rbx\n"
	"	popq %rbp\n"
	"	.cfi_def_cfa %rsp, 8\n"
	"	ret\n"
	".cfi_endproc\n"
	".size td_unwind_call, . - td_unwind_call\n"
	".type td_unwind_leave, @function\n"
	".hidden td_unwind_leave\n"
	".globl td_unwind_leave\n"
	"td_unwind_leave:\n"
	"	movq %rdi, %rbp\n"
	"	movl %esi, %eax\n"
	"	jmp .Ltd_unwind_back\n"
	".size td_unwind_leave, . - td_unwind_leave\n"
	".type td_unwind_outermost, @function\n"
	".hidden td_unwind_outermost\n"
	".globl td_unwind_outermost\n"
	"td_unwind_outermost:\n"
	".cfi_startproc\n"
	"	.cfi_undefined %rip\n"
	"	nop\n"
	".cfi_endproc\n"
	".size td_unwind_outermost, . - td_unwind_outermost\n"
	".popsection\n");

/* Where libc has what DWARF gives this number. */
static const int8_t place_in_context[TD_REGISTERS] = {
	REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP,
	REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15,
};

/* Where a register was saved.  False: not at a fixed distance of the CFA. */
static bool saved_at(const struct td_frame_state *state, unsigned number, int16_t *at)
{
	long offset;

	if (!td_unwind_saved_at(state, number, INT16_MIN, &offset))
		return false;
	*at = (int16_t)offset;
	return true;
}

void td_unwind_make_rule(const struct td_frame_state *state, char undefined,
			 struct td_rule *rule)
{
	unsigned back = state->retaddr_column;

	if (back >= TD_REGISTERS_OF_GCC)
		return;
	if (undefined && (state->saved[back] == undefined ||
			  state->saved[TD_REGISTER_BP] == undefined)) {
		rule->kind = TD_RULE_LAST;
		return;
	}
	if (state->saved[back] != TD_SAVED_AT_OFFSET ||
	    state->reg_or_offset[back] != -8 || state->cfa_reg >= TD_REGISTERS ||
	    state->cfa_offset != (int32_t)state->cfa_offset)
		return;
	rule->base = (uint8_t)state->cfa_reg;
	rule->cfa_offset = (int32_t)state->cfa_offset;
	if (saved_at(state, TD_REGISTER_BP, &rule->bp_offset) &&
	    saved_at(state, TD_REGISTER_BX, &rule->bx_offset))
		rule->kind = TD_RULE_STANDARD;
}

/* The frame is left by a return: cfa is the caller's stack pointer. */
static bool return_to(struct td_memory *memory, struct td_registers_of_frame *at,
		      uint64_t cfa, uint64_t bp)
{
	uint64_t back;

	if (cfa <= at->sp || !td_memory_read(memory, cfa - 8, &back) || !back)
		return false;
	at->sp = cfa;
	at->bp = bp;
	at->ip = back - 1; /* in the call: what follows it may be another function */
	return true;
}

/* The value of the rule's register in this frame. */
static bool base_of(struct td_memory *memory, const struct td_rule *rule,
		    const struct td_registers_of_frame *at, const ucontext_t *context,
		    uint64_t *value)
{
	if (rule->base == TD_REGISTER_SP)
		*value = at->sp;
	else if (rule->base == TD_REGISTER_BP)
		*value = at->bp;
	else if (context)
		*value = (uint64_t)
				 context->uc_mcontext.gregs[place_in_context[rule->base]];
	else
		return rule->base == TD_REGISTER_BX &&
		       td_memory_read(memory, at->bx_at, value);
	return true;
}

static bool step_by_rule(struct td_memory *memory, const struct td_rule *rule,
			 struct td_registers_of_frame *at, const ucontext_t *context)
{
	uint64_t cfa, bp = at->bp;

	if (!base_of(memory, rule, at, context, &cfa))
		return false;
	cfa += (uint64_t)(int64_t)rule->cfa_offset;
	if (rule->bp_offset &&
	    !td_memory_read(memory, cfa + (uint64_t)(int64_t)rule->bp_offset, &bp))
		return false;
	if (rule->bx_offset)
		at->bx_at = cfa + (uint64_t)(int64_t)rule->bx_offset;
	return return_to(memory, at, cfa, bp);
}

/* mov $15, %rax; syscall: what a handler returns to, with its frame on the stack. */
static bool is_sigreturn(struct td_memory *memory, uint64_t code)
{
	uint64_t bytes, rest;

	return td_memory_read(memory, code, &bytes) && bytes == 0x0f0000000fc0c748ull &&
	       td_memory_read(memory, code + 1, &rest) && rest >> 56 == 0x05;
}

static uint64_t register_at(uint64_t frame, int number)
{
	return frame + offsetof(ucontext_t, uc_mcontext.gregs) +
	       (uint64_t)number * sizeof(greg_t);
}

static bool step_by_signal_frame(struct td_memory *memory,
				 struct td_registers_of_frame *at)
{
	struct td_registers_of_frame from = {.bx_at = register_at(at->sp, REG_RBX)};

	if (!is_sigreturn(memory, at->ip + 1) ||
	    !td_memory_read(memory, register_at(at->sp, REG_RIP), &from.ip) ||
	    !td_memory_read(memory, register_at(at->sp, REG_RSP), &from.sp) ||
	    !td_memory_read(memory, register_at(at->sp, REG_RBP), &from.bp))
		return false;
	*at = from;
	/* that may be another stack */
	td_memory_begin(memory, at->sp);
	return true;
}

/* jmp *slot; push $number; jmp first stub: 16 bytes, pushed from byte 11 on. */
static bool step_by_stub(struct td_memory *memory, struct td_registers_of_frame *at)
{
	uint64_t start = at->ip & ~15ull, head, tail;

	if (!td_memory_read(memory, start, &head) ||
	    !td_memory_read(memory, start + 8, &tail) || (head & 0xffff) != 0x25ff ||
	    (head >> 48 & 0xff) != 0x68 || (tail >> 24 & 0xff) != 0xe9)
		return false;
	return return_to(memory, at, at->sp + ((at->ip & 15) < 11 ? 8 : 16), at->bp);
}

/* Is `cfa`, found in the frame of at->bp, one whose return address is `copy`? */
static bool is_cfa(struct td_memory *memory, const struct td_registers_of_frame *at,
		   uint64_t cfa, uint64_t copy)
{
	uint64_t back;

	return cfa > at->bp + 8 && cfa - at->bp <= GUESS_MOST && cfa % 8 == 0 &&
	       td_memory_read(memory, cfa - 8, &back) && back == copy;
}

/* A function that has realigned its stack keeps a copy of the return address above
 * its frame pointer, and the CFA below, among the other registers that it saves. */
static bool step_by_realigned(struct td_memory *memory, struct td_registers_of_frame *at)
{
	uint64_t cfa, copy, bp;

	if (at->bp < at->sp || !td_memory_read(memory, at->bp + 8, &copy) ||
	    !td_memory_read(memory, at->bp, &bp))
		return false;
	for (uint64_t slot = at->bp - 8; slot >= at->bp - SAVED_MOST; slot -= 8)
		if (td_memory_read(memory, slot, &cfa) && is_cfa(memory, at, cfa, copy)) {
			at->bx_at = 0; /* it may have been saved, nobody says where */
			return return_to(memory, at, cfa, bp);
		}
	return false;
}

/* No table tells: the base pointer, if it looks like a frame's. */
static bool step_by_base_pointer(struct td_memory *memory,
				 struct td_registers_of_frame *at)
{
	uint64_t bp;

	if (at->bp < at->sp || at->bp - at->sp > GUESS_MOST || at->bp % 8 ||
	    !td_memory_read(memory, at->bp, &bp))
		return false;
	return return_to(memory, at, at->bp + 16, bp);
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
	if (rule->kind == TD_RULE_NONE)
		return caller_if((context && step_by_stub(memory, at)) ||
				 step_by_base_pointer(memory, at));
	if (!context && step_by_signal_frame(memory, at))
		return TD_STEP_INTERRUPTED;
	return caller_if((context && step_by_stub(memory, at)) ||
			 step_by_realigned(memory, at));
}
