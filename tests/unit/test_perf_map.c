// SPDX-License-Identifier: MIT
#include <string.h>

#include "decoder/perf_map.h"
#include "tests/unit/unit.h"

static struct td_perf_map map;

static void parse(const char *text)
{
	ck_assert_int_eq(td_perf_map_parse(&map, strdup(text)), 0);
}

static void named(uint64_t start, uint64_t size, const char *name)
{
	const char *found = td_perf_map_find(&map, start, size);

	if (name)
		ck_assert_pstr_eq(found, name);
	else
		ck_assert_ptr_null(found);
}

START_TEST(names_cover_chunks)
{
	parse("1000 30 f\n1030 50 g with blanks\n2000 10 h\n");
	ck_assert_uint_eq(map.symbols, 3);
	named(0x1000, 64, "f");
	named(0x1040, 64, "g with blanks");
	/* most of the chunk is of g */
	named(0x1020, 64, "g with blanks");
	named(0x1ff0, 64, "h");
	named(0x1100, 64, NULL);
	named(0xfc0, 64, NULL);
	td_perf_map_free(&map);
}
END_TEST

/* Code moves: what was written later is what is there. */
START_TEST(later_ones_replace)
{
	parse("1000 40 old\n3000 10 other\n1000 40 new\n");
	named(0x1000, 64, "new");
	td_perf_map_free(&map);
	parse("1020 20 inside\n1000 100 wide\n");
	named(0x1020, 32, "wide");
	td_perf_map_free(&map);
	parse("1000 100 wide\n1020 20 inside\n");
	named(0x1000, 32, "wide");
	named(0x1020, 32, "inside");
	td_perf_map_free(&map);
}
END_TEST

START_TEST(other_lines_are_left_out)
{
	parse("\nnonsense\n1000\n1000 10\n1000 10 \n1000 0 empty\nffffffffffffffff 10 over\n"
	      "-x 10 y\n 4000 10 fine\n5000 10 last");
	ck_assert_uint_eq(map.symbols, 2);
	named(0x4000, 16, "fine");
	named(0x5000, 16, "last");
	td_perf_map_free(&map);
	parse("");
	named(0, 64, NULL);
	td_perf_map_free(&map);
}
END_TEST

START_TEST(no_file_is_no_error)
{
	ck_assert_int_eq(td_perf_map_read(&map, 0, 0), 0);
	named(0, 64, NULL);
	td_perf_map_free(&map);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		names_cover_chunks,
		later_ones_replace,
		other_lines_are_left_out,
		no_file_is_no_error,
		NULL,
	};

	return unit_main("perf_map", tests);
}
