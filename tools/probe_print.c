// SPDX-License-Identifier: MIT
#include <inttypes.h>

#include "decoder/names.h"
#include "tools/probe.h"
#include "tools/quote.h"

static const char *paranoid_effect(const struct td_facts *facts)
{
	if (facts->perfmon)
		return "not binding: we have CAP_PERFMON or CAP_SYS_ADMIN";
	if (facts->paranoid > 2)
		return "no user may open events";
	return facts->paranoid == 2 ? "users may measure their own user-mode code"
				    : "users may measure kernel code too";
}

static void text_limit(FILE *stream, const char *name, uint64_t limit, const char *unit)
{
	if (limit == UINT64_MAX)
		fprintf(stream, "  %-26s unlimited\n", name);
	else
		fprintf(stream, "  %-26s %" PRIu64 "%s\n", name, limit, unit);
}

static void text_number(FILE *stream, const char *name, int64_t number, const char *unit)
{
	if (number < 0)
		fprintf(stream, "  %-26s unknown\n", name);
	else
		fprintf(stream, "  %-26s %" PRId64 "%s\n", name, number, unit);
}

static bool has_counters(const struct td_choice *choice)
{
	return choice->backend == TD_BACKEND_METRICS ||
	       choice->backend == TD_BACKEND_EVENTS;
}

/* Why handlers leave by sigreturn here whatever --return says; NULL: they need not. */
static const char *why_not_back(const struct td_facts *facts)
{
	struct td_choice choice = td_probe_choose(facts);

	if (!facts->x86_64)
		return "only on x86_64";
	if (!has_counters(&choice))
		return "no hardware counters";
	if (facts->rdpmc == 0)
		return "RDPMC is off";
	if (!facts->xsave)
		return "no XSAVE";
	return facts->shadow_stack ? "programs have a shadow stack" : NULL;
}

static void text_back(FILE *stream, const struct td_facts *facts)
{
	const char *why_not = why_not_back(facts);

	if (why_not)
		fprintf(stream, "  %-26s no: %s\n", "way back in user mode", why_not);
	else
		fprintf(stream, "  %-26s yes; --return=sigreturn does without\n",
			"way back in user mode");
}

/* Why no instruction is sampled precisely, which --latency takes; NULL: they are. */
static const char *why_not_precise(const struct td_facts *facts)
{
	if (!facts->x86_64)
		return "only on x86_64";
	if (facts->cycles_error)
		return "no hardware counters";
	if (facts->max_precise >= 0 && facts->max_precise < 2)
		return "the PMU has no PEBS (caps/max_precise)";
	/* which knows the record's format */
	if (facts->kernel_major < 5 ||
	    (facts->kernel_major == 5 && facts->kernel_minor < 12))
		return "it takes Linux 5.12";
	return facts->precise_error ? td_probe_outcome(facts->precise_error) : NULL;
}

static void text_precise(FILE *stream, const struct td_facts *facts)
{
	const char *why_not = why_not_precise(facts);

	if (why_not)
		fprintf(stream, "  %-26s no: %s; none for --latency\n", "precise events",
			why_not);
	else
		fprintf(stream,
			"  %-26s yes; whether they have retire latencies (--latency), "
			"records tell\n",
			"precise events");
}

static void text_limits(FILE *stream, const struct td_facts *facts)
{
	text_number(stream, "seccomp mode", facts->seccomp, "");
	text_number(stream, "perf_event_max_sample_rate", facts->sample_rate,
		    " a second");
	text_number(stream, "perf_event_mlock_kb", facts->mlock_kb, " kB");
	text_number(stream, "scheduler tick", facts->tick_ns / 1000, " us");
	text_limit(stream, "RLIMIT_NOFILE", facts->files_soft, "");
	text_limit(stream, "RLIMIT_MEMLOCK", facts->memlock, " bytes");
}

