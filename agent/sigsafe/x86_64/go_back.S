/* SPDX-License-Identifier: MIT */
/*
 * The last instructions of the way to the program (leave.c, whose numbers stand here),
 * and of an empty window.
 *
 * To who unwinds, cancellation for one, they are a signal's frame: what called them is
 * what they lead to.
 */
#ifdef __CET__
#include <cet.h> /* says that shadow stacks may stay on */
#endif

/* DWARF: a register, or the frame's address, by an expression that begins at a register. */
#define REGISTER 0x10
#define ADDRESS 0x0f
#define BY_RBX 0x73
#define BY_RSI 0x74
#define BY_RDI 0x75
#define BY_RSP 0x77
#define LOAD 0x06
#define ADD 0x23

/* Stored at `at` (two bytes) from a register on. */
.macro stored number, by, at
	.cfi_escape REGISTER, \number, 3, \by, 0x80 | ((\at) & 0x7f), (\at) >> 7
.endm

/* All of a ucontext's but where to go on. */
.macro all_stored by, at
	stored 8, \by, \at
	stored 9, \by, \at + 8
	stored 10, \by, \at + 16
	stored 11, \by, \at + 24
	stored 12, \by, \at + 32
	stored 13, \by, \at + 40
	stored 14, \by, \at + 48
	stored 15, \by, \at + 56
	stored 5, \by, \at + 64 /* rdi */
	stored 4, \by, \at + 72 /* rsi */
	stored 6, \by, \at + 80 /* rbp */
	stored 3, \by, \at + 88 /* rbx */
	stored 1, \by, \at + 96 /* rdx */
	stored 0, \by, \at + 104 /* rax */
	stored 2, \by, \at + 112 /* rcx */
.endm

/* The program's stack: WAY_BELOW, 144, above what the first word there points to. */
.macro stack_in_way by
	.cfi_escape ADDRESS, 6, \by, 0, LOAD, ADD, 0x80 | (144 & 0x7f), 144 >> 7
.endm

/*
 * All registers from a ucontext's (RDI), then the stack (what RSI points to), flags and
 * where to go on: the program, or the empty window's end.  This has an instruction of
 * ours more, the system call that sends its signal; then sigreturn, from the frame in
 * RBX, to the mask of now: keep_mask() in leave.c.  What runs in a window of the program
 * runs in this one, and the other way round.
 */
	.section td_leaving, "ax", @progbits
	.globl td_leave_goes, td_leave_ends_empty
	.hidden td_leave_goes, td_leave_ends_empty

	.type td_leave_goes, @function
td_leave_goes:
	.cfi_startproc
	.cfi_signal_frame
	.cfi_offset %rip, -136
	stack_in_way BY_RSP
	.cfi_remember_state
	stack_in_way BY_RSI
	all_stored BY_RDI, 0
	test %edx, %edx /* an empty one? */
	jne 1f
	nop
1:	mov %rsi, %rsp
	stack_in_way BY_RSP
	mov 0(%rdi), %r8
	mov 8(%rdi), %r9
	mov 16(%rdi), %r10
	mov 24(%rdi), %r11
	mov 32(%rdi), %r12
	mov 40(%rdi), %r13
	mov 48(%rdi), %r14
	mov 56(%rdi), %r15
	mov 72(%rdi), %rsi
	mov 80(%rdi), %rbp
	mov 88(%rdi), %rbx
	mov 96(%rdi), %rdx
	mov 104(%rdi), %rax
	mov 112(%rdi), %rcx
	mov 64(%rdi), %rdi
	.cfi_restore_state
	pop %rsp
	.cfi_def_cfa %rsp, 144
	popf
	.cfi_def_cfa_offset 136
	ret $128
	.cfi_endproc
	.size td_leave_goes, . - td_leave_goes

	.type td_leave_ends_empty, @function
td_leave_ends_empty:
	.cfi_startproc
	.cfi_signal_frame
	.cfi_escape ADDRESS, 4, BY_RBX, 0x80 | (160 & 0x7f), 160 >> 7, LOAD
	stored 16, BY_RBX, 168
	all_stored BY_RBX, 40
	syscall
	mov $14, %eax
	mov $2, %edi
	lea td_leave_all(%rip), %rsi
	lea 296(%rbx), %rdx
	mov $8, %r10d
	syscall
	mov %rbx, %rsp
	mov $15, %eax
	syscall
	.cfi_endproc
	.size td_leave_ends_empty, . - td_leave_ends_empty

	.section .note.GNU-stack, "", @progbits
