/* SPDX-License-Identifier: MIT */
/* The programs that this machine's tdagent can measure. */
#ifndef TD_DECODER_NATIVE_H
#define TD_DECODER_NATIVE_H

#include <elf.h>

/* Its name, its ELF header's machine, and glibc's loader for it. */
#if defined(__x86_64__)
#define TD_NATIVE_NAME "x86_64"
#define TD_NATIVE_MACHINE EM_X86_64
#define TD_NATIVE_LOADER "ld-linux-x86-64.so.2"
#elif defined(__aarch64__)
#define TD_NATIVE_NAME "aarch64"
#define TD_NATIVE_MACHINE EM_AARCH64
#define TD_NATIVE_LOADER "ld-linux-aarch64.so.1"
#endif

#endif
