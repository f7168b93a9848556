// SPDX-License-Identifier: MIT
#include "tools/export.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decoder/text.h"
#include "tools/commands.h"
#include "tools/inputs.h"
#include "tools/outfile.h"
#include "tools/print.h"

#define LABELS_MAX 32

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
	struct td_export_label label[LABELS_MAX];
	size_t labels;
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

static int set_format(struct request *request, char *value)
{
	for (size_t i = 0; i < FORMATS; i++) {
		if (strcmp(value, formats[i].name) == 0) {
			request->format = &formats[i];
			return 0;
		}
	}
	fprintf(stderr, "tdagent export: --format=%s: give %s\n", value, format_names);
	return -1;
}

static int set_output(struct request *request, char *value)
{
	request->output = value;
	return 0;
}

static int set_value(struct request *request, char *value)
{
	request->value = value;
	return 0;
}

static int set_thread(struct request *request, char *value)
{
	request->query.thread = value;
	return 0;
}

static int set_module(struct request *request, char *value)
{
	request->query.module = value;
	return 0;
}

/* What all formats take as a key: a letter, then letters, digits and _. */
static int is_key(const char *key, size_t length)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz"
				      "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";

	return length && strspn(key, letters) >= length && (key[0] < '0' || key[0] > '9');
}

static int is_clean(const char *text)
{
	char *clean = td_text_clean(text, strlen(text));
	int same = clean && strcmp(clean, text) == 0;

	free(clean);
	return same;
}

/* The words that we use for labels ourselves. */
static int is_taken(const struct request *request, const char *key)
{
	static const char *const own[] = {
		"thread", "tid",     "pid", "program", "host",  "cause",    "node",
		"level",  "backend", "cpu", "trigger", "agent", "simulated"};

	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
		if (strcmp(own[i], key) == 0)
			return 1;
	}
	for (size_t i = 0; i < request->labels; i++) {
		if (strcmp(request->label[i].key, key) == 0)
			return 1;
	}
	return 0;
}

static int set_label(struct request *request, char *value)
{
	char *equals = strchr(value, '=');

	if (!equals || !is_key(value, (size_t)(equals - value))) {
		fprintf(stderr,
			"tdagent export: --label=%s: give KEY=VALUE, the KEY of letters, "
			"digits and _\n",
			value);
		return -1;
	}
	*equals = '\0';
	if (!is_clean(equals + 1))
		return say("--label", "the value is no UTF-8 text without control "
				      "characters");
	if (is_taken(request, value)) {
		fprintf(stderr,
			"tdagent export: --label=%s=: this label is there already\n",
			value);
		return -1;
	}
	if (request->labels == LABELS_MAX)
		return say("--label", "32 labels are the most");
	request->label[request->labels++] = (struct td_export_label){value, equals + 1};
	return 0;
}

static int (*const setters[])(struct request *request, char *value) = {
	set_format, set_output, set_value, set_thread, set_module, set_label,
};

/* val is the setter's index + 1 */
static const struct option options[] = {
	{"format", required_argument, NULL, 1}, {"output", required_argument, NULL, 2},
	{"value", required_argument, NULL, 3},  {"thread", required_argument, NULL, 4},
	{"module", required_argument, NULL, 5}, {"label", required_argument, NULL, 6},
	{"help", no_argument, NULL, 'h'},       {NULL, 0, NULL, 0},
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

/* Returns 0, 1 when --help was printed, or -1 after saying what is wrong. */
static int parse_options(struct request *request, int argc, char **argv)
{
	int option;

	opterr = 0;
	optind = 0; /* the caller may have scanned its own options */
	while ((option = getopt_long(argc, argv, ":ho:", options, NULL)) != -1) {
		const char *word = argv[optind - 1];

		if (option == 'h')
			return fputs(usage, stdout), 1;
		if (option == ':' || option == '?') {
			fprintf(stderr,
				"tdagent export: %s: %s (see tdagent export --help)\n",
				word, option == ':' ? "needs a value" : "unknown option");
			return -1;
		}
		if (setters[option == 'o' ? 1 : option - 1](request, optarg) < 0)
			return -1;
	}
	return check_request(request);
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

static int export_report(const struct request *request, struct td_report *report)
{
	struct td_export export;
	int err = td_report_finish(report);

	if (!err)
		err = td_export_collect(&export, report);
	if (err)
		return say("report", strerror(-err));
	export.label = request->label;
	export.labels = request->labels;
	err = write_export(request, &export);
	td_export_free(&export);
	return err;
}

int td_cmd_export(int argc, char **argv)
{
	struct request request = {.query.parts = 1};
	struct td_report *report;
	int err = parse_options(&request, argc, argv);
	int failed = 0;

	if (err)
		return err < 0 ? 2 : 0;
	/* an export must not wait for a server */
	unsetenv("DEBUGINFOD_URLS");
	report = td_report_new(&request.query);
	err = report ? td_inputs_add(report, argc - optind, argv + optind, &failed)
		     : -ENOMEM;
	if (err)
		say("profiles", strerror(-err));
	else if (report->processes)
		err = export_report(&request, report);
	if (report)
		td_report_free(report);
	return err || failed;
}
