// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/annotate_lines.h"
#include "tools/arguments.h"
#include "tools/commands.h"
#include "tools/inputs.h"
#include "tools/live.h"
#include "tools/outfile.h"
#include "tools/pager.h"
#include "tools/print.h"
#include "tools/tui.h"

enum format { FORMAT_TEXT, FORMAT_JSON, FORMAT_CSV, FORMAT_WINDOWS, FORMAT_HTML };
enum color { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

struct request {
	struct td_report_query query;
	enum format format;
	const char *output;          /* NULL: standard output */
	struct td_print_style style; /* as far as options say it */
	int color;                   /* enum color */
	int no_pager;
	int tui;
	uint64_t live; /* a process, 0: none */
};

/* People read the first lines, programs want to know all. */
#define TOP_UNSET SIZE_MAX
#define TOP_TEXT 20

#define SELF "report"

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
	"  --cores=TYPE      of a hybrid processor: what ran on its large cores (default)\n"
	"                    or on its small ones\n"
	"  --jitdump=PATH    names of JIT code: a jitdump, or the directory of\n"
	"                    jit-PID.dump\n"
	"  --min-share=P     functions with at least P percent of the samples\n"
	"  --min-windows=N   mark values of functions with fewer windows as uncertain\n"
	"  --format=FORMAT   text, json, csv, html: a page for the browser, or windows:\n"
	"                    the log of single windows\n"
	"  --output=FILE     write to FILE; \"-\": standard output (default)\n"
	"  --live=PID        the profile of this running process, or of the program that\n"
	"                    this `tdagent run` runs; nothing is sent to it\n"
	"  --tui             in the terminal, to move in, sort, filter and look into;\n"
	"                    ? helps\n"
	"  --by=WHAT         a row is a function (default), a module, a thread, or a\n"
	"                    source line; JSON has the first three in any case\n"
	"  --threads         the same as --by=thread\n"
	"  --help            this text\n"
	"\n"
	"Of the text only:\n"
	"  --level=N         the table's depth: 1 (default) or 2\n"
	"  --tree            each function's nodes as a tree, with their thresholds\n"
	"  --callers         who calls each function (with call paths)\n"
	"  --timeline        what the process did over time as well\n"
	"  --color=WHEN      auto (on a terminal, without NO_COLOR), always or never\n"
	"  --no-pager        not through $TDAGENT_PAGER, $PAGER or less\n";

static int set_top(void *context, char *value)
{
	struct request *request = context;
	uint64_t top;

	if (td_arguments_number(SELF, "top", value, "a number of functions, 0 for all",
				&top) < 0)
		return -1;
	request->query.top = top;
	return 0;
}

static int set_sort(void *context, char *value)
{
	struct request *request = context;
	int sort = td_report_sort(value);

	if (sort < 0)
		return td_arguments_wrong(
			SELF, "sort", value,
			"samples, total, cpu_time, windows, name or a top-down node");
	request->query.sort = (unsigned)sort;
	return 0;
}

static int set_module(void *context, char *value)
{
	((struct request *)context)->query.module = value;
	return 0;
}

static int set_thread(void *context, char *value)
{
	((struct request *)context)->query.thread = value;
	return 0;
}

static int set_jitdump(void *context, char *value)
{
	return td_arguments_path(SELF, "jitdump", value,
				 &((struct request *)context)->query.jitdump);
}

static int set_min_share(void *context, char *value)
{
	return td_arguments_percent(SELF, "min-share", value,
				    &((struct request *)context)->query.min_share);
}

static int set_min_windows(void *context, char *value)
{
	return td_arguments_number(SELF, "min-windows", value, "a number of windows",
				   &((struct request *)context)->query.min_windows);
}

static int set_format(void *context, char *value)
{
	static const char *const words[] = {"text",    "json", "csv",
					    "windows", "html", NULL};
	int word = td_arguments_word(SELF, "format", value, words);

	if (word < 0)
		return -1;
	((struct request *)context)->format = (enum format)word;
	return 0;
}

static int set_output(void *context, char *value)
{
	((struct request *)context)->output = value;
	return 0;
}

static int set_live(void *context, char *value)
{
	struct request *request = context;

	if (td_arguments_number(SELF, "live", value, "the id of a process",
				&request->live) < 0)
		return -1;
	if (!request->live || request->live > INT32_MAX)
		return td_arguments_wrong(SELF, "live", value, "the id of a process");
	return 0;
}

static int set_by(void *context, char *value)
{
	static const char *const words[] = {"function", "module", "thread", "line", NULL};
	int word = td_arguments_word(SELF, "by", value, words);

	if (word < 0)
		return -1;
	((struct request *)context)->style.by = (enum td_print_by)word;
	return 0;
}

static int set_threads(void *context, char *value)
{
	(void)value;
	((struct request *)context)->style.by = TD_PRINT_BY_THREAD;
	return 0;
}

static int set_level(void *context, char *value)
{
	static const char *const words[] = {"1", "2", NULL};
	int word = td_arguments_word(SELF, "level", value, words);

	((struct request *)context)->style.level = word + 1;
	return word < 0 ? -1 : 0;
}

static int set_tree(void *context, char *value)
{
	(void)value;
	((struct request *)context)->style.tree = 1;
	return 0;
}

static int set_callers(void *context, char *value)
{
	(void)value;
	((struct request *)context)->style.callers = 1;
	return 0;
}

static int set_timeline(void *context, char *value)
{
	(void)value;
	((struct request *)context)->style.timeline = 1;
	return 0;
}

static int set_color(void *context, char *value)
{
	static const char *const words[] = {"auto", "always", "never", NULL};
	int word = td_arguments_word(SELF, "color", value, words);

	((struct request *)context)->color = word;
	return word < 0 ? -1 : 0;
}

static int set_no_pager(void *context, char *value)
{
	(void)value;
	((struct request *)context)->no_pager = 1;
	return 0;
}

static int set_tui(void *context, char *value)
{
	(void)value;
	((struct request *)context)->tui = 1;
	return 0;
}

static const struct td_argument table[] = {
	{"top", 0, 1, set_top},
	{"sort", 0, 1, set_sort},
	{"module", 0, 1, set_module},
	{"thread", 0, 1, set_thread},
	{"cores", 0, 1, td_inputs_set_cores},
	{"jitdump", 0, 1, set_jitdump},
	{"min-share", 0, 1, set_min_share},
	{"min-windows", 0, 1, set_min_windows},
	{"format", 0, 1, set_format},
	{"output", 'o', 1, set_output},
	{"live", 0, 1, set_live},
	{"tui", 0, 0, set_tui},
	{"by", 0, 1, set_by},
	{"threads", 0, 0, set_threads},
	{"level", 0, 1, set_level},
	{"tree", 0, 0, set_tree},
	{"callers", 0, 0, set_callers},
	{"timeline", 0, 0, set_timeline},
	{"color", 0, 1, set_color},
	{"no-pager", 0, 0, set_no_pager},
	{NULL, 0, 0, NULL},
};

static void say(const char *object, const char *why)
{
	fprintf(stderr, "tdagent report: %s: %s\n", object, why);
}

/* Returns 0, or -1 after saying why. */
static int open_output(const struct request *request, struct td_outfile *file)
{
	int err = td_outfile_open(file, request->output);

	if (err)
		say(request->output, strerror(-err));
	errno = 0;
	return err ? -1 : 0;
}

/* Returns 0, or -1 after saying what went wrong with all that was written. */
static int close_output(struct td_outfile *file, int failed)
{
	int err = td_outfile_close(file, failed);

	if (err)
		say(td_outfile_name(file), strerror(-err));
	return err ? -1 : 0;
}

/* What the page allows and what the options want. */
static struct td_print_style style_of(const struct request *request, FILE *out)
{
	struct td_print_style style = td_print_style_of(out), page = style;

