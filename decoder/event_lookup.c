// SPDX-License-Identifier: MIT
#include "decoder/event_lookup.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decoder/event_names.h"
#include "decoder/values.h"

#define HEX_DIGITS "0123456789abcdefABCDEF"
#define PATH_SIZE 384u
#define NESTED_MOST 2u /* an event of /sys as a term, and no further */

/* One name that is looked up. */
struct lookup {
	const struct td_event_source *source;
	struct td_event_name *event;
	const char *asked;
	char *why;
	size_t size;
};

__attribute__((format(printf, 3, 4))) static int refuse(const struct lookup *l, int error,
							const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(l->why, l->size, format, arguments);
	va_end(arguments);
	return error;
}

#define SHOW(value) td_show(value, strlen(value)).text

static const char *devices_of(const char *devices)
{
	return devices ? devices : TD_EVENT_DEVICES;
}

static long read_file(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -errno : read(fd, text, size - 1);

	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = '\0';
	return n;
}

/* The first line of a file of the PMU's; false: there is none. */
static bool read_line(const struct td_event_source *source, const char *directory,
		      const char *name, char *text, size_t size)
{
	td_event_read *read = source->read ? source->read : read_file;
	char path[PATH_SIZE];

	if (!*name || *name == '.' || strchr(name, '/') ||
	    snprintf(path, sizeof(path), "%s/%s/%s/%s", devices_of(source->devices),
		     source->pmu, directory, name) >= (int)sizeof(path) ||
	    read(path, text, size) <= 0)
		return false;
	text[strcspn(text, "\n")] = '\0';
	return true;
}

static bool is_there(const char *devices, const char *pmu, const char *file)
{
	char path[PATH_SIZE];

	return snprintf(path, sizeof(path), "%s/%s/%s", devices_of(devices), pmu, file) <
		       (int)sizeof(path) &&
	       access(path, F_OK) == 0;
}

/* Not x86: the PMU of cores is the one that says which CPUs it is of. */
static void find_pmu(const char *devices, char *pmu, size_t size)
{
	DIR *directory = opendir(devices_of(devices));
	struct dirent *entry;

	*pmu = '\0';
	while (directory && (entry = readdir(directory)))
		if (is_there(devices, entry->d_name, "cpus") &&
		    strlen(entry->d_name) < size &&
		    (!*pmu || strcmp(entry->d_name, pmu) < 0))
			strcpy(pmu, entry->d_name);
	if (directory)
		closedir(directory);
	if (!*pmu)
		snprintf(pmu, size, "cpu");
}

size_t td_event_sources(const char *devices, char *pmu, size_t size,
			struct td_event_source source[TD_CORE_TYPES])
{
	uint32_t family = 0, model = 0;
	enum td_vendor vendor = td_events_this_cpu(&family, &model);
	bool hybrid = is_there(devices, "cpu_core", "type");

	if (hybrid || is_there(devices, "cpu", "type"))
		snprintf(pmu, size, "%s", hybrid ? "cpu_core" : "cpu");
	else
		find_pmu(devices, pmu, size);
	source[0] = (struct td_event_source){pmu, vendor, devices, NULL};
	source[1] = (struct td_event_source){"cpu_atom", TD_VENDOR_ATOM, devices, NULL};
	return hybrid && is_there(devices, "cpu_atom", "type") ? 2 : 1;
}

size_t td_event_list_next(const char **rest, char *text)
{
	const char *at = *rest + strspn(*rest, ", ");
	const char *end = at;
	bool inside = false;
	size_t length;

	for (; *end && (inside || !strchr(", ", *end)); end++)
		inside ^= *end == '/';
	length = (size_t)(end - at);
	snprintf(text, TD_EVENT_TEXT, "%.*s", (int)length, at);
	*rest = end;
	return length;
}

/* Hexadecimal digits up to `end`: no sign, no 0x, as strtoull() would take. */
static bool is_hex(const char *text, const char *end)
{
	return text < end && strspn(text, HEX_DIGITS) >= (size_t)(end - text);
}

