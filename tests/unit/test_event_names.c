// SPDX-License-Identifier: MIT
/* Names of events: what each becomes, by a /sys of our own, and what is said of others.
 */
#include "agent/core/event_names.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/core/core.h"
#include "tests/unit/unit.h"

static char devices[] = "/tmp/td-event-names-XXXXXX";
static struct td_event_source cpu = {"cpu", TD_VENDOR_NONE, devices, NULL};
static struct td_event_name event;
static char why[160], notes[1024];

/* In the place of the agent's. */
void td_core_note(const char *format, ...)
{
	size_t used = strlen(notes);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(notes + used, sizeof(notes) - used, format, arguments);
	va_end(arguments);
	strncat(notes, "\n", sizeof(notes) - strlen(notes) - 1);
}

/* DIRECTORY/PMU/NAME, with the directories above it. */
static void put(const char *pmu, const char *name, const char *text)
{
	char path[256], *slash = path + strlen(devices);
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s/%s", devices, pmu, name);
	for (; (slash = strchr(slash, '/')); *slash++ = '/') {
		*slash = '\0';
		mkdir(path, 0700);
	}
	file = fopen(path, "w");
	ck_assert_ptr_nonnull(file);
	fprintf(file, "%s\n", text);
	fclose(file);
}

static void setup(void)
{
	strcpy(devices + strlen(devices) - 6, "XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(devices));
	notes[0] = '\0';
}

static void teardown(void)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -r %s", devices);
	ck_assert_int_eq(system(command), 0);
}

/* As of a Skylake. */
static void put_cpu(void)
{
	put("cpu", "type", "4");
	put("cpu", "format/event", "config:0-7");
	put("cpu", "format/umask", "config:8-15");
	put("cpu", "format/edge", "config:18");
	put("cpu", "format/cmask", "config:24-31");
	put("cpu", "format/offcore_rsp", "config1:0-63");
	put("cpu", "format/ldlat", "config1:0-15");
	put("cpu", "format/strobe_period", "config2:0-31");
	put("cpu", "events/branch-mispredicts", "event=0xc5,umask=0x1,edge");
	put("cpu", "events/mem-loads", "event=0xcd,umask=0x1,ldlat=3");
	put("cpu", "events/broken", "event=0xc5,nothing=1");
}

static void finds(const struct td_event_source *source, const char *text,
		  const char *name, uint32_t type, uint64_t config, uint64_t config1)
{
	int error = td_event_names_find_one(source, text, &event, why, sizeof(why));

	ck_assert_msg(error == 0, "%s: %d, %s", text, error, why);
	ck_assert_str_eq(event.name, name);
	ck_assert_uint_eq(event.type, type);
	ck_assert_uint_eq(event.config, config);
	ck_assert_uint_eq(event.config1, config1);
}

static void raw(const char *text, const char *name, uint64_t config, uint64_t config1)
{
	finds(&cpu, text, name, PERF_TYPE_RAW, config, config1);
}

static void refuses(const char *text, int expected, const char *word)
{
	int error = td_event_names_find_one(&cpu, text, &event, why, sizeof(why));

	ck_assert_msg(error == expected, "%s: %d, %s", text, error, why);
	ck_assert_msg(strstr(why, word) != NULL, "%s: no '%s' in: %s", text, word, why);
	for (const char *at = why; *at; at++)
		ck_assert_msg(*at >= ' ' && *at != 0x7f, "%s: byte %d", why, *at);
}

START_TEST(raw_events)
{
	raw("r1a2", "r1a2", 0x1a2, 0);
	raw("rABCdef:12", "rABCdef:12", 0xabcdef, 0x12);
	raw("rffffffffffffffff", "rffffffffffffffff", UINT64_MAX, 0);
	raw("r1a2:u", "r1a2:u", 0x1a2, 0);
	raw("wrong=r00c5", "wrong", 0xc5, 0);
	raw("wrong=r1b7:3f803c0001", "wrong", 0x1b7, 0x3f803c0001);
	/* the last sign is the one before the raw event */
	raw("UOPS_ISSUED:ANY:c=1:i=1=r180010e", "UOPS_ISSUED:ANY:c=1:i=1", 0x180010e, 0);
	refuses("=r12", -EINVAL, "no name");
	refuses("r1ffffffffffffffffff", -EINVAL, "64 bits");
	refuses("a=r1:1ffffffffffffffffff", -EINVAL, "64 bits");
	refuses("near_returns=r12", -EINVAL, "take another");
	refuses("UOPS_ISSUED:ANY:c=1:i=1", -ENOENT, "no event 'UOPS_ISSUED:ANY:c=1:i=1'");
	refuses("a=rx", -ENOENT, "no event");
	refuses("r", -ENOENT, "no event");
	refuses("r0x12", -ENOENT, "no event");
	refuses("r+1", -ENOENT, "no event");
}
END_TEST

