/* SPDX-License-Identifier: MIT */
/* Paths, as a signal handler may copy and complete them.  Context: any. */
#ifndef TD_SIGSAFE_PATH_H
#define TD_SIGSAFE_PATH_H

#include <stddef.h>

/* Copies what fits into `size` bytes, the NUL included. */
void td_path_copy(char *to, const char *from, size_t size);

/*
 * The same, with the working directory before a relative path.  Where that
 * cannot be told the path stays relative; absolute and empty ones stay as they are.
 */
void td_path_absolute(char *to, const char *from, size_t size);

#endif
