/* SPDX-License-Identifier: MIT */
/*
 * How to get from a frame to its caller.  GCC's own unwinder (libgcc_eh.a) reads
 * the unwind tables and gives the rule for an instruction, without a look at any
 * stack; it is linked by itself, its calls of libc are ours (unwind_libc.c), and it
 * runs on a stack of its own.  So it takes no lock, allocates nothing, and needs
 * next to nothing of the program's stack.
 *
 * Stacks are read by td_memory alone.
 *
 * How calls, frames and handlers look is the architecture's: its frame.h has
 * struct td_rule, struct td_registers_of_frame, td_unwind_begin() for the innermost
 * frame, and td_unwind_quickly().
 */
#ifndef TD_SIGSAFE_UNWIND_H
#define TD_SIGSAFE_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

#include "agent/sigsafe/memory.h"
#include "agent/sigsafe/rule_kind.h"

#if defined(__x86_64__)
#include "agent/sigsafe/x86_64/frame.h"
#elif defined(__aarch64__)
#include "agent/sigsafe/aarch64/frame.h"
#endif

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

/* Where td_unwind_leave() goes to on this thread; NULL: libgcc is not at work. */
extern __thread void *td_unwind_frame __attribute__((tls_model("initial-exec")));

/* Calls function(argument) on the stack that ends at `top`, with *frame set to what
 * td_unwind_leave() needs.  Returns its value, or that of leave. */
int td_unwind_call(int (*function)(void *argument), void *argument, void *top,
		   void **frame);
__attribute__((noreturn)) void td_unwind_leave(void *frame, int result);

#endif
