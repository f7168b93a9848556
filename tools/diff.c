// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/compare.h"
#include "decoder/values.h"
#include "tools/arguments.h"
#include "tools/commands.h"
#include "tools/diff_print.h"
#include "tools/inputs.h"
#include "tools/outfile.h"

/* diff(1)'s */
enum status { SAME = 0, DIFFERENT = 1, TROUBLE = 2 };

enum format { FORMAT_TEXT, FORMAT_JSON, FORMAT_CSV };
enum fail_on { FAIL_ON_ANY, FAIL_ON_WORSE, FAIL_ON_NONE };

struct request {
	struct td_compare_query query;
	enum format format;
	enum fail_on fail_on;
	uint64_t top;
	const char *jitdump;
	const char *output; /* NULL: standard output */
	char **path;        /* of A, then of B */
	int paths;
	int paths_of_a;
	const char **renamed; /* NULL at its end */
	size_t renames;
};

/* The reports behind one side. */
struct side {
	struct td_report *all;
	struct td_report **run;
	size_t runs;
};

#define SELF "diff"
#define TOP_UNSET UINT64_MAX
#define TOP_TEXT 20
#define THRESHOLD_POINTS 1
#define NOISE_PERCENT 4
#define MIN_WINDOWS 50

static const char usage[] =
	"usage: tdagent diff [options] A B\n"
	"       tdagent diff [options] A... -- B...\n"
	"\n"
	"Compares runs of a program.  Each A and B is one run: a profile, or a\n"
	"directory of the profiles of its processes.  Several runs of each tell how\n"
	"much runs differ anyway, and let CPU time be compared.\n"
	"\n"
	"  --threshold=POINTS a smaller change of a share or fraction is none (1)\n"
	"  --fail-on=WHICH    exit status 1 for any difference (any), for a worse one\n"
	"                     only (worse), or never (none)\n"
	"  --noise=PERCENT    how much shares differ from run to run, where single runs\n"
	"                     cannot tell: half of it at a share of 50 % (4)\n"
	"  --min-windows=N    a fraction of fewer windows on a side is not tested (50)\n"
	"  --rename=OLD=NEW   module OLD of A is module NEW of B (base names)\n"
	"  --cores=TYPE       of a hybrid processor: what ran on its large cores\n"
	"                     (default) or on its small ones\n"
	"  --jitdump=PATH     names of JIT code: a jitdump, or the directory of\n"
	"                     jit-PID.dump\n"
	"  --top=N            the first N functions (text: 20, others: all; 0: all)\n"
	"  --format=FORMAT    text, json or csv\n"
	"  --output=FILE      write to FILE; \"-\": standard output (default)\n"
	"  --help             this text\n"
	"\n"
	"Exit status: 0 no difference, 1 a difference, 2 trouble.\n";

static void say(const char *object, const char *why)
{
	fprintf(stderr, "tdagent diff: %s: %s\n", object, why);
}

static int set_threshold(void *context, char *value)
{
	return td_arguments_percent(SELF, "threshold", value,
				    &((struct request *)context)->query.threshold);
}

static int set_noise(void *context, char *value)
{
	return td_arguments_percent(SELF, "noise", value,
				    &((struct request *)context)->query.noise);
}

static int set_fail_on(void *context, char *value)
{
	static const char *const words[] = {"any", "worse", "none", NULL};
	int word = td_arguments_word(SELF, "fail-on", value, words);

	((struct request *)context)->fail_on = (enum fail_on)word;
	return word < 0 ? -1 : 0;
}

static int set_min_windows(void *context, char *value)
{
	uint64_t *windows = &((struct request *)context)->query.min_windows;

	if (td_number_parse(value, windows) || *windows < 2)
		return td_arguments_wrong(SELF, "min-windows", value,
					  "a number of windows, 2 or more");
	return 0;
}

static int set_rename(void *context, char *value)
{
	struct request *request = context;
	const char *equals = strchr(value, '=');

	if (!equals || equals == value || !equals[1] || strchr(equals + 1, '='))
		return td_arguments_wrong(SELF, "rename", value,
					  "OLD=NEW, two module names");
	request->renamed[request->renames++] = value;
	return 0;
}

