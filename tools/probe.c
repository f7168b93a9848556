// SPDX-License-Identifier: MIT
#include "tools/probe.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "decoder/events.h"
#include "tools/arguments.h"
#include "tools/commands.h"

#define FILES_FEW 1024 /* a thread takes one descriptor, five with hardware counters */

struct list {
	struct td_obstacle *obstacles;
	size_t count;
};

static bool kernel_at_least(const struct td_facts *facts, int major, int minor)
{
	return facts->kernel_major > major ||
	       (facts->kernel_major == major && facts->kernel_minor >= minor);
}

/* Before 5.19 the kernel kills a thread that has SIGTRAP blocked. */
static bool has_sigtrap(const struct td_facts *facts)
{
	return !facts->sigtrap_error && kernel_at_least(facts, 5, 19);
}

/* Top-down from groups of events: their counters can be opened and read. */
static bool has_events(const struct td_facts *facts)
{
	return *facts->family && !facts->events_error;
}

struct td_choice td_probe_choose(const struct td_facts *facts)
{
	if (*facts->library_fault)
		return (struct td_choice){.reason = "libtdagent.so was not found"};
	if (facts->agent_backend)
		return (struct td_choice){facts->agent_backend, facts->agent_trigger,
					  facts->agent_windows, (int)facts->agent_level,
					  facts->agent_reason};
	if (!facts->metrics_error && !facts->cycles_error)
		return (struct td_choice){
			TD_BACKEND_METRICS,
			has_sigtrap(facts) ? TD_TRIGGER_CYCLES_SIGTRAP
					   : TD_TRIGGER_CYCLES_SIGNAL,
			true, facts->topdown_events >= 8 ? 2 : 1,
			"SLOTS and PERF_METRICS can be opened; the agent "
			"counts a loop with them before it trusts them"};
	if (has_events(facts))
		return (struct td_choice){
			TD_BACKEND_EVENTS,
			has_sigtrap(facts) ? TD_TRIGGER_CYCLES_SIGTRAP
					   : TD_TRIGGER_CYCLES_SIGNAL,
			true, 2,
			"no SLOTS and PERF_METRICS; this CPU's top-down events are "
			"known, fit on its counters and are counted in turn"};
	if (has_sigtrap(facts))
		return (struct td_choice){TD_BACKEND_CLOCK, TD_TRIGGER_SIGTRAP, true, 0,
					  "perf_event_open works, and this kernel "
					  "delivers its signals synchronously"};
	if (!facts->clock_error)
		return (struct td_choice){
			TD_BACKEND_CLOCK, TD_TRIGGER_SIGNAL, true, 0,
			"perf_event_open works; this kernel has no safe synchronous "
			"SIGTRAP (5.19 has)"};
	if (!facts->timer_error)
		return (struct td_choice){
			TD_BACKEND_CLOCK, TD_TRIGGER_TIMER, false, 0,
			"perf_event_open is refused; POSIX CPU timers resolve one "
			"scheduler tick, too coarse for windows"};
	return (struct td_choice){
		.reason = "neither perf_event_open nor POSIX CPU timers work"};
}

__attribute__((format(printf, 2, 3))) static struct td_obstacle *
add(struct list *list, const char *format, ...)
{
	struct td_obstacle *obstacle = &list->obstacles[list->count++];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(obstacle->what, sizeof(obstacle->what), format, arguments);
	va_end(arguments);
	return obstacle;
}

__attribute__((format(printf, 2, 3))) static void change(struct td_obstacle *obstacle,
							 const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(obstacle->change, sizeof(obstacle->change), format, arguments);
	va_end(arguments);
}

const char *td_probe_outcome(int error)
{
	switch (error) {
	case 0:
		return "works";
	case ENOENT:
	case EOPNOTSUPP:
		return "not offered by this machine";
	case ENOSYS:
		return "no such system call here";
	default:
		return strerror(error);
	}
}

static bool paranoid_refuses(const struct td_facts *facts)
{
	return facts->paranoid != TD_FACT_UNKNOWN && facts->paranoid > 2 &&
	       !facts->perfmon;
}

