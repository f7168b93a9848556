// SPDX-License-Identifier: MIT
#include "tools/facts.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "decoder/cpu_name.h"
#include "tools/directory.h"
#include "tools/library.h"

#ifdef __x86_64__
#include <cpuid.h>
#endif

#define DEVICES "/sys/bus/event_source/devices"
#define CAP_SYS_ADMIN_BIT 21
#define CAP_PERFMON_BIT 38

static int64_t read_number(const char *path)
{
	FILE *file = fopen(path, "re");
	long long number = -1;

	if (!file)
		return -1;
	if (fscanf(file, "%lld", &number) != 1)
		number = -1;
	fclose(file);
	return number;
}

static int read_paranoid(void)
{
	if (access("/proc/sys/kernel/perf_event_paranoid", R_OK))
		return TD_FACT_UNKNOWN;
	return (int)read_number("/proc/sys/kernel/perf_event_paranoid");
}

/* Finds "KEY<blanks>:<blanks>VALUE" in a file of such lines. */
static bool read_field(const char *path, const char *key, char *value, size_t size)
{
	FILE *file = fopen(path, "re");
	char *line = NULL;
	size_t room = 0;
	bool found = false;

	*value = '\0';
	if (!file)
		return false;
	while (!found && getline(&line, &room, file) > 0) {
		char *colon = strchr(line, ':');

		if (!colon || strncmp(line, key, strlen(key)) ||
		    !strchr(" \t:", line[strlen(key)]))
			continue;
		colon += 1 + strspn(colon + 1, " \t");
		snprintf(value, size, "%.*s", (int)strcspn(colon, "\n"), colon);
		found = true;
	}
	free(line);
	fclose(file);
	return found;
}

static void read_cpu(char *name, size_t size)
{
	char text[4096];
	FILE *file = fopen("/proc/cpuinfo", "re");
	size_t length;

	if (!file)
		return;
	length = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	text[length] = '\0';
	td_cpu_name(text, name, size);
}

static void gather_system(struct td_facts *facts)
{
	struct utsname name;
	char flags[8192];
	char value[64];
	unsigned long long capabilities = 0;

	if (!uname(&name)) {
		snprintf(facts->kernel, sizeof(facts->kernel), "%s", name.release);
		if (sscanf(name.release, "%d.%d", &facts->kernel_major,
			   &facts->kernel_minor) != 2)
			facts->kernel_major = facts->kernel_minor = -1;
	}
	read_cpu(facts->cpu, sizeof(facts->cpu));
	if (read_field("/proc/cpuinfo", "flags", flags, sizeof(flags)))
		facts->hypervisor = strstr(flags, " hypervisor") != NULL;
	facts->seccomp = read_field("/proc/self/status", "Seccomp", value, sizeof(value))
				 ? atoi(value)
				 : -1;
	if (read_field("/proc/self/status", "CapEff", value, sizeof(value)))
		capabilities = strtoull(value, NULL, 16);
	facts->perfmon = capabilities >> CAP_SYS_ADMIN_BIT & 1 ||
			 capabilities >> CAP_PERFMON_BIT & 1;
}

static void gather_processor(struct td_facts *facts)
{
#ifdef __x86_64__
	uint64_t shadow_stack = 0; /* and stays so where there is none */
	uint32_t a, b, c, d;

	facts->x86_64 = true;
	facts->xsave = __get_cpuid(1, &a, &b, &c, &d) && c & bit_OSXSAVE;
	__asm__ volatile("rdsspq %0" : "+r"(shadow_stack));
	facts->shadow_stack = shadow_stack != 0;
#else
	(void)facts;
#endif
}

static void gather_limits(struct td_facts *facts)
{
	struct rlimit limit;
	struct timespec tick;

	facts->paranoid = read_paranoid();
	facts->sample_rate = read_number("/proc/sys/kernel/perf_event_max_sample_rate");
	facts->mlock_kb = read_number("/proc/sys/kernel/perf_event_mlock_kb");
	if (!getrlimit(RLIMIT_NOFILE, &limit)) {
		facts->files_soft = limit.rlim_cur;
		facts->files_hard = limit.rlim_max;
	}
	if (!getrlimit(RLIMIT_MEMLOCK, &limit))
		facts->memlock = limit.rlim_cur;
	facts->tick_ns = clock_getres(CLOCK_MONOTONIC_COARSE, &tick)
				 ? -1
				 : tick.tv_sec * 1000000000 + tick.tv_nsec;
}

int td_facts_open(struct perf_event_attr *attr, int leader)
{
	long fd;

	attr->size = sizeof(*attr);
	attr->disabled = leader < 0;
	attr->exclude_kernel = 1;
	attr->exclude_hv = 1;
	fd = syscall(SYS_perf_event_open, attr, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : (int)fd;
}

static int try_event(struct perf_event_attr *attr)
{
	int fd = td_facts_open(attr, -1);

	if (fd < 0)
		return -fd;
	close(fd);
	return 0;
}

/* The group that the agent opens, see doc/top-down.md. */
static int try_metrics(const struct td_facts *facts)
{
	struct perf_event_attr slots = {.type = facts->slots_type, .config = 0x400};
	struct perf_event_attr retiring = {.type = facts->slots_type, .config = 0x8000};
	int leader, member;

	if (!facts->slots || !facts->topdown_events)
		return ENOENT;
	leader = td_facts_open(&slots, -1);
	if (leader < 0)
		return -leader;
	member = td_facts_open(&retiring, leader);
	close(leader);
	if (member < 0)
		return -member;
	close(member);
	return 0;
}

static void gather_tries(struct td_facts *facts)
{
	struct perf_event_attr clock = {.type = PERF_TYPE_SOFTWARE,
					.config = PERF_COUNT_SW_TASK_CLOCK,
					.sample_period = 1000000};
	struct perf_event_attr sigtrap = clock;
	struct perf_event_attr cycles = {.type = PERF_TYPE_HARDWARE,
					 .config = PERF_COUNT_HW_CPU_CYCLES};
	struct perf_event_attr precise = cycles;
	struct sigevent event = {.sigev_notify = SIGEV_NONE};
	timer_t timer;

	sigtrap.sigtrap = 1;
	sigtrap.remove_on_exec = 1;
	facts->sigtrap_error = try_event(&sigtrap);
	facts->clock_error = try_event(&clock);
	facts->cycles_error = try_event(&cycles);
	precise.sample_period = 1000000;
	precise.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_WEIGHT_STRUCT;
	precise.precise_ip = 2; /* as agent/core/latency.c asks for it */
	facts->precise_error = try_event(&precise);
	if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer))
		facts->timer_error = errno;
	else
		timer_delete(timer);
}

static void gather_places(struct td_facts *facts)
{
	if (!td_directory_private(facts->directory, sizeof(facts->directory),
				  facts->directory_fault,
				  sizeof(facts->directory_fault)) &&
	    access(facts->directory, W_OK | X_OK))
		snprintf(facts->directory_fault, sizeof(facts->directory_fault), "%s",
			 strerror(errno));
	td_library_find(facts->library, sizeof(facts->library), facts->library_fault,
			sizeof(facts->library_fault));
}

void td_facts_machine(struct td_facts *facts)
{
	*facts = (struct td_facts){0};
	gather_system(facts);
	gather_processor(facts);
	gather_limits(facts);
	gather_tries(facts);
	td_facts_pmus(facts, DEVICES);
	facts->metrics_error = try_metrics(facts);
	td_facts_events(facts);
}

void td_facts_gather(struct td_facts *facts)
{
	td_facts_machine(facts);
	gather_places(facts);
	td_facts_agent(facts);
}