	style = request->style;
	style.width = page.width;
	style.colour = request->color == COLOR_AUTO ? page.colour
						    : request->color == COLOR_ALWAYS;
	return style;
}

/* What the printers of source lines want to know. */
struct lines {
	const struct td_annotated *annotated;
	const struct td_report_query *query;
};

static void add_lines(struct td_json *json, const void *context)
{
	const struct lines *lines = context;

	td_annotate_json_lines(json, lines->annotated, lines->query);
}

/* Rows of source lines: in text and CSV in place of the report's.  0 or -ENOMEM. */
static int print_lines(FILE *out, const struct request *request,
		       const struct td_report *report, const struct td_annotate *of,
		       const struct td_print_style *style)
{
	struct td_annotated annotated;
	struct lines lines = {&annotated, &report->query};
	int err = td_annotated_make_all(&annotated, of);

	if (err)
		return err;
	if (request->format == FORMAT_JSON) {
		td_print_json_with(out, report, add_lines, &lines);
	} else if (request->format == FORMAT_CSV) {
		td_inputs_say_cores(SELF, report->cores, report->elsewhere);
		td_annotate_csv_lines(out, &annotated, &report->query);
	} else {
		td_print_text_begin(out, report, style);
		td_annotate_print_lines(out, &annotated, &report->query, style);
		td_print_text_end(out, report, style);
	}
	td_annotated_free(&annotated);
	return 0;
}

static void print_csv(FILE *out, const struct td_report *report, enum td_print_by by)
{
	td_inputs_say_cores(SELF, report->cores, report->elsewhere);
	if (by == TD_PRINT_BY_THREAD)
		td_print_csv_threads(out, report);
	else if (by == TD_PRINT_BY_MODULE)
		td_print_csv_modules(out, report);
	else
		td_print_csv(out, report);
}

static int print_report(const struct request *request, const struct td_report *report,
			const struct td_annotate *lines)
{
	struct td_print_style style;
	struct td_outfile file;
	pid_t pager = 0;
	int err = 0;
	FILE *out;

	if (open_output(request, &file) < 0)
		return -1;
	out = file.stream;
	style = style_of(request, out);
	if (request->format == FORMAT_TEXT && !file.path && !request->no_pager)
		pager = td_pager_start();
	if (lines)
		err = print_lines(out, request, report, lines, &style);
	else if (request->format == FORMAT_JSON)
		td_print_json(out, report);
	else if (request->format == FORMAT_CSV)
		print_csv(out, report, request->style.by);
	else if (request->format == FORMAT_HTML)
		err = td_print_html(out, report);
	else
		td_print_text(out, report, &style);
	if (err)
		say("report", strerror(-err));
	if (!pager)
		return close_output(&file, err) || err ? -1 : 0;
	err |= fflush(out) != 0 && errno != EPIPE ? -1 : 0;
	td_pager_end(pager);
	return err;
}

static int print_windows_of(void *print, const struct td_profile *profile,
			    const char *path, size_t left)
{
	(void)path;
	(void)left;
	return td_print_windows(print, profile);
}

/* The profiles one after the other: nothing is added up. */
static int print_windows(const struct request *request, int count, char **path)
{
	struct td_print_windows print = {.out = NULL};
	struct td_outfile file;
	int failed = 0, err;

	if (open_output(request, &file) < 0)
		return -1;
	print.out = file.stream;
	err = td_inputs_each(count, path, print_windows_of, &print, &failed);
	if (err)
		say("report", strerror(-err));
	td_inputs_say_cores(SELF, print.cores, print.elsewhere);
	return close_output(&file, err) || err || failed;
}

static int browse(const struct td_report *report, int count, char **path)
{
	int err = td_tui_run(report, count, path);

	if (err == -ENOTTY)
		say("--tui",
		    "standard input and output must be a terminal that TERM names");
	else if (err == -ENOSYS)
		say("--tui", "this tdagent was built without ncurses");
	else if (err)
		say("--tui", strerror(-err));
	return err ? -1 : 0;
}

/* Who gets each profile. */
struct taking {
	struct td_report *report;
	struct td_annotate *lines; /* NULL: not wanted */
};

static int take(void *context, const struct td_profile *profile, const char *path,
		size_t left)
{
	struct taking *taking = context;
	int err = td_inputs_add_one(taking->report, profile, path, left);

	return err || !taking->lines ? err
				     : td_annotate_add(taking->lines, profile, path);
}

/* Rows are in the order of their samples then. */
static void say_unsorted(const struct td_report *report)
{
	unsigned sort = report->query.sort;

	if (sort >= TD_SORT_NODE && !td_report_has_topdown(report))
		say("--sort", "there is no top-down here: by samples");
	else if (sort == TD_SORT_TOTAL && !report->has_paths)
		say("--sort", "there are no call paths here: by samples");
}

static int make_report(const struct request *request, struct td_annotate *lines,
		       int count, char **path)
{
	struct td_report *report = td_report_new(&request->query);
	struct taking taking = {report, lines};
	int failed = 0, err = -ENOMEM;

	if (report)
		err = td_inputs_each(count, path, take, &taking, &failed);
	if (!err && report->processes)
		err = td_report_finish(report);
	if (!err && report->processes)
		say_unsorted(report);
	if (lines)
		td_annotate_finish(lines);
	if (err)
		say("report", strerror(-err));
	else if (report->processes && request->tui)
		err = browse(report, count, path);
	else if (report->processes)
		err = print_report(request, report, lines);
	if (report)
		td_report_free(report);
	return err || failed;
}

static int make_lines(const struct request *request, int count, char **path)
{
	struct td_annotate lines;
	int err;

	td_annotate_start(&lines, NULL, request->query.module);
	err = make_report(request, &lines, count, path);
	td_annotate_free(&lines);
	return err;
}

int td_cmd_report(int argc, char **argv)
{
	static const struct td_arguments arguments = {SELF, usage, table, 0, NULL};
	struct request request = {.query.top = TOP_UNSET};
	int first = td_arguments_read(&arguments, &request, argc, argv);
	char live[TD_LIVE_PATH], *path = live, why[TD_LIVE_PATH];

	if (first <= 0)
		return first < 0 ? 2 : 0;
	if (request.query.top == TOP_UNSET)
		request.query.top =
			request.format == FORMAT_TEXT && !request.tui ? TOP_TEXT : 0;
	/* a report must not wait for a server */
	unsetenv("DEBUGINFOD_URLS");
	argc -= first;
	argv += first;
	if (request.live && argc)
		return say(argv[0], "--live has its profile already"), 2;
	if (request.live) {
		if (td_live_find((pid_t)request.live, live, why, sizeof(why)) < 0)
			return say("--live", why), 1;
		argc = 1;
		argv = &path;
	}
	if (request.query.thread && request.style.by == TD_PRINT_BY_LINE)
		return say("--by=line", "is of all threads: without --thread"), 2;
	if (request.format == FORMAT_WINDOWS)
		return print_windows(&request, argc, argv) != 0;
	if (!request.tui && request.format != FORMAT_HTML &&
	    request.style.by == TD_PRINT_BY_LINE)
		return make_lines(&request, argc, argv);
	return make_report(&request, NULL, argc, argv);
}
