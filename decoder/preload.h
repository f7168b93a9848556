/* SPDX-License-Identifier: MIT */
/*
 * Can libtdagent.so be preloaded into a program?  Answered from its file.
 *
 * Context: any in which pread() may be called, between vfork() and exec, too: nothing is
 * allocated, and errno may change.
 */
#ifndef TD_DECODER_PRELOAD_H
#define TD_DECODER_PRELOAD_H

#include <stddef.h>

enum td_preload {
	TD_PRELOAD_WELL,      /* it can */
	TD_PRELOAD_MACHINE,   /* the program, or what is there of it, is another machine's
			       */
	TD_PRELOAD_LIBC,      /* another C library's, which has not what we need */
	TD_PRELOAD_SANITIZER, /* AddressSanitizer's, whose runtime wants to be the first
			       */
	TD_PRELOAD_STATIC,    /* LD_PRELOAD cannot reach it */
	TD_PRELOAD_ALONE,     /* needs no library at all, so no libc */
};

#define TD_PRELOAD_NAME 256 /* bytes, with the NUL */

/* `name`: the loader for TD_PRELOAD_LIBC, the runtime for TD_PRELOAD_SANITIZER. */
enum td_preload td_preload_into(int elf, char name[TD_PRELOAD_NAME]);

/* The length of AddressSanitizer's runtime at the head of a list as in LD_PRELOAD, 0 if
 * it is not there. */
size_t td_preload_sanitizer(const char *list);

#endif
