// SPDX-License-Identifier: MIT
#include "decoder/options.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "decoder/label_list.h"
#include "decoder/values.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

#define PERIOD_MIN 1000u          /* ns or cycles */
#define PERIOD_MAX 1000000000000u /* 1000 s, or as many cycles */

#define PREFIX "TDAGENT_"

struct word {
	const char *text;
	int value;
};

static const struct word pmu_words[] = {
	{"auto", TD_PMU_AUTO},           {"metrics", TD_PMU_METRICS},
	{"events", TD_PMU_EVENTS},       {"clock", TD_PMU_CLOCK},
	{"simulated", TD_PMU_SIMULATED},
};

static const struct word windows_words[] = {
	{"auto", TD_WINDOWS_AUTO},
	{"rdpmc", TD_WINDOWS_BY_RDPMC},
	{"vernier", TD_WINDOWS_BY_VERNIER},
};

static const struct word return_words[] = {
	{"sigreturn", TD_RETURN_SIGRETURN},
	{"user", TD_RETURN_USER},
};

static const struct word level_words[] = {
	{"auto", TD_LEVEL_AUTO},
	{"1", TD_LEVEL_1},
	{"2", TD_LEVEL_2},
	{"0", TD_LEVEL_0},
};

static const struct word children_words[] = {
	{"quiet", TD_CHILDREN_QUIET},
	{"report", TD_CHILDREN_REPORT},
	{"off", TD_CHILDREN_OFF},
};

static const struct word seccomp_words[] = {
	{"probe", TD_SECCOMP_PROBE},
	{"trust", TD_SECCOMP_TRUST},
	{"off", TD_SECCOMP_OFF},
};

static const struct word debug_words[] = {
	{"core", TD_DEBUG_CORE},
	{"threads", TD_DEBUG_THREADS},
	{"store", TD_DEBUG_STORE},
	{"strobe", TD_DEBUG_STROBE},
	{"all", TD_DEBUG_CORE | TD_DEBUG_THREADS | TD_DEBUG_STORE | TD_DEBUG_STROBE},
};

__attribute__((format(printf, 3, 4))) static int refuse(char *why, size_t size,
							const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(why, size, format, arguments);
	va_end(arguments);
	return -EINVAL;
}

static int refuse_value(char *why, size_t size, const char *value, const char *not_what,
			const char *write_what)
{
	return refuse(why, size, "'%s' is not %s; write %s",
		      td_show(value, strlen(value)).text, not_what, write_what);
}

static int parse_long(struct td_options *options, const char *value, char *why,
		      size_t size)
{
	struct td_period period;

	if (td_period_parse(value, &period))
		return refuse_value(why, size, value, "a period",
				    "cycles (1000000) or a time (1ms, 10us)");
	if (period.value < PERIOD_MIN || period.value > PERIOD_MAX)
		return refuse_value(why, size, value, "within the limits",
				    "1us to 1000s, or 1000 to 1000000000000 cycles");
	options->long_period = period;
	options->long_given = 1;
	return 0;
}

static int parse_short(struct td_options *options, const char *value, char *why,
		       size_t size)
{
	struct td_period period;

	if (td_period_parse(value, &period))
		return refuse_value(why, size, value, "a period",
				    "cycles (300), a time (10us), or 0 for no windows");
	if (period.value > PERIOD_MAX)
		return refuse_value(why, size, value, "within the limits",
				    "0 to 1000s, or at most 1000000000000 cycles");
	options->short_period = period;
	options->short_given = 1;
	return 0;
}

static int parse_jitter(struct td_options *options, const char *value, char *why,
			size_t size)
{
	uint64_t percent;

	if (td_number_parse(value, &percent) || percent > 100)
		return refuse_value(why, size, value, "a percentage",
				    "a whole number from 0 to 100");
	options->jitter = (uint32_t)percent;
	return 0;
}

static int parse_burst(struct td_options *options, const char *value, char *why,
		       size_t size)
{
	uint64_t windows;

	if (td_number_parse(value, &windows) || !windows || windows > TD_BURST_MAX)
		return refuse_value(why, size, value, "a number of windows",
				    "a whole number from 1 to 16");
	options->burst = (uint32_t)windows;
	return 0;
}

static int parse_seed(struct td_options *options, const char *value, char *why,
		      size_t size)
{
	if (td_number_parse(value, &options->seed))
		return refuse_value(why, size, value, "a seed",
				    "a whole number, or 0 for a new one each run");
	return 0;
}

