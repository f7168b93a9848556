// SPDX-License-Identifier: MIT
#include "tools/push.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/text.h"
#include "tools/arguments.h"
#include "tools/commands.h"
#include "tools/inputs.h"
#include "tools/labels.h"
#include "tools/print.h"

#define SELF "push"
#define TIMEOUT_S 30

struct request {
	struct td_push push;
	const char *name; /* NULL: the program's */
	struct td_labels labels;
	const char *jitdump;
	int dry; /* print the request */
};

static const char usage[] =
	"usage: tdagent push [options] URL [FILE|DIR...]\n"
	"\n"
	"Sends one profile, or several added up, to a store of pprof profiles at URL,\n"
	"such as http://localhost:4040.  Without FILE: the newest one in\n"
	"${TMPDIR:-/tmp}/tdagent-UID.\n"
	"\n"
	"  --store=STORE     pyroscope (default) or parca\n"
	"  --name=NAME       the service's name (default: the program's)\n"
	"  --label=KEY=VALUE of the series: host, rank, version; may be repeated\n"
	"  --tenant=ID       in X-Scope-OrgID, for stores with tenants\n"
	"  --timeout=SECONDS give up after so long (30)\n"
	"  --cores=TYPE      of a hybrid processor: what ran on its large cores (default)\n"
	"                    or on its small ones\n"
	"  --jitdump=PATH    names of JIT code: a jitdump, or the directory of\n"
	"                    jit-PID.dump\n"
	"  --dry-run         print the request's body and send nothing\n"
	"  --help            this text\n"
	"\n"
	"$TDAGENT_PUSH_TOKEN, if set, is sent as a bearer token.\n";

static int say(const char *object, const char *why)
{
	fprintf(stderr, "tdagent push: %s: %s\n", object, why);
	return -1;
}

static int set_store(void *context, char *value)
{
	static const char *const words[] = {"pyroscope", "parca", NULL};
	int word = td_arguments_word(SELF, "store", value, words);

	if (word < 0)
		return -1;
	((struct request *)context)->push.store = (enum td_store)word;
	return 0;
}

/* Names and tenants: what may stand in a header and in JSON. */
static int set_clean(const char **into, const char *option, const char *value)
{
	char *clean = td_text_clean(value, strlen(value));
	int same = clean && *value && strcmp(clean, value) == 0;

	free(clean);
	if (!same)
		return td_arguments_wrong(SELF, option, value,
					  "text without control characters");
	*into = value;
	return 0;
}

static int set_name(void *context, char *value)
{
	return set_clean(&((struct request *)context)->name, "name", value);
}

static int set_tenant(void *context, char *value)
{
	return set_clean(&((struct request *)context)->push.tenant, "tenant", value);
}

static int set_label(void *context, char *value)
{
	static const char *const own[] = {"__name__", "service_name", NULL};

	return td_labels_add(&((struct request *)context)->labels, SELF, value, own);
}

static int set_timeout(void *context, char *value)
{
	uint64_t seconds;

	if (td_arguments_number(SELF, "timeout", value, "seconds, 1 to 3600", &seconds) <
	    0)
		return -1;
	if (!seconds || seconds > 3600)
		return td_arguments_wrong(SELF, "timeout", value, "seconds, 1 to 3600");
	((struct request *)context)->push.timeout_s = (long)seconds;
	return 0;
}

static int set_jitdump(void *context, char *value)
{
	return td_arguments_path(SELF, "jitdump", value,
				 &((struct request *)context)->jitdump);
}

static int set_dry_run(void *context, char *value)
{
	(void)value;
	((struct request *)context)->dry = 1;
	return 0;
}

static const struct td_argument table[] = {
	{"store", 0, 1, set_store},
	{"name", 0, 1, set_name},
	{"label", 0, 1, set_label},
	{"tenant", 0, 1, set_tenant},
	{"timeout", 0, 1, set_timeout},
	{"jitdump", 0, 1, set_jitdump},
	{"cores", 0, 1, td_inputs_set_cores},
	{"dry-run", 0, 0, set_dry_run},
	{NULL, 0, 0, NULL},
};

/* The pprof file in memory; free it.  NULL after saying why. */
static char *make_pprof(struct td_report *report, size_t *size)
{
	struct td_export export;
	char *bytes = NULL;
	int err = td_report_finish(report);
	FILE *out;

	if (!err)
		err = td_export_collect(&export, report);
	if (err)
		return say("report", strerror(-err)), NULL;
	out = open_memstream(&bytes, size);
	err = out ? td_export_pprof(out, &export) : -ENOMEM;
	if (out && fclose(out) != 0 && !err)
		err = -ENOMEM;
	td_export_free(&export);
	if (!err)
		return bytes;
	free(bytes);
	return say("pprof", strerror(-err)), NULL;
}

static int send_body(struct request *request, const char *body)
{
	char why[512];

	if (request->dry)
		return puts(body) < 0 ? -1 : 0;
	request->push.body = body;
	request->push.token = getenv("TDAGENT_PUSH_TOKEN");
	if (td_push_send(&request->push, why, sizeof(why)) < 0)
		return say(request->push.url, why);
	return 0;
}

/* Returns 0, or -1 after saying what is wrong. */
static int push_report(struct request *request, struct td_report *report)
{
	const struct td_file_header *header = &td_print_first(report)->header;
	char *exe = td_text_clean(header->exe, sizeof(header->exe));
	const char *name = request->name ? request->name : exe ? td_text_base(exe) : "";
	size_t size;
	char *pprof = make_pprof(report, &size);
	char *body = pprof ? td_push_body(request->push.store, name,
					  request->labels.label, request->labels.labels,
					  (const unsigned char *)pprof, size)
			   : NULL;
	int err = -1;

	td_inputs_say_cores(SELF, report->cores, report->elsewhere);
	if (body)
		err = send_body(request, body);
	else if (pprof)
		say("request", strerror(ENOMEM));
	free(body);
	free(pprof);
	free(exe);
	return err;
}

static int is_url(const char *url)
{
	return strncmp(url, "http://", 7) == 0 || strncmp(url, "https://", 8) == 0;
}

int td_cmd_push(int argc, char **argv)
{
	static const struct td_arguments arguments = {SELF, usage, table, 0, NULL};
	struct td_report_query query = {.parts = 1};
	struct request request = {.push.timeout_s = TIMEOUT_S};
	int first = td_arguments_read(&arguments, &request, argc, argv);
	struct td_report *report;
	int failed = 0, err;

	if (first <= 0)
		return first < 0 ? 2 : 0;
	request.push.url = first < argc ? argv[first++] : "";
	if (!is_url(request.push.url))
		return say(*request.push.url ? request.push.url : "URL",
			   "give the store's address first, such as "
			   "http://localhost:4040"),
		       2;
	/* a push must not wait for another server */
	unsetenv("DEBUGINFOD_URLS");
	query.jitdump = request.jitdump;
	report = td_report_new(&query);
	err = report ? td_inputs_add(report, argc - first, argv + first, &failed)
		     : -ENOMEM;
	if (err)
		say("profiles", strerror(-err));
	else if (report->processes)
		err = push_report(&request, report);
	if (report)
		td_report_free(report);
	return err || failed;
}
