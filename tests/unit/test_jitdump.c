// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/jitdump.h"
#include "tests/unit/unit.h"

#define PID 77

static struct td_jitdump dump;

/* The dump that is being written, and what it will be read from. */
static unsigned char bytes[8192];
static size_t size;

static void put(const void *data, size_t length)
{
	ck_assert_uint_le(size + length, sizeof(bytes));
	memcpy(bytes + size, data, length);
	size += length;
}

static void put32(uint32_t value)
{
	put(&value, sizeof(value));
}

static void put64(uint64_t value)
{
	put(&value, sizeof(value));
}

static void begin(uint32_t magic, uint32_t version, uint64_t flags)
{
	size = 0;
	put32(magic);
	put32(version);
	put32(48); /* longer than it is today */
	put32(62);
	put32(0);
	put32(PID);
	put64(1);
	put64(flags);
	put64(0xfeed);
}

static void record(uint32_t kind, uint32_t body, uint64_t time)
{
	put32(kind);
	put32(16 + body);
	put64(time);
}

static void load(uint64_t time, uint64_t address, uint64_t length, const char *name)
{
	record(0, 40 + (uint32_t)strlen(name) + 1 + 8, time);
	put32(PID);
	put32(PID);
	put64(address);
	put64(address);
	put64(length);
	put64(1);
	put(name, strlen(name) + 1);
	put("\220\220\220\220\220\220\220\303", 8);
}

static void move(uint64_t time, uint64_t from, uint64_t to, uint64_t length)
{
	record(1, 48, time);
	put32(PID);
	put32(PID);
	put64(to);
	put64(from);
	put64(to);
	put64(length);
	put64(1);
}

static int read_dump(void)
{
	FILE *in = fmemopen(bytes, size, "r");
	int err;

	ck_assert_ptr_nonnull(in);
	err = td_jitdump_read(&dump, in, PID);
	fclose(in);
	return err;
}

static void named(uint64_t start, uint64_t from, uint64_t until, const char *name)
{
	const char *found = td_jitdump_find(&dump, start, 64, from, until);

	if (name)
		ck_assert_pstr_eq(found, name);
	else
		ck_assert_ptr_null(found);
}

START_TEST(names_cover_chunks)
{
	begin(0x4a695444, 1, 0);
	load(10, 0x1000, 0x30, "f");
	load(11, 0x1030, 0x50, "g with blanks");
	record(2, 24, 12); /* debug information, which is left out */
	put("012345678901234567890123", 24);
	load(13, 0x2000, 0x10, "h");
	ck_assert_int_eq(read_dump(), 0);
	ck_assert_uint_eq(dump.codes, 3);
	named(0x1000, 0, 100, "f");
	named(0x1020, 0, 100, "g with blanks");
	named(0x1ff0, 0, 100, "h");
	named(0x1100, 0, 100, NULL);
	named(0x1000, 0, 10, NULL); /* not there yet */
	td_jitdump_free(&dump);
}
END_TEST

/* A place that is used again: who was there longer, between the profile's ends. */
START_TEST(times_tell_who_was_there)
{
	begin(0x4a695444, 1, 0);
	load(60, 0x1020, 0x100, "late"); /* as a slower thread wrote it */
	load(10, 0x1000, 0x40, "early");
	load(90, 0x1000, 0x40, "last");
	ck_assert_int_eq(read_dump(), 0);
	named(0x1000, 0, 50, "early");
	named(0x1000, 0, 100, "early");
	named(0x1000, 50, 95, "late");
	named(0x1000, 95, 200, "last");
	/* late was overwritten in part, and is gone */
	named(0x1080, 60, 80, "late");
	named(0x1080, 95, 200, NULL);
	td_jitdump_free(&dump);
}
END_TEST

START_TEST(moves_keep_the_name)
{
	begin(0x4a695444, 1, 0);
	load(10, 0x1000, 0x40, "f");
	load(10, 0x5000, 0x40, "victim");
	move(20, 0x1000, 0x5000, 0x40);
	move(21, 0x7000, 0x9000, 0x40); /* nothing was there */
	ck_assert_int_eq(read_dump(), 0);
	named(0x1000, 0, 100, "f");
	named(0x1000, 20, 100, NULL);
	named(0x5000, 0, 19, "victim");
	named(0x5000, 20, 100, "f");
	named(0x9000, 0, 100, NULL);
	td_jitdump_free(&dump);
}
END_TEST

START_TEST(what_is_closed_ends)
{
	begin(0x4a695444, 1, 0);
	load(10, 0x1000, 0x40, "f");
	record(3, 0, 20);
	load(30, 0x2000, 0x40, "g");
	ck_assert_int_eq(read_dump(), 0);
	named(0x1000, 0, 100, "f");
	named(0x2000, 0, 100, NULL);
	td_jitdump_free(&dump);
}
END_TEST

