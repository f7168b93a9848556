// SPDX-License-Identifier: MIT
#include "decoder/events.h"

#include <string.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#elif defined(__aarch64__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

const struct td_event_family *td_events_of_cpu(enum td_vendor vendor, uint32_t family,
					       uint32_t model)
{
	for (size_t i = 0; i < td_event_family_count && vendor != TD_VENDOR_NONE; i++) {
		const struct td_event_family *candidate = &td_event_families[i];

		for (uint32_t k = 0; k < candidate->cpus; k++) {
			const struct td_event_cpu *cpu = &candidate->cpu[k];

			if (cpu->vendor == vendor && cpu->family == family &&
			    model >= cpu->first && model <= cpu->last)
				return candidate;
		}
	}
	return NULL;
}

const struct td_event_family *td_events_named(const char *name)
{
	for (size_t i = 0; i < td_event_family_count; i++) {
		if (strcmp(td_event_families[i].name, name) == 0)
			return &td_event_families[i];
	}
	return NULL;
}

int td_events_find(const struct td_event_family *family, const char *name)
{
	for (uint32_t i = 0; i < family->events; i++) {
		if (strcmp(family->event[i].name, name) == 0)
			return (int)i;
	}
	return -1;
}

uint64_t td_events_leaving(uint32_t family, uint32_t model, const char *name)
{
	const struct td_event_family *known =
		td_events_of_cpu(TD_VENDOR_INTEL, family, model);
	int event = known ? td_events_find(known, name) : -1;

	if (event >= 0)
		return known->event[event].config;
	return strcmp(name, "near_calls") == 0 ? TD_EVENT(0xc4, 0x30)
					       : TD_EVENT(0xc4, 0x08);
}

enum td_vendor td_events_arm_cpu(uint64_t midr, uint32_t *family, uint32_t *model)
{
	*family = midr >> 24 & 0xff;
	*model = (midr << 4 & 0xfff00) | (midr >> 16 & 0xf0) | (midr & 0xf);
	return TD_VENDOR_ARM;
}

#if defined(__x86_64__) || defined(__i386__)
static enum td_vendor vendor_of(uint32_t ebx)
{
	switch (ebx) {
	case 0x756e6547: /* "Genu" */
		return TD_VENDOR_INTEL;
	case 0x68747541: /* "Auth" */
		return TD_VENDOR_AMD;
	default:
		return TD_VENDOR_NONE;
	}
}

enum td_vendor td_events_this_cpu(uint32_t *family, uint32_t *model)
{
	uint32_t a, b, c, d, version;

	if (!__get_cpuid(1, &version, &b, &c, &d) || !__get_cpuid(0, &a, &b, &c, &d))
		return TD_VENDOR_NONE;
	*family = version >> 8 & 0xf;
	*model = (version >> 4 & 0xf) | (version >> 12 & 0xf0);
	if (*family == 0xf)
		*family += version >> 20 & 0xff;
	return vendor_of(b);
}
#elif defined(__aarch64__)
/* The kernel reads the register for us, where it says so. */
enum td_vendor td_events_this_cpu(uint32_t *family, uint32_t *model)
{
	uint64_t midr;

	*family = *model = 0;
	if (!(getauxval(AT_HWCAP) & HWCAP_CPUID))
		return TD_VENDOR_NONE;
	__asm__("mrs %0, midr_el1" : "=r"(midr));
	return td_events_arm_cpu(midr, family, model);
}
#else
enum td_vendor td_events_this_cpu(uint32_t *family, uint32_t *model)
{
	*family = *model = 0;
	return TD_VENDOR_NONE;
}
#endif
