// SPDX-License-Identifier: MIT
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "decoder/options.h"
#include "decoder/values.h"
#include "tools/arguments.h"
#include "tools/audit_print.h"
#include "tools/child.h"
#include "tools/commands.h"
#include "tools/outfile.h"
#include "tools/program.h"

enum {
	EXIT_USAGE = 2,
	EXIT_OWN = 125, /* as tdagent run */
};

#define SELF "audit"
#define TOP_UNSET UINT64_MAX
#define LENGTH_MAX 1000000u
#define WINDOWS_MAX 100000000u

struct request {
	struct td_audit_settings settings;
	uint64_t top;
	int json;
	const char *output; /* NULL: standard error */
	char program[PATH_MAX];
};

static const char usage[] =
	"usage: tdagent audit [OPTION...] [--] PROGRAM [ARG...]\n"
	"\n"
	"Runs PROGRAM under ptrace and single-steps windows of it at random moments:\n"
	"which of those that begin and end in the same function never left it?\n"
	"No PMU and no rights are needed.  Instructions, not cycles.\n"
	"\n"
	"  --windows=N       look at N moments at most (1000)\n"
	"  --length=LIST     mean lengths in instructions (100,300,1000,3000)\n"
	"  --period=TIME     mean CPU time between two moments (5ms)\n"
	"  --seed=N          of the moments and lengths (1)\n"
	"  --top=N           the first N functions (text: 10, json: all; 0: all)\n"
	"  --format=FORMAT   text or json\n"
	"  --output=FILE     write to FILE, not to standard error\n"
	"  --help            this text\n";

__attribute__((format(printf, 2, 3))) static int fail(int status, const char *format, ...)
{
	va_list arguments;

	fputs("tdagent audit: ", stderr);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	return status;
}

static int set_windows(void *context, char *value)
{
	uint64_t *windows = &((struct request *)context)->settings.windows;

	if (td_number_parse(value, windows) || !*windows || *windows > WINDOWS_MAX)
		return td_arguments_wrong(SELF, "windows", value,
					  "a number from 1 to 100000000");
	return 0;
}

static int set_length(void *context, char *value)
{
	struct td_audit_settings *settings = &((struct request *)context)->settings;
	char list[256];
	char *rest = list;

	settings->lengths = 0;
	if ((size_t)snprintf(list, sizeof(list), "%s", value) < sizeof(list))
		while (rest) {
			const char *word = strsep(&rest, ",");
			uint64_t length;

			if (settings->lengths == TD_AUDIT_LENGTHS_MAX ||
			    td_number_parse(word, &length) || !length ||
			    length > LENGTH_MAX) {
				settings->lengths = 0;
				break;
			}
			settings->length[settings->lengths++] = length;
		}
	if (!settings->lengths)
		return td_arguments_wrong(SELF, "length", value,
					  "up to 8 numbers of instructions, 1 to "
					  "1000000, with commas between them");
	return 0;
}

static int set_period(void *context, char *value)
{
	struct td_period period;

	if (td_period_parse(value, &period) || period.unit != TD_UNIT_NS ||
	    period.value < 10000 || period.value > 3600000000000ull)
		return td_arguments_wrong(SELF, "period", value,
					  "a CPU time from 10us to 3600s");
	((struct request *)context)->settings.period_ns = period.value;
	return 0;
}

static int set_seed(void *context, char *value)
{
	return td_arguments_number(SELF, "seed", value, "a number",
				   &((struct request *)context)->settings.seed);
}

static int set_top(void *context, char *value)
{
	return td_arguments_number(SELF, "top", value, "a number of functions, 0 for all",
				   &((struct request *)context)->top);
}

static int set_format(void *context, char *value)
{
	static const char *const words[] = {"text", "json", NULL};
	int word = td_arguments_word(SELF, "format", value, words);

	((struct request *)context)->json = word == 1;
	return word < 0 ? -1 : 0;
}

static int set_output(void *context, char *value)
{
	if (!*value)
		return td_arguments_wrong(SELF, "output", value, "a file");
	((struct request *)context)->output = value;
	return 0;
}

static const struct td_argument table[] = {
	{"windows", 0, 1, set_windows}, {"length", 0, 1, set_length},
	{"period", 0, 1, set_period},   {"seed", 0, 1, set_seed},
	{"top", 0, 1, set_top},         {"format", 0, 1, set_format},
	{"output", 0, 1, set_output},   {NULL, 0, 0, NULL},
};

/* A number in a file of one line or of "Name: number" lines; -1 without. */
static long read_number(const char *path, const char *name)
{
	FILE *file = fopen(path, "re");
	char line[256];
	long number = -1;

	while (file && number < 0 && fgets(line, sizeof(line), file))
		if (!strncmp(line, name, strlen(name)))
			number = strtol(line + strlen(name), NULL, 10);
	if (file)
		fclose(file);
	return number;
}

