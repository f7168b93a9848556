// SPDX-License-Identifier: MIT
#include "tools/probe.h"

#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/unit/scratch.h"
#include "tests/unit/unit.h"

static struct td_facts facts;
static struct td_obstacle obstacles[TD_OBSTACLES_MAX];

/* A machine where everything works. */
static void setup(void)
{
	facts = (struct td_facts){
		.kernel = "6.1.0",
		.kernel_major = 6,
		.kernel_minor = 1,
		.cpu = "Some \"CPU\"",
		.paranoid = 2,
		.sample_rate = 100000,
		.mlock_kb = 516,
		.files_soft = 1024,
		.files_hard = 524288,
		.memlock = 8388608,
		.tick_ns = 4000000,
		.sysfs = true,
		.pmu = true,
		.rdpmc = 1,
		.x86_64 = true,
		.xsave = true,
		.metrics_error = ENOENT,
		.events_error = ENOENT,
		.directory = "/tmp/tdagent-1",
		.library = "/usr/lib/libtdagent.so",
	};
}

/* The obstacle that has `word`, or a failure. */
static const struct td_obstacle *find(const char *word)
{
	size_t count = td_probe_obstacles(&facts, obstacles);

	for (size_t i = 0; i < count; i++)
		if (strstr(obstacles[i].what, word))
			return &obstacles[i];
	return NULL;
}

static const struct td_obstacle *obstacle(const char *word)
{
	const struct td_obstacle *found = find(word);

	ck_assert_msg(found != NULL, "no obstacle speaks of %s", word);
	return found;
}

/* It stands alone: nothing else is blamed. */
static const struct td_obstacle *the_obstacle(const char *word)
{
	size_t count = td_probe_obstacles(&facts, obstacles);

	ck_assert_msg(count == 1, "%zu obstacles; the second is '%s'", count,
		      count > 1 ? obstacles[1].what : "");
	return obstacle(word);
}

static void assert_trigger(enum td_trigger trigger, bool windows)
{
	struct td_choice choice = td_probe_choose(&facts);

	ck_assert_int_eq(choice.backend, TD_BACKEND_CLOCK);
	ck_assert_int_eq(choice.trigger, trigger);
	ck_assert_int_eq(choice.windows, windows);
}

static char *printed(void (*print)(FILE *, const struct td_facts *))
{
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	print(stream, &facts);
	fclose(stream);
	return text;
}

START_TEST(test_all_well)
{
	assert_trigger(TD_TRIGGER_SIGTRAP, true);
	ck_assert_uint_eq(td_probe_obstacles(&facts, obstacles), 2);
	ck_assert_str_eq(obstacles[0].what, "no PERF_METRICS, which Intel's large cores "
					    "have from Ice Lake on");
	ck_assert_ptr_nonnull(strstr(obstacles[1].what, "event tables do not have"));
}
END_TEST

START_TEST(test_metrics)
{
	struct td_choice choice;
	char *text;

	facts.slots = true;
	facts.topdown_events = 8;
	facts.metrics_error = 0;
	choice = td_probe_choose(&facts);
	ck_assert_int_eq(choice.backend, TD_BACKEND_METRICS);
	ck_assert_int_eq(choice.trigger, TD_TRIGGER_CYCLES_SIGTRAP);
	ck_assert_uint_eq(td_probe_obstacles(&facts, obstacles), 0);
	text = printed(td_probe_text);
	ck_assert_ptr_nonnull(strstr(text, "in the way: nothing\n"));
	free(text);
	facts.topdown_events = 4;
	ck_assert_ptr_nonnull(strstr(obstacle("no level 2")->change, "another CPU"));
	snprintf(facts.family, sizeof(facts.family), "icelake");
	facts.events_error = 0;
	ck_assert_ptr_nonnull(strstr(obstacle("no level 2")->change, "--level=2"));
	facts.topdown_events = 8;
	ck_assert_uint_eq(td_probe_obstacles(&facts, obstacles), 0);
	facts.family[0] = '\0';
	facts.rdpmc = 0;
	ck_assert_ptr_nonnull(strstr(obstacle("RDPMC is off")->change, "rdpmc"));
	facts.sigtrap_error = EINVAL;
	ck_assert_int_eq(td_probe_choose(&facts).trigger, TD_TRIGGER_CYCLES_SIGNAL);
	facts.metrics_error = EACCES;
	assert_trigger(TD_TRIGGER_SIGNAL, true);
	obstacle("refuses them");
}
END_TEST