/* Why perf_event_open refused even the software clock. */
static void add_refusal(struct list *list, const struct td_facts *facts)
{
	int error = facts->clock_error;
	struct td_obstacle *obstacle;

	if ((error == EACCES || error == EPERM) && paranoid_refuses(facts)) {
		obstacle =
			add(list, "kernel.perf_event_paranoid is %d: no user may measure",
			    facts->paranoid);
		change(obstacle, "sudo sysctl kernel.perf_event_paranoid=2");
	} else if ((error == EPERM || error == EACCES || error == ENOSYS) &&
		   facts->seccomp == 2) {
		obstacle = add(list,
			       "a seccomp filter, mostly a container runtime's, "
			       "refuses perf_event_open (%s)",
			       strerror(error));
		change(obstacle, "docker run --cap-add=PERFMON, or --security-opt "
				 "seccomp=PROFILE with one that allows perf_event_open");
	} else if (error == ENOSYS) {
		obstacle = add(list, "this kernel has no perf_event_open");
		change(obstacle, "a kernel with CONFIG_PERF_EVENTS=y");
	} else if (error == EMFILE || error == ENFILE) {
		obstacle = add(list, "no descriptor was free for perf_event_open (%s)",
			       strerror(error));
		change(obstacle, "ulimit -n 65536");
	} else {
		obstacle = add(list, "perf_event_open refuses the task clock: %s",
			       strerror(error));
		change(obstacle,
		       "as root: setcap or a security module may forbid it; see dmesg "
		       "and perf_event_open(2)");
	}
}

/* By the name of the event table: CPUs that have PERF_METRICS when nobody hides it. */
static bool should_have_metrics(const struct td_facts *facts)
{
	return !strcmp(facts->family, "icelake") ||
	       !strcmp(facts->family, "sapphirerapids");
}

/* Why the rung above groups of events is none here, and what takes its place. */
static void add_registers(struct list *list, const struct td_facts *facts)
{
	struct td_choice choice = td_probe_choose(facts);
	const char *instead = choice.backend == TD_BACKEND_EVENTS && choice.level
				      ? "; groups of events give top-down in its place, "
					"and windows are shared out among them"
				      : "";

	if (!should_have_metrics(facts))
		change(add(list,
			   "no PERF_METRICS, which Intel's large cores have from Ice Lake "
			   "on%s",
			   instead),
		       "another CPU");
	else if (facts->hypervisor)
		change(add(list,
			   "no PERF_METRICS: this CPU has it, the virtual machine hides "
			   "it%s",
			   instead),
		       "a vPMU that passes PERF_METRICS on");
	else
		change(add(list,
			   "no PERF_METRICS: this CPU has it, the kernel does not offer "
			   "it%s",
			   instead),
		       "a newer kernel");
}

/* The task clock is granted, they are not. */
static void add_refused_counters(struct list *list, const struct td_facts *facts,
				 int error)
{
	change(add(list, "no hardware counters: perf_event_open refuses them (%s)",
		   strerror(error)),
	       "%s",
	       paranoid_refuses(facts)
		       ? "sudo sysctl kernel.perf_event_paranoid=2"
		       : "as root: a security module or a filter may forbid them; see "
			 "dmesg and perf_event_open(2)");
}

/* Whether a machine is virtual, only x86 says. */
static void add_missing_counters(struct list *list, const struct td_facts *facts,
				 int error)
{
	if (facts->hypervisor)
		change(add(list, "no hardware counters: a virtual machine without a "
				 "vPMU"),
		       "a vPMU from the host (QEMU: -cpu host,pmu=on; or an instance "
		       "type that offers one)");
	else if (!facts->pmu)
		change(add(list, "no hardware counters: the kernel has no CPU PMU"), "%s",
		       facts->x86_64
			       ? "a kernel that knows this CPU's PMU; dmesg says "
				 "more (Performance Events)"
			       : "in a virtual machine the host must pass one on "
				 "(QEMU: -cpu host,pmu=on); elsewhere firmware must "
				 "name it and the kernel have its driver");
	else
		change(add(list, "no hardware counters: %s", td_probe_outcome(error)),
		       "end other users of the counters; dmesg may say more "
		       "(Performance Events)");
}

