/* SPDX-License-Identifier: MIT */
/*
 * A debugger's breakpoint.  BREAKPOINT_SKIP(context): for a handler, which gets to its
 * own or to the next instruction.
 */
#ifndef PROG_BREAKPOINT_H
#define PROG_BREAKPOINT_H

#include <ucontext.h>

#if defined(__x86_64__)
#define BREAKPOINT() __asm__ volatile("int3")
#define BREAKPOINT_SKIP(context) ((void)(context))
#elif defined(__aarch64__)
#define BREAKPOINT() __asm__ volatile("brk #0")
#define BREAKPOINT_SKIP(context) ((void)(((ucontext_t *)(context))->uc_mcontext.pc += 4))
#endif

#endif
