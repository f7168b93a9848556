// SPDX-License-Identifier: MIT
/* The names that TDAGENT_EVENTS takes on this machine. */
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decoder/event_names.h"
#include "decoder/events.h"
#include "tools/arguments.h"
#include "tools/commands.h"
#include "tools/pfm.h"

static const char usage[] =
	"usage: tdagent list [NAME...]\n\n"
	"Lists the names that --events takes on this machine: the kernel's own, those\n"
	"of the CPU's PMU in /sys, and those of its event table.  rHEX is a raw event,\n"
	"perf_event_attr.config in hexadecimal, and NAME=rHEX one with a name.  Each NAME\n"
	"of libpfm4's is printed so; tdagent run knows these names as well.";

static int is_event(const struct dirent *entry)
{
	/* NAME.scale and NAME.unit are about NAME; topdown.* and slots go with
	 * PERF_METRICS only */
	return entry->d_name[0] != '.' && !strchr(entry->d_name, '.') &&
	       strcmp(entry->d_name, "slots") != 0 &&
	       strncmp(entry->d_name, "topdown-", 8) != 0;
}

static void list_generic(void)
{
	puts("of the kernel, where the CPU has them:");
	for (size_t i = 0; i < td_generic_event_count; i++)
		printf("  %s\n", td_generic_events[i].name);
}

static void list_pmu(const char *directory)
{
	struct dirent **entry;
	int n = scandir(directory, &entry, is_event, alphasort);

	printf("\nof the PMU (%s):\n", directory);
	if (n <= 0)
		puts("  none");
	for (int i = 0; i < n; i++) {
		printf("  %s\n", entry[i]->d_name);
		free(entry[i]);
	}
	if (n >= 0)
		free(entry);
}

static int is_hybrid(void)
{
	return access(TD_EVENT_DEVICES "cpu_core", F_OK) == 0;
}

/* Of a hybrid processor, of the cores of each type. */
static void list_sys(void)
{
	if (is_hybrid()) {
		list_pmu(TD_EVENT_DEVICES "cpu_core/events");
		list_pmu(TD_EVENT_DEVICES "cpu_atom/events");
	} else {
		list_pmu(TD_EVENT_DEVICE "events");
	}
}

static void list_family(const struct td_event_family *family)
{
	if (!family) {
		puts("\nof the event tables: none, they do not have this CPU");
		return;
	}
	printf("\nof the event table %s (%s):\n", family->name, family->source);
	for (uint32_t i = 0; i < family->events; i++)
		printf("  %-20s r%" PRIx64 "\n", family->event[i].name,
		       family->event[i].config);
}

static void list_table(void)
{
	uint32_t number = 0, model = 0;
	enum td_vendor vendor = td_events_this_cpu(&number, &model);

	list_family(td_events_of_cpu(vendor, number, model));
	if (is_hybrid())
		list_family(td_events_of_cpu(TD_VENDOR_ATOM, number, model));
}

/* What libpfm4 says of these names; the exit status. */
static int list_named(char **name)
{
	int status = 0;

	for (; *name; name++) {
		uint64_t config;
		char why[256];

		if (td_pfm_find(*name, &config, why, sizeof(why)) == 0) {
			printf("%s=r%" PRIx64 "\n", *name, config);
			continue;
		}
		fprintf(stderr, "tdagent list: %s\n", why);
		status = 1;
	}
	return status;
}

int td_cmd_list(int argc, char **argv)
{
	static const struct td_argument table[] = {{0}};
	static const struct td_arguments arguments = {"list", usage, table, 0, NULL};
	int first = td_arguments_read(&arguments, NULL, argc, argv);

	if (first <= 0)
		return first < 0 ? 2 : 0;
	if (first < argc)
		return list_named(argv + first);
	list_generic();
	list_sys();
	list_table();
	return 0;
}
