// SPDX-License-Identifier: MIT
#include "tools/asked.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/options.h"
#include "decoder/values.h"
#include "tools/pfm.h"

#define SHOW(value) td_show(value, strlen(value)).text

void td_asked_open(struct td_asked *asked, const char *devices)
{
	asked->sources =
		td_event_sources(devices, asked->pmu, sizeof(asked->pmu), asked->source);
}

/* In none of the sources: is it libpfm4's? */
static int find_by_pfm(const char *name, struct td_event_name *event, char *why,
		       size_t size)
{
	char reason[256];
	int error = td_pfm_find(name, event, reason, sizeof(reason));

	if (!error && !event->name[0]) {
		snprintf(why, size,
			 "'%s' is longer than %zu bytes; give it a shorter name: "
			 "NAME=r%" PRIx64 ":%" PRIx64,
			 SHOW(name), sizeof(event->name) - 1, event->config,
			 event->config1);
		return -EINVAL;
	}
	if (error == -ENOENT && td_pfm_is_of_others(name)) {
		snprintf(why, size, "'%s' is an event of another processor", SHOW(name));
		return -ENODEV;
	}
	if (error == -ENOENT) { /* the agent's word, which says where names are */
		snprintf(why + strlen(why), size - strlen(why), "%s", td_pfm_lack());
		return error;
	}
	if (error)
		snprintf(why, size, "%s", reason);
	return error;
}

int td_asked_find(const struct td_asked *asked, const char *name,
		  struct td_event_name *event, bool *by_pfm, char *why, size_t size)
{
	int error = 0;

	*by_pfm = false;
	for (size_t i = 0; i < asked->sources; i++) {
		int other = td_event_lookup(&asked->source[i], name, event, why, size);

		if (!other)
			return 0;
		if (i == 0 || other == -ENODEV)
			error = other;
	}
	if (error != -ENOENT)
		return error;
	*by_pfm = true;
	return find_by_pfm(name, event, why, size);
}

char *td_asked_raw(const struct td_event_name *event)
{
	char *text;

	if (asprintf(&text, event->config1 ? "%s=r%" PRIx64 ":%" PRIx64 : "%s=r%" PRIx64,
		     event->name, event->config, event->config1) < 0)
		return NULL;
	return text;
}

/* Writes the name as the agent can read it.  0 or -errno. */
static int put(const struct td_asked *asked, const char *name, FILE *out,
	       struct td_event_name *event, char *why, size_t size)
{
	bool by_pfm;
	int error = td_asked_find(asked, name, event, &by_pfm, why, size);
	char *raw = !error && by_pfm ? td_asked_raw(event) : NULL;

	if (error == -ENODEV) { /* the program runs, and the report has it */
		snprintf(event->name, sizeof(event->name), "%s", name);
		error = 0;
	} else if (!error && by_pfm && !raw) {
		snprintf(why, size, "out of memory");
		error = -ENOMEM;
	}
	if (!error)
		fputs(raw ? raw : name, out);
	free(raw);
	return error;
}

static int put_list(const struct td_asked *asked, const char *names, FILE *out, char *why,
		    size_t size)
{
	struct td_event_name event[TD_EVENT_NAMES_MAX];
	char name[TD_EVENT_TEXT];
	uint32_t n = 0;
	int error;

	while (td_event_list_next(&names, name)) {
		if (n == TD_EVENT_NAMES_MAX) {
			snprintf(why, size, "more than %u events: no room from '%s' on",
				 TD_EVENT_NAMES_MAX, SHOW(name));
			return -E2BIG;
		}
		fputs(n ? "," : "", out);
		error = put(asked, name, out, &event[n], why, size);
		if (error)
			return error;
		for (uint32_t i = 0; i < n; i++) {
			if (strcmp(event[i].name, event[n].name) != 0)
				continue;
			snprintf(why, size, "'%s' is there twice", SHOW(event[n].name));
			return -EEXIST;
		}
		n++;
	}
	return 0;
}

char *td_asked_list(const struct td_asked *asked, const char *names, char *why,
		    size_t size)
{
	const size_t most = sizeof(((struct td_options *)0)->events) - 1;
	char *text = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&text, &length);
	int error = -ENOMEM;

	snprintf(why, size, "out of memory");
	if (out)
		error = put_list(asked, names, out, why, size);
	if (out && fclose(out) != 0)
		error = -ENOMEM;
	if (!error && length > most) {
		snprintf(why, size,
			 "the list has %zu bytes with raw events; it may have %zu",
			 length, most);
		error = -E2BIG;
	}
	if (!error)
		return text;
	free(text);
	return NULL;
}

char *td_asked_latency(const struct td_asked *asked, const char *latency, char *why,
		       size_t size)
{
	const char *period = latency + strcspn(latency, "@");
	char *name = strndup(latency, (size_t)(period - latency)), *text = NULL;
	struct td_event_name event;
	size_t length = 0;
	FILE *out = name ? open_memstream(&text, &length) : NULL;
	int error = -ENOMEM;

	snprintf(why, size, "out of memory");
	if (out) {
		error = put(asked, name, out, &event, why, size);
		fputs(period, out);
	}
	if (out && fclose(out) != 0)
		error = -ENOMEM;
	free(name);
	if (!error && length < sizeof(((struct td_options *)0)->latency))
		return text;
	if (!error)
		snprintf(why, size, "'%s' is longer than %zu bytes; give it a name",
			 SHOW(text), sizeof(((struct td_options *)0)->latency) - 1);
	free(text);
	return NULL;
}
