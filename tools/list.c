// SPDX-License-Identifier: MIT
/* The names that TDAGENT_EVENTS takes on this machine, and which of them it counts. */
#include <dirent.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decoder/event_names.h"
#include "decoder/events.h"
#include "tools/arguments.h"
#include "tools/asked.h"
#include "tools/commands.h"
#include "tools/facts.h"
#include "tools/probe.h"

static const char usage[] =
	"usage: tdagent list [NAME...]\n\n"
	"Lists the names that --events takes on this machine: the kernel's own, those\n"
	"of the CPU's PMU in /sys, and those of its event table, and says which of them\n"
	"cannot be opened.  rHEX is a raw event, perf_event_attr.config in hexadecimal,\n"
	"rHEX:HEX one with a config1, and NAME=rHEX one with a name.  Each NAME is looked\n"
	"up as --events does, and printed as a program can be given it.";

/* What is listed, and how many the kernel refuses. */
struct list {
	struct td_asked asked;
	const struct td_event_source *source;
	uint32_t type[TD_CORE_TYPES]; /* of a hybrid's PMUs, else 0 */
	unsigned names, refused;
};

static uint32_t type_of(const char *pmu)
{
	char path[256];
	unsigned type = 0;
	FILE *file;

	snprintf(path, sizeof(path), TD_EVENT_DEVICES "/%s/type", pmu);
	file = fopen(path, "re");
	if (file && fscanf(file, "%u", &type) != 1)
		type = 0;
	if (file)
		fclose(file);
	return type;
}

