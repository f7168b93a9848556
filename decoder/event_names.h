/* SPDX-License-Identifier: MIT */
/*
 * The kernel's own events by the names that perf gives them, and how /sys says where
 * the terms of an event go.  Context: any; pure.
 */
#ifndef TD_DECODER_EVENT_NAMES_H
#define TD_DECODER_EVENT_NAMES_H

#include <stddef.h>
#include <stdint.h>

/* Where /sys describes the PMUs, as perf and the kernel call them. */
#define TD_EVENT_DEVICES "/sys/bus/event_source/devices"

struct td_generic_event {
	const char *name;
	uint32_t type; /* perf_event_attr.type */
	uint64_t config;
};

extern const struct td_generic_event td_generic_events[];
extern const size_t td_generic_event_count;

/*
 * Puts `value` into the bits of *config that `format` names, for example
 * "config:0-7,32-35"; the lowest bits of the value first.  `field` is whose bits they
 * are: "config", "config1" or "config2" of perf_event_attr.  Returns 1, or 0 for another
 * field, for what is no format and for a value that has too many bits.
 */
int td_event_format_put(const char *field, const char *format, uint64_t value,
			uint64_t *config);

#endif
