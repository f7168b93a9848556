/* SPDX-License-Identifier: MIT */
/*
 * What /proc and uname say about the process and the machine.
 * Context: normal.  Strings are always terminated, "" when unknown.
 */
#ifndef TD_CORE_FACTS_H
#define TD_CORE_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decoder/format.h"

/* The start time of process `pid` (field 22 of its stat), 0 if it is gone. */
uint64_t td_facts_process_start(uint32_t pid);

/* Fills in pid, exe, cpu, kernel, host and the times; td_proc_describe() has the rest. */
void td_facts_fill(struct td_file_header *header);

/* True if the parent process runs with this agent too; where it has gone, which is so for
 * what a program leaves in the background, the leader of the process group. */
bool td_facts_parent_is_profiled(void);

/* False if the program itself needs no library, and so no libc: Go without cgo.  It sets
 * handlers and makes threads by system calls, and may use libc's thread register itself.
 */
bool td_facts_program_uses_libc(void);

/* True if valgrind runs the program: the kernel's signals reach valgrind, and perf's are
 * none that it knows. */
bool td_facts_under_valgrind(void);

/* True if a tracer (debugger, strace) is attached. */
bool td_facts_traced(void);

/* Kernel release as major * 1000 + minor: 6.1 is 6001. */
unsigned td_facts_kernel(void);

/* The processor's clock by /proc/cpuinfo, cycles a microsecond; 0 unknown. */
uint64_t td_facts_cycles_per_us(void);

#endif
