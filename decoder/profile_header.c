// SPDX-License-Identifier: MIT
#include "decoder/profile_header.h"

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define ROOM (TD_BLOCK_SIZE - TD_BLOCK_HEADER)

#define TERMINATE(array) ((array)[sizeof(array) - 1] = '\0')

/* The header of version 4, which had its events in between. */
#define HEADER_4 8144ul
#define EVENTS_4 6304u
#define LABELS_4 7584u

struct event_4 {
	char name[20];
	uint16_t group;
	uint16_t value;
	uint64_t config;
};

_Static_assert(offsetof(struct td_file_header, labels) == EVENTS_4, "doc/formats.md");
_Static_assert(EVENTS_4 + TD_EVENTS_MAX * sizeof(struct event_4) == LABELS_4 &&
		       HEADER_4 - LABELS_4 ==
			       offsetof(struct td_file_header, event) - EVENTS_4,
	       "doc/formats.md");

__attribute__((format(printf, 3, 4))) static int refuse(char *why, size_t size,
							const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(why, size, format, args);
	va_end(args);
	return -EINVAL;
}

static int check_start(const unsigned char *bytes, size_t length, char *why, size_t size)
{
	size_t known = length < 8 ? length : 8;

	if (length == 0)
		return refuse(why, size, "not a tdagent profile (empty file)");
	if (memcmp(bytes, TD_FILE_MAGIC, known) != 0)
		return refuse(why, size, "not a tdagent profile");
	if (length < HEADER_4)
		return refuse(why, size, "truncated in the header (%zu of %zu bytes)",
			      length, HEADER_4);
	return 0;
}

/* Up to version 4 events were before what is their place in the file now. */
static void take_header_4(struct td_file_header *h, const unsigned char *bytes)
{
	memcpy(h, bytes, offsetof(struct td_file_header, labels));
	memcpy(h->labels, bytes + LABELS_4,
	       offsetof(struct td_file_header, event) -
		       offsetof(struct td_file_header, labels));
	for (size_t i = 0; i < TD_EVENTS_MAX; i++) {
		struct event_4 old;

		memcpy(&old, bytes + EVENTS_4 + i * sizeof(old), sizeof(old));
		h->event[i] = (struct td_file_event){
			.group = old.group, .value = old.value, .config = old.config};
		TERMINATE(old.name);
		memcpy(h->event[i].name, old.name, sizeof(old.name));
	}
}

/* Where records begin is in *first. */
static int take_header(struct td_file_header *h, uint32_t *first,
		       const unsigned char *bytes, size_t length, char *why, size_t size)
{
	memset(h, 0, sizeof(*h));
	memcpy(h, bytes, TD_HEADER_OLDEST);
	*first = h->version <= 4 ? 1 : TD_HEADER_BLOCKS;
	/* of what is no version that we know, a byte order say, check_header() tells */
	if (h->byte_order != TD_FILE_BYTE_ORDER || h->version > TD_FILE_VERSION)
		return 0;
	if (h->version <= 4) {
		take_header_4(h, bytes);
		return 0;
	}
	if (length < sizeof(*h))
		return refuse(why, size, "truncated in the header (%zu of %zu bytes)",
			      length, sizeof(*h));
	memcpy(h, bytes, sizeof(*h));
	return 0;
}

static int size_possible(uint32_t size, size_t least)
{
	return size >= least && size % 8 == 0 && size <= ROOM;
}

