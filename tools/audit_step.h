/* SPDX-License-Identifier: MIT */
/*
 * One thread in one window: from instruction to instruction, with nothing changed
 * that the program could see.
 *
 * While instructions are stepped the thread's signal mask is another one.  SIGTRAP is
 * out of it: where it is blocked, a trap by single-stepping makes the kernel unblock it
 * and forget its handler.  What comes from outside is in it: steps are so slow that a
 * timer would meet every window; it waits for the next system call or the window's end.
 * The program's own mask is back whenever the kernel looks at it: in system calls and
 * when a handler's frame is made.
 *
 * Context: normal.
 */
#ifndef TD_TOOLS_AUDIT_STEP_H
#define TD_TOOLS_AUDIT_STEP_H

#include <signal.h>
#include <stdbool.h>

#include "tools/audit_trace.h"

enum td_audit_phase {
	TD_AUDIT_CLOSED,
	TD_AUDIT_STEP,  /* an instruction */
	TD_AUDIT_ENTRY, /* on its way into a system call */
	TD_AUDIT_CALL,  /* in it */
	TD_AUDIT_RUN,   /* through a repeated instruction, to a breakpoint */
};

struct td_audit_stepper {
	struct td_audit_result *result;
	pid_t pid, tid;
	enum td_audit_phase phase;
	struct td_audit_window window;
	uint64_t ip;
	enum td_audit_kind kind; /* of the instruction at ip */
	unsigned turns;          /* of that, repeated and stepped */
	uint64_t mask;           /* of the program */
	bool masked;             /* the mask is the one for stepping */
	bool held;               /* a SIGTRAP of the program that it had blocked */
	uint64_t switches;       /* when the call began */
};

/*
 * Opens windows of these lengths in the thread, which is stopped.  Where that
 * cannot be, counts why.  In any case the thread goes on.
 */
void td_audit_stepper_open(struct td_audit_stepper *stepper, pid_t tid,
			   const uint64_t *length);

/* The thread has stopped (waitpid's status).  It goes on, unless it is stopped by
 * job control: then the window is closed and true is returned. */
bool td_audit_stepper_stop(struct td_audit_stepper *stepper, int status);

/* The thread is in a system call for long: lets it go if it waits. */
void td_audit_stepper_look(struct td_audit_stepper *stepper);

/* The thread is gone, or not to be stepped any more; it is not touched. */
void td_audit_stepper_abandon(struct td_audit_stepper *stepper, enum td_audit_loss why);

/* "R", "S", ... of a thread of the process; 0 if it is gone. */
char td_audit_state(pid_t pid, pid_t tid);

#endif
