// SPDX-License-Identifier: MIT
/* What /sys says of the CPU's PMUs: a part of facts.h. */
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/facts.h"

/* The first line of DIRECTORY/PMU/NAME; false: there is none. */
static bool read_line(const char *directory, const char *pmu, const char *name,
		      char *text, int size)
{
	char path[PATH_MAX];
	FILE *file;
	bool found;

	snprintf(path, sizeof(path), "%s/%s/%s", directory, pmu, name);
	file = fopen(path, "re");
	found = file && fgets(text, size, file);
	if (file)
		fclose(file);
	if (found)
		text[strcspn(text, "\n")] = '\0';
	return found;
}

static int read_number(const char *directory, const char *pmu, const char *name)
{
	char text[32];

	return read_line(directory, pmu, name, text, sizeof(text)) ? atoi(text) : -1;
}

/* "cpu", or "cpu_core" and "cpu_atom" of a hybrid one; elsewhere one that says which
 * CPUs it is of. */
static bool is_cpu_pmu(const char *directory, const char *name)
{
	char cpus[8];

	return !strcmp(name, "cpu") || !strncmp(name, "cpu_", 4) ||
	       read_line(directory, name, "cpus", cpus, sizeof(cpus));
}

/* Cores of two types: the CPUs of each. */
static void add_type(struct td_facts *facts, const char *directory, const char *pmu)
{
	if (!strcmp(pmu, "cpu_core"))
		read_line(directory, pmu, "cpus", facts->core_cpus,
			  sizeof(facts->core_cpus));
	if (!strcmp(pmu, "cpu_atom"))
		read_line(directory, pmu, "cpus", facts->atom_cpus,
			  sizeof(facts->atom_cpus));
}

static void add_pmu(struct td_facts *facts, const char *directory, const char *pmu)
{
	char path[PATH_MAX], text[32];
	DIR *events;
	struct dirent *entry;
	int rdpmc = read_number(directory, pmu, "rdpmc");

	facts->pmu = true;
	if (rdpmc >= 0)
		facts->rdpmc = rdpmc;
	/* of a hybrid's small cores are none that the agent samples precisely */
	if (strcmp(pmu, "cpu_atom") != 0)
		facts->max_precise = read_number(directory, pmu, "caps/max_precise");
	add_type(facts, directory, pmu);
	if (read_line(directory, pmu, "format/strobe_period", text, sizeof(text)))
		facts->strobe = true;
	snprintf(path, sizeof(path), "%s/%s/events", directory, pmu);
	events = opendir(path);
	/* of a hybrid's small cores are none that the agent opens */
	while (events && strcmp(pmu, "cpu_atom") != 0 && (entry = readdir(events))) {
		if (!strcmp(entry->d_name, "slots")) {
			facts->slots = true;
			facts->slots_type = (uint32_t)read_number(directory, pmu, "type");
		}
		if (!strncmp(entry->d_name, "topdown-", 8) && !strchr(entry->d_name, '.'))
			facts->topdown_events++;
	}
	if (events)
		closedir(events);
}

void td_facts_pmus(struct td_facts *facts, const char *directory)
{
	DIR *devices = opendir(directory);
	struct dirent *entry;

	facts->rdpmc = facts->max_precise = -1;
	while (devices && (entry = readdir(devices)))
		if (is_cpu_pmu(directory, entry->d_name))
			add_pmu(facts, directory, entry->d_name);
	facts->sysfs = devices != NULL;
	if (devices)
		closedir(devices);
	if (facts->rdpmc < 0) {
		facts->rdpmc = read_number("/proc/sys", "kernel", "perf_user_access");
		facts->user_access = facts->rdpmc >= 0;
	}
}
