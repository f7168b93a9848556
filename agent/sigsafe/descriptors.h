/* SPDX-License-Identifier: MIT */
/*
 * Our descriptors inside the program's table: kept out of its way, and known
 * again when it tries to close or overwrite them.  Context: any.
 */
#ifndef TD_SIGSAFE_DESCRIPTORS_H
#define TD_SIGSAFE_DESCRIPTORS_H

#include <stdbool.h>

/*
 * Moves `fd` above what the program is likely to use and marks it as ours.
 * Returns the new number, or `fd` itself if there is no room above.
 */
int td_descriptor_hide(int fd);

/*
 * Is the program's limit so low (below 16) that one of ours, if only while it is
 * moved, may be the one that the program needs?
 */
bool td_descriptors_are_few(void);

/* Is this number beyond so many eighths of the program's limit?  It needs some itself. */
bool td_descriptor_is_scarce(int fd, unsigned eighths);

/* Closes one of ours; nothing happens for -1 or if it is no longer ours. */
void td_descriptor_close(int fd);

/* None is ours any more; they stay open.  No system call. */
void td_descriptor_forget_all(void);

bool td_descriptor_is_ours(int fd);

/* The first of our descriptors in [from, to], -1 if none. */
int td_descriptor_first(unsigned from, unsigned to);

/* The program is about to put a file of its own at `fd`: moves ours away.
 * Returns the new number, -1 if it had to be given up. */
int td_descriptor_yield(int fd);

#endif
