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
	/* It may run on some, but a filter on system calls lets nobody move there to
	 * look: cpus is empty. */
	bool out_of_reach;
};

#define TD_CORES_OUT_OF_REACH                                                            \
	"a filter on system calls refuses moves to cores of the other type"

/* The two types, by enum td_core_type.  False: the processor is not hybrid, or the kernel
 * does not say so. */
bool td_cores_find(struct td_cores cores[TD_CORE_TYPES]);

/* The calling thread was moved to cores that were out of reach: then those are in reach
 * now, and the others are not. */
bool td_cores_were_left(void);

/* The processor is hybrid, and the calling thread may run on other cores than the large
 * ones, which lack some of their registers; also where these are out of reach. */
bool td_cores_may_leave_large(void);

/* Which of two types of cores groups of `both` or of one are of, for a profile's reason.
 * False: there is one type, or a note says it. */
bool td_cores_say(bool both, char *text, size_t size);

/* Notes the cores that the calling thread may run on, but that are not measured: the
 * small ones, unless it may not run on large ones; `why` if they are in reach. */
void td_cores_note_others(const char *why);

/* Notes the cores of a third PMU, cpu_lowpower (Arrow Lake H), of which nothing is
 * measured, if the calling thread may run on them. */
void td_cores_note_low_power(void);

/* Two hardware threads of a core are on: what is the core's is not a thread's alone. */
bool td_cores_are_shared(void);

/* Moves the calling thread to `cpus` of td_cores_find(), if that is not empty and it is
 * not there already; *before is what td_cores_leave() needs.  Returns 0 or -errno. */
int td_cores_visit(const cpu_set_t *cpus, cpu_set_t *before);
void td_cores_leave(const cpu_set_t *before);

/* PERF_TYPE_HARDWARE's event number `event` of the PMU with that type. */
static inline uint64_t td_cores_hardware(uint32_t type, uint64_t event)
{
	return event | (uint64_t)type << 32;
}

#endif
