/* SPDX-License-Identifier: MIT */
/*
 * The libc entry points that we interpose.  Each hook does what core says and
 * forwards; the real function is called even when the agent is off or broken,
 * and errno is the real function's.
 */
#ifndef TD_HOOK_HOOK_H
#define TD_HOOK_HOOK_H

#define TD_EXPORT __attribute__((visibility("default")))

#endif
