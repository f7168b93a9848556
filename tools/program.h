/* SPDX-License-Identifier: MIT */
/*
 * Can the agent be preloaded into this program, or the program be traced?  Answered from
 * the file, before anything is started.
 *
 * Context: normal.
 */
#ifndef TD_TOOLS_PROGRAM_H
#define TD_TOOLS_PROGRAM_H

#include <stddef.h>

enum {
	TD_PROGRAM_REFUSED = 126, /* found, but cannot be run or profiled */
	TD_PROGRAM_MISSING = 127,
};

/* What is to be done with it. */
enum td_program_use {
	TD_PROGRAM_PRELOAD, /* it must be linked with glibc, dynamically */
	TD_PROGRAM_TRACE,   /* any program without further rights */
};

/*
 * Finds `name` as a shell would (in PATH if it has no slash), writes its path
 * and looks at the file, or at the interpreter that its #! line names.
 * Returns 0, or the exit status of above with one line in `why` that does not
 * name the program.
 */
int td_program_find(const char *name, enum td_program_use use, char *path, size_t size,
		    char *why, size_t why_size);

#endif