/* What refuses the task clock as well has been said. */
static void add_hardware(struct list *list, const struct td_facts *facts)
{
	int error = facts->cycles_error ? facts->cycles_error : facts->metrics_error;

	if (!error || facts->clock_error)
		return;
	if (error == EACCES || error == EPERM)
		add_refused_counters(list, facts, error);
	else if (facts->pmu && !facts->cycles_error)
		add_registers(list, facts);
	else if (!facts->sysfs && !facts->cycles_error)
		change(add(list,
			   "no PERF_METRICS: it is /sys that says how to count them, "
			   "and it is not there"),
		       "mount -t sysfs sysfs /sys, in a chroot or container, too");
	else
		add_missing_counters(list, facts, error);
}

/* Who reads counters in user mode, and what lets it. */
static void add_reading(struct list *list, const struct td_facts *facts)
{
	if (facts->rdpmc != 0 || facts->cycles_error)
		return;
	change(add(list,
		   "user mode may not read counters (%s): each window costs "
		   "system calls inside",
		   facts->user_access ? "kernel.perf_user_access is 0" : "RDPMC is off"),
	       "%s",
	       facts->user_access ? "sudo sysctl kernel.perf_user_access=1"
				  : "echo 1 | sudo tee "
				    "/sys/bus/event_source/devices/cpu*/rdpmc");
}

/* Groups on both types, and not the rung above on one; or large cores alone. */
static void add_hybrid(struct list *list, const struct td_facts *facts)
{
	if (!*facts->atom_cpus || facts->cycles_error)
		return;
	if (facts->agent_both) {
		if (!facts->metrics_error)
			change(add(list,
				   "PERF_METRICS is not taken, for small cores (CPUs %s) "
				   "have none: groups of events count on both types",
				   facts->atom_cpus),
			       "taskset -c %s PROGRAM, which then runs on large cores",
			       facts->core_cpus);
		return;
	}
	change(add(list,
		   "two types of cores: with hardware counters only the large ones (CPUs "
		   "%s) are measured; what runs on CPUs %s is neither sampled nor counted",
		   facts->core_cpus, facts->atom_cpus),
	       "taskset -c %s PROGRAM; or --pmu=clock, which samples on all",
	       facts->core_cpus);
}

/* How the slots of one of two threads of a core are known: by the time that it was alone,
 * or by a count of slots.  NULL: there are none. */
static const char *slots_by(const struct td_facts *facts)
{
	const struct td_event_family *family = td_events_named(facts->family);

	if (!family)
		return NULL;
	if (td_events_find(family, "one_thread") >= 0)
		return "an estimate";
	return td_events_find(family, "own_slots") >= 0 ||
			       td_events_find(family, "other_thread") >= 0
		       ? "counted in windows of their own"
		       : NULL;
}

static void add_shared(struct list *list, const struct td_facts *facts)
{
	const char *slots = slots_by(facts);

	if (facts->smt && slots)
		change(add(list,
			   "two hardware threads share a core: a thread's slots are "
			   "%s, and totals are of the windows",
			   slots),
		       "echo off | sudo tee /sys/devices/system/cpu/smt/control");
}

/* What is lost with groups of events, or why there are none. */
static void add_events(struct list *list, const struct td_facts *facts)
{
	bool works = has_events(facts);
	struct td_choice choice = td_probe_choose(facts);
	const char *free_one = facts->watchdog ? "sudo sysctl kernel.nmi_watchdog=0"
					       : "end other users of the counters; with "
						 "hyper-threading off there are more";

	if (!facts->metrics_error || facts->cycles_error)
		return;
	if (!*facts->family && facts->pmu)
		change(add(list, "no groups of events: the event tables do not have "
				 "this CPU"),
		       "a newer tdagent, or a table in data/events");
	else if (*facts->family && facts->events_error)
		change(add(list, "no groups of events (%s): %s", facts->family,
			   facts->events_error == EBUSY
				   ? "the counters are taken"
				   : td_probe_outcome(facts->events_error)),
		       "%s", free_one);
	if (works && choice.backend == TD_BACKEND_EVENTS && !choice.level)
		change(add(list,
			   "no top-down by groups of events (%s): they can be opened, but "
			   "do not count what they should",
			   facts->family),
		       "%s",
		       facts->hypervisor
			       ? "a vPMU that lets more than architectural "
				 "events count (the hypervisor's event filter)"
			       : "tell us: the table in data/events may be wrong");
	if (works && facts->event_counters < facts->event_wanted)
		change(add(list,
			   "only %d counters are free for a group: level 1 takes "
			   "several windows, and there are no totals",
			   facts->event_counters),
		       "%s", free_one);
	if (works)
		add_shared(list, facts);
}

