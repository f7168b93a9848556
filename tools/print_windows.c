// SPDX-License-Identifier: MIT
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/names.h"
#include "decoder/symbols.h"
#include "decoder/text.h"
#include "tools/print.h"
#include "tools/quote.h"

/* A place where windows are opened or closed. */
struct end {
	const struct td_file_object *object; /* NULL: none */
	uint64_t address;
	char *name; /* "": none */
	char *module;
};

static int by_place(const void *a, const void *b)
{
	const struct end *x = a, *y = b;

	if (x->object != y->object)
		return (uintptr_t)x->object < (uintptr_t)y->object ? -1 : 1;
	return (x->address > y->address) - (x->address < y->address);
}

static void quote(FILE *out, const char *text)
{
	fputc(',', out);
	td_quote_csv(out, text);
}

/* The places of all windows, each once, sorted; returns how many. */
static size_t collect(const struct td_profile *profile, struct end *end)
{
	size_t n = 0, kept = 0;

	for (size_t i = 0; i < profile->windows; i++) {
		const struct td_profile_window *w = &profile->window[i];

		for (unsigned k = 0; k < 2; k++)
			end[n++] = (struct end){.object = w->object[k],
						.address = w->window->end[k].address};
	}
	qsort(end, n, sizeof(*end), by_place);
	for (size_t i = 0; i < n; i++)
		if (!kept || by_place(&end[kept - 1], &end[i]) != 0)
			end[kept++] = end[i];
	return kept;
}

static int name_end(struct end *end, const struct td_symbols *symbols)
{
	const struct td_file_object *object = end->object;
	struct td_symbol symbol;

	if (object && object->kind != TD_OBJECT_JIT &&
	    td_symbols_find(symbols, end->address, &symbol))
		end->name = td_symbol_demangle(symbol.name);
	else
		end->name = strdup("");
	end->module = td_text_clean(object ? object->path : "",
				    object ? sizeof(object->path) : 0);
	return end->name && end->module ? 0 : -ENOMEM;
}

/* They come object by object: one symbol table is open at a time. */
static int name_ends(struct end *end, size_t ends)
{
	static const struct td_file_object none;
	struct td_symbols *symbols = NULL;
	int err = 0;

	for (size_t i = 0; i < ends && !err; i++) {
		if (!symbols || end[i].object != end[i - 1].object) {
			if (symbols)
				td_symbols_close(symbols);
			symbols = td_symbols_open(end[i].object ? end[i].object : &none);
		}
		err = symbols ? name_end(&end[i], symbols) : -ENOMEM;
	}
	if (symbols)
		td_symbols_close(symbols);
	return err;
}

static void print_head(const struct td_print_windows *print)
{
	fputs("simulated,pid,tid,window,requested,open_function,open_module,open_address,"
	      "open_offset,close_function,close_module,close_address,close_offset",
	      print->out);
	for (uint32_t i = 0; i < print->counters; i++)
		quote(print->out, print->counter[i].name);
	if (print->groups)
		quote(print->out, "group");
	for (uint32_t i = 0; i < print->events; i++)
		quote(print->out, print->event[i]);
	fputc('\n', print->out);
}

/* The events that groups count, each name once. */
static void note_events(struct td_print_windows *print,
			const struct td_file_header *header)
{
	print->groups = header->groups > 1;
	for (uint64_t i = 0; i < header->events && print->groups; i++) {
		const struct td_file_event *event = &header->event[i];
		uint32_t k = 0;

		while (k < print->events && strcmp(print->event[k], event->name) != 0)
			k++;
		if (event->group < TD_GROUPS_MAX && k == print->events)
			memcpy(print->event[print->events++], event->name,
			       sizeof(event->name));
	}
}

/* Which of the values of a window of the group is the event's; -1: none. */
static int event_at(const struct td_file_header *header, unsigned group, const char *name)
{
	for (uint64_t i = 0; i < header->events; i++)
		if (header->event[i].group == group &&
		    strcmp(header->event[i].name, name) == 0)
			return header->event[i].value;
	return -1;
}

static void print_value(FILE *out, const uint64_t *value, uint32_t n, int at)
{
	fputc(',', out);
	if (at >= 0 && (uint32_t)at < n)
		fprintf(out, "%" PRId64, (int64_t)value[at]);
}

/* The counters are the first group's, but for slots, which each group has. */
static void print_values(const struct td_print_windows *print,
			 const struct td_profile *profile,
			 const struct td_file_window *window)
{
	uint64_t value[TD_COUNTERS_MAX];
	uint32_t n = td_profile_window_values(profile, window, value);

	for (uint32_t i = 0; i < print->counters; i++) {
		int at = td_profile_counter(profile, print->counter[i].name);

		print_value(print->out, value, n, window->group && at ? -1 : at);
	}
	if (print->groups)
		fprintf(print->out, ",%u", window->group);
	for (uint32_t i = 0; i < print->events; i++)
		print_value(print->out, value, n,
			    event_at(&profile->header, window->group, print->event[i]));
	fputc('\n', print->out);
}

static const char *verdict(const struct td_file_window *window)
{
	if (window->state == TD_WINDOW_EMPTY && window->reject == TD_REJECT_MAX)
		return "empty";
	return window->reject == TD_REJECT_MAX ? "valid" : td_reject_key(window->reject);
}

static void print_row(const struct td_print_windows *print,
		      const struct td_profile *profile, const struct td_profile_window *w,
		      const struct end *end, size_t ends)
{
	const struct td_file_window *window = w->window;

	fprintf(print->out, "%s,%u,%u,%s,%u",
		profile->header.simulated ? "SIMULATED" : "", profile->header.pid,
		window->thread, verdict(window), window->requested);
	for (unsigned k = 0; k < 2; k++) {
		struct end key = {.object = w->object[k],
				  .address = window->end[k].address};
		const struct end *at = bsearch(&key, end, ends, sizeof(*end), by_place);

		quote(print->out, at->name);
		quote(print->out, at->module);
		fprintf(print->out, ",0x%" PRIx64 ",%u", key.address,
			window->end[k].offset);
	}
	print_values(print, profile, window);
}

int td_print_windows(struct td_print_windows *print, const struct td_profile *profile)
{
	struct end *end = calloc(2 * profile->windows + 1, sizeof(*end));
	size_t ends;
	int err;

	if (!end)
		return -ENOMEM;
	print->cores = profile->cores;
	print->elsewhere += profile->elsewhere;
	ends = collect(profile, end);
	err = name_ends(end, ends);
	if (!err && !print->counters) {
		print->counters = profile->header.counters;
		memcpy(print->counter, profile->header.counter, sizeof(print->counter));
		note_events(print, &profile->header);
		print_head(print);
	}
	for (size_t i = 0; i < profile->windows && !err; i++)
		print_row(print, profile, &profile->window[i], end, ends);
	for (size_t i = 0; i < ends; i++) {
		free(end[i].name);
		free(end[i].module);
	}
	free(end);
	return err;
}
