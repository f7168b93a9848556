// SPDX-License-Identifier: MIT
#include "decoder/profile_cores.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/topdown.h"

static uint64_t count_samples(const struct td_profile *profile, unsigned cores)
{
	uint64_t samples = 0;

	for (size_t i = 0; i < profile->threads; i++)
		if (profile->thread[i]->cores == cores)
			samples += profile->thread[i]->samples;
	return samples;
}

/* Those of the groups first to first + n, as if there were no others. */
static void keep_groups(struct td_file_header *header, uint32_t first, uint32_t n)
{
	uint64_t events = 0, asked = 0;

	for (uint64_t i = 0; i < header->events; i++) {
		struct td_file_event event = header->event[i];

		if (event.group != TD_GROUP_LATENCY) {
			if (event.group < first || event.group >= first + n)
				continue;
			event.group = (uint16_t)(event.group - first);
		}
		asked |= (header->asked >> i & 1) << events;
		header->event[events++] = event;
	}
	header->asked = asked;
	header->events = events;
	header->groups = n;
}

/* Where the counters are events and not nodes, they are those of the large cores. */
static void name_counters(struct td_file_header *header)
{
	struct td_file_counter *counter = header->counter;
	int first = 1;

	for (uint64_t i = 0; i < header->events; i++) {
		const struct td_file_event *event = &header->event[i];

		if (event->group || !event->value || event->value >= header->counters ||
		    strcmp(event->name, "inst") == 0)
			continue;
		for (unsigned v = 1; first && v <= TD_NODES_LEVEL1; v++)
			snprintf(counter[v].name, sizeof(counter[v].name), "none");
		first = 0;
		snprintf(counter[event->value].name, sizeof(counter->name), "%.*s",
			 (int)sizeof(counter->name) - 1, event->name);
	}
}

static void keep_header(struct td_file_header *header, int small)
{
	uint32_t large = header->small_group;

	if (small) {
		keep_groups(header, large, header->groups - large);
		header->slots_a_cycle = header->small_width;
		memcpy(header->family, header->small_family, sizeof(header->family));
		name_counters(header);
	} else {
		keep_groups(header, 0, large);
	}
}

static void keep_threads(struct td_profile *profile, unsigned cores)
{
	size_t n = 0;

	for (size_t i = 0; i < profile->threads; i++)
		if (profile->thread[i]->cores == cores)
			profile->thread[n++] = profile->thread[i];
	profile->threads = n;
	n = 0;
	for (size_t i = 0; i < profile->timelines; i++)
		if (profile->timeline[i].thread->cores == cores)
			profile->timeline[n++] = profile->timeline[i];
	profile->timelines = n;
}

/* Places, and the paths, which name them and each other by index. */
static int keep_places(struct td_profile *profile, unsigned cores)
{
	size_t *place = calloc(profile->places + 1, sizeof(*place));
	size_t *path = calloc(profile->paths + 1, sizeof(*path)), n = 0;

	for (size_t i = 0; i < profile->places && place && path; i++) {
		place[i] = n;
		if (profile->place[i].thread->cores == cores)
			profile->place[n++] = profile->place[i];
	}
	if (place && path)
		profile->places = n;
	n = 0;
	for (size_t i = 0; i < profile->paths && place && path; i++) {
		struct td_profile_path at = profile->path[i];

		path[i] = n;
		if (at.thread->cores != cores)
			continue;
		/* both are of the same thread: they have stayed, and come first */
		if (at.parent != SIZE_MAX)
			at.parent = path[at.parent];
		if (at.place != SIZE_MAX)
			at.place = place[at.place];
		profile->path[n++] = at;
	}
	if (place && path)
		profile->paths = n;
	n = place && path;
	free(place);
	free(path);
	return n ? 0 : -ENOMEM;
}

/* In the log the small cores' groups stand behind the others. */
static void keep_windows(struct td_profile *profile, uint32_t first, int small)
{
	size_t n = 0;

	for (size_t i = 0; i < profile->windows; i++) {
		/* in the profile's own copy of the file */
		struct td_file_window *window =
			(struct td_file_window *)profile->window[i].window;

		if ((window->group >= first) != small)
			continue;
		window->group = (uint8_t)(window->group - (small ? first : 0));
		profile->window[n++] = profile->window[i];
	}
	profile->windows = n;
}

int td_profile_keep_cores(struct td_profile *profile, int cores)
{
	struct td_file_header *header = &profile->header;
	unsigned kept = cores == TD_CORES_SMALL ? TD_CORES_SMALL : TD_CORES_LARGE;
	uint32_t first = header->small_group;

	if (!first)
		return 0;
	if (cores == TD_CORES_ANY && !count_samples(profile, kept) &&
	    count_samples(profile, TD_CORES_SMALL))
		kept = TD_CORES_SMALL;
	if (keep_places(profile, kept) < 0)
		return -ENOMEM;
	profile->cores = kept;
	profile->elsewhere = count_samples(profile, !kept);
	keep_threads(profile, kept);
	keep_windows(profile, first, kept == TD_CORES_SMALL);
	keep_header(header, kept == TD_CORES_SMALL);
	return 0;
}
