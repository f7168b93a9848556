// SPDX-License-Identifier: MIT
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decoder/options.h"
#include "tools/child.h"
#include "tools/collect.h"
#include "tools/commands.h"
#include "tools/directory.h"
#include "tools/library.h"
#include "tools/output.h"
#include "tools/program.h"

#define PREFIX "TDAGENT_"
#define SETTINGS_MAX 32

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

static void usage(void)
{
	puts("usage: tdagent run [OPTION...] [--] PROGRAM [ARG...]\n\n"
	     "Runs PROGRAM with the profiler preloaded and prints its report.\nEach "
	     "option is an environment variable too: --long is TDAGENT_LONG.\n");
	for (size_t i = 0; i < td_option_count; i++) {
		const struct td_option *option = &td_option_table[i];
		char name[32];

		snprintf(name, sizeof(name), "%s=%s", option->name, option->argument);
		for (size_t j = 0; option->name[j]; j++)
			name[j] = (char)tolower((unsigned char)name[j]);
		printf("  --%-18s %s (default %s)\n", name, option->help,
		       option->fallback);
	}
	puts("  --help               print this");
}

static void setting_add(struct run *run, const char *name, const char *value)
{
	char *setting;

	if (run->setting_count == SETTINGS_MAX ||
	    asprintf(&setting, "%s=%s", name, value) < 0)
		exit(fail(EXIT_OWN, "too many options, or out of memory"));
	run->settings[run->setting_count++] = setting;
}

static int environment_read(struct run *run)
{
	char why[512];

	for (char **entry = environ; *entry; entry++) {
		const char *equals = strchr(*entry, '=');
		const char *name;
		char key[64];

		if (!equals || strncmp(*entry, PREFIX, strlen(PREFIX)))
			continue;
		name = *entry + strlen(PREFIX);
		snprintf(key, sizeof(key), "%.*s", (int)(equals - name), name);
		if (td_options_set(&run->options, key, equals + 1, why, sizeof(why)))
			return fail(EXIT_USAGE, "%s", why);
	}
	return 0;
}

/* "long" -> "LONG"; what is not in lower case stays unknown. */
static void name_upper(const char *name, size_t length, char *upper, size_t size)
{
	size_t used = 0;

	for (; used < length && used < size - 1; used++)
		upper[used] = islower((unsigned char)name[used])
				      ? (char)toupper((unsigned char)name[used])
				      : '?';
	upper[used] = '\0';
}

static int unknown_option(const char *argument, const char *upper)
{
	const struct td_option *nearest = td_option_nearest(upper);
	char lower[32];
	size_t i;

	if (!nearest)
		return fail(EXIT_USAGE,
			    "%s: no such option; `tdagent help run` lists them",
			    argument);
	for (i = 0; nearest->name[i] && i < sizeof(lower) - 1; i++)
		lower[i] = (char)tolower((unsigned char)nearest->name[i]);
	lower[i] = '\0';
	return fail(EXIT_USAGE, "%s: no such option; did you mean --%s?", argument,
		    lower);
}

/* Reads argv[*next], "--long=1ms", or it and the one after it. */
static int option_read(struct run *run, char **argv, int *next)
{
	const char *argument = argv[(*next)++];
	size_t length = strcspn(argument + 2, "=");
	const char *value = argument[2 + length] ? argument + 2 + length + 1 : NULL;
	const struct td_option *option;
	char variable[64] = PREFIX;
	char *name = variable + strlen(PREFIX);
	char why[512];

	name_upper(argument + 2, length, name, sizeof(variable) - strlen(PREFIX));
	option = td_option_find(name);
	if (!option)
		return unknown_option(argument, name);
	if (!value)
		value = argv[*next] ? argv[(*next)++] : NULL;
	if (!value)
		return fail(EXIT_USAGE, "%s: a value is missing; write %s=%s", argument,
			    argument, option->argument);
	if (option->parse(&run->options, value, why, sizeof(why)))
		return fail(EXIT_USAGE, "--%.*s: %s", (int)length, argument + 2, why);
	setting_add(run, variable, value);
	return 0;
}

/* Asked for anywhere before the program, also with a wrong environment. */
static bool help_wanted(char **argv)
{
	for (size_t i = 1; argv[i] && argv[i][0] == '-' && strcmp(argv[i], "--"); i++)
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
			return true;
	return false;
}

static int arguments_read(struct run *run, int argc, char **argv)
{
	char why[512];
	int next = 1;
	int status;

	while (next < argc && argv[next][0] == '-') {
		if (!strcmp(argv[next], "--")) {
			next++;
			break;
		}
		if (strncmp(argv[next], "--", 2))
			return fail(EXIT_USAGE,
				    "%s: no such option; `tdagent help run` lists them",
				    argv[next]);
		status = option_read(run, argv, &next);
		if (status)
			return status;
	}
	if (next == argc)
		return fail(EXIT_USAGE, "no program; write tdagent run [OPTION...] [--] "
					"PROGRAM [ARG...]");
	run->argv = argv + next;
	if (td_options_check(&run->options, why, sizeof(why)))
		return fail(EXIT_USAGE, "%s", why);
	return 0;
}

/* Ours comes first, so that its hooks see the calls before anybody else's. */
static void preload_add(struct run *run, const char *library)
{
	const char *present = getenv("LD_PRELOAD");
	char *value;

	if (!present || !*present) {
		setting_add(run, "LD_PRELOAD", library);
		return;
	}
	if (asprintf(&value, "%s:%s", library, present) < 0)
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
	int status;
	pid_t pid;

	if (help_wanted(argv)) {
		usage();
		return 0;
	}
	td_options_init(&run.options);
	status = environment_read(&run);
	if (!status)
		status = arguments_read(&run, argc, argv);
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
	status = td_child_wait(pid);
	if (run.collector)
		td_collector_finish(run.collector);
	td_output_report(&run.output, &run.options, (uint32_t)pid, status);
	td_output_close(&run.output);
	td_child_follow(status);
}
