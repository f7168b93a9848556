// SPDX-License-Identifier: MIT
#include "decoder/compare_settings.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/names.h"
#include "decoder/text.h"

#define LOST_WORTH_SAYING 0.01

static const struct td_file_header *first(const struct td_compare_side *side)
{
	return &side->all->process[0].header;
}

/* Samples of made-up counters and of real ones are never one set. */
static int simulated_processes(const struct td_report *report)
{
	size_t simulated = 0;

	for (size_t i = 0; i < report->processes; i++)
		simulated += report->process[i].header.simulated != 0;
	return simulated == 0 ? 0 : simulated == report->processes ? 1 : -1;
}

int td_compare_unit(const struct td_report *report)
{
	for (size_t i = 0; i < report->processes; i++) {
		const struct td_file_header *header = &report->process[i].header;

		if (!header->long_period ||
		    header->period_unit != report->process[0].header.period_unit)
			return -1;
	}
	return report->processes ? (int)report->process[0].header.period_unit : -1;
}

struct start {
	uint64_t ns;
	int side;
};

static struct start start_of(const struct td_report *run, int side)
{
	struct start start = {UINT64_MAX, side};

	for (size_t i = 0; i < run->processes; i++) {
		if (run->process[i].header.start_realtime_ns < start.ns)
			start.ns = run->process[i].header.start_realtime_ns;
	}
	return start;
}

static int by_time(const void *a, const void *b)
{
	const struct start *x = a, *y = b;

	return (x->ns > y->ns) - (x->ns < y->ns);
}

int td_compare_alternating(const struct td_compare_side side[2])
{
	size_t runs = side[0].runs + side[1].runs, turns = 0, n = 0;
	struct start *start = calloc(runs, sizeof(*start));

	for (int i = 0; i < 2 && start; i++) {
		for (size_t run = 0; run < side[i].runs; run++)
			start[n++] = start_of(side[i].run[run], i);
	}
	if (start)
		qsort(start, n, sizeof(*start), by_time);
	for (size_t i = 1; i < n; i++)
		turns += start[i].side != start[i - 1].side;
	free(start);
	return runs > 2 && 2 * turns >= runs;
}

char *td_compare_refusal(const struct td_compare_side side[2])
{
	int simulated[2], unit[2];

	for (int i = 0; i < 2; i++) {
		if (!side[i].all->processes || !side[i].all->samples)
			return td_text_format("%c has no samples: there is nothing to "
					      "compare",
					      'A' + i);
		simulated[i] = simulated_processes(side[i].all);
		unit[i] = td_compare_unit(side[i].all);
		if (simulated[i] < 0)
			return td_text_format("%c mixes SIMULATED and real profiles: "
					      "compare profiles of one kind",
					      'A' + i);
	}
	if (simulated[0] != simulated[1])
		return td_text_format("%c is SIMULATED, %c is real: compare profiles of "
				      "one kind",
				      simulated[0] ? 'A' : 'B', simulated[0] ? 'B' : 'A');
	if (unit[0] >= 0 && unit[1] >= 0 && unit[0] != unit[1])
		return td_text_format(
			"%c was sampled by CPU time, %c by user-mode cycles, which leave "
			"out the kernel: measure both with the same trigger",
			unit[0] == TD_UNIT_NS ? 'A' : 'B',
			unit[0] == TD_UNIT_NS ? 'B' : 'A');
	return NULL;
}

/* Takes the text; 0 or -ENOMEM. */
static int note(struct td_compare *compare, char *text)
{
	char **more;

	if (!text)
		return -ENOMEM;
	more = reallocarray(compare->note, compare->notes + 1, sizeof(*more));
	if (!more) {
		free(text);
		return -ENOMEM;
	}
	compare->note = more;
	compare->note[compare->notes++] = text;
	return 0;
}

__attribute__((format(printf, 2, 3))) static int say(struct td_compare *compare,
						     const char *format, ...)
{
	va_list args;
	char *clean;

	va_start(args, format);
	clean = td_text_vformat(format, args);
	va_end(args);
	return note(compare, clean);
}

static int note_machines(struct td_compare *compare, const struct td_file_header *a,
			 const struct td_file_header *b)
{
	char *names[2] = {td_text_clean(a->exe, sizeof(a->exe)),
			  td_text_clean(b->exe, sizeof(b->exe))};
	int err = names[0] && names[1] ? 0 : -ENOMEM;

	if (!err && strcmp(td_text_base(names[0]), td_text_base(names[1])) != 0)
		err = say(compare, "A and B are different programs: %s, %s", names[0],
			  names[1]);
	free(names[0]);
	free(names[1]);
	if (!err && strcmp(a->cpu, b->cpu) != 0)
		err = say(compare, "A and B ran on different processors: %s, %s", a->cpu,
			  b->cpu);
	return err;
}

