/* SPDX-License-Identifier: MIT */
/*
 * The environment of who is started.  We stay out of LD_PRELOAD where the program would
 * end because of us: another C library's, or AddressSanitizer's.
 *
 * Context: any but a signal handler of ours, between vfork() and exec, too: nothing is
 * allocated, errno is kept, and nobody is cancelled here.
 */
#ifndef TD_CORE_ENVIRONMENT_H
#define TD_CORE_ENVIRONMENT_H

#include <stddef.h>

/* How many bytes td_environment_without_us() needs; 0: the environment is to stay as it
 * is.  The program: a descriptor; a path from a directory (AT_FDCWD), or "" for that
 * descriptor; a name in PATH. */
size_t td_environment_size(int program, char *const envp[]);
size_t td_environment_size_at(int directory, const char *path, char *const envp[]);
size_t td_environment_size_in_path(const char *name, char *const envp[]);

/* The same environment, in `room`, which is aligned for pointers; without room, `envp`.
 */
char **td_environment_without_us(char *const envp[], void *room);

#endif
