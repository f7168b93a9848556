/* SPDX-License-Identifier: MIT */
/*
 * Cores of two types: a hybrid processor has a PMU for each, cpu_core and cpu_atom, and
 * an event counts on the cores of its own PMU alone.
 * Context: normal.
 */
#ifndef TD_CORE_CORES_H
#define TD_CORE_CORES_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

#include "decoder/format.h"

/* What /sys says of the cores of one type. */
struct td_cores {
	uint32_t type;  /* of perf_event_attr */
	char list[48];  /* CPUs, as "0-7,16" */
	cpu_set_t cpus; /* those of them that the calling thread may run on */
};

/* The two types, by enum td_core_type.  False: the processor is not hybrid, the kernel
 * does not say so, or a filter on system calls ends who moves from core to core. */
bool td_cores_find(struct td_cores cores[TD_CORE_TYPES]);

/* The processor is hybrid, and the calling thread may run on other cores than the large
 * ones, which lack some of their registers; also where td_cores_find() is false. */
bool td_cores_may_leave_large(void);

/* Notes the cores of a third PMU, cpu_lowpower (Arrow Lake H), of which nothing is
 * measured, if the calling thread may run on them. */
void td_cores_note_low_power(void);

/* Two hardware threads of a core are on: what is the core's is not a thread's alone. */
bool td_cores_are_shared(void);

/* Moves the calling thread to `cpus`, if that is not empty; *before is what
 * td_cores_leave() needs.  Returns 0 or -errno. */
int td_cores_visit(const cpu_set_t *cpus, cpu_set_t *before);
void td_cores_leave(const cpu_set_t *before);

/* PERF_TYPE_HARDWARE's event number `event` of the PMU with that type. */
static inline uint64_t td_cores_hardware(uint32_t type, uint64_t event)
{
	return event | (uint64_t)type << 32;
}

#endif