#define CACHE(cache, operation, result)                                                  \
	(PERF_COUNT_HW_CACHE_##cache | PERF_COUNT_HW_CACHE_OP_##operation << 8 |         \
	 PERF_COUNT_HW_CACHE_RESULT_##result << 16)

START_TEST(of_the_kernel)
{
	finds(&cpu, "cycles", "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0);
	finds(&cpu, "instructions:u", "instructions:u", PERF_TYPE_HARDWARE,
	      PERF_COUNT_HW_INSTRUCTIONS, 0);
	finds(&cpu, "LLC-stores", "LLC-stores", PERF_TYPE_HW_CACHE,
	      CACHE(LL, WRITE, ACCESS), 0);
	finds(&cpu, "iTLB-loads", "iTLB-loads", PERF_TYPE_HW_CACHE,
	      CACHE(ITLB, READ, ACCESS), 0);
	finds(&cpu, "node-prefetch-misses", "node-prefetch-misses", PERF_TYPE_HW_CACHE,
	      CACHE(NODE, PREFETCH, MISS), 0);
	finds(&cpu, "L1-dcache-load-misses", "L1-dcache-load-misses", PERF_TYPE_HW_CACHE,
	      CACHE(L1D, READ, MISS), 0);
	refuses("cycles:k", -ENOTSUP, "only user mode");
	refuses("cycles:upp", -ENOTSUP, "leave 'upp' out");
	refuses("r12:k", -ENOTSUP, "only user mode");
	refuses("page-faults", -ENOTSUP, "events of the CPU's PMU");
	refuses("cs:u", -ENOTSUP, "events of the CPU's PMU");
	refuses("typo:u", -ENOENT, "no event 'typo:u'");
}
END_TEST

START_TEST(of_sys)
{
	put_cpu();
	raw("branch-mispredicts", "branch-mispredicts", 0x401c5, 0);
	raw("branch-mispredicts:u", "branch-mispredicts:u", 0x401c5, 0);
	refuses("mem-loads", -ENOTSUP, "for samples");
	refuses("broken", -ENOENT, "no term 'nothing'");
	refuses("../cpu/events/broken", -ENOTSUP, "own PMU");
	raw("cpu/event=0x3c,umask=0x1/", "cpu/event=0x3c,umask=0x1/", 0x13c, 0);
	raw("cpu/event=60,edge,name=mine/u", "mine", 0x4003c, 0);
	raw("cpu/event=0xb7,umask=1,offcore_rsp=0x10001/",
	    "cpu/event=0xb7,umask=1,offcore_rsp=0x10001/", 0x1b7, 0x10001);
	raw("cpu/config=0x1b7,config1=3/", "cpu/config=0x1b7,config1=3/", 0x1b7, 3);
	raw("cpu/branch-mispredicts,cmask=2/", "cpu/branch-mispredicts,cmask=2/",
	    0x20401c5, 0);
	refuses("cpu/event=0x3c", -EINVAL, "one slash");
	refuses("cpu//", -EINVAL, "no terms");
	refuses("cpu/event=0x1ff/", -EINVAL, "fewer bits");
	refuses("cpu/event=0x3cg/", -EINVAL, "no number");
	refuses("cpu/event=?/", -EINVAL, "no number");
	refuses("cpu/evnet=1/", -ENOENT, "no term 'evnet'");
	refuses("cpu/event=1/k", -ENOTSUP, "only user mode");
	refuses("cpu/strobe_period=1/", -ENOTSUP, "config2");
	refuses("uncore_imc/event=1/", -ENOTSUP, "own PMU (cpu)");
	refuses("cpu_atom/event=1/", -ENODEV, "the PMU is cpu here");
}
END_TEST

/* A machine without a PMU: what is asked for is no slip. */
START_TEST(without_a_pmu)
{
	refuses("cpu/event=0x3c/", -ENODEV, "no PMU 'cpu'");
	refuses("uops_dispatched", -ENOENT, "no event");
	refuses("recovery", -ENODEV, "in the event table of");
}
END_TEST

/* On Arm the PMU is called as its cores are. */
START_TEST(of_arm)
{
	struct td_event_source source[TD_CORE_TYPES];
	char pmu[64];

	ck_assert_uint_eq(td_event_sources(devices, pmu, sizeof(pmu), source), 1);
	ck_assert_str_eq(source[0].pmu, "cpu");
	put("armv8_pmuv3_0", "type", "8");
	put("armv8_pmuv3_0", "cpus", "0-3");
	put("armv8_pmuv3_0", "format/event", "config:0-15");
	put("armv8_pmuv3_0", "events/l2d_cache_refill", "event=0x0017");
	put("arm_spe_0", "cpumask", "0-3");
	put("breakpoint", "type", "5");
	ck_assert_uint_eq(td_event_sources(devices, pmu, sizeof(pmu), source), 1);
	ck_assert_str_eq(source[0].pmu, "armv8_pmuv3_0");
	finds(&source[0], "l2d_cache_refill", "l2d_cache_refill", PERF_TYPE_RAW, 0x17, 0);
	finds(&source[0], "armv8_pmuv3_0/event=0x17/", "armv8_pmuv3_0/event=0x17/",
	      PERF_TYPE_RAW, 0x17, 0);
	finds(&source[0], "cpu/event=0x17/", "cpu/event=0x17/", PERF_TYPE_RAW, 0x17, 0);
	put("armv8_cortex_a72", "cpus", "4-5");
	td_event_sources(devices, pmu, sizeof(pmu), source);
	ck_assert_str_eq(source[0].pmu, "armv8_cortex_a72");
	/* x86 has no such file */
	put("cpu", "type", "4");
	td_event_sources(devices, pmu, sizeof(pmu), source);
	ck_assert_str_eq(source[0].pmu, "cpu");
}
END_TEST

START_TEST(of_a_hybrid)
{
	struct td_event_source source[TD_CORE_TYPES];
	char pmu[64];

	put("cpu_core", "type", "4");
	put("cpu_atom", "type", "10");
	put("cpu_atom", "format/event", "config:0-7");
	put("cpu_atom", "events/only-small", "event=0x99");
	ck_assert_uint_eq(td_event_sources(devices, pmu, sizeof(pmu), source), 2);
	ck_assert_str_eq(source[0].pmu, "cpu_core");
	ck_assert_str_eq(source[1].pmu, "cpu_atom");
	finds(&source[1], "only-small", "only-small", PERF_TYPE_RAW, 0x99, 0);
	ck_assert_int_eq(td_event_names_find_one(&source[0], "only-small", &event, why,
						 sizeof(why)),
			 -ENOENT);
	ck_assert_str_eq(
		why, "no event 'only-small' of cpu_core; `tdagent list` has the names");
}
END_TEST

START_TEST(names)
{
	raw("a1234567890123456789012345678901234567890123456=r1",
	    "a1234567890123456789012345678901234567890123456", 1, 0);
	refuses("a12345678901234567890123456789012345678901234567=r1", -EINVAL,
		"longer than 47 bytes");
	refuses("new\nline", -EINVAL, "'new?line'");
	refuses("red\033[31m", -EINVAL, "'red?[31m'");
	refuses("quote\"=r1", -EINVAL, "ASCII");
	for (size_t length = 1; length < 400; length++) {
		char text[401] = "";

		memset(text, 'x', length);
		ck_assert_int_ne(
			td_event_names_find_one(&cpu, text, &event, why, sizeof(why)), 0);
	}
}
END_TEST

START_TEST(lists)
{
	struct td_event_name found[TD_EVENT_NAMES_MAX];

	put_cpu();
	/* two that were one when they were cut to 19 bytes */
	ck_assert_uint_eq(td_event_names_find(&cpu,
					      "MEM_LOAD_RETIRED:L1_HIT=r1d1, "
					      "MEM_LOAD_RETIRED:L1_MISS=r8d1,,"
					      "cpu/event=0x3c,umask=0x1/,cycles",
					      found),
			  4);
	ck_assert_str_eq(notes, "");
	ck_assert_str_eq(found[0].name, "MEM_LOAD_RETIRED:L1_HIT");
	ck_assert_str_eq(found[1].name, "MEM_LOAD_RETIRED:L1_MISS");
	ck_assert_uint_eq(found[2].config, 0x13c);
	ck_assert_str_eq(found[3].name, "cycles");
	ck_assert_uint_eq(td_event_names_find(&cpu, "a=r1,typo,a=r2,b=r2", found), 2);
	ck_assert_uint_eq(found[0].config, 1);
	ck_assert_str_eq(found[1].name, "b");
	ck_assert_str_eq(notes, "TDAGENT_EVENTS: no event 'typo'; `tdagent list` has the "
				"names\nTDAGENT_EVENTS has 'a' twice: the first is "
				"counted\n");
	notes[0] = '\0';
	ck_assert_uint_eq(td_event_names_find(&cpu,
					      "r1,r2,r3,r4,r5,r6,r7,r8,r9,ra,rb,rc,rd,re,"
					      "rf,r10,seventeenth=r11,r12",
					      found),
			  16);
	ck_assert_ptr_nonnull(strstr(notes, "'seventeenth=r11' and those behind it"));
	ck_assert_uint_eq(td_event_names_find(&cpu, "", found), 0);
	ck_assert_uint_eq(td_event_names_find(&cpu, " , ,", found), 0);
}
END_TEST

int main(void)
{
	return unit_main_between("event_names",
				 (const TTest *const[]){raw_events, of_the_kernel, of_sys,
							without_a_pmu, of_arm,
							of_a_hybrid, names, lists, NULL},
				 setup, teardown);
}
