/* SPDX-License-Identifier: MIT */
/*
 * What a processor is called.
 *
 * Context: normal; pure function.
 */
#ifndef TD_DECODER_CPU_NAME_H
#define TD_DECODER_CPU_NAME_H

#include <stddef.h>

/*
 * From the text of /proc/cpuinfo: its "model name", as x86 has it, or what Arm's
 * numbers of implementer and part mean, or these numbers.  "" if it has neither; what
 * does not fit is cut off.
 */
void td_cpu_name(const char *cpuinfo, char *name, size_t size);

#endif
