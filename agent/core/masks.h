/* SPDX-License-Identifier: MIT */
/*
 * Our signal in the masks of the program's threads, and in what they wait for.
 *
 * New threads inherit masks that block everything, and would not be sampled.  So
 * our signal is let through where a thread begins, without the program's
 * knowledge: it goes on to see the signal blocked, and one that was sent to it
 * is given back by the handler (agent/sigsafe/handler.h), for somebody else to
 * take or to stay pending, and blocked in truth until the program sets masks again.
 *
 * Context: normal, on the thread, unless it says otherwise.
 */
#ifndef TD_CORE_MASKS_H
#define TD_CORE_MASKS_H

#include <signal.h>
#include <stdbool.h>
#include <time.h>

/* Is our signal in `set`, which may be NULL?  Context: any. */
bool td_masks_has_ours(const sigset_t *set);

/* Was our signal let through on this thread, which thinks that it is blocked? */
bool td_masks_hidden(void);

/*
 * A thread begins: lets our signal through where it is blocked, unless the
 * program has a handler for it, and means its masks.  `inherited`: whoever made
 * the thread was td_masks_hidden().
 */
void td_masks_begin(bool inherited);

/* The mask is to be the program's own while another image might get it. */
void td_masks_show(void);
void td_masks_hide(void);

/* In a child that has our memory but a mask of its own (vfork): its mask becomes what
 * the program thinks it is, and is let alone from then on. */
void td_masks_leave(void);

/* sigprocmask(), by one of its names, as the program may see it. */
typedef int td_masks_call(int how, const sigset_t *set, sigset_t *old);
int td_masks_change(td_masks_call *call, int how, const sigset_t *set, sigset_t *old);

/* sigtimedwait() for one of `set`, which has ours; without a `timeout` it waits for ever.
 * What comes of ours is not what was waited for.  Handlers may jump out of it. */
int td_masks_wait(const sigset_t *set, siginfo_t *info, const struct timespec *timeout);

/* Before a wait under `mask`, which may be NULL: none of ours that was blocked until then
 * comes in it. One that is taken is a sample lost. */
void td_masks_before_wait(const sigset_t *mask);

/* sigpending(), where none of ours is. */
int td_masks_pending(sigset_t *set);

/* raise(), which loses nothing to one of ours: of two that wait the kernel keeps the
 * first. (What another thread sends by pthread_kill(), or anybody by a bare tgkill(), is
 * still lost in one of ours that waits: nobody but the thread itself can take that.) */
int td_masks_raise(int number);

#endif