/* Each rung and what it lacks of the one above. */
START_TEST(test_events)
{
	struct td_choice choice;

	strcpy(facts.family, "skylake");
	facts.events_error = 0;
	facts.event_counters = facts.event_wanted = 4;
	choice = td_probe_choose(&facts);
	ck_assert_int_eq(choice.backend, TD_BACKEND_EVENTS);
	ck_assert_int_eq(choice.trigger, TD_TRIGGER_CYCLES_SIGTRAP);
	ck_assert_uint_eq(td_probe_obstacles(&facts, obstacles), 1);
	ck_assert_ptr_nonnull(strstr(obstacle("from Ice Lake on; groups of events")->what,
				     "shared out"));
	facts.event_counters = 3; /* of four */
	facts.watchdog = true;
	ck_assert_str_eq(obstacle("only 3 counters")->change,
			 "sudo sysctl kernel.nmi_watchdog=0");
	facts.smt = true;
	ck_assert_ptr_nonnull(strstr(obstacle("share a core")->what, "an estimate"));
	strcpy(facts.family, "zen4"); /* which counts what the other one had */
	ck_assert_ptr_nonnull(strstr(obstacle("share a core")->what, "are counted"));
	strcpy(facts.family, "architectural"); /* which has no slots */
	ck_assert(!find("share a core"));
	strcpy(facts.family, "skylake");
	facts.rdpmc = 0;
	ck_assert_int_eq(td_probe_choose(&facts).backend, TD_BACKEND_EVENTS);
	ck_assert_ptr_nonnull(strstr(obstacle("RDPMC is off")->change, "/rdpmc"));
	facts.user_access = true;
	ck_assert_str_eq(obstacle("perf_user_access is 0")->change,
			 "sudo sysctl kernel.perf_user_access=1");
	facts.events_error = EBUSY;
	obstacle("counters are taken");
	facts.metrics_error = 0;
	ck_assert_int_eq(td_probe_choose(&facts).backend, TD_BACKEND_METRICS);
}
END_TEST

/* Who has less than the CPU could, and who has all that its level 1 needs. */
START_TEST(test_what_is_hidden)
{
	strcpy(facts.family, "sapphirerapids");
	facts.events_error = 0;
	facts.event_counters = facts.event_wanted = 4;
	facts.hypervisor = true;
	ck_assert_ptr_nonnull(
		strstr(obstacle("the virtual machine hides it; groups")->change, "vPMU"));
	facts.hypervisor = false;
	obstacle("the kernel does not offer it; groups");
	facts.agent_backend = TD_BACKEND_EVENTS; /* rates alone, level 0 */
	ck_assert_uint_eq(td_probe_obstacles(&facts, obstacles), 2);
	ck_assert_ptr_null(strstr(obstacles[0].what, "top-down"));
	ck_assert_ptr_nonnull(
		strstr(obstacle("do not count what they should")->change, "data/events"));
	facts.hypervisor = true;
	ck_assert_ptr_nonnull(strstr(obstacle("do not count")->change, "event filter"));
	facts.agent_level = 2;
	strcpy(facts.family, "gracemont"); /* which has no more than three */
	facts.event_counters = facts.event_wanted = 3;
	ck_assert_uint_eq(td_probe_obstacles(&facts, obstacles), 1);
}
END_TEST

/* What the agent said itself is the answer. */
START_TEST(test_agent)
{
	struct td_choice choice;
	char *text;

	strcpy(facts.family, "sapphirerapids");
	facts.events_error = 0;
	facts.agent_backend = TD_BACKEND_EVENTS;
	facts.agent_trigger = TD_TRIGGER_CYCLES_SIGNAL;
	facts.agent_windows = true;
	strcpy(facts.agent_reason, "they count nonsense");
	choice = td_probe_choose(&facts);
	ck_assert_int_eq(choice.trigger, TD_TRIGGER_CYCLES_SIGNAL);
	ck_assert_int_eq(choice.level, 0);
	text = printed(td_probe_text);
	ck_assert_ptr_nonnull(strstr(text, "because        they count nonsense\n"));
	ck_assert_ptr_nonnull(strstr(text, "instructions and events a cycle"));
	ck_assert_ptr_nonnull(strstr(text, "top-down       not from hardware"));
	free(text);
	facts.agent_level = 1;
	text = printed(td_probe_text);
	ck_assert_ptr_nonnull(strstr(text, "top-down       level 1, by groups"));
	free(text);
}
END_TEST

