// SPDX-License-Identifier: MIT
#include "agent/core/alternation.h"

#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <sys/ioctl.h>

#include "agent/sigsafe/proc.h"
#include "decoder/event_names.h"

#define DEVICES "/sys/bus/event_source/devices"

/* Long periods of a trial, and iterations of a loop whatever they take. */
#define PERIODS 8u
#define LOOP_MOST 20000000u

/* A record's words: as fill_attr() in agent/core/vernier.c asks for them. */
enum { WORD_COUNT = 6 };

static uint64_t config2, field; /* one of them at most is not 0 */

bool td_alternation_find(uint64_t short_period)
{
	DIR *devices = opendir(DEVICES);
	struct dirent *entry;
	bool found = false;

	while (devices && !found && (entry = readdir(devices)) != NULL) {
		char path[320], format[64];

		snprintf(path, sizeof(path), DEVICES "/%s/format/strobe_period",
			 entry->d_name);
		config2 = field = 0;
		found = td_proc_read(path, format, sizeof(format)) > 0 &&
			td_event_format_put("config2", format, short_period, &config2);
	}
	if (devices)
		closedir(devices);
	return found;
}

bool td_alternation_use_field(uint64_t short_period)
{
	config2 = 0;
	field = short_period <= UINT32_MAX ? short_period : 0;
	return field != 0;
}

void td_alternation_put(union td_alternation_attr *attr)
{
	if (config2)
		attr->attr.config2 = config2;
	if (!field)
		return;
	attr->attr.size = sizeof(*attr);
	attr->word[TD_ALTERNATION_FIELD] = field;
}

bool td_alternation_is_seen(const uint64_t *count, unsigned counts, uint64_t period)
{
	unsigned turns = 0, distances = counts > 1 ? counts - 1 : 0;

	for (unsigned i = 2; i < counts; i++) {
		bool before = count[i - 1] - count[i - 2] < period / 2;
		bool now = count[i] - count[i - 1] < period / 2;

		turns += before != now;
	}
	/* interrupts that are lost or late spoil a few */
	return distances >= 3 && 4 * turns >= 3 * (distances - 1);
}

int td_alternation_run(struct td_ring *ring, int fd, uint64_t period)
{
	struct td_ring_record record;
	uint64_t count[4 * PERIODS], loops = PERIODS * period;
	unsigned counts = 0;

	if (ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) != 0)
		return -errno;
	/* a cycle each at least */
	for (volatile uint64_t i = 0; i < loops && i < LOOP_MOST; i++)
		;
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	while (counts < sizeof(count) / sizeof(count[0]) && td_ring_next(ring, &record))
		if (record.type == PERF_RECORD_SAMPLE && record.words > WORD_COUNT)
			count[counts++] = record.word[WORD_COUNT];
	return td_alternation_is_seen(count, counts, period) ? 0 : -ENOTSUP;
}
