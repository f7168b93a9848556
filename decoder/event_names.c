// SPDX-License-Identifier: MIT
#include "decoder/event_names.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#define CACHE(cache, operation, result)                                                  \
	(PERF_COUNT_HW_CACHE_##cache | PERF_COUNT_HW_CACHE_OP_##operation << 8 |         \
	 PERF_COUNT_HW_CACHE_RESULT_##result << 16)

const struct td_generic_event td_generic_events[] = {
	{"branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
	{"branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
	{"cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES},
	{"cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
	{"L1-dcache-loads", PERF_TYPE_HW_CACHE, CACHE(L1D, READ, ACCESS)},
	{"L1-dcache-load-misses", PERF_TYPE_HW_CACHE, CACHE(L1D, READ, MISS)},
	{"L1-dcache-stores", PERF_TYPE_HW_CACHE, CACHE(L1D, WRITE, ACCESS)},
	{"L1-icache-load-misses", PERF_TYPE_HW_CACHE, CACHE(L1I, READ, MISS)},
	{"LLC-loads", PERF_TYPE_HW_CACHE, CACHE(LL, READ, ACCESS)},
	{"LLC-load-misses", PERF_TYPE_HW_CACHE, CACHE(LL, READ, MISS)},
	{"dTLB-loads", PERF_TYPE_HW_CACHE, CACHE(DTLB, READ, ACCESS)},
	{"dTLB-load-misses", PERF_TYPE_HW_CACHE, CACHE(DTLB, READ, MISS)},
	{"dTLB-store-misses", PERF_TYPE_HW_CACHE, CACHE(DTLB, WRITE, MISS)},
	{"iTLB-load-misses", PERF_TYPE_HW_CACHE, CACHE(ITLB, READ, MISS)},
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

int td_event_format_put(const char *format, uint64_t value, uint64_t *config)
{
	return td_event_format_put_in("config", format, value, config);
}

int td_event_format_put_in(const char *field, const char *format, uint64_t value,
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