/* Filled in where the child could not be seized, while it was there. */
static int seize_error;
static long tracer;

static int seize(pid_t pid)
{
	char path[64];

	seize_error = td_audit_seize(pid);
	if (!seize_error)
		return 0;
	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	tracer = read_number(path, "TracerPid:");
	return seize_error;
}

static int refused(const struct request *request, const char *name, int error)
{
	long yama = read_number("/proc/sys/kernel/yama/ptrace_scope", "");

	(void)request;
	if (!seize_error)
		return fail(error == ENOENT ? TD_PROGRAM_MISSING : TD_PROGRAM_REFUSED,
			    "%s: %s", name, strerror(error));
	if (tracer > 0)
		return fail(EXIT_OWN,
			    "%s: traced by process %ld already, which can be one only; "
			    "run tdagent audit outside of it",
			    name, tracer);
	if (yama > 1)
		return fail(EXIT_OWN,
			    "%s: ptrace is forbidden: kernel.yama.ptrace_scope is %ld; "
			    "sudo sysctl kernel.yama.ptrace_scope=1",
			    name, yama);
	return fail(EXIT_OWN,
		    "%s: ptrace is forbidden (%s), perhaps by a container's seccomp "
		    "filter; docker run --cap-add=SYS_PTRACE allows it",
		    name, strerror(-seize_error));
}

static int print_to(FILE *out, const struct request *request,
		    const struct td_audit_report *report)
{
	return (request->json ? td_audit_print_json : td_audit_print_text)(out, report);
}

/* After the program's end nothing is a reason to end otherwise than it did. */
static void print_report(const struct request *request,
			 const struct td_audit_report *report)
{
	struct td_outfile file;
	int error;

	unsetenv("DEBUGINFOD_URLS"); /* a report must not wait for a server */
	if (!request->output) {
		error = print_to(stderr, request, report);
	} else {
		error = td_outfile_open(&file, request->output);
		if (!error) {
			error = print_to(file.stream, request, report);
			error = td_outfile_close(&file, error) < 0 ? -errno : error;
		}
	}
	if (error)
		fail(0, "%s: %s", request->output ? request->output : "report",
		     strerror(-error));
}

/* The report's file is checked before the program is run, not hours later. */
static int check_output(const struct request *request)
{
	char directory[PATH_MAX];
	char *slash;

	if (!request->output)
		return 0;
	snprintf(directory, sizeof(directory), "%s", request->output);
	slash = strrchr(directory, '/');
	if (slash)
		slash[slash == directory] = '\0';
	else
		strcpy(directory, ".");
	if (!access(request->output, W_OK) || !access(directory, W_OK))
		return 0;
	return fail(EXIT_OWN, "%s: %s", request->output, strerror(errno));
}

static int prepare(struct request *request, const char *program)
{
	char why[1024 + PATH_MAX];
	int status;

	if (!program)
		return fail(EXIT_USAGE,
			    "no program; write tdagent audit [OPTION...] [--] PROGRAM "
			    "[ARG...]");
	status = td_program_find(program, TD_PROGRAM_TRACE, request->program,
				 sizeof(request->program), why, sizeof(why));
	if (status)
		return fail(status, "%s: %s", program, why);
	return check_output(request);
}

int td_cmd_audit(int argc, char **argv)
{
	static const struct td_arguments arguments = {
		.command = SELF, .usage = usage, .table = table, .order = '+'};
	static struct request request = {
		.settings = {.windows = 1000,
			     .period_ns = 5000000,
			     .seed = 1,
			     .lengths = 4,
			     .length = {100, 300, 1000, 3000}},
		.top = TOP_UNSET,
	};
	static char *settings[] = {NULL};
	static struct td_audit_result result;
	struct td_audit_report report = {.settings = &request.settings,
					 .result = &result};
	int status, first = td_arguments_read(&arguments, &request, argc, argv);

	if (first <= 0)
		return first < 0 ? EXIT_USAGE : 0;
	report.argv = argv + first;
	status = prepare(&request, report.argv[0]);
	if (status)
		return status;
	report.top = request.top != TOP_UNSET ? request.top : request.json ? 0 : 10;
	report.pid = td_child_start_held(request.program, report.argv, settings, seize);
	if (report.pid < 0)
		return refused(&request, report.argv[0], -report.pid);
	report.status = td_audit_trace(report.pid, &request.settings, &result);
	td_child_ended();
	if (report.status == -ENOMEM)
		return fail(EXIT_OWN, "out of memory");
	print_report(&request, &report);
	td_audit_result_free(&result);
	td_child_follow(report.status);
}
