/* SPDX-License-Identifier: MIT */
/*
 * What `tdagent audit` counts: windows of a known number of instructions, of
 * which every step is known.
 *
 * A window is opened at an instruction that has not been executed yet, and closed
 * after `length` instructions, at the one that would be next.  From each moment
 * windows of several classes are opened at once; they share their steps.
 *
 * Context: normal; no globals, no output, no system calls.
 */
#ifndef TD_TOOLS_AUDIT_COUNT_H
#define TD_TOOLS_AUDIT_COUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TD_AUDIT_LENGTHS_MAX 8

/* What an instruction is to us. */
enum td_audit_kind {
	TD_AUDIT_OTHER,
	TD_AUDIT_RETURN,    /* a near return */
	TD_AUDIT_NEAR_CALL, /* direct or indirect */
	TD_AUDIT_SYSCALL,
	TD_AUDIT_PUSHF,  /* would save the trap flag of our stepping */
	TD_AUDIT_REP,    /* a string instruction that is repeated */
	TD_AUDIT_ATOMIC, /* the first of some that are atomic unless they are stepped */
};

/* Of windows with one rule's blessing; all of these are at most what is said. */
struct td_audit_accepted {
	uint64_t windows;
	uint64_t stayed;       /* windows that never left their function */
	uint64_t instructions; /* that these windows executed */
	uint64_t elsewhere;    /* ... of them outside of the function */
};

/* One function's windows of one class of length. */
struct td_audit_cell {
	uint64_t windows;              /* whole ones */
	uint64_t cut;                  /* those that the thread did not finish */
	struct td_audit_accepted same; /* closed in the function they were opened in */
	/* the same, and no near return was executed in between */
	struct td_audit_accepted no_return;
	struct td_audit_accepted quiet; /* ... and no near call either */
};

/* A function's number is its place in cell[]. */
struct td_audit_table {
	size_t classes; /* 1..TD_AUDIT_LENGTHS_MAX */
	size_t functions;
	size_t room;
	struct td_audit_cell (*cell)[TD_AUDIT_LENGTHS_MAX];
};

struct td_audit_window {
	struct td_audit_table *table;
	uint32_t function;                     /* at the open */
	uint64_t target[TD_AUDIT_LENGTHS_MAX]; /* instructions, > 0; 0: counted */
	uint64_t steps, longest;
	uint64_t elsewhere, returns, calls; /* among the steps */
	uint32_t now;                       /* function of the next instruction */
	bool left;
};

/* Makes room for functions 0..function.  Returns 0 or -ENOMEM. */
int td_audit_room(struct td_audit_table *table, uint32_t function);

/*
 * Opens the windows at a moment in `function`, which the table has room for;
 * length[i] > 0 is the one of class i.
 */
void td_audit_open(struct td_audit_window *window, struct td_audit_table *table,
		   uint32_t function, const uint64_t *length);

/*
 * One instruction of this kind was executed; in which function is the next?  Returns true
 * while some of the windows go on.
 */
bool td_audit_step(struct td_audit_window *window, enum td_audit_kind kind,
		   uint32_t next);

/* Without an instruction: a signal's handler comes next. */
void td_audit_moved(struct td_audit_window *window, uint32_t next);

/* No further step will come: what is not whole is counted as cut. */
void td_audit_cut(struct td_audit_window *window);

/* The sum over all functions, class by class. */
void td_audit_total(const struct td_audit_table *table,
		    struct td_audit_cell total[TD_AUDIT_LENGTHS_MAX]);

void td_audit_free(struct td_audit_table *table);

#endif
