// SPDX-License-Identifier: MIT
#include "tools/pfm.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_PFM
#include "decoder/values.h"

#define SHOW(value) td_show(value, strlen(value)).text

#include <perfmon/pfmlib_perf_event.h>

/* Events of other processors are found by the name of their PMU, if they are asked for
 * before the library begins. */
static int start(void)
{
	setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
	return pfm_initialize();
}

static int encode(const char *name, struct perf_event_attr *attr)
{
	pfm_perf_encode_arg_t encoded = {.size = sizeof(encoded), .attr = attr};
	int error = start();

	*attr = (struct perf_event_attr){.size = sizeof(*attr)};
	return error != PFM_SUCCESS
		       ? error
		       : pfm_get_os_event_encoding(name, PFM_PLM3, PFM_OS_PERF_EVENT,
						   &encoded);
}

/* Why what libpfm4 found is not what would be counted; NULL: it is. */
static const char *fault_of(const struct perf_event_attr *attr)
{
	if (attr->type != PERF_TYPE_RAW)
		return "it is no event of the core's PMU";
	if (attr->exclude_user)
		return "only user mode is counted";
	if (attr->config2)
		return "config and config1 are not all that it takes";
	return NULL;
}

int td_pfm_find(const char *name, struct td_event_name *event, char *why, size_t size)
{
	struct perf_event_attr attr;
	int error = encode(name, &attr);
	const char *fault = error == PFM_SUCCESS ? fault_of(&attr) : NULL;

	if (error != PFM_SUCCESS || fault) {
		snprintf(why, size, "'%s': libpfm4: %s", SHOW(name),
			 fault ? fault : pfm_strerror(error));
		if (fault)
			return -ENOTSUP;
		return error == PFM_ERR_NOTFOUND || error == PFM_ERR_NOTSUPP ? -ENOENT
									     : -EINVAL;
	}
	*event = (struct td_event_name){
		.type = attr.type, .config = attr.config, .config1 = attr.config1};
	if (strlen(name) < sizeof(event->name))
		strcpy(event->name, name);
	return 0;
}

bool td_pfm_is_of_others(const char *name)
{
	pfm_pmu_info_t pmu = {.size = sizeof(pmu)};
	char full[TD_EVENT_TEXT];
	int i;

	if (start() != PFM_SUCCESS || strstr(name, "::"))
		return false;
	pfm_for_all_pmus(i)
	{
		if (pfm_get_pmu_info((pfm_pmu_t)i, &pmu) != PFM_SUCCESS ||
		    pmu.type != PFM_PMU_TYPE_CORE)
			continue;
		snprintf(full, sizeof(full), "%s::%s", pmu.name, name);
		if (pfm_find_event(full) >= 0)
			return true;
	}
	return false;
}
const char *td_pfm_lack(void)
{
	return "";
}
#else
int td_pfm_find(const char *name, struct td_event_name *event, char *why, size_t size)
{
	(void)name;
	(void)event;
	(void)why;
	(void)size;
	return -ENOENT;
}

const char *td_pfm_lack(void)
{
	return " (libpfm4's are unknown: built without libpfm4)";
}

bool td_pfm_is_of_others(const char *name)
{
	(void)name;
	return false;
}
#endif