static const struct word *word_find(const struct word *words, size_t count,
				    const char *text, size_t length)
{
	for (size_t i = 0; i < count; i++)
		if (strlen(words[i].text) == length &&
		    !memcmp(words[i].text, text, length))
			return &words[i];
	return NULL;
}

static int parse_pmu(struct td_options *options, const char *value, char *why,
		     size_t size)
{
	const struct word *word =
		word_find(pmu_words, COUNT(pmu_words), value, strlen(value));

	if (!word)
		return refuse_value(why, size, value, "a way to measure of this version",
				    "auto, metrics, events, clock or simulated");
	options->pmu = (enum td_pmu_choice)word->value;
	return 0;
}

static int parse_children(struct td_options *options, const char *value, char *why,
			  size_t size)
{
	const struct word *word =
		word_find(children_words, COUNT(children_words), value, strlen(value));

	if (!word)
		return refuse_value(why, size, value, "known", "quiet, report or off");
	options->children = (enum td_children)word->value;
	return 0;
}

static int parse_seccomp(struct td_options *options, const char *value, char *why,
			 size_t size)
{
	const struct word *word =
		word_find(seccomp_words, COUNT(seccomp_words), value, strlen(value));

	if (!word)
		return refuse_value(why, size, value, "known", "probe, trust or off");
	options->seccomp = (enum td_seccomp)word->value;
	return 0;
}

static int parse_callpath(struct td_options *options, const char *value, char *why,
			  size_t size)
{
	int on = !strcmp(value, "on");

	if (!on && strcmp(value, "off") != 0)
		return refuse_value(why, size, value, "known", "on or off");
	options->callpath = on;
	return 0;
}

static int parse_debug(struct td_options *options, const char *value, char *why,
		       size_t size)
{
	unsigned areas = 0;
	const char *area = value;

	for (;;) {
		size_t length = strcspn(area, ",");
		const struct word *word =
			word_find(debug_words, COUNT(debug_words), area, length);

		if (!word)
			return refuse(
				why, size,
				"'%s' is not an area; write core, threads, store and "
				"strobe with commas between them, or all",
				td_show(area, length).text);
		areas |= (unsigned)word->value;
		if (!area[length])
			break;
		area += length + 1;
	}
	options->debug = areas;
	return 0;
}

/* Copies `value` to `path` (TD_PATH_MAX bytes) if it is a sound pattern. */
static int parse_path(char *path, const char *value, char *why, size_t size)
{
	char expanded[TD_PATH_MAX];
	size_t length = strlen(value);
	int error = td_output_expand(value, UINT32_MAX, "", expanded, sizeof(expanded));

	if (error == -EINVAL)
		return refuse_value(why, size, value, "a file name",
				    "p (process id), e (program) or % after each %");
	if (error || length >= TD_PATH_MAX)
		return refuse(why, size, "the path has %zu bytes; write at most %d",
			      length, TD_PATH_MAX - 1);
	memcpy(path, value, length + 1);
	return 0;
}

static int parse_return(struct td_options *options, const char *value, char *why,
			size_t size)
{
	const struct word *word =
		word_find(return_words, COUNT(return_words), value, strlen(value));

	if (!word)
		return refuse_value(why, size, value, "a way back to the program",
				    "sigreturn or user");
	options->back = (enum td_return)word->value;
	return 0;
}

static int parse_windows(struct td_options *options, const char *value, char *why,
			 size_t size)
{
	const struct word *word =
		word_find(windows_words, COUNT(windows_words), value, strlen(value));

	if (!word)
		return refuse_value(why, size, value, "a way to cut windows",
				    "auto, rdpmc or vernier");
	options->windows = (enum td_windows_choice)word->value;
	return 0;
}

static int parse_level(struct td_options *options, const char *value, char *why,
		       size_t size)
{
	const struct word *word =
		word_find(level_words, COUNT(level_words), value, strlen(value));

	if (!word)
		return refuse_value(why, size, value, "a top-down depth",
				    "auto, 0, 1 or 2");
	options->level = (enum td_level_choice)word->value;
	return 0;
}

static int parse_events(struct td_options *options, const char *value, char *why,
			size_t size)
{
	size_t length = strlen(value);

	if (length >= sizeof(options->events))
		return refuse(why, size, "the list has %zu bytes; write at most %zu",
			      length, sizeof(options->events) - 1);
	memcpy(options->events, value, length + 1);
	return 0;
}

