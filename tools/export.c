// SPDX-License-Identifier: MIT
#include "tools/export.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/arguments.h"
#include "tools/commands.h"
#include "tools/inputs.h"
#include "tools/labels.h"
#include "tools/outfile.h"
#include "tools/print.h"

#define SELF "export"

struct request;

struct format {
	const char *name;
	const char *ending; /* of an output file that has it without saying so */
	int binary;
	int (*write)(FILE *out, const struct td_export *export,
		     const struct request *request);
};

struct request {
	struct td_report_query query;
	const struct format *format;
	const char *output; /* NULL: standard output */
	const char *value;  /* NULL: samples */
	struct td_labels labels;
};

static const char usage[] =
	"usage: tdagent export --format=FORMAT [options] [FILE|DIR...]\n"
	"\n"
	"Turns one profile, or several added up, into a file of another tool.  Without\n"
	"FILE: the newest one in ${TMPDIR:-/tmp}/tdagent-UID.  Of a DIR all profiles in\n"
	"it.  \"-\" is standard input.\n"
	"\n"
	"  --format=FORMAT   pprof        go tool pprof, Pyroscope, Parca (.pb.gz)\n"
	"                    speedscope   speedscope.app (.speedscope.json)\n"
	"                    folded       flame graphs, Firefox Profiler (.folded)\n"
	"                    csv, json    the report's own (.csv, .json)\n"
	"                    openmetrics  totals, for Prometheus (.prom)\n"
	"                    not needed where the output file has such an ending\n"
	"  -o, --output=FILE write to FILE; \"-\": standard output (default)\n"
	"  --value=TYPE      folded: samples (default), cpu, windows, slots, unmeasured,\n"
	"                    or a top-down node: retiring, memory_bound, ...\n"
	"  --thread=TID|NAME samples of these threads only\n"
	"  --module=GLOB     functions of these modules only\n"
	"  --cores=TYPE      of a hybrid processor: what ran on its large cores (default)\n"
	"                    or on its small ones\n"
	"  --jitdump=PATH    names of JIT code: a jitdump, or the directory of\n"
	"                    jit-PID.dump\n"
	"  --label=KEY=VALUE pprof and openmetrics: on each sample; may be repeated\n"
	"  --help            this text\n";

static int say(const char *object, const char *why)
{
	fprintf(stderr, "tdagent export: %s: %s\n", object, why);
	return -1;
}

static int write_pprof(FILE *out, const struct td_export *export,
		       const struct request *request)
{
	(void)request;
	return td_export_pprof(out, export);
}

static int write_speedscope(FILE *out, const struct td_export *export,
			    const struct request *request)
{
	(void)request;
	return td_export_speedscope(out, export);
}

/* Says which types there are if it is none of them; then returns 1. */
static int write_folded(FILE *out, const struct td_export *export,
			const struct request *request)
{
	const char *name = request->value ? request->value : "samples";
	const struct td_export_type *type = td_export_find(export, name);

	if (type)
		return td_export_folded(out, export, type);
	fprintf(stderr, "tdagent export: --value=%s: this profile has", name);
	for (unsigned i = 0; i < export->types; i++)
		fprintf(stderr, "%s %s", i ? "," : "", export->type[i].name);
	fputs("\n", stderr);
	return 1;
}

static int write_csv(FILE *out, const struct td_export *export,
		     const struct request *request)
{
	(void)request;
	td_print_csv(out, export->report);
	return 0;
}

static int write_json(FILE *out, const struct td_export *export,
		      const struct request *request)
{
	(void)request;
	td_print_json(out, export->report);
	return 0;
}

static int write_openmetrics(FILE *out, const struct td_export *export,
			     const struct request *request)
{
	(void)request;
	return td_export_openmetrics(out, export);
}

/* Of endings that fit the first one counts. */
static const struct format formats[] = {
	{"pprof", ".pb.gz", 1, write_pprof},
	{"speedscope", ".speedscope.json", 0, write_speedscope},
	{"folded", ".folded", 0, write_folded},
	{"csv", ".csv", 0, write_csv},
	{"json", ".json", 0, write_json},
	{"openmetrics", ".prom", 0, write_openmetrics},
};
#define FORMATS (sizeof(formats) / sizeof(formats[0]))
static const char format_names[] = "pprof, speedscope, folded, csv, json or openmetrics";

static int set_format(void *context, char *value)
{
	for (size_t i = 0; i < FORMATS; i++) {
		if (strcmp(value, formats[i].name) == 0) {
			((struct request *)context)->format = &formats[i];
			return 0;
		}
	}
	return td_arguments_wrong(SELF, "format", value, format_names);
}

static int set_output(void *context, char *value)
{
	((struct request *)context)->output = value;
	return 0;
}

