// SPDX-License-Identifier: MIT
#include "agent/core/notes.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "agent/core/core.h"
#include "agent/core/log.h"
#include "agent/sigsafe/store.h"

#define LAST (TD_NOTES_MAX - 1) /* of a full header: how many are missing */

/* How to measure is chosen before there is a profile, and once for all forked children.
 */
static struct {
	char note[TD_NOTES_MAX][sizeof(((struct td_file_header *)0)->note[0])];
	uint32_t notes;
	uint32_t more;
} early;

static uint32_t left_out; /* of this profile */

/* A child that chooses anew finds the same. */
static bool is_early(const char *line)
{
	for (uint32_t i = 0; i < early.notes; i++)
		if (strncmp(early.note[i], line, sizeof(early.note[i]) - 1) == 0)
			return true;
	return false;
}

static void keep(const char *line)
{
	if (is_early(line))
		return;
	if (early.notes == TD_NOTES_MAX)
		early.more++;
	else
		snprintf(early.note[early.notes++], sizeof(early.note[0]), "%.159s",
			 line);
}

static void put(struct td_file_header *header, uint32_t at, const char *line)
{
	snprintf(header->note[at], sizeof(header->note[at]), "%.159s", line);
	/* release: a note that is counted is complete */
	__atomic_store_n(&header->notes, at + 1, __ATOMIC_RELEASE);
}

static void leave_out(struct td_file_header *header, uint32_t more)
{
	char line[64];

	left_out += more;
	snprintf(line, sizeof(line), "%u more note%s had no room in the profile",
		 left_out, left_out == 1 ? "" : "s");
	put(header, LAST, line);
}

static void add(struct td_file_header *header, const char *line)
{
	if (header->notes < LAST)
		put(header, header->notes, line);
	else
		leave_out(header, 1);
}

void td_notes_begin(struct td_file_header *header)
{
	left_out = 0;
	for (uint32_t i = 0; i < early.notes; i++)
		add(header, early.note[i]);
	if (early.more)
		leave_out(header, early.more);
}

void td_core_note(const char *format, ...)
{
	char line[512];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(line, sizeof(line), format, arguments);
	va_end(arguments);
	if (!td_core.quiet)
		td_say("%s", line);
	if (td_store.header)
		add(td_store.header, line);
	else
		keep(line);
}