static int set_jitdump(void *context, char *value)
{
	return td_arguments_path(SELF, "jitdump", value,
				 &((struct request *)context)->jitdump);
}

static int set_top(void *context, char *value)
{
	return td_arguments_number(SELF, "top", value, "a number of functions, 0 for all",
				   &((struct request *)context)->top);
}

static int set_format(void *context, char *value)
{
	static const char *const words[] = {"text", "json", "csv", NULL};
	int word = td_arguments_word(SELF, "format", value, words);

	((struct request *)context)->format = (enum format)word;
	return word < 0 ? -1 : 0;
}

static int set_output(void *context, char *value)
{
	((struct request *)context)->output = value;
	return 0;
}

static int set_path(void *context, char *value)
{
	struct request *request = context;

	request->path[request->paths++] = value;
	return 0;
}

static const struct td_argument table[] = {
	{"", 0, 0, set_path},
	{"threshold", 0, 1, set_threshold},
	{"noise", 0, 1, set_noise},
	{"fail-on", 0, 1, set_fail_on},
	{"min-windows", 0, 1, set_min_windows},
	{"rename", 0, 1, set_rename},
	{"cores", 0, 1, td_inputs_set_cores},
	{"jitdump", 0, 1, set_jitdump},
	{"format", 0, 1, set_format},
	{"top", 0, 1, set_top},
	{"output", 0, 1, set_output},
	{NULL, 0, 0, NULL},
};

/* Two operands, or some on each side of "--". */
static int parse_sides(struct request *request, int separated)
{
	if (!separated && request->paths == 2)
		request->paths_of_a = 1;
	if (request->paths_of_a > 0 && request->paths > request->paths_of_a)
		return 0;
	fputs("tdagent diff: give two profiles, A B, or several runs of each, A... -- "
	      "B... (see tdagent diff --help)\n",
	      stderr);
	return -1;
}

/* Returns 0, 1 when --help was printed, or -1 after saying what is wrong. */
static int parse_options(struct request *request, int argc, char **argv)
{
	static const struct td_arguments arguments = {
		.command = SELF, .usage = usage, .table = table, .order = '-'};
	int next = td_arguments_read(&arguments, request, argc, argv);
	int separated;

	if (next <= 0)
		return next < 0 ? -1 : 1;
	separated = strcmp(argv[next - 1], "--") == 0;
	if (separated)
		request->paths_of_a = request->paths;
	while (next < argc)
		request->path[request->paths++] = argv[next++];
	return parse_sides(request, separated);
}

/* NULL after saying why. */
static struct td_report *read_report(const struct request *request, int count,
				     char **path)
{
	const struct td_report_query everything = {.jitdump = request->jitdump};
	struct td_report *report = td_report_new(&everything);
	int failed = 0;
	int err = report ? td_inputs_add(report, count, path, &failed) : -ENOMEM;

	if (!err && !failed)
		err = td_report_finish(report);
	if (err)
		say(path[0], strerror(-err));
	if (err || failed) {
		if (report)
			td_report_free(report);
		return NULL;
	}
	return report;
}

static void free_side(struct side *side)
{
	for (size_t i = 0; i < side->runs; i++) {
		if (side->run[i] && side->run[i] != side->all)
			td_report_free(side->run[i]);
	}
	if (side->all)
		td_report_free(side->all);
	free(side->run);
}

/* Returns 0, or -1 after saying why; free_side() in any case. */
static int read_side(const struct request *request, struct side *side, int count,
		     char **path)
{
	int cores, err = 0;

	side->run = calloc((size_t)count, sizeof(struct td_report *));
	side->all = side->run ? read_report(request, count, path) : NULL;
	if (!side->all)
		return -1;
	side->runs = (size_t)count;
	if (count == 1) {
		side->run[0] = side->all;
		return 0;
	}
	/* each run by itself, but of the same cores as all */
	cores = td_inputs_of_cores(side->all->hybrid ? (int)side->all->cores
						     : TD_CORES_ANY);
	for (int i = 0; i < count && !err; i++) {
		side->run[i] = read_report(request, 1, &path[i]);
		err = side->run[i] ? 0 : -1;
	}
	td_inputs_of_cores(cores);
	return err;
}