static int check_header(const struct td_file_header *h, char *why, size_t size)
{
	if (h->byte_order == __builtin_bswap32(TD_FILE_BYTE_ORDER))
		return refuse(why, size, "written on a machine of the other byte order");
	if (h->byte_order != TD_FILE_BYTE_ORDER)
		return refuse(why, size, "damaged header (byte order 0x%08x)",
			      h->byte_order);
	if (h->version > TD_FILE_VERSION)
		return refuse(why, size,
			      "format version %u is newer than this tdagent (reads up "
			      "to %u): upgrade tdagent",
			      h->version, TD_FILE_VERSION);
	if (h->version == 0)
		return refuse(why, size, "damaged header (format version 0)");
	if (h->block_size != TD_BLOCK_SIZE || h->counters > TD_COUNTERS_MAX ||
	    !size_possible(h->object_size, sizeof(struct td_file_object)) ||
	    !size_possible(h->thread_size, offsetof(struct td_file_thread, cores)) ||
	    !size_possible(h->place_size, TD_PLACE_SIZE(h->counters)) ||
	    (h->path_size && !size_possible(h->path_size, TD_PATH_SIZE(h->counters))) ||
	    (h->version > 1 &&
	     !size_possible(h->window_size, sizeof(struct td_file_window))))
		return refuse(why, size,
			      "damaged header (blocks of %u bytes, records of %u, %u, %u "
			      "bytes, %u counters)",
			      h->block_size, h->object_size, h->thread_size,
			      h->place_size, h->counters);
	return 0;
}

/* Counters' names become JSON keys and column titles: graphic ASCII only. */
static void clean_word(char *word, size_t size)
{
	word[size - 1] = '\0';
	for (; *word; word++) {
		if (*word <= ' ' || *word > '~' || *word == '"' || *word == '\\')
			*word = '?';
	}
}

/* Groups and events that no reader can go astray with. */
static void clean_groups(struct td_file_header *h)
{
	if (h->version == 1) {
		h->groups = 0;
		h->events = 0;
		h->small_group = 0;
		h->asked = 0;
	}
	clean_word(h->family, sizeof(h->family));
	if (h->groups > TD_GROUPS_MAX)
		h->groups = TD_GROUPS_MAX;
	if (h->events > TD_EVENTS_MAX)
		h->events = TD_EVENTS_MAX;
	clean_word(h->small_family, sizeof(h->small_family));
	if (h->small_group >= h->groups || h->thread_size < sizeof(struct td_file_thread))
		h->small_group = 0;
	for (unsigned i = 0; i < h->events; i++) {
		struct td_file_event *event = &h->event[i];

		clean_word(event->name, sizeof(event->name));
		if (event->group > TD_GROUP_LATENCY || event->value >= TD_COUNTERS_MAX)
			event->group = event->value = 0;
	}
}

static void clean_header(struct td_file_header *h)
{
	if (h->version == 1) {
		h->window_size = h->windows_max = h->slots_a_cycle = 0;
		h->raw_totals = 0;
		h->windows_seen = 0;
		h->burst = 0;
		h->latencies_lost = 0;
	}
	if (h->burst > TD_BURST_MAX)
		h->burst = TD_BURST_MAX;
	for (unsigned i = 0; i < TD_COUNTERS_MAX; i++) {
		clean_word(h->counter[i].name, sizeof(h->counter[i].name));
		clean_word(h->counter[i].unit, sizeof(h->counter[i].unit));
	}
	if (h->notes > TD_NOTES_MAX)
		h->notes = TD_NOTES_MAX;
	for (unsigned i = 0; i < TD_NOTES_MAX; i++)
		TERMINATE(h->note[i]);
	TERMINATE(h->agent);
	TERMINATE(h->cpu);
	TERMINATE(h->kernel);
	TERMINATE(h->host);
	TERMINATE(h->reason);
	TERMINATE(h->exe);
	TERMINATE(h->command);
	TERMINATE(h->labels);
	clean_groups(h);
}

int td_profile_header(struct td_file_header *header, uint32_t *first,
		      const unsigned char *bytes, size_t length, char *why, size_t size)
{
	int error = check_start(bytes, length, why, size);

	if (!error)
		error = take_header(header, first, bytes, length, why, size);
	if (!error)
		error = check_header(header, why, size);
	if (!error)
		clean_header(header);
	return error;
}
