// SPDX-License-Identifier: MIT
#include "decoder/event_names.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#define CACHE(cache, operation, result)                                                  \
	(PERF_COUNT_HW_CACHE_##cache | PERF_COUNT_HW_CACHE_OP_##operation << 8 |         \
	 PERF_COUNT_HW_CACHE_RESULT_##result << 16)

#define HARDWARE(name, event)                                                            \
	{                                                                                \
		name, PERF_TYPE_HARDWARE, PERF_COUNT_HW_##event                          \
	}
#define CACHED(name, cache, operation, result)                                           \
	{                                                                                \
		name, PERF_TYPE_HW_CACHE, CACHE(cache, operation, result)                \
	}
#define OPERATION(name, plural, cache, operation)                                        \
	CACHED(name plural, cache, operation, ACCESS),                                   \
		CACHED(name "-misses", cache, operation, MISS)
#define LOADS(name, cache) OPERATION(name "-load", "s", cache, READ)
#define STORES(name, cache) OPERATION(name "-store", "s", cache, WRITE)
#define PREFETCHES(name, cache) OPERATION(name "-prefetch", "es", cache, PREFETCH)

/* What PERF_TYPE_HARDWARE and PERF_TYPE_HW_CACHE have, but operations that no cache of
 * that kind does. */
const struct td_generic_event td_generic_events[] = {
	HARDWARE("cycles", CPU_CYCLES),
	HARDWARE("cpu-cycles", CPU_CYCLES),
	HARDWARE("instructions", INSTRUCTIONS),
	HARDWARE("branches", BRANCH_INSTRUCTIONS),
	HARDWARE("branch-instructions", BRANCH_INSTRUCTIONS),
	HARDWARE("branch-misses", BRANCH_MISSES),
	HARDWARE("cache-references", CACHE_REFERENCES),
	HARDWARE("cache-misses", CACHE_MISSES),
	HARDWARE("bus-cycles", BUS_CYCLES),
	HARDWARE("ref-cycles", REF_CPU_CYCLES),
	HARDWARE("stalled-cycles-frontend", STALLED_CYCLES_FRONTEND),
	HARDWARE("idle-cycles-frontend", STALLED_CYCLES_FRONTEND),
	HARDWARE("stalled-cycles-backend", STALLED_CYCLES_BACKEND),
	HARDWARE("idle-cycles-backend", STALLED_CYCLES_BACKEND),
	LOADS("L1-dcache", L1D),
	STORES("L1-dcache", L1D),
	PREFETCHES("L1-dcache", L1D),
	LOADS("L1-icache", L1I),
	PREFETCHES("L1-icache", L1I),
	LOADS("LLC", LL),
	STORES("LLC", LL),
	PREFETCHES("LLC", LL),
	LOADS("dTLB", DTLB),
	STORES("dTLB", DTLB),
	PREFETCHES("dTLB", DTLB),
	LOADS("iTLB", ITLB),
	LOADS("branch", BPU),
	LOADS("node", NODE),
	STORES("node", NODE),
	PREFETCHES("node", NODE),
};
const size_t td_generic_event_count =
	sizeof(td_generic_events) / sizeof(td_generic_events[0]);

/* One range, "0-7" or "18"; NULL: it is none. */
static const char *put_range(const char *at, uint64_t *value, uint64_t *config)
{
	char *end;
	unsigned long first = strtoul(at, &end, 10), last = first;

	if (end == at)
		return NULL;
	if (*end == '-') {
		at = end + 1;
		last = strtoul(at, &end, 10);
		if (end == at)
			return NULL;
	}
	if (last > 63 || first > last)
		return NULL;
	for (unsigned long bit = first; bit <= last; bit++, *value >>= 1)
		*config |= (*value & 1) << bit;
	return end;
}

int td_event_format_put(const char *field, const char *format, uint64_t value,
			uint64_t *config)
{
	size_t length = strlen(field);
	const char *at = format + length + 1;
	uint64_t bits = *config;

	if (strncmp(format, field, length) != 0 || format[length] != ':')
		return 0;
	for (;;) {
		at = put_range(at, &value, &bits);
		if (!at)
			return 0;
		if (*at != ',')
			break;
		at++;
	}
	if ((*at && *at != '\n') || value)
		return 0;
	*config = bits;
	return 1;
}
