// SPDX-License-Identifier: MIT
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decoder/options.h"
#include "decoder/preload.h"
#include "decoder/text.h"
#include "tools/arguments.h"
#include "tools/asked.h"
#include "tools/child.h"
#include "tools/collect.h"
#include "tools/commands.h"
#include "tools/library.h"
#include "tools/output.h"
#include "tools/program.h"
#include "tools/progress.h"

#define PREFIX "TDAGENT_"
#define SETTINGS_MAX 32
#define HELP_WIDTH 80 /* columns */
#define HELP_INDENT 24

enum {
	EXIT_USAGE = 2,
	EXIT_OWN = 125, /* our failure, not the program's, as env(1) and timeout(1) */
};

struct run {
	struct td_options options;
	char *settings[SETTINGS_MAX + 1]; /* NAME=VALUE for the program */
	size_t setting_count;
	char **argv; /* the program and its arguments */
	char program[PATH_MAX];
	struct td_output output;
	struct td_collector *collector; /* NULL: none */
	bool progress;
	char why[512]; /* what is wrong in the environment, "" for nothing */
};

__attribute__((format(printf, 2, 3))) static int fail(int status, const char *format, ...)
{
	va_list arguments;

	fputs("tdagent run: ", stderr);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	return status;
}

/* "  --long=PERIOD  what it is (default 20ms)", folded to the page. */
static void put_option(FILE *out, const struct td_option *option)
{
	char name[TD_OPTION_NAME];
	char *text = td_text_format("%s (default%s %s)", option->help,
				    *option->fallback ? "" : ":",
				    *option->fallback ? option->fallback : "none");
	const char *rest = text ? text : option->help;
	int used;

	td_option_spell(option, 1, name);
	used = fprintf(out, "  %s=%s", name, option->argument);
	do {
		size_t length = td_text_fold(rest, HELP_WIDTH - HELP_INDENT);

		fprintf(out, "%*s%.*s\n", used < HELP_INDENT ? HELP_INDENT - used : 1, "",
			(int)length, rest);
		rest += length;
		rest += strspn(rest, " ");
		used = 0;
	} while (*rest);
	free(text);
}

/* All that --help prints; NULL without memory.  Free it. */
static char *make_usage(void)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	fputs("usage: tdagent run [OPTION...] [--] PROGRAM [ARG...]\n\n"
	      "Runs PROGRAM with the profiler preloaded and prints its report.\nEach "
	      "option is an environment variable too: --long is TDAGENT_LONG.\n\n",
	      out);
	for (size_t i = 0; i < td_option_count; i++)
		put_option(out, &td_option_table[i]);
	fputs("  --progress            say every second how far it is, on a terminal\n"
	      "  --help                print this text\n",
	      out);
	return fclose(out) ? NULL : text;
}

static void setting_add(struct run *run, const char *name, const char *value)
{
	char *setting;

	if (run->setting_count == SETTINGS_MAX ||
	    asprintf(&setting, "%s=%s", name, value) < 0)
		exit(fail(EXIT_OWN, "too many options, or out of memory"));
	run->settings[run->setting_count++] = setting;
}

/* What is wrong is told later: --help works with any environment. */
static void environment_read(struct run *run)
{
	for (char **entry = environ; *entry && !run->why[0]; entry++) {
		const char *equals = strchr(*entry, '=');
		const char *name;
		char key[64], why[512];

		if (!equals || strncmp(*entry, PREFIX, strlen(PREFIX)))
			continue;
		name = *entry + strlen(PREFIX);
		snprintf(key, sizeof(key), "%.*s", (int)(equals - name), name);
		if (td_options_set(&run->options, key, equals + 1, why, sizeof(why)))
			memcpy(run->why, why, sizeof(why));
	}
}

static int set_option(void *context, size_t entry, char *value)
{
	const struct td_option *option = &td_option_table[entry];
	struct run *run = context;
	char variable[TD_OPTION_NAME], why[512];

	if (td_options_argument(&run->options, option, value, why, sizeof(why)))
		return fail(-1, "%s", why);
	td_option_spell(option, 0, variable);
	setting_add(run, variable, value);
	return 0;
}

static int set_progress(void *context, char *value)
{
	(void)value;
	((struct run *)context)->progress = true;
	return 0;
}

/* As td_arguments_read(). */
static int options_read(struct run *run, int argc, char **argv)
{
	static char name[TD_ARGUMENTS_MOST][TD_OPTION_NAME];
	static struct td_argument table[TD_ARGUMENTS_MOST + 1];
	char *usage = make_usage();
	struct td_arguments arguments = {.command = "run",
					 .usage = usage,
					 .table = table,
					 .order = '+',
					 .set = set_option};
	size_t options = 0;
	int first;

	if (!usage)
		return fail(-1, "out of memory");
	for (; options < td_option_count && options < TD_ARGUMENTS_MOST - 1; options++) {
		td_option_spell(&td_option_table[options], 1, name[options]);
		table[options] = (struct td_argument){name[options] + 2, 0, 1, NULL};
	}
	table[options] = (struct td_argument){"progress", 0, 0, set_progress};
	first = td_arguments_read(&arguments, run, argc, argv);
	free(usage);
	return first;
}

