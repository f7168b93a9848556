// SPDX-License-Identifier: MIT
#include "agent/core/cores.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/core/confined.h"
#include "agent/core/core.h"
#include "agent/sigsafe/proc.h"

#define DEVICES "/sys/bus/event_source/devices/"
#define SMT_ACTIVE "/sys/devices/system/cpu/smt/active"

static bool read_line(const char *pmu, const char *file, char *text, size_t size)
{
	char path[96];

	snprintf(path, sizeof(path), DEVICES "%s/%s", pmu, file);
	if (td_proc_read(path, text, size) <= 0)
		return false;
	text[strcspn(text, "\n")] = '\0';
	return true;
}

bool td_cores_are_shared(void)
{
	char text[8];

	return td_proc_read(SMT_ACTIVE, text, sizeof(text)) > 0 && text[0] == '1';
}

/* "0-7,16" as a set; what is beyond its size is left out. */
static void parse_list(const char *list, cpu_set_t *cpus)
{
	char *at = (char *)list;

	CPU_ZERO(cpus);
	while (*at >= '0' && *at <= '9') {
		unsigned long first = strtoul(at, &at, 10), last = first;

		if (*at == '-')
			last = strtoul(at + 1, &at, 10);
		for (; first <= last && first < CPU_SETSIZE; first++)
			CPU_SET(first, cpus);
		at += *at == ',';
	}
}

static bool is_within(const cpu_set_t *part, const cpu_set_t *all)
{
	cpu_set_t both;

	CPU_AND(&both, part, all);
	return CPU_EQUAL(&both, part);
}

static bool try_to_stay(void)
{
	cpu_set_t here;

	return sched_getaffinity(0, sizeof(here), &here) == 0 &&
	       sched_setaffinity(0, sizeof(here), &here) == 0;
}

/* A filter on system calls may end who tries, or refuse it.  Looked at once: a forked
 * child inherits what was chosen. */
static bool may_move(void)
{
	static bool known, may;

	if (!known)
		may = td_confined_may_move() && try_to_stay();
	known = true;
	return may;
}

/* What /sys says, wherever the thread may run. */
static bool find(const char *pmu, struct td_cores *cores)
{
	char type[16];

	if (!read_line(pmu, "type", type, sizeof(type)) ||
	    !read_line(pmu, "cpus", cores->list, sizeof(cores->list)))
		return false;
	cores->type = (uint32_t)strtoul(type, NULL, 10);
	cores->out_of_reach = false;
	parse_list(cores->list, &cores->cpus);
	return true;
}

/* Where the calling thread may run: by no call that a filter might end it for. */
static bool find_allowed(cpu_set_t *cpus)
{
	static const char name[] = "\nCpus_allowed_list:\t";
	static char text[65536]; /* thousands of groups; too large for a stack */
	const char *at;

	if (td_proc_read("/proc/thread-self/status", text, sizeof(text)) <= 0)
		return false;
	at = strstr(text, name);
	if (at)
		parse_list(at + strlen(name), cpus);
	return at != NULL;
}

/* Who may not move looks at the cores of the type that it is on, and where it did it
 * stays with that: a forked child inherits what was chosen. */
static enum td_core_type out_of_reach = TD_CORE_TYPES;

static enum td_core_type not_here(void)
{
	struct td_cores small;
	int cpu = sched_getcpu();

	return cpu >= 0 && find("cpu_atom", &small) && CPU_ISSET(cpu, &small.cpus)
		       ? TD_CORES_LARGE
		       : TD_CORES_SMALL;
}

static void leave_out(struct td_cores cores[TD_CORE_TYPES])
{
	if (out_of_reach == TD_CORE_TYPES)
		out_of_reach = not_here();
	CPU_ZERO(&cores[out_of_reach].cpus);
	cores[out_of_reach].out_of_reach = true;
}

bool td_cores_were_left(void)
{
	enum td_core_type before = out_of_reach;

	if (before != TD_CORE_TYPES)
		out_of_reach = not_here();
	return out_of_reach != before;
}

bool td_cores_find(struct td_cores cores[TD_CORE_TYPES])
{
	cpu_set_t allowed;

	if (!find("cpu_core", &cores[TD_CORES_LARGE]) ||
	    !find("cpu_atom", &cores[TD_CORES_SMALL]) || !find_allowed(&allowed))
		return false;
	for (unsigned i = 0; i < TD_CORE_TYPES; i++)
		CPU_AND(&cores[i].cpus, &cores[i].cpus, &allowed);
	if (CPU_COUNT(&cores[TD_CORES_LARGE].cpus) &&
	    CPU_COUNT(&cores[TD_CORES_SMALL].cpus) && !may_move())
		leave_out(cores);
	return true;
}

bool td_cores_may_leave_large(void)
{
	struct td_cores large;
	cpu_set_t allowed;

	if (!find("cpu_core", &large))
		return false;
	if (!find_allowed(&allowed))
		return true;
	return !is_within(&allowed, &large.cpus);
}

bool td_cores_say(bool both, char *text, size_t size)
{
	struct td_cores cores[TD_CORE_TYPES];
	const struct td_cores *large = &cores[TD_CORES_LARGE],
			      *small = &cores[TD_CORES_SMALL];

	if (!td_cores_find(cores) || large->out_of_reach || small->out_of_reach)
		return false;
	if (both)
		snprintf(text, size, "large cores (CPUs %s) and small ones (%s)",
			 large->list, small->list);
	else if (CPU_COUNT(&large->cpus))
		snprintf(text, size, "only on CPUs %s: small cores are not measured",
			 large->list);
	else
		snprintf(text, size, "only on CPUs %s: large cores are not measured",
			 small->list);
	return true;
}

void td_cores_note_others(const char *why)
{
	struct td_cores cores[TD_CORE_TYPES];
	const struct td_cores *large = &cores[TD_CORES_LARGE],
			      *small = &cores[TD_CORES_SMALL], *others;

	if (!td_cores_find(cores))
		return;
	others = CPU_COUNT(&large->cpus) ? small : large;
	if (!CPU_COUNT(&others->cpus) && !others->out_of_reach)
		return;
	td_core_note("what ran on the %s cores (CPUs %s) is neither sampled nor "
		     "counted%s",
		     others == large ? "large" : "small", others->list,
		     others->out_of_reach ? ": " TD_CORES_OUT_OF_REACH : why);
}

void td_cores_note_low_power(void)
{
	struct td_cores cores;
	cpu_set_t allowed;

	if (!find("cpu_lowpower", &cores) || !find_allowed(&allowed))
		return;
	CPU_AND(&cores.cpus, &cores.cpus, &allowed);
	if (CPU_COUNT(&cores.cpus))
		td_core_note("what ran on the low-power cores (CPUs %s) is neither "
			     "sampled nor counted",
			     cores.list);
}

int td_cores_visit(const cpu_set_t *cpus, cpu_set_t *before)
{
	cpu_set_t allowed;

	CPU_ZERO(before);
	if (!CPU_COUNT(cpus))
		return -ENOENT;
	if (find_allowed(&allowed) && (is_within(&allowed, cpus) || !may_move()))
		return 0;
	if (sched_getaffinity(0, sizeof(*before), before) != 0 ||
	    sched_setaffinity(0, sizeof(*cpus), cpus) != 0)
		return -errno;
	return 0;
}

void td_cores_leave(const cpu_set_t *before)
{
	if (CPU_COUNT(before))
		sched_setaffinity(0, sizeof(*before), before);
}