static int parse_latency(struct td_options *options, const char *value, char *why,
			 size_t size)
{
	size_t name = strcspn(value, "@");
	uint64_t period = TD_LATENCY_PERIOD;

	if (!name || strlen(value) >= sizeof(options->latency) ||
	    (value[name] && td_number_parse(value + name + 1, &period)) ||
	    period < TD_LATENCY_PERIOD_LEAST || period > UINT32_MAX)
		return refuse(
			why, size,
			"'%s' is not an event; write EVENT or EVENT@PERIOD, a sample "
			"every so many of them, %u at least",
			td_show(value, strlen(value)).text, TD_LATENCY_PERIOD_LEAST);
	memcpy(options->latency, value, strlen(value) + 1);
	return 0;
}

static int parse_labels(struct td_options *options, const char *value, char *why,
			size_t size)
{
	size_t length = strlen(value), labels = 0;
	const char *rest = value;
	struct td_label_text label;
	int next;

	if (length >= sizeof(options->labels))
		return refuse(why, size, "the labels have %zu bytes; write at most %zu",
			      length, sizeof(options->labels) - 1);
	while ((next = td_label_list_next(&rest, &label)) > 0)
		labels++;
	if (next < 0)
		return refuse(why, size,
			      "'%s' is not a label; write KEY=VALUE, the KEY of letters, "
			      "digits and _, not thread, tid, pid or host",
			      td_show(label.key, label.key_length).text);
	if (labels > TD_LABEL_LIST_MAX)
		return refuse(why, size, "these are %zu labels; write at most %u", labels,
			      TD_LABEL_LIST_MAX);
	memcpy(options->labels, value, length + 1);
	return 0;
}

static int parse_output(struct td_options *options, const char *value, char *why,
			size_t size)
{
	return parse_path(options->output, value, why, size);
}

static int parse_report(struct td_options *options, const char *value, char *why,
			size_t size)
{
	int error;

	if (!*value)
		return refuse_value(why, size, value, "a place",
				    "stderr, none or a file");
	if (!strcmp(value, "stderr") || !strcmp(value, "none")) {
		options->report = *value == 's' ? TD_REPORT_STDERR : TD_REPORT_NONE;
		return 0;
	}
	error = parse_path(options->report_file, value, why, size);
	if (!error)
		options->report = TD_REPORT_FILE;
	return error;
}

#define TEXT(number) #number
#define WITH_COUNTERS(cycles) ", with hardware counters " TEXT(cycles) " cycles"

const struct td_option td_option_table[] = {
	{"LONG", "PERIOD", "20ms" WITH_COUNTERS(TD_LONG_CYCLES),
	 "mean time between two samples of a thread", parse_long},
	{"SHORT", "PERIOD", "10us" WITH_COUNTERS(TD_SHORT_CYCLES),
	 "mean length of the window after a sample; 0: no windows", parse_short},
	{"JITTER", "PERCENT", "20", "random spread of the long period, 0 to 100",
	 parse_jitter},
	{"BURST", "NUMBER", "1",
	 "windows after each sample, of which the first does not count; 1: it does",
	 parse_burst},
	{"PMU", "NAME", "auto", "who measures: auto, metrics, events, clock or simulated",
	 parse_pmu},
	{"LEVEL", "DEPTH", "auto",
	 "top-down by event groups: 0, 1, 2, or auto: 2 where 1 points there",
	 parse_level},
	{"EVENTS", "NAMES", "",
	 "further events to count in windows, with commas; `tdagent list` has names",
	 parse_events},
	{"LATENCY", "EVENT", "",
	 "retire latency of a precise event by function: EVENT or EVENT@PERIOD",
	 parse_latency},
	{"WINDOWS", "NAME", "auto",
	 "who cuts windows: rdpmc (signals), vernier (the kernel) or auto",
	 parse_windows},
	{"RETURN", "HOW", "user",
	 "how handlers go back into windows: user (mode; x86_64) or sigreturn",
	 parse_return},
	{"LABELS", "LABELS", "",
	 "labels of the profile's samples in exports: rank=3,version=1.2", parse_labels},
	{"OUTPUT", "FILE", "in ${TMPDIR:-/tmp}/tdagent-UID",
	 "profile file; %p is the process id, %e the program", parse_output},
	{"REPORT", "WHERE", "stderr", "report at exit: stderr, none or a file",
	 parse_report},
	{"CALLPATH", "WHETHER", "off",
	 "take call paths, for totals with all that a function calls: on or off",
	 parse_callpath},
	{"CHILDREN", "HOW", "quiet",
	 "child processes: quiet (profiled, no report), report or off", parse_children},
	{"SECCOMP", "HOW", "probe",
	 "under a seccomp filter: probe (a child tries it), trust or off", parse_seccomp},
	{"SEED", "NUMBER", "0", "start of the random numbers; 0: a new one each run",
	 parse_seed},
	{"DEBUG", "AREAS", "none",
	 "trace to stderr: core, threads, store, strobe (with commas), or all",
	 parse_debug},
};
const size_t td_option_count = COUNT(td_option_table);