static struct scratch scratch;
static const char *const tree = scratch.path;

static void add_file(const char *directory, const char *name, const char *text)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", tree, directory);
	mkdir(path, 0700);
	if (!name)
		return;
	snprintf(path, sizeof(path), "%s/%s/%s", tree, directory, name);
	file = fopen(path, "w");
	ck_assert_ptr_nonnull(file);
	fputs(text, file);
	fclose(file);
}

/* /sys of a hybrid processor, and of a kernel with a strobe. */
START_TEST(test_pmus)
{
	scratch_directory(&scratch);
	add_file("software", "type", "1\n");
	add_file("cpu_core", "type", "4\n");
	add_file("cpu_core", "cpus", "0-11\n");
	add_file("cpu_core", "rdpmc", "1\n");
	add_file("cpu_core/caps", "max_precise", "3\n");
	add_file("cpu_core/events", "slots", "event=0x00,umask=0x4\n");
	add_file("cpu_core/events", "topdown-retiring", "event=0x00,umask=0x80\n");
	add_file("cpu_atom", "type", "10\n");
	add_file("cpu_atom", "cpus", "12-19\n");
	add_file("cpu_atom", "rdpmc", "1\n");
	add_file("cpu_atom/caps", "max_precise", "1\n");
	add_file("cpu_atom/events", "topdown-retiring", "event=0xc2\n");
	facts.pmu = facts.sysfs = false;
	td_facts_pmus(&facts, tree);
	ck_assert(facts.sysfs && facts.pmu && facts.slots && !facts.strobe &&
		  !facts.user_access);
	ck_assert_uint_eq(facts.slots_type, 4);
	ck_assert_int_eq(facts.topdown_events, 1);
	ck_assert_int_eq(facts.rdpmc, 1);
	ck_assert_int_eq(facts.max_precise, 3);
	ck_assert_str_eq(facts.core_cpus, "0-11");
	ck_assert_str_eq(facts.atom_cpus, "12-19");
	ck_assert_ptr_nonnull(
		strstr(obstacle("two types of cores")->change, "taskset -c 0-11"));
	facts.agent_both = true;
	ck_assert_ptr_null(strstr(
		obstacles[td_probe_obstacles(&facts, obstacles) - 1].what, "two types"));
	facts.metrics_error = 0;
	ck_assert_str_eq(obstacle("small cores (CPUs 12-19) have none")->change,
			 "taskset -c 0-11 PROGRAM, which then runs on large cores");
	facts.agent_both = false;
	facts.cycles_error = ENOENT;
	ck_assert_ptr_null(strstr(
		obstacles[td_probe_obstacles(&facts, obstacles) - 1].what, "two types"));
	add_file("cpu_core/format", "strobe_period", "config2:0-31\n");
	td_facts_pmus(&facts, tree);
	ck_assert(facts.strobe);
	scratch_remove(&scratch);
	scratch_directory(&scratch);
	add_file("armv8_pmuv3_0", "cpus", "0-3\n");
	add_file("l3cache", "cpumask", "0\n");
	setup();
	facts.pmu = facts.slots = false;
	td_facts_pmus(&facts, tree);
	ck_assert(facts.pmu && !facts.slots && !*facts.atom_cpus);
	ck_assert_int_eq(facts.max_precise, -1);
	scratch_remove(&scratch);
	td_facts_pmus(&facts, tree);
	ck_assert(!facts.sysfs);
}
END_TEST

START_TEST(test_sigtrap_is_unsafe_before_5_19)
{
	facts.kernel_major = 5;
	facts.kernel_minor = 18;
	assert_trigger(TD_TRIGGER_SIGNAL, true);
	obstacle("SIGTRAP");
	facts.kernel_minor = 19;
	assert_trigger(TD_TRIGGER_SIGTRAP, true);
	facts.sigtrap_error = EINVAL;
	assert_trigger(TD_TRIGGER_SIGNAL, true);
}
END_TEST

START_TEST(test_paranoid)
{
	facts.paranoid = 4;
	facts.clock_error = facts.sigtrap_error = facts.cycles_error = EACCES;
	assert_trigger(TD_TRIGGER_TIMER, false);
	ck_assert_str_eq(the_obstacle("paranoid is 4")->change,
			 "sudo sysctl kernel.perf_event_paranoid=2");
	facts.pmu = false;
	facts.hypervisor = true;
	the_obstacle("paranoid is 4");
}
END_TEST