static void text_facts(FILE *stream, const struct td_facts *facts)
{
	fputs("\nfound:\n", stream);
	fprintf(stream, "  %-26s %s\n", "kernel", facts->kernel);
	fprintf(stream, "  %-26s %s%s\n", "CPU", *facts->cpu ? facts->cpu : "unknown",
		facts->hypervisor ? " (virtual)" : "");
	fprintf(stream, "  %-26s %s\n", "perf task-clock, SIGTRAP",
		td_probe_outcome(facts->sigtrap_error));
	fprintf(stream, "  %-26s %s\n", "perf task-clock",
		td_probe_outcome(facts->clock_error));
	fprintf(stream, "  %-26s %s\n", "perf hardware cycles",
		td_probe_outcome(facts->cycles_error));
	fprintf(stream, "  %-26s %s\n", "SLOTS + PERF_METRICS",
		td_probe_outcome(facts->metrics_error));
	if (*facts->family)
		fprintf(stream, "  %-26s %s: %s, %d of level 1's %d events fit\n",
			"groups of events", facts->family,
			td_probe_outcome(facts->events_error), facts->event_counters,
			facts->event_wanted);
	else
		fprintf(stream, "  %-26s no tables for this CPU\n", "groups of events");
	fprintf(stream, "  %-26s %s\n", "POSIX CPU timer",
		td_probe_outcome(facts->timer_error));
	fprintf(stream, "  %-26s %s\n", "CPU PMU in /sys",
		facts->pmu     ? "yes"
		: facts->sysfs ? "no"
			       : "no: /sys is not there");
	fprintf(stream, "  %-26s %s, %d topdown-* events\n", "slots event",
		facts->slots ? "yes" : "no", facts->topdown_events);
	text_number(stream, "rdpmc", facts->rdpmc, "");
	text_back(stream, facts);
	text_precise(stream, facts);
	if (facts->strobe)
		fprintf(stream,
			"  %-26s yes; --windows=vernier uses it, windows are all of a length\n",
			"kernel's strobe_period");
	if (facts->paranoid == TD_FACT_UNKNOWN)
		fprintf(stream, "  %-26s unknown\n", "perf_event_paranoid");
	else
		fprintf(stream, "  %-26s %d (%s)\n", "perf_event_paranoid",
			facts->paranoid, paranoid_effect(facts));
	text_limits(stream, facts);
	fprintf(stream, "  %-26s %s\n", "ptrace (yama)", "not used");
	fprintf(stream, "  %-26s %s\n", "profiles",
		*facts->directory_fault ? "nowhere, see below" : facts->directory);
	fprintf(stream, "  %-26s %s\n", "libtdagent.so",
		*facts->library_fault ? "not found" : facts->library);
}

static const char *measured_in_windows(const struct td_choice *choice)
{
	if (!choice->windows)
		return "; no windows";
	if (!has_counters(choice))
		return ", with CPU time, faults and switches in windows";
	return choice->level ? ", with pipeline slots in windows"
			     : ", with instructions and events a cycle in windows";
}

static const char *topdown_of(const struct td_choice *choice)
{
	bool events = choice->backend == TD_BACKEND_EVENTS;

	switch (choice->level) {
	case 2:
		return events ? "level 1 and 2, by groups of events" : "level 1 and 2";
	case 1:
		return events ? "level 1, by groups of events" : "level 1";
	default:
		return "not from hardware here; the demonstration program shows it, "
		       "simulated";
	}
}

void td_probe_text(FILE *stream, const struct td_facts *facts)
{
	struct td_choice choice = td_probe_choose(facts);
	struct td_obstacle obstacles[TD_OBSTACLES_MAX];
	size_t count = td_probe_obstacles(facts, obstacles);

	fprintf(stream, "--pmu=auto     %s\n", td_backend_name(choice.backend));
	if (choice.trigger)
		fprintf(stream, "triggered by   %s\n", td_trigger_name(choice.trigger));
	fprintf(stream, "because        %s\n", choice.reason);
	if (choice.backend)
		fprintf(stream, "measures       samples by function%s\n",
			measured_in_windows(&choice));
	fprintf(stream, "top-down       %s\n", topdown_of(&choice));
	text_facts(stream, facts);
	fprintf(stream, "\nin the way:%s\n", count ? "" : " nothing");
	for (size_t i = 0; i < count; i++)
		fprintf(stream, "  %s\n    change it: %s\n", obstacles[i].what,
			obstacles[i].change);
}

static void json_string(FILE *stream, const char *key, const char *value)
{
	fprintf(stream, "\"%s\": ", key);
	td_quote_json_raw(stream, value);
}

static void json_text(FILE *stream, const char *key, const char *value)
{
	fputs("  ", stream);
	json_string(stream, key, value);
	fputs(",\n", stream);
}

/* What is unknown is absent. */
static void json_number(FILE *stream, const char *key, int64_t number)
{
	if (number >= 0)
		fprintf(stream, "  \"%s\": %" PRId64 ",\n", key, number);
}

