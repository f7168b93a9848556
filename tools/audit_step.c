// SPDX-License-Identifier: MIT
#include "tools/audit_step.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/audit_machine.h"

#define MASK_BYTES 8
#define BIT(signal) (1ull << ((signal)-1))
#define BYTES 16
/* Turns of a repeated instruction, where it cannot be run through: some milliseconds. */
#define TURNS_MOST 1000u
/* siginfo codes of SIGTRAP, include/uapi/asm-generic/siginfo.h */
enum { CODE_BRKPT = 1, CODE_TRACE = 2, CODE_HWBKPT = 4, CODE_HANDLER = 5 };

static long trace(long request, pid_t tid, uint64_t address, uint64_t data)
{
	return ptrace((enum __ptrace_request)request, tid, (void *)address,
		      (void *)data); /* NOLINT: numbers */
}

/* A line of /proc/PID/task/TID/status. */
static uint64_t status_field(pid_t pid, pid_t tid, const char *name, int base)
{
	char path[64], line[256];
	uint64_t value = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/status", (int)pid, (int)tid);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		if (!strncmp(line, name, strlen(name)))
			value = strtoull(line + strlen(name), NULL, base);
	if (file)
		fclose(file);
	return value;
}

char td_audit_state(pid_t pid, pid_t tid)
{
	char path[64], line[256] = "";
	const char *behind;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", (int)pid, (int)tid);
	file = fopen(path, "re");
	if (!file)
		return 0;
	if (!fgets(line, sizeof(line), file))
		line[0] = '\0';
	fclose(file);
	behind = strrchr(line, ')'); /* the name may hold anything */
	return behind && behind[1] == ' ' ? behind[2] : '\0';
}

/* What the mask is while instructions are stepped. */
static uint64_t mask_stepping(uint64_t mask)
{
	static const uint64_t faults =
		BIT(SIGSEGV) | BIT(SIGBUS) | BIT(SIGILL) | BIT(SIGFPE) | BIT(SIGSYS);

	return (mask | ~faults) & ~BIT(SIGTRAP);
}

static void mask_set(struct td_audit_stepper *s, bool stepping)
{
	uint64_t mask = stepping ? mask_stepping(s->mask) : s->mask;

	if (stepping == s->masked)
		return;
	trace(PTRACE_SETSIGMASK, s->tid, MASK_BYTES, (uint64_t)&mask);
	s->masked = stepping;
}

static void mask_read(struct td_audit_stepper *s)
{
	s->mask = 0;
	trace(PTRACE_GETSIGMASK, s->tid, MASK_BYTES, (uint64_t)&s->mask);
	s->masked = false;
	mask_set(s, true);
}

static void resume(struct td_audit_stepper *s, int signal)
{
	static const long request[] = {
		[TD_AUDIT_CLOSED] = PTRACE_CONT,   [TD_AUDIT_STEP] = PTRACE_SINGLESTEP,
		[TD_AUDIT_ENTRY] = PTRACE_SYSCALL, [TD_AUDIT_CALL] = PTRACE_SYSCALL,
		[TD_AUDIT_RUN] = PTRACE_CONT,
	};

	trace(request[s->phase], s->tid, 0, (uint64_t)signal);
}

/* As it was before the window. */
static void put_back(struct td_audit_stepper *s)
{
	if (s->phase == TD_AUDIT_RUN)
		td_audit_leap_end(s->tid);
	mask_set(s, false);
	if (s->held)
		syscall(SYS_tgkill, s->pid, s->tid, SIGTRAP);
	s->held = false;
	s->phase = TD_AUDIT_CLOSED;
}

static void finish(struct td_audit_stepper *s)
{
	s->result->steps += s->window.steps;
	put_back(s);
	resume(s, 0);
}

void td_audit_stepper_abandon(struct td_audit_stepper *s, enum td_audit_loss why)
{
	td_audit_cut(&s->window);
	s->result->steps += s->window.steps;
	s->result->lost[why]++;
	s->held = false;
	s->phase = TD_AUDIT_CLOSED;
}

static void cut(struct td_audit_stepper *s, enum td_audit_loss why)
{
	put_back(s);
	td_audit_stepper_abandon(s, why);
}

/* Starts the instruction at ip. */
static void go(struct td_audit_stepper *s)
{
	uint8_t bytes[BYTES];
	size_t length = 0;
	size_t size = td_audit_code_bytes(s->result->code, s->ip, bytes, sizeof(bytes));

	s->kind = td_audit_decode(bytes, size, &length);
	s->turns = 0;
	s->phase = TD_AUDIT_STEP;
	if (s->kind == TD_AUDIT_SYSCALL) {
		mask_set(s, false);
		s->phase = TD_AUDIT_ENTRY;
	} else if (s->kind == TD_AUDIT_REP &&
		   td_audit_leap(s->result->code, s->tid, s->ip, length)) {
		s->phase = TD_AUDIT_RUN;
	} else if (s->kind == TD_AUDIT_ATOMIC) {
		if (td_audit_leap(s->result->code, s->tid, s->ip, length))
			s->phase = TD_AUDIT_RUN;
		else
			cut(s, TD_AUDIT_UNSTEPPED);
	}
	resume(s, 0);
}

static uint32_t function_at(struct td_audit_stepper *s, uint64_t ip)
{
	uint32_t function = td_audit_code_function(s->result->code, ip);

	if (function != UINT32_MAX && td_audit_room(&s->result->table, function))
		function = UINT32_MAX;
	return function;
}