START_TEST(test_container)
{
	facts.seccomp = 2;
	facts.clock_error = facts.sigtrap_error = facts.cycles_error = EPERM;
	assert_trigger(TD_TRIGGER_TIMER, false);
	ck_assert_ptr_nonnull(strstr(the_obstacle("seccomp")->change, "docker run"));
	facts.pmu = false; /* in /sys of a virtual machine */
	facts.hypervisor = true;
	the_obstacle("seccomp");
	facts.clock_error = facts.cycles_error = ENOSYS;
	the_obstacle("seccomp");
	facts.seccomp = 0;
	ck_assert_ptr_nonnull(
		strstr(the_obstacle("no perf_event_open")->change, "CONFIG_PERF"));
	facts.clock_error = facts.cycles_error = EMFILE;
	ck_assert_ptr_nonnull(strstr(the_obstacle("descriptor")->change, "ulimit -n"));
	facts.clock_error = facts.cycles_error = EACCES; /* and paranoid is 2 */
	ck_assert_ptr_null(strstr(the_obstacle("task clock")->change, "paranoid"));
}
END_TEST

/* The clock is granted: paranoid is blamed only where it refuses. */
START_TEST(test_counters_are_refused)
{
	facts.cycles_error = EACCES;
	ck_assert_ptr_nonnull(
		strstr(the_obstacle("refuses them")->change, "security module"));
	facts.pmu = false;
	facts.hypervisor = true;
	the_obstacle("refuses them");
	facts.paranoid = 3;
	ck_assert_str_eq(the_obstacle("refuses them")->change,
			 "sudo sysctl kernel.perf_event_paranoid=2");
	facts.perfmon = true;
	ck_assert_ptr_nonnull(
		strstr(the_obstacle("refuses them")->change, "security module"));
}
END_TEST

START_TEST(test_virtual_machine)
{
	facts.pmu = facts.slots = false;
	facts.cycles_error = ENOENT;
	facts.hypervisor = true;
	assert_trigger(TD_TRIGGER_SIGTRAP, true);
	the_obstacle("without a vPMU");
}
END_TEST

START_TEST(test_no_sysfs)
{
	facts.sysfs = facts.pmu = facts.slots = false;
	facts.metrics_error = ENOENT;
	facts.hypervisor = true;
	ck_assert_ptr_nonnull(
		strstr(the_obstacle("it is /sys that says")->change, "mount -t sysfs"));
}
END_TEST

/* Virtual or not, which nothing but x86's flags tells. */
START_TEST(test_no_pmu)
{
	facts.pmu = false;
	facts.cycles_error = ENOENT;
	ck_assert_ptr_nonnull(
		strstr(the_obstacle("has no CPU PMU")->change, "knows this CPU's PMU"));
	facts.x86_64 = false;
	ck_assert_ptr_nonnull(strstr(the_obstacle("has no CPU PMU")->change,
				     "in a virtual machine the host must pass one on"));
	ck_assert_ptr_null(strstr(obstacles[0].change, "Intel"));
	facts.pmu = true;
	facts.cycles_error = EBUSY;
	ck_assert_ptr_nonnull(
		strstr(the_obstacle("resource busy")->change, "other users"));
}
END_TEST

START_TEST(test_nothing_works)
{
	facts.clock_error = facts.sigtrap_error = EPERM;
	facts.timer_error = EPERM;
	ck_assert_int_eq(td_probe_choose(&facts).backend, TD_BACKEND_NONE);
	facts.clock_error = facts.sigtrap_error = facts.timer_error = 0;
	strcpy(facts.library_fault, "libtdagent.so is nowhere");
	ck_assert_int_eq(td_probe_choose(&facts).backend, TD_BACKEND_NONE);
	ck_assert_str_eq(obstacle("nowhere")->change, "make install");
}
END_TEST

/* Everything wrong at once fits, and each names a change. */
START_TEST(test_all_obstacles)
{
	size_t count;

	strcpy(facts.library_fault, "no library");
	strcpy(facts.directory_fault, "no directory");
	facts.clock_error = facts.sigtrap_error = facts.cycles_error = EACCES;
	facts.sample_rate = 1000;
	facts.files_soft = 64;
	count = td_probe_obstacles(&facts, obstacles);
	ck_assert_uint_eq(count, 5);
	ck_assert_uint_le(count, TD_OBSTACLES_MAX);
	for (size_t i = 0; i < count; i++)
		ck_assert_str_ne(obstacles[i].change, "");
}
END_TEST