static void json_limit(FILE *stream, const char *key, uint64_t limit)
{
	if (limit != UINT64_MAX)
		fprintf(stream, "  \"%s\": %" PRIu64 ",\n", key, limit);
}

static void json_flag(FILE *stream, const char *key, bool flag)
{
	fprintf(stream, "  \"%s\": %s,\n", key, flag ? "true" : "false");
}

static void json_back(FILE *stream, const struct td_facts *facts)
{
	const char *why_not = why_not_back(facts);

	json_flag(stream, "return_user", !why_not);
	if (why_not)
		json_text(stream, "return_user_obstacle", why_not);
}

static void json_precise(FILE *stream, const struct td_facts *facts)
{
	const char *why_not = why_not_precise(facts);

	json_number(stream, "max_precise", facts->max_precise);
	json_flag(stream, "precise", !why_not);
	if (why_not)
		json_text(stream, "precise_obstacle", why_not);
}

static void json_facts(FILE *stream, const struct td_facts *facts)
{
	json_text(stream, "kernel", facts->kernel);
	json_text(stream, "cpu", facts->cpu);
	json_flag(stream, "virtual", facts->hypervisor);
	json_text(stream, "perf_task_clock_sigtrap",
		  td_probe_outcome(facts->sigtrap_error));
	json_text(stream, "perf_task_clock", td_probe_outcome(facts->clock_error));
	json_text(stream, "perf_cycles", td_probe_outcome(facts->cycles_error));
	json_text(stream, "perf_metrics", td_probe_outcome(facts->metrics_error));
	if (*facts->family) {
		json_text(stream, "events_family", facts->family);
		json_text(stream, "events", td_probe_outcome(facts->events_error));
		json_number(stream, "event_counters", facts->event_counters);
		json_number(stream, "event_counters_wanted", facts->event_wanted);
	}
	json_flag(stream, "smt", facts->smt);
	json_flag(stream, "nmi_watchdog", facts->watchdog);
	json_text(stream, "cpu_timer", td_probe_outcome(facts->timer_error));
	json_flag(stream, "sysfs", facts->sysfs);
	json_flag(stream, "pmu", facts->pmu);
	json_flag(stream, "slots", facts->slots);
	json_number(stream, "topdown_events", facts->topdown_events);
	json_number(stream, "rdpmc", facts->rdpmc);
	json_back(stream, facts);
	json_precise(stream, facts);
	json_flag(stream, "strobe_period", facts->strobe);
	if (*facts->atom_cpus) {
		json_text(stream, "core_cpus", facts->core_cpus);
		json_text(stream, "atom_cpus", facts->atom_cpus);
	}
	if (facts->paranoid != TD_FACT_UNKNOWN)
		fprintf(stream, "  \"perf_event_paranoid\": %d,\n", facts->paranoid);
	json_flag(stream, "perfmon_capability", facts->perfmon);
	json_number(stream, "seccomp", facts->seccomp);
	json_number(stream, "perf_event_max_sample_rate", facts->sample_rate);
	json_number(stream, "perf_event_mlock_kb", facts->mlock_kb);
	json_number(stream, "tick_ns", facts->tick_ns);
	json_limit(stream, "rlimit_nofile", facts->files_soft);
	json_limit(stream, "rlimit_memlock", facts->memlock);
	if (!*facts->directory_fault)
		json_text(stream, "directory", facts->directory);
	if (!*facts->library_fault)
		json_text(stream, "library", facts->library);
}

void td_probe_json(FILE *stream, const struct td_facts *facts)
{
	struct td_choice choice = td_probe_choose(facts);
	struct td_obstacle obstacles[TD_OBSTACLES_MAX];
	size_t count = td_probe_obstacles(facts, obstacles);

	fputs("{\n  \"schema\": 1,\n", stream);
	json_text(stream, "backend", td_backend_name(choice.backend));
	if (choice.trigger)
		json_text(stream, "trigger", td_trigger_name(choice.trigger));
	json_text(stream, "reason", choice.reason);
	json_flag(stream, "windows", choice.windows);
	json_flag(stream, "topdown", choice.level > 0);
	json_number(stream, "level", choice.level);
	json_facts(stream, facts);
	fputs("  \"obstacles\": [", stream);
	for (size_t i = 0; i < count; i++) {
		fputs(i ? ",\n    {" : "\n    {", stream);
		json_string(stream, "what", obstacles[i].what);
		fputs(", ", stream);
		json_string(stream, "change", obstacles[i].change);
		fputc('}', stream);
	}
	fputs("\n  ]\n}\n", stream);
}