static bool is_raw(const char *text)
{
	const char *end = text + strlen(text), *colon = strchr(text, ':');

	return text[0] == 'r' && is_hex(text + 1, colon ? colon : end) &&
	       (!colon || is_hex(colon + 1, end));
}

const char *td_event_raw(const char *text)
{
	const char *equals = strrchr(text, '=');
	const char *raw = equals ? equals + 1 : text;

	return is_raw(raw) ? raw : NULL;
}

/* Of at most 64 bits. */
static bool take_hex(const char *text, uint64_t *value)
{
	errno = 0;
	*value = strtoull(text, NULL, 16);
	return errno == 0;
}

static int take_raw(const struct lookup *l, const char *raw)
{
	const char *colon = strchr(raw, ':');

	l->event->type = PERF_TYPE_RAW;
	if (!take_hex(raw + 1, &l->event->config) ||
	    (colon && !take_hex(colon + 1, &l->event->config1)))
		return refuse(l, -EINVAL, "'%s' has more than 64 bits", SHOW(l->asked));
	return 0;
}

static int take_name(const struct lookup *l, const char *name)
{
	if (strlen(name) >= sizeof(l->event->name))
		return refuse(l, -EINVAL,
			      "'%s' is longer than %zu bytes; give it a shorter name, "
			      "NAME=rHEX or name=NAME",
			      SHOW(name), sizeof(l->event->name) - 1);
	strcpy(l->event->name, name);
	return 0;
}

static const struct td_event_family *table_of(const struct td_event_source *source)
{
	uint32_t family = 0, model = 0;

	td_events_this_cpu(&family, &model);
	return td_events_of_cpu(source->vendor, family, model);
}

/* A name of the user's own must not be taken for one that means something. */
static bool is_taken(const struct lookup *l, const char *name)
{
	static const char *const ours[] = {"inst", "near_returns", "near_calls",
					   "one_thread", "own_slots"};
	const struct td_event_family *table = table_of(l->source);
	int index = table ? td_events_find(table, name) : -1;

	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
		if (strcmp(name, ours[i]) == 0)
			return true;
	return index >= 0 &&
	       (table->event[index].config != l->event->config || l->event->config1);
}

/* NAME=rHEX: `raw` is behind the equals sign. */
static int take_named(const struct lookup *l, const char *raw)
{
	char name[TD_EVENT_TEXT];
	int error = take_raw(l, raw);

	snprintf(name, sizeof(name), "%.*s", (int)(raw - 1 - l->asked), l->asked);
	if (!error && !*name)
		error = refuse(l, -EINVAL, "'%s' has no name before its equals sign",
			       SHOW(l->asked));
	if (!error && is_taken(l, name))
		error = refuse(l, -EINVAL,
			       "'%s': the event tables have that name; take another one",
			       SHOW(l->asked));
	return error ? error : take_name(l, name);
}

static bool find_generic(const struct lookup *l, const char *name)
{
	for (size_t i = 0; i < td_generic_event_count; i++) {
		if (strcmp(td_generic_events[i].name, name) != 0)
			continue;
		l->event->type = td_generic_events[i].type;
		l->event->config = td_generic_events[i].config;
		return true;
	}
	return false;
}

static bool find_in_table(const struct lookup *l, const char *name)
{
	const struct td_event_family *table = table_of(l->source);
	int index = table ? td_events_find(table, name) : -1;
	uint64_t config = index < 0 ? 0 : table->event[index].config;

	if (index < 0)
		return false;
	l->event->type = config & TD_EVENT_GENERIC ? PERF_TYPE_HARDWARE : PERF_TYPE_RAW;
	l->event->config = config & ~TD_EVENT_GENERIC;
	return true;
}