void td_options_init(struct td_options *options)
{
	*options = (struct td_options){
		.long_period = {20000000, TD_UNIT_NS},
		.short_period = {10000, TD_UNIT_NS},
		.jitter = 20,
		.burst = 1,
		.pmu = TD_PMU_AUTO,
		.windows = TD_WINDOWS_AUTO,
		.back = TD_RETURN_USER,
		.report = TD_REPORT_STDERR,
		.children = TD_CHILDREN_QUIET,
		.seccomp = TD_SECCOMP_PROBE,
	};
}

const struct td_option *td_option_nearest(const char *name)
{
	const struct td_option *nearest = NULL;
	size_t least = TD_SLIPS_MOST + 1;

	for (size_t i = 0; i < td_option_count; i++) {
		size_t slips = td_slips(name, td_option_table[i].name);

		if (slips < least) {
			least = slips;
			nearest = &td_option_table[i];
		}
	}
	return nearest;
}

const struct td_option *td_option_find(const char *name)
{
	for (size_t i = 0; i < td_option_count; i++)
		if (!strcmp(td_option_table[i].name, name))
			return &td_option_table[i];
	return NULL;
}

void td_option_spell(const struct td_option *option, int command,
		     char text[TD_OPTION_NAME])
{
	snprintf(text, TD_OPTION_NAME, "%s%s", command ? "--" : PREFIX, option->name);
	for (size_t i = 0; command && text[i]; i++)
		text[i] = (char)tolower((unsigned char)text[i]);
}

static uint32_t bit_of(const struct td_option *option)
{
	_Static_assert(COUNT(td_option_table) <= 32, "a bit for each option");
	return UINT32_C(1) << (option - td_option_table);
}

/* What a message begins with; moves `why` behind it. */
static void begin(char **why, size_t *size, const char *name)
{
	size_t used = (size_t)snprintf(*why, *size, "%s: ", name);

	if (used >= *size)
		used = *size ? *size - 1 : 0;
	*why += used;
	*size -= used;
}

int td_options_argument(struct td_options *options, const struct td_option *option,
			const char *value, char *why, size_t size)
{
	char name[TD_OPTION_NAME];
	int error;

	td_option_spell(option, 1, name);
	begin(&why, &size, name);
	error = option->parse(options, value, why, size);
	if (!error)
		options->variables &= ~bit_of(option);
	return error;
}

int td_options_set(struct td_options *options, const char *name, const char *value,
		   char *why, size_t size)
{
	const struct td_option *option = td_option_find(name);
	char variable[sizeof(PREFIX) + sizeof(struct td_shown)];
	int error;

	snprintf(variable, sizeof(variable), PREFIX "%s",
		 td_show(name, strlen(name)).text);
	begin(&why, &size, variable);
	if (option) {
		error = option->parse(options, value, why, size);
		if (!error)
			options->variables |= bit_of(option);
		return error;
	}
	option = td_option_nearest(name);
	if (option)
		refuse(why, size, "no such option; did you mean TDAGENT_%s?",
		       option->name);
	else
		refuse(why, size, "no such option; `tdagent help run` lists them");
	return -ENOENT;
}

/* As whoever gave it, or could have given it, knows it. */
static void spell_given(const struct td_options *options, const char *name,
			char text[TD_OPTION_NAME])
{
	const struct td_option *option = td_option_find(name);

	td_option_spell(option,
			options->command && !(options->variables & bit_of(option)), text);
}

int td_options_check(const struct td_options *options, char *why, size_t size)
{
	const struct td_period *longer = &options->long_period;
	const struct td_period *shorter = &options->short_period;
	char long_name[TD_OPTION_NAME], short_name[TD_OPTION_NAME];
	char long_text[32], short_text[32];

	if (shorter->unit != longer->unit || shorter->value <= longer->value)
		return 0;
	td_period_print(longer, long_text, sizeof(long_text));
	td_period_print(shorter, short_text, sizeof(short_text));
	spell_given(options, "LONG", long_name);
	spell_given(options, "SHORT", short_name);
	return refuse(
		why, size,
		"%s: %s is longer than %s, %s; write at most %s, or 0 for no windows",
		short_name, short_text, long_name, long_text, long_text);
}