static void add_limits(struct list *list, const struct td_facts *facts)
{
	struct td_obstacle *obstacle;

	if (facts->sample_rate >= 0 && facts->sample_rate < 10000) {
		obstacle = add(list,
			       "kernel.perf_event_max_sample_rate is %" PRId64
			       ": shorter periods are throttled",
			       facts->sample_rate);
		change(obstacle, "sudo sysctl kernel.perf_event_max_sample_rate=100000");
	}
	if (facts->files_soft < FILES_FEW) {
		obstacle = add(list,
			       "RLIMIT_NOFILE is %" PRIu64 ": threads beyond it are not "
			       "measured",
			       facts->files_soft);
		change(obstacle, "ulimit -n %" PRIu64,
		       facts->files_hard < 65536 ? facts->files_hard : (uint64_t)65536);
	}
}

/* PERF_METRICS of Ice Lake and its like; the rung below has level 2. */
static void add_level(struct list *list, const struct td_facts *facts)
{
	struct td_choice choice = td_probe_choose(facts);

	if (choice.backend != TD_BACKEND_METRICS || choice.level >= 2)
		return;
	change(add(list,
		   "no level 2 of top-down: PERF_METRICS of this CPU has level 1 only"),
	       "%s",
	       has_events(facts)
		       ? "--level=2 (TDAGENT_LEVEL), which takes groups of events instead"
		       : "another CPU (Sapphire Rapids and later have it)");
}

size_t td_probe_obstacles(const struct td_facts *facts, struct td_obstacle *obstacles)
{
	struct list list = {obstacles, 0};

	if (*facts->library_fault)
		change(add(&list, "%s", facts->library_fault), "make install");
	if (*facts->directory_fault)
		change(add(&list, "profiles cannot be written: %s",
			   facts->directory_fault),
		       "mkdir -m 700 DIR && export TMPDIR=DIR");
	if (facts->clock_error)
		add_refusal(&list, facts);
	else if (!kernel_at_least(facts, 5, 19) || facts->sigtrap_error)
		change(add(&list,
			   "no synchronous SIGTRAP: signals may come a moment late"),
		       "a kernel of 5.19 or newer");
	add_limits(&list, facts);
	add_hardware(&list, facts);
	add_level(&list, facts);
	add_reading(&list, facts);
	add_hybrid(&list, facts);
	add_events(&list, facts);
	return list.count;
}

static const char usage[] =
	"usage: tdagent probe [--format=text|json]\n"
	"\n"
	"Tells what this machine can measure, which backend --pmu=auto takes and why,\n"
	"and what stands in the way.\n"
	"\n"
	"Exit status: 0 if something can be measured, else 1.\n";

static int set_format(void *json, char *value)
{
	static const char *const words[] = {"text", "json", NULL};
	int word = td_arguments_word("probe", "format", value, words);

	*(bool *)json = word == 1;
	return word < 0 ? -1 : 0;
}

static const struct td_argument table[] = {
	{"format", 0, 1, set_format},
	{NULL, 0, 0, NULL},
};

int td_cmd_probe(int argc, char **argv)
{
	static const struct td_arguments arguments = {
		.command = "probe", .usage = usage, .table = table};
	struct td_facts facts;
	bool json = false;
	int first = td_arguments_read(&arguments, &json, argc, argv);

	if (first <= 0)
		return first < 0 ? 2 : 0;
	if (first < argc) {
		fprintf(stderr, "tdagent probe: %s: takes no operand\n", argv[first]);
		return 2;
	}
	td_facts_gather(&facts);
	(json ? td_probe_json : td_probe_text)(stdout, &facts);
	return td_probe_choose(&facts).backend ? 0 : 1;
}
