/* SPDX-License-Identifier: MIT */
/*
 * Which stack a thread was born with, and which it has for signals.  The way back in
 * user mode puts a second signal frame on the first (sigsafe/leave.h): near the end of
 * the former, and on one that nobody knows, a coroutine's or one that the program has
 * allocated, handlers take one and leave as any other.
 * Context: normal, of the calling thread.
 */
#ifndef TD_CORE_STACKS_H
#define TD_CORE_STACKS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

/* Bytes that our signals take of a stack at most. */
size_t td_stacks_room(void);

/* The first thread; of another one nothing becomes known. */
void td_stacks_know_first(void);

/* A new thread, whose stack libc has allocated with so many bytes; 0: it has not. */
void td_stacks_know(size_t size);

/* Has this alternate stack of the program's no room for one signal of ours?  For the
 * program's own it may have it, or none ever comes. */
bool td_stacks_is_small(const stack_t *alternate);

/* The program has set this one, or given up what it had.  Context: also a handler of the
 * program's, as of the next. */
void td_stacks_know_alternate(const stack_t *alternate);

/* Is any of the alternate stack among these bytes? */
bool td_stacks_alternate_is_in(const void *start, size_t size);

#endif