static int print_compare(const struct request *request, const struct td_compare *compare,
			 const struct td_compare_side side[2])
{
	uint64_t top = request->top;
	struct td_print_style style;
	struct td_outfile file;
	int err = td_outfile_open(&file, request->output);
	FILE *out = file.stream;

	if (err) {
		say(request->output, strerror(-err));
		return -1;
	}
	style = td_print_style_of(out);
	errno = 0;
	if (top == TOP_UNSET)
		top = request->format == FORMAT_TEXT ? TOP_TEXT : 0;
	for (int i = 0; i < 2 && request->format == FORMAT_CSV; i++)
		td_inputs_say_cores(i ? "diff: B" : "diff: A", side[i].all->cores,
				    side[i].all->elsewhere);
	if (request->format == FORMAT_JSON)
		td_diff_print_json(out, compare, top);
	else if (request->format == FORMAT_CSV)
		td_diff_print_csv(out, compare, top);
	else
		td_diff_print_text(out, compare, side, top, &style);
	err = td_outfile_close(&file, 0);
	if (err)
		say(td_outfile_name(&file), strerror(-err));
	return err ? -1 : 0;
}

static enum status status_of(const struct request *request,
			     const struct td_compare *compare)
{
	size_t worse = compare->found[TD_VERDICT_WORSE] +
		       compare->found_inclusive[TD_VERDICT_WORSE] +
		       (compare->total.verdict == TD_VERDICT_WORSE);
	size_t any = compare->rows - compare->found[TD_VERDICT_NONE] +
		     compare->inclusive - compare->found_inclusive[TD_VERDICT_NONE] +
		     (compare->total.verdict != TD_VERDICT_NONE);

	if (request->fail_on == FAIL_ON_NONE)
		return SAME;
	return (request->fail_on == FAIL_ON_WORSE ? worse : any) ? DIFFERENT : SAME;
}

static enum status compare_sides(const struct request *request,
				 const struct side sides[2])
{
	struct td_compare_side side[2];
	struct td_compare *compare;
	enum status status = TROUBLE;
	char *why = NULL;
	int err;

	for (int i = 0; i < 2; i++)
		side[i] = (struct td_compare_side){
			sides[i].all, (const struct td_report *const *)sides[i].run,
			sides[i].runs};
	err = td_compare_new(side, &request->query, &compare, &why);
	if (err) {
		fprintf(stderr, "tdagent diff: %s\n", why ? why : strerror(-err));
		free(why);
		return TROUBLE;
	}
	if (print_compare(request, compare, side) == 0)
		status = status_of(request, compare);
	td_compare_free(compare);
	return status;
}

static enum status diff(struct request *request, int argc, char **argv)
{
	struct side side[2] = {{0}};
	enum status status = TROUBLE;
	int err = parse_options(request, argc, argv);

	if (err)
		return err < 0 ? TROUBLE : SAME;
	request->query.renamed = request->renamed;
	/* a comparison must not wait for a server */
	unsetenv("DEBUGINFOD_URLS");
	if (read_side(request, &side[0], request->paths_of_a, request->path) == 0 &&
	    read_side(request, &side[1], request->paths - request->paths_of_a,
		      request->path + request->paths_of_a) == 0)
		status = compare_sides(request, side);
	for (int i = 0; i < 2; i++)
		free_side(&side[i]);
	return status;
}

int td_cmd_diff(int argc, char **argv)
{
	struct request request = {
		.query = {.threshold = THRESHOLD_POINTS / 100.,
			  .noise = NOISE_PERCENT / 100.,
			  .min_windows = MIN_WINDOWS},
		.top = TOP_UNSET,
		.path = calloc((size_t)argc + 1, sizeof(char *)),
		.renamed = calloc((size_t)argc + 1, sizeof(char *)),
	};
	enum status status = TROUBLE;

	if (request.path && request.renamed)
		status = diff(&request, argc, argv);
	else
		say("diff", strerror(ENOMEM));
	free(request.path);
	free(request.renamed);
	return (int)status;
}
