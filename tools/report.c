// SPDX-License-Identifier: MIT
#include <errno.h>
#include <getopt.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/commands.h"
#include "tools/inputs.h"
#include "tools/print.h"

enum format { FORMAT_TEXT, FORMAT_JSON, FORMAT_CSV, FORMAT_WINDOWS };

struct request {
	struct td_report_query query;
	enum format format;
	const char *output; /* NULL: standard output */
	int timeline;
	int failed; /* a file could not be read; already said */
};

/* People read the first lines, programs want to know all. */
#define TOP_UNSET SIZE_MAX
#define TOP_TEXT 20

static const char usage[] =
	"usage: tdagent report [options] [FILE|DIR...]\n"
	"\n"
	"Shows one profile, or several added up.  Without FILE: the newest one in\n"
	"${TMPDIR:-/tmp}/tdagent-UID.  Of a DIR all profiles in it.\n"
	"\n"
	"  --top=N           the first N functions (text: 20, others: all; 0: all)\n"
	"  --sort=KEY        samples, total, cpu_time, windows, name, or a top-down node:\n"
	"                    retiring, backend_bound, memory_bound, ...\n"
	"  --module=GLOB     functions of these modules only\n"
	"  --thread=TID|NAME samples of these threads only\n"
	"  --min-share=P     functions with at least P percent of the samples\n"
	"  --min-windows=N   mark values of functions with fewer windows as uncertain\n"
	"  --format=FORMAT   text, json, csv, or windows: the log of single windows\n"
	"  --timeline        text: what the process did over time as well\n"
	"  --output=FILE     write to FILE\n"
	"  --help            this text\n";

static int wrong_value(const char *option, const char *value, const char *right)
{
	fprintf(stderr, "tdagent report: --%s=%s: give %s\n", option, value, right);
	return -1;
}

static int set_top(struct request *request, const char *value)
{
	char *end;

	errno = 0;
	request->query.top = strtoul(value, &end, 10);
	if (errno || *end || value[0] < '0' || value[0] > '9')
		return wrong_value("top", value, "a number of functions, 0 for all");
	return 0;
}

static int set_sort(struct request *request, const char *value)
{
	int sort = td_report_sort(value);

	if (sort < 0)
		return wrong_value(
			"sort", value,
			"samples, total, cpu_time, windows, name or a top-down node");
	request->query.sort = (unsigned)sort;
	return 0;
}

static int set_module(struct request *request, const char *value)
{
	request->query.module = value;
	return 0;
}

static int set_thread(struct request *request, const char *value)
{
	request->query.thread = value;
	return 0;
}

static int set_min_share(struct request *request, const char *value)
{
	char *end;
	double percent = strtod(value, &end);

	if (end == value || *end || !(percent >= 0 && percent <= 100))
		return wrong_value("min-share", value, "percent, 0 to 100");
	request->query.min_share = percent / 100;
	return 0;
}

static int set_min_windows(struct request *request, const char *value)
{
	char *end;

	errno = 0;
	request->query.min_windows = strtoull(value, &end, 10);
	if (errno || *end || value[0] < '0' || value[0] > '9')
		return wrong_value("min-windows", value, "a number of windows");
	return 0;
}

static int set_format(struct request *request, const char *value)
{
	static const char *const names[] = {"text", "json", "csv", "windows"};

	for (int i = 0; i < 4; i++) {
		if (strcmp(value, names[i]) == 0) {
			request->format = (enum format)i;
			return 0;
		}
	}
	return wrong_value("format", value, "text, json, csv or windows");
}

static int set_output(struct request *request, const char *value)
{
	request->output = value;
	return 0;
}

static int set_timeline(struct request *request, const char *value)
{
	(void)value;
	request->timeline = 1;
	return 0;
}

static int (*const setters[])(struct request *request, const char *value) = {
	set_top,    set_sort,   set_module,   set_thread,      set_min_share,
	set_format, set_output, set_timeline, set_min_windows,
};