static int set_value(void *context, char *value)
{
	((struct request *)context)->value = value;
	return 0;
}

static int set_thread(void *context, char *value)
{
	((struct request *)context)->query.thread = value;
	return 0;
}

static int set_module(void *context, char *value)
{
	((struct request *)context)->query.module = value;
	return 0;
}

static int set_jitdump(void *context, char *value)
{
	return td_arguments_path(SELF, "jitdump", value,
				 &((struct request *)context)->query.jitdump);
}

/* The words that we use for labels ourselves. */
static int set_label(void *context, char *value)
{
	static const char *const own[] = {"thread",  "tid",       "pid",     "program",
					  "host",    "cause",     "node",    "level",
					  "backend", "cpu",       "trigger", "agent",
					  "cores",   "simulated", NULL};

	return td_labels_add(&((struct request *)context)->labels, SELF, value, own);
}

static const struct td_argument table[] = {
	{"format", 0, 1, set_format},
	{"output", 'o', 1, set_output},
	{"value", 0, 1, set_value},
	{"thread", 0, 1, set_thread},
	{"cores", 0, 1, td_inputs_set_cores},
	{"jitdump", 0, 1, set_jitdump},
	{"module", 0, 1, set_module},
	{"label", 0, 1, set_label},
	{NULL, 0, 0, NULL},
};

static void guess_format(struct request *request)
{
	size_t length = request->output ? strlen(request->output) : 0;

	for (size_t i = 0; i < FORMATS && !request->format; i++) {
		size_t ending = strlen(formats[i].ending);

		if (length > ending &&
		    strcmp(request->output + length - ending, formats[i].ending) == 0)
			request->format = &formats[i];
	}
}

/* Returns 0, or -1 after saying what is wrong. */
static int check_request(struct request *request)
{
	guess_format(request);
	if (!request->format) {
		fprintf(stderr, "tdagent export: --format is missing: give %s\n",
			format_names);
		return -1;
	}
	if (request->value && request->format->write != write_folded)
		return say("--value",
			   "is for --format=folded; the others have all values");
	if (request->format->binary && isatty(STDOUT_FILENO) &&
	    (!request->output || strcmp(request->output, "-") == 0))
		return say("standard output",
			   "this format is no text for a terminal; give -o FILE");
	return 0;
}

/* Returns 0, or -1 after saying what is wrong. */
static int write_export(const struct request *request, const struct td_export *export)
{
	struct td_outfile file;
	int err = td_outfile_open(&file, request->output);
	int failed, bad;

	if (err)
		return say(request->output, strerror(-err));
	errno = 0;
	failed = request->format->write(file.stream, export, request);
	if (failed < 0)
		say(td_outfile_name(&file), strerror(-failed));
	bad = td_outfile_close(&file, failed);
	if (bad)
		say(td_outfile_name(&file), strerror(-bad));
	return failed || bad ? -1 : 0;
}

/* Returns 0, or -1 after saying which filter leaves nothing. */
static int check_filters(const struct td_report *report)
{
	if (report->query.thread && !report->threads_all)
		return say("--thread", "there was no thread of that id or name; "
				       "tdagent report --by=thread lists them");
	if (report->query.module && report->rows && !report->functions)
		return say("--module", "no function is in such a module; "
				       "tdagent report --by=module lists them");
	return 0;
}

static int export_report(const struct request *request, struct td_report *report)
{
	struct td_export export;
	int err = td_report_finish(report);

	td_inputs_say_cores(SELF, report->cores, report->elsewhere);
	if (!err && check_filters(report) < 0)
		return -1;
	if (!err)
		err = td_export_collect(&export, report);
	if (err)
		return say("report", strerror(-err));
	export.label = request->labels.label;
	export.labels = request->labels.labels;
	err = write_export(request, &export);
	td_export_free(&export);
	return err;
}

int td_cmd_export(int argc, char **argv)
{
	static const struct td_arguments arguments = {SELF, usage, table, 0, NULL};
	struct request request = {.query.parts = 1};
	struct td_report *report;
	int first = td_arguments_read(&arguments, &request, argc, argv);
	int failed = 0, err;

	if (first <= 0)
		return first < 0 ? 2 : 0;
	if (check_request(&request) < 0)
		return 2;
	/* an export must not wait for a server */
	unsetenv("DEBUGINFOD_URLS");
	report = td_report_new(&request.query);
	err = report ? td_inputs_add(report, argc - first, argv + first, &failed)
		     : -ENOMEM;
	if (err)
		say("profiles", strerror(-err));
	else if (report->processes)
		err = export_report(&request, report);
	if (report)
		td_report_free(report);
	return err || failed;
}
