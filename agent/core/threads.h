/* SPDX-License-Identifier: MIT */
/*
 * The profiled threads: found, opened, ended, their records reused.
 * Context: normal; each function takes the core lock itself.
 */
#ifndef TD_CORE_THREADS_H
#define TD_CORE_THREADS_H

#include <stdbool.h>

/* Starts to profile the calling thread; nothing happens if the agent is off or
 * the thread is profiled already. */
void td_threads_attach_self(void);

/* Starts to profile the threads of this process that already run. */
void td_threads_attach_others(void);

/* Ends the calling thread's part. */
void td_threads_detach_self(void);

/* Ends all parts, at the end of the process. */
void td_threads_finish(void);

/* Waits until no other thread is in a handler of ours, which are all stopped. */
void td_threads_settle(void);

/* The calling thread has given itself this name: its record has it before it ends, for
 * who is killed or looked at meanwhile. */
void td_threads_named(const char *name);

/* The calling thread has no room for our signals, and is not sampled, or has it again.
 * Returns whether that is new.  Context: normal, or a handler of the program's. */
bool td_threads_rest(bool rest);

/* Says once that there is such a thread. */
void td_threads_say_rest(void);

/* The program puts a descriptor of its own where one of ours is. */
void td_threads_yield_descriptor(int fd);

/* In a forked child: forgets the parent's threads and closes their descriptors. */
void td_threads_forget(void);

/* True if any thread took a sample. */
bool td_threads_sampled(void);

#endif
