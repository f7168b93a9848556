/* SPDX-License-Identifier: MIT */
/*
 * A seccomp filter that the process was started with may end it at a system call
 * that only we make.  No process without privileges can read its filters, but a
 * child has the same: it tries the calls, with arguments that do nothing, and is
 * killed in our place.
 */
#ifndef TD_CORE_CONFINED_H
#define TD_CORE_CONFINED_H

#include <stdbool.h>

enum td_confinement {
	TD_CONFINED_NOT,     /* no filter, or one that lets us live */
	TD_CONFINED_NO_PERF, /* perf_event_open() or its ioctls would end us */
	TD_CONFINED,         /* so would other calls of ours */
	TD_CONFINED_MUTE,    /* and those to say so, or nothing could be tried */
};

/* Is a filter there?  Reads a file of /proc, as the dynamic linker reads files. */
bool td_confined_by_filter(void);

/* What it leaves us.  Makes a child, which the program cannot see, and waits for it:
 * clone() and wait4() must be allowed.  Context: normal, before there are threads. */
enum td_confinement td_confined_look(void);

/* May the calling thread ask for its affinity and change it? */
bool td_confined_may_move(void);

#endif