START_TEST(test_print)
{
	char *text = printed(td_probe_text);
	char *json = printed(td_probe_json);

	ck_assert_ptr_nonnull(strstr(text, "--pmu=auto     clock\n"));
	ck_assert_ptr_nonnull(strstr(text, "users may measure their own user-mode code"));
	ck_assert_ptr_nonnull(strstr(json, "\"cpu\": \"Some \\\"CPU\\\"\""));
	ck_assert_ptr_nonnull(strstr(json, "\"backend\": \"clock\""));
	ck_assert_ptr_nonnull(strstr(json, "\"perf_event_paranoid\": 2"));
	free(text);
	free(json);
	facts.paranoid = TD_FACT_UNKNOWN;
	facts.rdpmc = -1;
	facts.files_soft = UINT64_MAX;
	text = printed(td_probe_text);
	json = printed(td_probe_json);
	ck_assert_ptr_nonnull(strstr(text, "RLIMIT_NOFILE              unlimited\n"));
	ck_assert_ptr_null(strstr(json, "rdpmc"));
	ck_assert_ptr_null(strstr(json, "perf_event_paranoid"));
	free(text);
	free(json);
}
END_TEST

static void assert_printed(const char *words, const char *in_json)
{
	char *text = printed(td_probe_text), *json = printed(td_probe_json);

	ck_assert_msg(strstr(text, words), "'%s' is not in %s", words, text);
	ck_assert_msg(strstr(json, in_json), "'%s' is not in %s", in_json, json);
	free(text);
	free(json);
}

/* Each thing that it takes, and what is said where it is not there. */
START_TEST(test_way_back)
{
	assert_printed("way back in user mode      no: no hardware counters\n",
		       "\"return_user\": false,\n"
		       "  \"return_user_obstacle\": \"no hardware counters\"");
	facts.slots = true;
	facts.topdown_events = 8;
	facts.metrics_error = 0;
	assert_printed(
		"way back in user mode      yes; --return=sigreturn does without\n",
		"\"return_user\": true,\n  \"max_precise\"");
	facts.shadow_stack = true;
	assert_printed("user mode      no: programs have a shadow stack\n",
		       "shadow stack\"");
	facts.xsave = false;
	assert_printed("user mode      no: no XSAVE\n", "no XSAVE\"");
	facts.rdpmc = 0;
	assert_printed("user mode      no: RDPMC is off\n", "RDPMC is off\"");
	facts.x86_64 = false;
	assert_printed("user mode      no: only on x86_64\n", "only on x86_64\"");
}
END_TEST

/* What --latency takes, in the order in which it is missed. */
START_TEST(test_precise)
{
	facts.cycles_error = ENOENT;
	assert_printed("precise events             no: no hardware counters; none for "
		       "--latency\n",
		       "\"precise\": false,\n"
		       "  \"precise_obstacle\": \"no hardware counters\"");
	facts.cycles_error = 0;
	facts.max_precise = 3;
	assert_printed("precise events             yes; whether",
		       "\"max_precise\": 3,\n  \"precise\": true,\n  \"strobe_period\"");
	facts.precise_error = EOPNOTSUPP;
	assert_printed("events             no: not offered by this machine;",
		       "\"not offered by this machine\"");
	facts.kernel_major = 5;
	facts.kernel_minor = 11;
	assert_printed("events             no: it takes Linux 5.12;", "Linux 5.12\"");
	facts.max_precise = 1;
	assert_printed("events             no: the PMU has no PEBS (caps/max_precise);",
		       "\"max_precise\": 1,\n  \"precise\": false");
	facts.x86_64 = false;
	assert_printed("events             no: only on x86_64;",
		       "\"precise_obstacle\": \"only on x86_64\"");
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {test_all_well,
				      test_metrics,
				      test_events,
				      test_what_is_hidden,
				      test_agent,
				      test_pmus,
				      test_sigtrap_is_unsafe_before_5_19,
				      test_paranoid,
				      test_container,
				      test_counters_are_refused,
				      test_virtual_machine,
				      test_no_pmu,
				      test_no_sysfs,
				      test_nothing_works,
				      test_all_obstacles,
				      test_print,
				      test_way_back,
				      test_precise,
				      NULL};

	return unit_main_between("probe", tests, setup, NULL);
}