/* Of a hybrid processor each side is of cores of one type. */
static int note_cores(struct td_compare *compare, const struct td_report *a,
		      const struct td_report *b)
{
	const struct td_report *one = a->hybrid ? a : b;
	const char *shown = td_cores_name(one->cores),
		   *others = td_cores_name(!one->cores);

	if (a->hybrid && b->hybrid && a->cores != b->cores)
		return say(compare,
			   "A is what ran on %s cores, B on %s ones: a slot of one is "
			   "not one of the other",
			   shown, others);
	if (!a->elsewhere && !b->elsewhere)
		return 0;
	return say(compare,
		   "this is what ran on the %s cores; %" PRIu64
		   " samples of A and %" PRIu64 " of B are of the %s ones: --cores=%s",
		   shown, a->elsewhere, b->elsewhere, others, others);
}

static int note_settings(struct td_compare *compare, const struct td_file_header *a,
			 const struct td_file_header *b)
{
	int err = 0;

	if (a->backend != b->backend)
		err = say(compare,
			  "A was measured by the %s backend, B by %s: fractions may "
			  "differ for that alone",
			  td_backend_name(a->backend), td_backend_name(b->backend));
	if (!err && a->level != b->level)
		err = say(compare,
			  "A has top-down level %u, B level %u: only what both have is "
			  "compared",
			  a->level, b->level);
	if (!err && a->short_period != b->short_period)
		err = say(compare,
			  "windows are %" PRIu64 " %s in A and %" PRIu64
			  " in B: what is left of the window's own cost may differ",
			  a->short_period, a->period_unit == TD_UNIT_NS ? "ns" : "cycles",
			  b->short_period);
	if (!err && (a->burst > 1 ? a->burst : 1) != (b->burst > 1 ? b->burst : 1))
		err = say(compare,
			  "bursts are of %u windows in A and of %u in B: what a return "
			  "to user mode costs them may differ",
			  a->burst > 1 ? a->burst : 1, b->burst > 1 ? b->burst : 1);
	if (!err && strcmp(a->agent, b->agent) != 0)
		err = say(compare, "A was measured by tdagent %s, B by %s", a->agent,
			  b->agent);
	return err;
}

static int note_latencies(struct td_compare *compare, const struct td_report *a,
			  const struct td_report *b)
{
	if (strcmp(a->latency_event, b->latency_event) == 0)
		return 0;
	return say(compare,
		   "retire latencies are not compared: A has those of %s, B of %s",
		   a->latency_event[0] ? a->latency_event : "no event",
		   b->latency_event[0] ? b->latency_event : "no event");
}

static int note_state(struct td_compare *compare, const struct td_report *report,
		      char side)
{
	uint64_t lost = 0;
	size_t running = 0, killed = 0;
	int err = 0;

	for (unsigned i = 0; i < TD_LOST_MAX; i++)
		lost += report->lost[i];
	for (size_t i = 0; i < report->processes; i++) {
		running += report->process[i].fate == TD_FATE_RUNNING;
		killed += report->process[i].fate == TD_FATE_KILLED;
	}
	if (running)
		err = say(compare, "%c is still running: up to now", side);
	if (!err && killed)
		err = say(compare, "%c was killed or crashed: up to the last sample",
			  side);
	if (!err && (double)lost > LOST_WORTH_SAYING * (double)(lost + report->samples))
		err = say(compare,
			  "%c lost %" PRIu64 " of its samples: shares may be biased",
			  side, lost);
	return err;
}

static int note_runs(struct td_compare *compare)
{
	size_t runs = compare->runs[0] + compare->runs[1];
	const char *taken = compare->noise_measured ? "seen in the two" : "assumed";

	if (compare->alternating)
		return 0;
	return say(compare,
		   "%s: for shares, noise of %.3g %% is %s (--noise)%s; give several "
		   "runs of each, measured in turns",
		   runs == 2 ? "one run on each side"
			     : "the runs of A and B did not take turns",
		   100 * compare->noise, taken,
		   compare->runs[0] == 1 || compare->runs[1] == 1
			   ? ", and CPU time is not tested"
			   : "");
}

int td_compare_notes(struct td_compare *compare, const struct td_compare_side side[2])
{
	const struct td_file_header *a = first(&side[0]), *b = first(&side[1]);
	int err = note_machines(compare, a, b);

	if (!err)
		err = note_cores(compare, side[0].all, side[1].all);
	if (!err)
		err = note_settings(compare, a, b);
	if (!err)
		err = note_latencies(compare, side[0].all, side[1].all);
	for (int i = 0; i < 2 && !err; i++)
		err = note_state(compare, side[i].all, (char)('A' + i));
	if (!err && compare->simulated)
		err = say(compare, "SIMULATED: the counters are made up, the samples are "
				   "not");
	if (!err && !compare->has_cost)
		err = say(compare, "the sampling periods are not known or not alike: no "
				   "CPU time");
	return err ? err : note_runs(compare);
}
