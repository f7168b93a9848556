// SPDX-License-Identifier: MIT
#include "tools/audit_machine.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define TRAP_FLAG 0x100u
#define CODE_64BIT 0x33
/* Fewer turns of a repeated instruction are stepped. */
#define TURNS_FEW 4

#define REGISTER(name) offsetof(struct user, regs.name)

/* Intel SDM volume 2, 2.1.1: the bytes that may stand before any opcode. */
static bool is_prefix(uint8_t byte)
{
	return byte && memchr("\xf0\xf2\xf3\x2e\x36\x3e\x26\x64\x65\x66\x67", byte, 11);
}

static bool is_string(uint8_t opcode)
{
	return (opcode >= 0x6c && opcode <= 0x6f) || (opcode >= 0xa4 && opcode <= 0xa7) ||
	       (opcode >= 0xaa && opcode <= 0xaf);
}

enum td_audit_kind td_audit_decode(const uint8_t *code, size_t size, size_t *length)
{
	bool repeated = false;
	size_t at = 0;

	for (; at < size && is_prefix(code[at]); at++)
		repeated |= code[at] == 0xf2 || code[at] == 0xf3;
	if (at < size && (code[at] & 0xf0) == 0x40) /* REX */
		at++;
	if (at >= size)
		return TD_AUDIT_OTHER;
	*length = at + 1;
	if (code[at] == 0xc3 || code[at] == 0xc2)
		return TD_AUDIT_RETURN;
	/* ModRM's middle bits are a part of the opcode */
	if (code[at] == 0xe8 ||
	    (code[at] == 0xff && at + 1 < size && (code[at + 1] >> 3 & 7) == 2))
		return TD_AUDIT_NEAR_CALL;
	if (code[at] == 0x9c)
		return TD_AUDIT_PUSHF;
	if (repeated && is_string(code[at]))
		return TD_AUDIT_REP;
	if (at + 1 < size && code[at] == 0x0f &&
	    (code[at + 1] == 0x05 || code[at + 1] == 0x34))
		return TD_AUDIT_SYSCALL;
	if (at + 1 < size && code[at] == 0xcd && code[at + 1] == 0x80)
		return TD_AUDIT_SYSCALL;
	return TD_AUDIT_OTHER;
}

static long trace(long request, pid_t tid, uint64_t address, uint64_t data)
{
	return ptrace((enum __ptrace_request)request, tid, (void *)address,
		      (void *)data); /* NOLINT: numbers */
}

static uint64_t peek_user(pid_t tid, size_t offset)
{
	return (uint64_t)trace(PTRACE_PEEKUSER, tid, offset, 0);
}

int td_audit_look(pid_t tid, struct td_audit_moment *moment)
{
	struct user_regs_struct registers;

	if (trace(PTRACE_GETREGS, tid, 0, (uint64_t)&registers))
		return -errno;
	moment->ip = registers.rip;
	moment->in_call = (int64_t)registers.orig_rax >= 0;
	moment->foreign = registers.cs != CODE_64BIT;
	return 0;
}

uint64_t td_audit_ip(pid_t tid)
{
	return peek_user(tid, REGISTER(rip));
}

static bool set_breakpoint(pid_t tid, uint64_t ip)
{
	return !trace(PTRACE_POKEUSER, tid, offsetof(struct user, u_debugreg[0]), ip) &&
	       !trace(PTRACE_POKEUSER, tid, offsetof(struct user, u_debugreg[7]), 1);
}

static __attribute__((noinline)) void trodden(void)
{
	__asm__ volatile("");
}

/* Some virtual machines take debug registers and never stop. */
static bool breakpoints_fire(void)
{
	bool fire = false;
	pid_t child = fork();
	int status;

	if (child == 0) {
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) || raise(SIGSTOP))
			_exit(1);
		trodden();
		_exit(0);
	}
	if (child < 0)
		return false;
	if (waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
		if (set_breakpoint(child, (uint64_t)(uintptr_t)trodden))
			trace(PTRACE_CONT, child, 0, 0);
		else
			kill(child, SIGKILL);
		fire = waitpid(child, &status, 0) == child && WIFSTOPPED(status) &&
		       WSTOPSIG(status) == SIGTRAP;
		if (fire) {
			kill(child, SIGKILL);
			waitpid(child, &status, 0);
		}
	}
	return fire;
}

bool td_audit_leap(struct td_audit_code *code, pid_t tid, uint64_t ip, size_t length)
{
	static enum { UNKNOWN, NEVER, ALWAYS } fire;

	(void)code;
	if (peek_user(tid, REGISTER(rcx)) <= TURNS_FEW)
		return false;
	if (fire == UNKNOWN)
		fire = breakpoints_fire() ? ALWAYS : NEVER;
	return fire == ALWAYS && set_breakpoint(tid, ip + length);
}

void td_audit_leap_end(pid_t tid)
{
	trace(PTRACE_POKEUSER, tid, offsetof(struct user, u_debugreg[7]), 0);
}

/* PUSHF has saved the flags as they are while we step. */
void td_audit_hide_stepping(pid_t tid)
{
	uint64_t at = peek_user(tid, REGISTER(rsp));
	uint64_t flags;

	errno = 0;
	flags = (uint64_t)trace(PTRACE_PEEKDATA, tid, at, 0);
	if (!errno && (flags & TRAP_FLAG))
		trace(PTRACE_POKEDATA, tid, at, flags & ~(uint64_t)TRAP_FLAG);
}
