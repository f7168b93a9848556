// SPDX-License-Identifier: MIT
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/arguments.h"
#include "tools/commands.h"
#include "tools/import_perf.h"
#include "tools/outfile.h"

struct request {
	const char *input;
	const char *output; /* NULL: beside the input */
	const char *perf;
};

static const char usage[] =
	"usage: tdagent import [options] [PERF.DATA]\n"
	"\n"
	"Turns what `perf record` wrote into a profile, by perf's own `perf script`: what\n"
	"the counters counted between two samples of a thread belongs to a function if\n"
	"both are in it.  The events must have been sampled as one group:\n"
	"\n"
	"  perf record --sample-cpu -e '{slots,cpu-cycles,topdown-retiring,...}:Su' \\\n"
	"      PROGRAM\n"
	"\n"
	"  -o, --output=FILE  the profile (default: PERF.DATA.tdp); \"-\": standard output\n"
	"  --perf=PROGRAM     the perf to use (default: perf)\n"
	"  --help             this text\n";

static int say(const char *object, const char *why)
{
	fprintf(stderr, "tdagent import: %s: %s\n", object, why);
	return -1;
}

static int set_output(void *context, char *value)
{
	((struct request *)context)->output = value;
	return 0;
}

static int set_perf(void *context, char *value)
{
	((struct request *)context)->perf = value;
	return 0;
}

static const struct td_argument table[] = {
	{"output", 'o', 1, set_output},
	{"perf", 0, 1, set_perf},
	{NULL, 0, 0, NULL},
};

static int write_profile(const char *output, const unsigned char *bytes, size_t size)
{
	struct td_outfile file;
	int err = td_outfile_open(&file, output);

	if (err)
		return say(output, strerror(-err));
	errno = 0;
	fwrite(bytes, 1, size, file.stream);
	err = td_outfile_close(&file, 0);
	return err ? say(td_outfile_name(&file), strerror(-err)) : 0;
}

static int import_file(const struct request *request, struct td_import *import,
		       const char *output)
{
	unsigned char *bytes;
	size_t size;
	int err;

	if (td_import_perf(import, request->perf, request->input) < 0)
		return -1;
	err = td_import_finish(import, &bytes, &size);
	if (err)
		return say(request->input,
			   err == -EFBIG
				   ? "has more threads and functions than a profile "
				     "holds: record a part of these processes"
				   : strerror(-err));
	err = write_profile(output, bytes, size);
	free(bytes);
	return err;
}

int td_cmd_import(int argc, char **argv)
{
	struct request request = {.input = "perf.data", .perf = "perf"};
	static const struct td_arguments arguments = {"import", usage, table, 0, NULL};
	int err, first = td_arguments_read(&arguments, &request, argc, argv);
	struct td_import *import;
	char beside[PATH_MAX];

	if (first <= 0)
		return first < 0 ? 2 : 0;
	if (argc - first > 1)
		return say(argv[first + 1],
			   "one file at a time; reports add profiles up"),
		       2;
	if (first < argc)
		request.input = argv[first];
	snprintf(beside, sizeof(beside), "%s.tdp", request.input);
	import = td_import_new();
	if (!import)
		return say("import", strerror(ENOMEM)), 1;
	err = import_file(&request, import, request.output ? request.output : beside);
	td_import_free(import);
	return err ? 1 : 0;
}
