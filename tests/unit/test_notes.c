// SPDX-License-Identifier: MIT
/* Notes reach the profile that is made after them, and none is left out unsaid. */
#include "agent/core/notes.h"

#include <check.h>
#include <stdarg.h>
#include <string.h>

#include "agent/core/core.h"
#include "agent/core/log.h"
#include "agent/sigsafe/store.h"
#include "tests/unit/unit.h"

struct td_core td_core;
static struct td_file_header header;
static unsigned said;

void td_say(const char *format, ...)
{
	(void)format;
	said++;
}

static void begin(void)
{
	memset(&header, 0, sizeof(header));
	td_store.header = &header;
	td_notes_begin(&header);
}

static void check(uint32_t number, const char *line)
{
	ck_assert_uint_gt(header.notes, number);
	ck_assert_str_eq(header.note[number], line);
}

/* A forked child has its parent's, and what it finds again but once. */
START_TEST(before_there_is_a_profile)
{
	td_core_note("no event '%s'", "nosuch");
	begin();
	ck_assert_uint_eq(header.notes, 1);
	check(0, "no event 'nosuch'");
	td_core_note("late");
	check(1, "late");
	td_store.header = NULL;
	td_core.quiet = true;
	td_core_note("no event 'nosuch'");
	td_core_note("another");
	begin();
	ck_assert_uint_eq(header.notes, 2);
	check(0, "no event 'nosuch'");
	check(1, "another");
	ck_assert_uint_eq(said, 2);
}
END_TEST

START_TEST(cut_to_their_room)
{
	char line[300];

	memset(line, 'x', sizeof(line) - 1);
	line[sizeof(line) - 1] = '\0';
	td_core_note("%s", line);
	td_core_note("%s", line);
	begin();
	ck_assert_uint_eq(header.notes, 1);
	ck_assert_uint_eq(strlen(header.note[0]), 159);
}
END_TEST

START_TEST(more_than_there_is_room_for)
{
	for (int i = 0; i < 18; i++)
		td_core_note("early %d", i);
	begin();
	ck_assert_uint_eq(header.notes, TD_NOTES_MAX);
	check(14, "early 14");
	check(15, "3 more notes had no room in the profile");
	td_core_note("late");
	check(14, "early 14");
	check(15, "4 more notes had no room in the profile");
	begin();
	check(15, "3 more notes had no room in the profile");
}
END_TEST

START_TEST(one_more_than_there_is_room_for)
{
	begin();
	for (int i = 0; i < 16; i++)
		td_core_note("late %d", i);
	check(14, "late 14");
	check(15, "1 more note had no room in the profile");
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {before_there_is_a_profile, cut_to_their_room,
				      more_than_there_is_room_for,
				      one_more_than_there_is_room_for, NULL};

	return unit_main("notes", tests);
}