/* Names that only libpfm4 knows become raw events that have names; what is no event is
 * said here, once, and not by each program that is started.  0 or the exit status. */
static int events_add(struct run *run, const char *option, const char *variable,
		      const char *asked)
{
	static struct td_asked where;
	char why[512];
	char *names;

	if (!*asked)
		return 0;
	td_asked_open(&where, NULL);
	names = (strcmp(option, "--latency") == 0 ? td_asked_latency : td_asked_list)(
		&where, asked, why, sizeof(why));
	if (!names)
		return fail(EXIT_USAGE, "%s: %s", option, why);
	if (strcmp(names, asked) != 0)
		setting_add(run, variable, names);
	free(names);
	return 0;
}

static int check_events(struct run *run)
{
	int status = events_add(run, "--events", PREFIX "EVENTS", run->options.events);

	return status ? status
		      : events_add(run, "--latency", PREFIX "LATENCY",
				   run->options.latency);
}

/* Returns 0, or the exit status after saying what is wrong. */
static int check(struct run *run)
{
	char why[512];

	if (run->why[0])
		return fail(EXIT_USAGE, "%s", run->why);
	if (!run->argv[0])
		return fail(EXIT_USAGE, "no program; write tdagent run [OPTION...] [--] "
					"PROGRAM [ARG...]");
	if (td_options_check(&run->options, why, sizeof(why)))
		return fail(EXIT_USAGE, "%s", why);
	return check_events(run);
}

/* Ours comes first, so that its hooks see the calls before anybody else's; but behind
 * AddressSanitizer's runtime, which ends the program where it is not the first. */
static void preload_add(struct run *run, const char *library)
{
	const char *present = getenv("LD_PRELOAD"), *behind;
	size_t before;
	char *value;

	if (!present)
		present = "";
	before = td_preload_sanitizer(present);
	behind = present + before + strspn(present + before, " :");
	if (asprintf(&value, "%.*s%s%s%s%s", (int)before, present, before ? ":" : "",
		     library, *behind ? ":" : "", behind) < 0)
		exit(fail(EXIT_OWN, "out of memory"));
	setting_add(run, "LD_PRELOAD", value);
	free(value);
}

/* Where the kernel may cut windows, we keep the rings beyond the program's death. */
static void collector_add(struct run *run)
{
	char *setting;

	if (run->options.windows == TD_WINDOWS_BY_RDPMC ||
	    run->setting_count == SETTINGS_MAX)
		return;
	run->collector = td_collector_open(&setting);
	if (run->collector)
		run->settings[run->setting_count++] = setting;
}

/* Everything that can go wrong before the program is started. */
static int prepare(struct run *run)
{
	char library[PATH_MAX];
	char why[1024 + PATH_MAX];
	int status = td_program_find(run->argv[0], TD_PROGRAM_PRELOAD, run->program,
				     sizeof(run->program), why, sizeof(why));

	if (status)
		return fail(status, "%s: %s", run->argv[0], why);
	if (td_library_find(library, sizeof(library), why, sizeof(why)))
		return fail(EXIT_OWN, "%s", why);
	if (td_output_open(&run->output, run->options.output, run->argv[0], why,
			   sizeof(why)))
		return fail(EXIT_OWN, "%s", why);
	preload_add(run, library);
	setting_add(run, PREFIX "OUTPUT", run->output.pattern);
	/* `run` outlives the program and prints what even SIGKILL leaves */
	setting_add(run, PREFIX "REPORT", "none");
	collector_add(run);
	return 0;
}

int td_cmd_run(int argc, char **argv)
{
	static struct run run;
	struct td_progress *progress;
	int status, first;
	pid_t pid;

	td_options_init(&run.options);
	run.options.command = 1;
	environment_read(&run);
	first = options_read(&run, argc, argv);
	if (first <= 0)
		return first < 0 ? EXIT_USAGE : 0;
	run.argv = argv + first;
	status = check(&run);
	if (!status)
		status = prepare(&run);
	if (status)
		return status;
	pid = td_child_start(run.program, run.argv, run.settings);
	if (pid < 0) {
		if (run.collector)
			td_collector_finish(run.collector);
		td_output_close(&run.output);
		return fail(pid == -ENOENT ? TD_PROGRAM_MISSING : TD_PROGRAM_REFUSED,
			    "%s: %s", run.argv[0], strerror(-pid));
	}
	if (run.collector)
		td_collector_start(run.collector);
	progress = run.progress ? td_progress_start(pid) : NULL;
	status = td_child_wait(pid);
	td_progress_stop(progress);
	if (run.collector)
		td_collector_finish(run.collector);
	td_output_report(&run.output, &run.options, (uint32_t)pid, status);
	td_output_close(&run.output);
	td_child_follow(status);
}
