/* SPDX-License-Identifier: MIT */
/* Small files of the kernel's, as a signal handler may read them.  Context: any. */
#ifndef TD_SIGSAFE_PROC_H
#define TD_SIGSAFE_PROC_H

#include <stddef.h>
#include <stdint.h>

#include "decoder/format.h"

/* Reads at most `size` - 1 bytes of a file and a NUL behind them.  Returns how many,
 * or -errno. */
long td_proc_read(const char *path, char *text, size_t size);

/* When a process was started, in ticks since boot; `stat` is the text of its
 * /proc/PID/stat.  0 if it does not say. */
uint64_t td_proc_start(const char *stat);

/* Fills in command and start of this process.  In a process of one thread. */
void td_proc_describe(struct td_file_header *header);

#endif
