// SPDX-License-Identifier: MIT
/* Which groups of events this machine counts: a part of facts.h. */
#include <errno.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "decoder/events.h"
#include "tools/facts.h"

#define NEVER (1ull << 40)
#define LOOP 20000u

static int open_event(uint32_t type, uint64_t config, uint64_t period, int leader)
{
	struct perf_event_attr attr = {
		.type = type,
		.config = config,
		.sample_period = period,
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
			       PERF_FORMAT_TOTAL_TIME_RUNNING,
	};

	return td_facts_open(&attr, leader);
}

/* Has the group been on its counters all the time? */
static int judge(int leader)
{
	struct {
		uint64_t events, enabled, running, value[TD_GROUP_EVENTS_MAX + 1];
	} count = {0};

	if (ioctl(leader, PERF_EVENT_IOC_ENABLE, 0) != 0)
		return errno;
	for (volatile uint32_t i = 0; i < LOOP; i++)
		;
	if (read(leader, &count, sizeof(count)) < 24 || !count.enabled ||
	    count.enabled != count.running)
		return EBUSY;
	return 0;
}

/* The first group's first `n` events and instructions; 0 or an errno. */
static int try_group(const struct td_event_family *family, uint32_t n)
{
	int fd[TD_GROUP_EVENTS_MAX + 1], error = 0;
	uint32_t opened = 0;

	for (uint32_t i = 0; i <= n && !error; i++) {
		fd[i] = i < n ? open_event(
					PERF_TYPE_RAW,
					family->event[family->group[0].event[i]].config,
					0, i ? fd[0] : -1)
			      : open_event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS,
					   0, fd[0]);
		if (fd[i] < 0)
			error = -fd[i];
		else
			opened++;
	}
	if (!error)
		error = judge(fd[0]);
	while (opened > 0)
		close(fd[--opened]);
	return error;
}

/* Beside a sampling cycles event, as the agent has one. */
static void try_groups(struct td_facts *facts, const struct td_event_family *family)
{
	int cycles = open_event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, NEVER, -1);

	if (cycles < 0) {
		facts->events_error = -cycles;
		return;
	}
	ioctl(cycles, PERF_EVENT_IOC_ENABLE, 0);
	for (uint32_t n = family->group[0].events; n > 1; n--) {
		facts->events_error = try_group(family, n);
		facts->event_counters = facts->events_error ? 0 : (int)n;
		if (!facts->events_error)
			break;
	}
	close(cycles);
}

/* The table is of large cores, whose events do not count on others. */
static void try_on_large_core(struct td_facts *facts,
			      const struct td_event_family *family)
{
	cpu_set_t before, large;
	bool moved;

	CPU_ZERO(&large);
	CPU_SET(strtoul(facts->core_cpus, NULL, 10), &large);
	moved = *facts->atom_cpus && sched_getaffinity(0, sizeof(before), &before) == 0 &&
		sched_setaffinity(0, sizeof(large), &large) == 0;
	try_groups(facts, family);
	if (moved)
		sched_setaffinity(0, sizeof(before), &before);
}

static bool file_says(const char *path, char wanted)
{
	FILE *file = fopen(path, "re");
	bool says = file && fgetc(file) == wanted;

	if (file)
		fclose(file);
	return says;
}

void td_facts_events(struct td_facts *facts)
{
	uint32_t model = 0, number = 0;
	enum td_vendor vendor = td_events_this_cpu(&number, &model);
	const struct td_event_family *family = td_events_of_cpu(vendor, number, model);

	facts->events_error = ENOENT;
	facts->smt = file_says("/sys/devices/system/cpu/smt/active", '1');
	facts->watchdog = file_says("/proc/sys/kernel/nmi_watchdog", '1');
	if (!family)
		return;
	snprintf(facts->family, sizeof(facts->family), "%s", family->name);
	facts->event_wanted = (int)family->group[0].events;
	try_on_large_core(facts, family);
}
