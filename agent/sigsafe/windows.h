/* SPDX-License-Identifier: MIT */
/*
 * The window log (format.h): one for the process, shared by its threads.
 */
#ifndef TD_SIGSAFE_WINDOWS_H
#define TD_SIGSAFE_WINDOWS_H

#include "agent/sigsafe/random.h"
#include "agent/sigsafe/store.h"

/* Blocks that the log may take: 16 MiB, and a quarter of a smaller profile. */
#define TD_WINDOWS_BLOCKS_MAX 2048u

/* Records that a log has room for in a profile of so many blocks.  Context: any. */
uint32_t td_windows_room(uint32_t blocks_max);

/*
 * A record for one more window: the caller fills it and publishes it.  NULL if
 * the sample goes without this one, which is then counted all the same.  Where
 * the file cannot grow, the log keeps the room that it has: windows_max says so.
 * `random` is the thread's.  Context: signal.
 */
struct td_file_window *td_windows_take(struct td_random *random);

/* Context: as above. */
void td_windows_publish(struct td_file_window *window, enum td_window_state state);

/* Forgets the profile's blocks.  Context: normal, no thread takes samples. */
void td_windows_forget(void);

#endif