/* Where /sys says that the term goes. */
static int put_value(const struct lookup *l, const char *term, const char *format,
		     uint64_t value)
{
	if (td_event_format_put("config", format, value, &l->event->config) ||
	    td_event_format_put("config1", format, value, &l->event->config1))
		return 0;
	if (strncmp(format, "config:", 7) == 0 || strncmp(format, "config1:", 8) == 0)
		return refuse(l, -EINVAL, "'%s': %s has fewer bits", SHOW(l->asked),
			      SHOW(term));
	return refuse(l, -ENOTSUP, "'%s': %s is in %s, and config and config1 are all",
		      SHOW(l->asked), SHOW(term), SHOW(format));
}

static int take_terms(const struct lookup *l, char *terms, unsigned depth);

static int take_term(const struct lookup *l, const char *term, uint64_t value, bool alone,
		     unsigned depth)
{
	char text[TD_EVENT_TEXT];

	if (!strcmp(term, "config") || !strcmp(term, "config1")) {
		*(term[6] ? &l->event->config1 : &l->event->config) |= value;
		return 0;
	}
	/* a latency that samples have: what is counted instead says nothing */
	if (!strcmp(term, "ldlat"))
		return refuse(l, -ENOTSUP, "'%s' is for samples and cannot be counted",
			      SHOW(l->asked));
	if (read_line(l->source, "format", term, text, sizeof(text)))
		return put_value(l, term, text, value);
	if (alone && depth < NESTED_MOST &&
	    read_line(l->source, "events", term, text, sizeof(text)))
		return take_terms(l, text, depth + 1);
	if (!is_there(l->source->devices, l->source->pmu, "format"))
		return refuse(l, -ENODEV, "'%s': this machine has no PMU '%s'",
			      SHOW(l->asked), l->source->pmu);
	return refuse(l, -ENOENT, "'%s': the PMU %s knows no term '%s'", SHOW(l->asked),
		      l->source->pmu, SHOW(term));
}

/* "event=0xc5,umask=0x1,edge", and where they go is in format/. */
static int take_terms(const struct lookup *l, char *terms, unsigned depth)
{
	char *rest = NULL;
	int error = 0;

	for (char *term = strtok_r(terms, ",", &rest); term && !error;
	     term = strtok_r(NULL, ",", &rest)) {
		char *equals = strchr(term, '='), *end = "";
		uint64_t value = 1;

		if (equals)
			*equals = '\0';
		if (equals && !strcmp(term, "name")) {
			error = take_name(l, equals + 1);
			if (!error && is_taken(l, equals + 1))
				error = refuse(l, -EINVAL,
					       "'%s': the event tables have that name",
					       SHOW(equals + 1));
			continue;
		}
		if (equals)
			value = strtoull(equals + 1, &end, 0);
		if (equals && (*end || !isdigit((unsigned char)equals[1])))
			return refuse(l, -EINVAL, "'%s': %s= is followed by no number",
				      SHOW(l->asked), SHOW(term));
		error = take_term(l, term, value, !equals, depth);
	}
	return error;
}

/* Those that perf calls so; only user mode is counted, and that may be said. */
static int check_modifiers(const struct lookup *l, const char *modifiers)
{
	if (modifiers[strspn(modifiers, "u")] == '\0')
		return 0;
	return refuse(l, -ENOTSUP,
		      "'%s': only user mode is counted, without precise samples; leave "
		      "'%s' out",
		      SHOW(l->asked), SHOW(modifiers));
}

static bool is_of_cores(const char *pmu)
{
	return !strcmp(pmu, "cpu") || !strncmp(pmu, "cpu_", 4) ||
	       !strncmp(pmu, "armv", 4);
}

