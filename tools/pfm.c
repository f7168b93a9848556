// SPDX-License-Identifier: MIT
#include "tools/pfm.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decoder/event_names.h"
#include "decoder/events.h"

#ifdef HAVE_PFM
#include <perfmon/pfmlib_perf_event.h>

int td_pfm_find(const char *name, uint64_t *config, char *why, size_t size)
{
	struct perf_event_attr attr = {.size = sizeof(attr)};
	pfm_perf_encode_arg_t encoded = {.size = sizeof(encoded), .attr = &attr};
	int error = pfm_initialize();

	if (error == PFM_SUCCESS)
		error = pfm_get_os_event_encoding(name, PFM_PLM3, PFM_OS_PERF_EVENT,
						  &encoded);
	if (error != PFM_SUCCESS) {
		snprintf(why, size, "%s: libpfm4: %s", name, pfm_strerror(error));
		return -1;
	}
	/* what is beside config would be lost */
	if (attr.type != PERF_TYPE_RAW || attr.config1 || attr.config2) {
		snprintf(why, size,
			 "%s: no event that one config of the core's PMU counts", name);
		return -1;
	}
	*config = attr.config;
	return 0;
}
#else
int td_pfm_find(const char *name, uint64_t *config, char *why, size_t size)
{
	*config = 0;
	snprintf(why, size, "%s: this tdagent was built without libpfm4", name);
	return -1;
}
#endif

static bool is_raw(const char *name)
{
	return name[0] == 'r' && name[1] &&
	       name[1 + strspn(name + 1, "0123456789abcdefABCDEF")] == '\0';
}

static bool is_in_table(const char *name)
{
	uint32_t number = 0, model = 0;
	enum td_vendor vendor = td_events_this_cpu(&number, &model);
	const struct td_event_family *family = td_events_of_cpu(vendor, number, model);

	return family && td_events_find(family, name) >= 0;
}

/* Does the agent know it by itself? */
static bool is_known(const char *name)
{
	static const char *const pmus[] = {"cpu", "cpu_core", "cpu_atom"};
	char path[256];

	if (strchr(name, '=') || is_raw(name) || is_in_table(name))
		return true;
	for (size_t i = 0; i < td_generic_event_count; i++)
		if (strcmp(td_generic_events[i].name, name) == 0)
			return true;
	for (size_t i = 0; i < sizeof(pmus) / sizeof(pmus[0]); i++) {
		snprintf(path, sizeof(path), TD_EVENT_DEVICES "%s/events/%s", pmus[i],
			 name);
		if (access(path, F_OK) == 0)
			return true;
	}
	return false;
}

char *td_pfm_resolve(const char *names)
{
	char *list = strdup(names), *text = NULL, *rest = NULL;
	size_t size;
	FILE *out = list ? open_memstream(&text, &size) : NULL;

	for (char *name = out ? strtok_r(list, ", ", &rest) : NULL; name;
	     name = strtok_r(NULL, ", ", &rest)) {
		char *period = strchr(name, '@'), why[256];
		uint64_t config;

		if (period)
			*period++ = '\0';
		fprintf(out, "%s%s", ftell(out) > 0 ? "," : "", name);
		if (!is_known(name) && !td_pfm_find(name, &config, why, sizeof(why)))
			fprintf(out, "=r%" PRIx64, config);
		if (period)
			fprintf(out, "@%s", period);
	}
	free(list);
	if (!out || fclose(out))
		return NULL;
	return text;
}
