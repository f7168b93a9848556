/* SPDX-License-Identifier: MIT */
/* The registers of an interrupted context, as lvalues, by what they are for. */
#ifndef UNIT_CONTEXT_H
#define UNIT_CONTEXT_H

#include <ucontext.h>

#if defined(__x86_64__)
#define CONTEXT_IP(context) ((context)->uc_mcontext.gregs[REG_RIP])
#define CONTEXT_SP(context) ((context)->uc_mcontext.gregs[REG_RSP])
#define CONTEXT_FP(context) ((context)->uc_mcontext.gregs[REG_RBP])
#elif defined(__aarch64__)
#define CONTEXT_IP(context) ((context)->uc_mcontext.pc)
#define CONTEXT_SP(context) ((context)->uc_mcontext.sp)
#define CONTEXT_FP(context) ((context)->uc_mcontext.regs[29])
#endif

/* Such a register's value. */
typedef __typeof__(CONTEXT_IP((ucontext_t *)0)) context_value;

#endif
