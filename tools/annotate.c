// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/annotate_lines.h"
#include "tools/arguments.h"
#include "tools/commands.h"
#include "tools/inputs.h"
#include "tools/outfile.h"
#include "tools/pager.h"

#define SELF "annotate"

enum { FORMAT_TEXT, FORMAT_JSON };

struct request {
	const char *module;
	const char *jitdump;
	const char *output; /* NULL: standard output */
	int format;
	int all;
	int no_pager;
	int debuginfod;
};

static const char usage[] =
	"usage: tdagent annotate [options] FUNCTION [FILE|DIR...]\n"
	"\n"
	"Shows where in a function the windows of the log were opened: by source lines,\n"
	"with what was inlined, and by instructions.  Without FILE: the newest profile in\n"
	"${TMPDIR:-/tmp}/tdagent-UID.\n"
	"\n"
	"  --module=GLOB     a function of these modules only\n"
	"  --cores=TYPE      of a hybrid processor: what ran on its large cores (default)\n"
	"                    or on its small ones\n"
	"  --jitdump=PATH    names of JIT code: a jitdump, or the directory of\n"
	"                    jit-PID.dump\n"
	"  --all             cold instructions as well\n"
	"  --debuginfod      ask $DEBUGINFOD_URLS for debug information; may take long\n"
	"  --format=FORMAT   text or json\n"
	"  -o, --output=FILE write to FILE\n"
	"  --no-pager        not through $TDAGENT_PAGER, $PAGER or less\n"
	"  --help            this text\n";

static int say(const char *object, const char *why)
{
	fprintf(stderr, "tdagent annotate: %s: %s\n", object, why);
	return -1;
}

static int set_module(void *context, char *value)
{
	((struct request *)context)->module = value;
	return 0;
}

static int set_jitdump(void *context, char *value)
{
	return td_arguments_path(SELF, "jitdump", value,
				 &((struct request *)context)->jitdump);
}

static int set_all(void *context, char *value)
{
	(void)value;
	((struct request *)context)->all = 1;
	return 0;
}

static int set_debuginfod(void *context, char *value)
{
	(void)value;
	((struct request *)context)->debuginfod = 1;
	return 0;
}

static int set_format(void *context, char *value)
{
	static const char *const words[] = {"text", "json", NULL};
	int word = td_arguments_word(SELF, "format", value, words);

	((struct request *)context)->format = word;
	return word < 0 ? -1 : 0;
}

static int set_output(void *context, char *value)
{
	((struct request *)context)->output = value;
	return 0;
}

static int set_no_pager(void *context, char *value)
{
	(void)value;
	((struct request *)context)->no_pager = 1;
	return 0;
}

static const struct td_argument table[] = {
	{"module", 0, 1, set_module},
	{"jitdump", 0, 1, set_jitdump},
	{"all", 0, 0, set_all},
	{"debuginfod", 0, 0, set_debuginfod},
	{"format", 0, 1, set_format},
	{"output", 'o', 1, set_output},
	{"no-pager", 0, 0, set_no_pager},
	{"cores", 0, 1, td_inputs_set_cores},
	{NULL, 0, 0, NULL},
};

static int take(void *annotate, const struct td_profile *profile, const char *path,
		size_t left)
{
	(void)left;
	return td_annotate_add(annotate, profile, path);
}

static int print(const struct request *request, const struct td_annotated *annotated)
{
	struct td_outfile file;
	struct td_print_style style;
	pid_t pager = 0;
	int err = td_outfile_open(&file, request->output);

	if (err)
		return say(request->output, strerror(-err));
	style = td_print_style_of(file.stream);
	if (!request->output && !request->no_pager && request->format == FORMAT_TEXT)
		pager = td_pager_start();
	errno = 0;
	if (request->format == FORMAT_JSON)
		td_annotate_print_json(file.stream, annotated);
	else
		td_annotate_print_text(file.stream, annotated, &style, request->all);
	if (pager)
		return td_pager_end(pager), 0;
	err = td_outfile_close(&file, 0);
	return err ? say(td_outfile_name(&file), strerror(-err)) : 0;
}

/* 0, or -1 after saying why. */
static int show(const struct request *request, struct td_annotate *annotate)
{
	struct td_annotated annotated;
	int err;

	if (!annotate->logged)
		return say("profile", "it has no log of windows, which alone knows "
				      "instructions: record with windows (--short)");
	td_annotate_finish(annotate);
	if (!annotate->functions)
		return say(
			annotate->wanted,
			"no window of the log was opened in a function of that name; tdagent "
			"report lists functions");
	err = td_annotated_make(&annotated, annotate);
	if (err)
		return say(annotate->wanted, strerror(-err));
	err = print(request, &annotated);
	td_annotated_free(&annotated);
	return err;
}

int td_cmd_annotate(int argc, char **argv)
{
	static const struct td_arguments arguments = {SELF, usage, table, 0, NULL};
	struct request request = {.format = FORMAT_TEXT};
	struct td_annotate annotate;
	int first = td_arguments_read(&arguments, &request, argc, argv);
	int failed = 0, err;

	if (first <= 0)
		return first < 0 ? 2 : 0;
	if (first == argc)
		return say("FUNCTION", "is missing: give a name as tdagent report shows "
				       "it"),
		       2;
	if (!request.debuginfod)
		unsetenv("DEBUGINFOD_URLS");
	td_annotate_start(&annotate, argv[first], request.module);
	annotate.jitdump = request.jitdump;
	err = td_inputs_each(argc - first - 1, argv + first + 1, take, &annotate,
			     &failed);
	if (err)
		say("profiles", strerror(-err));
	else if (!failed || annotate.logged)
		err = show(&request, &annotate);
	td_annotate_free(&annotate);
	return err || failed;
}