/* Of user mode, for this thread, and never counted. */
static bool can_open(const struct td_event_name *event, uint32_t type)
{
	struct perf_event_attr attr = {
		.type = event->type,
		.config = event->config,
		.config1 = event->config1,
	};
	int fd;

	if (type && event->type == PERF_TYPE_RAW)
		attr.type = type;
	else if (type)
		attr.config |= (uint64_t)type << 32;
	fd = td_facts_open(&attr, -1);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* A hybrid's PMUs are opened by their number; where there is one, any CPU's is meant. */
static bool is_counted(const struct list *list, const struct td_event_name *event,
		       bool of_all)
{
	for (size_t i = 0; i < list->asked.sources; i++)
		if ((of_all || list->source == &list->asked.source[i]) &&
		    can_open(event, list->type[i]))
			return true;
	return false;
}

static void put(struct list *list, const char *name, const char *raw, bool counted)
{
	list->names++;
	list->refused += !counted;
	if (!*raw)
		printf(counted ? "  %s\n" : "  %-28s(refused)\n", name);
	else
		printf(counted ? "  %-28s%s\n" : "  %-28s%-14s(refused)\n", name, raw);
}

static void list_generic(struct list *list)
{
	puts("of the kernel:");
	for (size_t i = 0; i < td_generic_event_count; i++) {
		const struct td_event_name event = {
			.type = td_generic_events[i].type,
			.config = td_generic_events[i].config,
		};

		put(list, td_generic_events[i].name, "", is_counted(list, &event, true));
	}
}

static int is_event(const struct dirent *entry)
{
	/* NAME.scale and NAME.unit are about NAME; topdown.* and slots go with
	 * PERF_METRICS only */
	return entry->d_name[0] != '.' && !strchr(entry->d_name, '.') &&
	       strcmp(entry->d_name, "slots") != 0 &&
	       strncmp(entry->d_name, "topdown-", 8) != 0;
}

static void list_pmu(struct list *list)
{
	char directory[256], why[256];
	struct dirent **entry = NULL;
	struct td_event_name event;
	int n;

	snprintf(directory, sizeof(directory), TD_EVENT_DEVICES "/%s/events",
		 list->source->pmu);
	n = scandir(directory, &entry, is_event, alphasort);
	printf("\nof the PMU (%s):\n", directory);
	if (n <= 0)
		puts("  none");
	for (int i = 0; i < n; i++) {
		/* those that only samples have are no events here */
		if (!td_event_lookup(list->source, entry[i]->d_name, &event, why,
				     sizeof(why)))
			put(list, entry[i]->d_name, "", is_counted(list, &event, false));
		free(entry[i]);
	}
	free(entry);
}

static void list_family(struct list *list)
{
	uint32_t number = 0, model = 0;
	const struct td_event_family *family;

	td_events_this_cpu(&number, &model);
	family = td_events_of_cpu(list->source->vendor, number, model);
	if (!family) {
		puts("\nof the event tables: none, they do not have this CPU");
		return;
	}
	printf("\nof the event table %s (%s):\n", family->name, family->source);
	for (uint32_t i = 0; i < family->events; i++) {
		struct td_event_name event;
		char why[256], raw[32];

		if (td_event_lookup(list->source, family->event[i].name, &event, why,
				    sizeof(why)))
			continue;
		snprintf(raw, sizeof(raw), "r%" PRIx64, event.config);
		put(list, family->event[i].name, event.type == PERF_TYPE_RAW ? raw : "",
		    is_counted(list, &event, false));
	}
}

/* The machine as probe sees it, but what is no matter of counters. */
static void explain(const struct list *list)
{
	struct td_obstacle obstacle[TD_OBSTACLES_MAX];
	struct td_facts facts;

	td_facts_machine(&facts); /* the agent is asked by way of this command */
	if (!facts.cycles_error) {
		printf("\n%u of %u are refused: this CPU%s does not count them.\n",
		       list->refused, list->names,
		       facts.hypervisor ? ", or its virtual machine," : "");
		return;
	}
	facts.sigtrap_error = 0;
	facts.kernel_major = INT_MAX;
	facts.sample_rate = -1;
	facts.files_soft = UINT64_MAX;
	printf("\n%u of %u are refused", list->refused, list->names);
	if (td_probe_obstacles(&facts, obstacle))
		printf(": %s.\nTo change it: %s.", obstacle[0].what, obstacle[0].change);
	puts("\n`tdagent probe` has more.");
}

static int list_all(struct list *list)
{
	list_generic(list);
	for (size_t i = 0; i < list->asked.sources; i++) {
		list->source = &list->asked.source[i];
		list_pmu(list);
	}
	for (size_t i = 0; i < list->asked.sources; i++) {
		list->source = &list->asked.source[i];
		list_family(list);
	}
	if (list->refused)
		explain(list);
	return 0;
}

/* As the agent takes it: a hybrid's PMUs may have another event each of one name. */
static char *spell(const struct td_asked *asked, const char *name,
		   const struct td_event_name *event, bool by_pfm)
{
	bool is_one = by_pfm || (asked->sources == 1 && event->type == PERF_TYPE_RAW &&
				 !td_event_raw(name));

	return is_one ? td_asked_raw(event) : strdup(name);
}

/* What is known of these names; the exit status. */
static int list_named(const struct td_asked *asked, char **name)
{
	int status = 0;

	for (; *name; name++) {
		struct td_event_name event;
		char why[512];
		bool by_pfm;
		char *text;

		if (td_asked_find(asked, *name, &event, &by_pfm, why, sizeof(why))) {
			fprintf(stderr, "tdagent list: %s\n", why);
			status = 1;
			continue;
		}
		text = spell(asked, *name, &event, by_pfm);
		puts(text ? text : *name);
		free(text);
	}
	return status;
}

int td_cmd_list(int argc, char **argv)
{
	static const struct td_argument table[] = {{0}};
	static const struct td_arguments arguments = {"list", usage, table, 0, NULL};
	static struct list list;
	int first = td_arguments_read(&arguments, NULL, argc, argv);

	if (first <= 0)
		return first < 0 ? 2 : 0;
	td_asked_open(&list.asked, NULL);
	if (first < argc)
		return list_named(&list.asked, argv + first);
	for (size_t i = 0; list.asked.sources > 1 && i < list.asked.sources; i++)
		list.type[i] = type_of(list.asked.source[i].pmu);
	return list_all(&list);
}
