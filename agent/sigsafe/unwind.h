/* SPDX-License-Identifier: MIT */
/*
 * How to get from a frame to its caller.  GCC's own unwinder (libgcc_eh.a) reads
 * the unwind tables and gives the rule for an instruction, without a look at any
 * stack; it is linked by itself, its calls of libc are ours (unwind_libc.c), and it
 * runs on a stack of its own.  So it takes no lock, allocates nothing, and needs
 * next to nothing of the program's stack.
 *
 * Stacks are read by td_memory alone.
 */
#ifndef TD_SIGSAFE_UNWIND_H
#define TD_SIGSAFE_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

#include "agent/sigsafe/memory.h"

enum td_rule_kind {
	TD_RULE_NONE,     /* no unwind information */
	TD_RULE_STANDARD, /* the members below say it all */
	TD_RULE_LAST,     /* the outermost frame */
	TD_RULE_OTHER,    /* computed: signal frames, stubs, realigned stacks */
};

/* DWARF's numbers */
#define TD_REGISTER_BX 3u
#define TD_REGISTER_BP 6u
#define TD_REGISTER_SP 7u
#define TD_REGISTERS 16u

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

/*
 * The rule for the instruction at `ip`, which must be in a function that
 * td_identity_find() has just found in an object.  `stack`: TD_UNWIND_STACK bytes
 * to work on.  Context: signal.
 */
#define TD_UNWIND_STACK 16384u
void td_unwind_learn(void *stack, uint64_t ip, struct td_rule *rule);

enum td_step {
	TD_STEP_CALLER,      /* `at` is the caller's now */
	TD_STEP_INTERRUPTED, /* likewise, and a signal interrupted it there */
	TD_STEP_BROKEN,      /* nobody knows; `at` is undefined */
};

/*
 * Steps by any rule but LAST.  `context`: the innermost frame's registers, NULL for
 * a caller.  Context: signal, after td_memory_begin().
 */
enum td_step td_unwind_step(struct td_memory *memory, const struct td_rule *rule,
			    struct td_registers_of_frame *at, const ucontext_t *context);

/* The same for nearly all frames: by a standard rule, on the stack that is read
 * directly.  False: nothing was done.  Context: as above. */
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

/* Where td_unwind_leave() goes to on this thread; NULL: libgcc is not at work. */
extern __thread void *td_unwind_frame __attribute__((tls_model("initial-exec")));

/* Calls function(argument) on the stack that ends at `top`, with *frame set to what
 * td_unwind_leave() needs.  Returns its value, or that of leave. */
int td_unwind_call(int (*function)(void *argument), void *argument, void *top,
		   void **frame);
__attribute__((noreturn)) void td_unwind_leave(void *frame, int result);

#endif