/* val is the setter's index + 1 */
static const struct option options[] = {
	{"top", required_argument, NULL, 1},
	{"sort", required_argument, NULL, 2},
	{"module", required_argument, NULL, 3},
	{"thread", required_argument, NULL, 4},
	{"min-share", required_argument, NULL, 5},
	{"format", required_argument, NULL, 6},
	{"output", required_argument, NULL, 7},
	{"timeline", no_argument, NULL, 8},
	{"min-windows", required_argument, NULL, 9},
	{"help", no_argument, NULL, 'h'},
	{NULL, 0, NULL, 0},
};

/* Returns 0, 1 when --help was printed, or -1 after saying what is wrong. */
static int parse_options(struct request *request, int argc, char **argv)
{
	int option;

	opterr = 0;
	optind = 0; /* the caller may have scanned its own options */
	while ((option = getopt_long(argc, argv, ":h", options, NULL)) != -1) {
		const char *word = argv[optind - 1];

		if (option == 'h')
			return fputs(usage, stdout), 1;
		if (option == ':' || option == '?') {
			fprintf(stderr,
				"tdagent report: %s: %s (see tdagent report --help)\n",
				word, option == ':' ? "needs a value" : "unknown option");
			return -1;
		}
		if (setters[option - 1](request, optarg) < 0)
			return -1;
	}
	return 0;
}

static void say(const char *object, const char *why)
{
	fprintf(stderr, "tdagent report: %s: %s\n", object, why);
}

static FILE *open_output(const struct request *request)
{
	FILE *out = request->output ? fopen(request->output, "we") : stdout;

	if (!out)
		say(request->output, strerror(errno));
	return out;
}

/* Returns 0, or -1 after saying what went wrong with all that was written. */
static int close_output(const struct request *request, FILE *out)
{
	int bad = fflush(out) != 0 || ferror(out);

	if (bad)
		say(request->output ? request->output : "standard output",
		    strerror(errno));
	if (request->output)
		fclose(out);
	return bad ? -1 : 0;
}

static int print_report(const struct request *request, const struct td_report *report)
{
	FILE *out = open_output(request);
	struct td_print_style style;

	if (!out)
		return -1;
	style = td_print_style_of(out);
	style.timeline = request->timeline;
	if (request->format == FORMAT_JSON)
		td_print_json(out, report);
	else if (request->format == FORMAT_CSV)
		td_print_csv(out, report);
	else
		td_print_text(out, report, &style);
	return close_output(request, out);
}

static int print_windows_of(void *print, const struct td_profile *profile,
			    const char *path)
{
	(void)path;
	return td_print_windows(print, profile);
}

/* The profiles one after the other: nothing is added up. */
static int print_windows(const struct request *request, int count, char **path)
{
	struct td_print_windows print = {.out = open_output(request)};
	int failed = 0, err;

	if (!print.out)
		return -1;
	err = td_inputs_each(count, path, print_windows_of, &print, &failed);
	if (err)
		say("report", strerror(-err));
	return close_output(request, print.out) || err || failed;
}

int td_cmd_report(int argc, char **argv)
{
	struct request request = {.query.top = TOP_UNSET};
	struct td_report *report;
	int err = parse_options(&request, argc, argv);
	int failed = 0;

	if (err)
		return err < 0 ? 2 : 0;
	if (request.query.top == TOP_UNSET)
		request.query.top = request.format == FORMAT_TEXT ? TOP_TEXT : 0;
	/* a report must not wait for a server */
	unsetenv("DEBUGINFOD_URLS");
	if (request.format == FORMAT_WINDOWS)
		return print_windows(&request, argc - optind, argv + optind) != 0;
	report = td_report_new(&request.query);
	err = report ? td_inputs_add(report, argc - optind, argv + optind, &failed)
		     : -ENOMEM;
	if (!err && report->processes)
		err = td_report_finish(report);
	if (err)
		say("report", strerror(-err));
	else if (report->processes)
		err = print_report(&request, report);
	if (report)
		td_report_free(report);
	return err || failed;
}