/* PMU/TERMS/MODIFIERS; `text` is a copy. */
static int take_pmu(const struct lookup *l, char *text)
{
	char *terms = strchr(text, '/') + 1, *end = strchr(terms, '/');
	const char *pmu = text;
	int error;

	if (!end)
		return refuse(l, -EINVAL, "'%s' has one slash; write PMU/TERMS/",
			      SHOW(l->asked));
	terms[-1] = *end++ = '\0';
	if (strcmp(pmu, l->source->pmu) != 0 && strcmp(pmu, "cpu") != 0) {
		if (is_of_cores(pmu))
			return refuse(l, -ENODEV, "'%s': the PMU is %s here",
				      SHOW(l->asked), l->source->pmu);
		return refuse(l, -ENOTSUP,
			      "'%s': only events of the CPU's own PMU (%s) are counted",
			      SHOW(l->asked), l->source->pmu);
	}
	l->event->type = PERF_TYPE_RAW;
	if (!*terms)
		return refuse(l, -EINVAL, "'%s' has no terms", SHOW(l->asked));
	error = take_terms(l, terms, 0);
	if (!error)
		error = check_modifiers(l, end);
	if (error || *l->event->name)
		return error;
	return take_name(l, l->asked);
}

/* One of the kernel's, of /sys or of the table.  1: none of them. */
static int take_known(const struct lookup *l, const char *name)
{
	char text[TD_EVENT_TEXT];

	if (is_raw(name))
		return take_raw(l, name);
	if (find_generic(l, name))
		return 0;
	if (read_line(l->source, "events", name, text, sizeof(text))) {
		l->event->type = PERF_TYPE_RAW;
		return take_terms(l, text, 1);
	}
	return find_in_table(l, name) ? 0 : 1;
}

/* Events that are known, but are none that a core's PMU counts here. */
static int refuse_other(const struct lookup *l, const char *name)
{
	static const char *const software[] = {
		"page-faults",     "faults",           "minor-faults",
		"major-faults",    "context-switches", "cs",
		"cpu-migrations",  "migrations",       "alignment-faults",
		"cpu-clock",       "emulation-faults", "task-clock",
		"cgroup-switches", "bpf-output",       "dummy",
	};

	for (size_t i = 0; i < sizeof(software) / sizeof(software[0]); i++)
		if (strcmp(name, software[i]) == 0)
			return refuse(l, -ENOTSUP,
				      "'%s' is counted by the kernel's software; only "
				      "events of the CPU's PMU are counted in windows",
				      SHOW(l->asked));
	for (size_t i = 0; i < td_event_family_count; i++)
		if (td_events_find(&td_event_families[i], name) >= 0)
			return refuse(
				l, -ENODEV,
				"'%s' is in the event table of %s, not in this CPU's",
				SHOW(l->asked), td_event_families[i].name);
	return refuse(l, -ENOENT, "no event '%s'%s%s; `tdagent list` has the names",
		      SHOW(l->asked), strchr(l->source->pmu, '_') ? " of " : "",
		      strchr(l->source->pmu, '_') ? l->source->pmu : "");
}

/* NAME or NAME:u; `text` is a copy. */
static int take_plain(const struct lookup *l, char *text)
{
	int error = take_known(l, text);
	char *colon = strrchr(text, ':');
	bool modified = error > 0 && colon && colon[1] &&
			colon[1 + strspn(colon + 1, "ukhHGIpPSDWeb")] == '\0';

	if (modified) {
		*colon = '\0';
		error = take_known(l, text);
		if (!error)
			error = check_modifiers(l, colon + 1);
	}
	if (error > 0)
		return refuse_other(l, text);
	return error ? error : take_name(l, l->asked);
}

int td_event_lookup(const struct td_event_source *source, const char *text,
		    struct td_event_name *event, char *why, size_t size)
{
	const struct lookup l = {source, event, text, why, size};
	const char *raw = td_event_raw(text);
	char copy[TD_EVENT_TEXT];

	memset(event, 0, sizeof(*event));
	for (const char *at = text; *at; at++)
		if (*at <= ' ' || *at > '~' || *at == '"' || *at == '\\')
			return refuse(&l, -EINVAL,
				      "no event '%s': a name has letters, digits and "
				      "signs of ASCII",
				      SHOW(text));
	if (strlen(text) >= sizeof(copy) - 1)
		return take_name(&l, text);
	strcpy(copy, text);
	if (raw && raw > text)
		return take_named(&l, raw);
	return strchr(copy, '/') ? take_pmu(&l, copy) : take_plain(&l, copy);
}