/* The instruction is over, or there is a frame of a handler. */
static void arrive(struct td_audit_stepper *s, bool executed)
{
	uint64_t ip = td_audit_ip(s->tid);
	uint32_t function;

	if (executed && s->kind == TD_AUDIT_REP && ip == s->ip) { /* a turn of it */
		if (++s->turns > TURNS_MOST)
			cut(s, TD_AUDIT_UNSTEPPED);
		resume(s, 0);
		return;
	}
	if (executed && s->kind == TD_AUDIT_PUSHF)
		td_audit_hide_stepping(s->tid);
	s->ip = ip;
	function = function_at(s, ip);
	if (function == UINT32_MAX) {
		cut(s, TD_AUDIT_ENDED);
		resume(s, 0);
	} else if (!executed) {
		td_audit_moved(&s->window, function);
		go(s);
	} else if (td_audit_step(&s->window, s->kind, function)) {
		go(s);
	} else {
		finish(s);
	}
}

static uint64_t switches(const struct td_audit_stepper *s)
{
	return status_field(s->pid, s->tid, "voluntary_ctxt_switches:", 10);
}

/* The kernel would end that by our next step. */
static bool ignores_sigtrap(const struct td_audit_stepper *s)
{
	return status_field(s->pid, s->tid, "SigIgn:", 16) & BIT(SIGTRAP);
}

/* Into the call, and out of it. */
static void call_stop(struct td_audit_stepper *s)
{
	bool slept;

	if (s->phase == TD_AUDIT_ENTRY) {
		s->phase = TD_AUDIT_CALL;
		s->switches = switches(s);
		resume(s, 0);
		return;
	}
	/* one switch is the stop that we are in */
	slept = switches(s) > s->switches + 1;
	if (slept || ignores_sigtrap(s)) {
		cut(s, slept ? TD_AUDIT_SLEPT : TD_AUDIT_IGNORED);
		resume(s, 0);
		return;
	}
	mask_read(s);
	arrive(s, true);
}

/* A signal of the program's own. */
static void pass_on(struct td_audit_stepper *s, int signal)
{
	bool caught = status_field(s->pid, s->tid, "SigCgt:", 16) & BIT(signal);

	if (signal == SIGTRAP && s->masked && (s->mask & BIT(SIGTRAP))) {
		s->held = true;
		resume(s, 0);
		return;
	}
	if (caught) {
		if (s->phase == TD_AUDIT_RUN)
			td_audit_leap_end(s->tid);
		mask_set(s, false); /* for the frame */
		s->phase = TD_AUDIT_STEP;
	}
	resume(s, signal);
}

static void trap_stop(struct td_audit_stepper *s)
{
	siginfo_t info = {.si_code = SI_USER};

	trace(PTRACE_GETSIGINFO, s->tid, 0, (uint64_t)&info);
	switch (info.si_code) {
	case CODE_HWBKPT:
		if (s->phase != TD_AUDIT_RUN)
			break;
		td_audit_leap_end(s->tid);
		s->phase = TD_AUDIT_STEP;
		arrive(s, true);
		return;
	case CODE_BRKPT:
	case CODE_TRACE:
		arrive(s, true);
		return;
	case CODE_HANDLER:
		mask_read(s);
		arrive(s, false);
		return;
	default:
		break;
	}
	pass_on(s, SIGTRAP);
}

bool td_audit_stepper_stop(struct td_audit_stepper *s, int status)
{
	int signal = WSTOPSIG(status);
	int event = status >> 16;

	if (event == PTRACE_EVENT_STOP && signal != SIGTRAP) {
		cut(s, TD_AUDIT_STOPPED);
		return true;
	}
	if (event)
		resume(s, 0);
	else if (signal == (SIGTRAP | 0x80))
		call_stop(s);
	else if (signal == SIGTRAP)
		trap_stop(s);
	else
		pass_on(s, signal);
	return false;
}

void td_audit_stepper_look(struct td_audit_stepper *s)
{
	char state = td_audit_state(s->pid, s->tid);

	if (s->phase == TD_AUDIT_CALL && (state == 'S' || state == 'D'))
		td_audit_stepper_abandon(s, TD_AUDIT_SLEPT);
}

/* Counts why no window can be opened; true if one can. */
static bool fit(struct td_audit_stepper *s, const struct td_audit_moment *moment)
{
	enum td_audit_loss why;

	if (moment->in_call)
		why = TD_AUDIT_KERNEL;
	else if (moment->foreign)
		why = TD_AUDIT_FOREIGN;
	else if (ignores_sigtrap(s))
		why = TD_AUDIT_IGNORED;
	else
		return true;
	s->result->lost[why]++;
	return false;
}

void td_audit_stepper_open(struct td_audit_stepper *s, pid_t tid, const uint64_t *length)
{
	struct td_audit_moment moment;
	uint32_t function;

	s->tid = tid;
	s->phase = TD_AUDIT_CLOSED;
	s->held = false;
	if (td_audit_look(tid, &moment)) /* it is gone */
		return;
	if (!fit(s, &moment)) {
		resume(s, 0);
		return;
	}
	td_audit_code_refresh(s->result->code);
	s->ip = moment.ip;
	function = function_at(s, s->ip);
	if (function == UINT32_MAX) {
		resume(s, 0);
		return;
	}
	s->result->moments++;
	td_audit_open(&s->window, &s->result->table, function, length);
	mask_read(s);
	go(s);
}