/* Time stamps of the processor have an order and no more. */
START_TEST(other_clocks_keep_the_last)
{
	begin(0x4a695444, 1, 1);
	load(1000, 0x1000, 0x40, "old");
	load(2000, 0x1000, 0x40, "new");
	ck_assert_int_eq(read_dump(), 0);
	named(0x1000, 0, 100, "new");
	td_jitdump_free(&dump);
}
END_TEST

START_TEST(other_files_are_refused)
{
	begin(0x4454694a, 1, 0); /* the other byte order */
	ck_assert_int_eq(read_dump(), -EINVAL);
	begin(0x4a695444, 2, 0);
	ck_assert_int_eq(read_dump(), -EINVAL);
	begin(0x4a695444, 1, 0);
	bytes[20] = PID + 1; /* another process */
	ck_assert_int_eq(read_dump(), -EINVAL);
	begin(0x4a695444, 1, 0);
	bytes[8] = 39; /* a header that is too short */
	ck_assert_int_eq(read_dump(), -EINVAL);
	size = 20;
	ck_assert_int_eq(read_dump(), -EINVAL);
}
END_TEST

/* Impossible code is left out, an impossible record ends the dump. */
START_TEST(bad_records)
{
	begin(0x4a695444, 1, 0);
	load(10, 0x1000, 0, "empty");
	load(10, UINT64_MAX - 4, 16, "over");
	load(10, 0x3000, 16, "");
	move(11, UINT64_MAX - 4, 0x1000, 16);
	load(12, 0x1000, 0x40, "f");
	record(0, 8, 13); /* a load without its fields */
	put64(0);
	load(14, 0x2000, 0x40, "g");
	ck_assert_int_eq(read_dump(), 0);
	ck_assert_uint_eq(dump.codes, 1);
	named(0x1000, 0, 100, "f");
	td_jitdump_free(&dump);

	begin(0x4a695444, 1, 0);
	load(12, 0x1000, 0x40, "f");
	record(7, 0, 13);
	bytes[size - 12] = 4; /* shorter than its own prefix: would never end */
	load(14, 0x2000, 0x40, "g");
	ck_assert_int_eq(read_dump(), 0);
	ck_assert_uint_eq(dump.codes, 1);
	td_jitdump_free(&dump);

	begin(0x4a695444, 1, 0);
	record(0, 40 + 4, 10);
	for (int i = 0; i < 5; i++)
		put64(0x1000);
	put("name", 4); /* without its NUL */
	load(14, 0x2000, 0x40, "g");
	ck_assert_int_eq(read_dump(), 0);
	ck_assert_uint_eq(dump.codes, 0);
	named(0x1000, 0, 100, NULL);
	td_jitdump_free(&dump);
}
END_TEST

/* A process that still writes, or was killed: whole records count. */
START_TEST(cut_anywhere)
{
	size_t whole;

	begin(0x4a695444, 1, 0);
	load(10, 0x1000, 0x40, "f");
	move(20, 0x1000, 0x5000, 0x40);
	load(30, 0x1000, 0x40, "g");
	whole = size;
	for (size = 1; size < 40; size++)
		ck_assert_int_eq(read_dump(), -EINVAL);
	for (size = 48; size < whole; size++) {
		ck_assert_int_eq(read_dump(), 0);
		ck_assert_uint_le(dump.codes, 3);
		td_jitdump_free(&dump);
	}
}
END_TEST

/* Any damage is survived; the sanitizers look on. */
START_TEST(noise)
{
	srand(1);
	for (int round = 0; round < 2000; round++) {
		begin(0x4a695444, 1, 0);
		for (int i = 0; i < 8; i++) {
			load((uint64_t)i, 0x1000 + 0x20u * (uint64_t)(rand() % 8), 0x40,
			     "function");
			move((uint64_t)i, 0x1000, 0x1000 + 0x20u * (uint64_t)(rand() % 8),
			     0x40);
		}
		for (int i = 0; i < 4; i++)
			bytes[48 + (size_t)rand() % (size - 48)] = (unsigned char)rand();
		ck_assert_int_eq(read_dump(), 0);
		named(0x1000, 0, 0, NULL);
		td_jitdump_find(&dump, 0x1000, 64, 0, UINT64_MAX);
		td_jitdump_free(&dump);
	}
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		names_cover_chunks,
		times_tell_who_was_there,
		moves_keep_the_name,
		what_is_closed_ends,
		other_clocks_keep_the_last,
		other_files_are_refused,
		bad_records,
		cut_anywhere,
		noise,
		NULL,
	};

	return unit_main("jitdump", tests);
}
