// SPDX-License-Identifier: MIT
/* What the terminal browser shows, without a terminal. */
#include <limits.h>
#include <string.h>

#include "tests/unit/build_profile.h"
#include "tests/unit/unit.h"
#include "tools/tui_details.h"
#include "tools/tui_list.h"

static const char *const counters[] = {
	"slots", "retiring", "bad_speculation", "frontend_bound", "backend_bound", NULL};
static const uint64_t busy[] = {1000, 800, 0, 0, 200};
static const uint64_t waiting[] = {1000, 200, 0, 0, 800};

static struct build build;
static struct td_report *report;

static struct td_file_place *function(uint32_t thread, uint32_t object, uint64_t address,
				      uint64_t samples, const uint64_t *count)
{
	struct td_file_place *place =
		build_place(&build, thread, TD_PLACE_FUNCTION, object, address);

	place->samples = samples;
	for (int i = 0; count && i < 10; i++)
		build_window(&build, place, count);
	return place;
}

/* a.out+0x1000: 60 samples, retiring; 0x2000: 30, no windows; 0x3000: 10, waiting. */
static void start(void)
{
	static const struct td_report_query all;
	struct td_file_place *f, *g;
	uint32_t object, thread, at;

	build_start(&build, counters);
	build.header->backend = TD_BACKEND_METRICS;
	object = build_object(&build, TD_OBJECT_ELF, "/nonexistent/a.out");
	thread = build_thread(&build, 1, "main");
	f = function(thread, object, 0x1000, 60, busy);
	function(thread, object, 0x2000, 30, NULL);
	g = function(thread, object, 0x3000, 10, waiting);
	at = build_path(&build, thread, build_root(&build, thread), f);
	((struct td_file_path *)build_record(&build, at))->samples = 60;
	at = build_path(&build, thread, at, g);
	((struct td_file_path *)build_record(&build, at))->samples = 10;
	report = td_report_new(&all);
	build_add(&build, report);
	ck_assert_int_eq(td_report_finish(report), 0);
	ck_assert_uint_eq(report->functions, 3);
}

static void stop(void)
{
	td_report_free(report);
	build_free(&build);
}

static uint64_t address(const struct td_tui_list *list, size_t row)
{
	ck_assert_uint_lt(row, list->rows);
	return report->function[list->row[row].function].address;
}

START_TEST(sorts)
{
	struct td_tui_list list;

	start();
	ck_assert_int_eq(td_tui_list_make(&list, report), 0);
	ck_assert_uint_eq(list.rows, 3);
	ck_assert_uint_eq(address(&list, 0), 0x1000);
	ck_assert_str_eq(td_tui_list_sorted_by(&list), "samples");
	list.reverse = true;
	td_tui_list_arrange(&list);
	ck_assert_uint_eq(address(&list, 0), 0x3000);
	/* what is not known is last, whichever way */
	list.sort = TD_SORT_NODE + TD_NODE_BACKEND_BOUND;
	list.reverse = false;
	td_tui_list_arrange(&list);
	ck_assert_uint_eq(address(&list, 0), 0x3000);
	ck_assert_uint_eq(address(&list, 2), 0x2000);
	list.reverse = true;
	td_tui_list_arrange(&list);
	ck_assert_uint_eq(address(&list, 0), 0x1000);
	ck_assert_uint_eq(address(&list, 2), 0x2000);
	td_tui_list_free(&list);
	stop();
}
END_TEST

START_TEST(sort_keys_go_round)
{
	struct td_tui_list list;
	unsigned first;
	int keys = 0;

	start();
	ck_assert_int_eq(td_tui_list_make(&list, report), 0);
	first = list.sort;
	do {
		ck_assert_ptr_nonnull(td_tui_list_sorted_by(&list));
		td_tui_list_sort(&list, 1);
		keys++;
	} while (list.sort != first && keys < 20);
	ck_assert_int_ge(keys, 7);
	ck_assert_int_le(keys, TD_SORT_NODE + TD_NODES_LEVEL1);
	td_tui_list_sort(&list, -1);
	td_tui_list_sort(&list, 1);
	ck_assert_uint_eq(list.sort, first);
	td_tui_list_free(&list);
	stop();
}
END_TEST

START_TEST(filters)
{
	struct td_tui_list list;

	start();
	ck_assert_int_eq(td_tui_list_make(&list, report), 0);
	td_tui_list_move(&list, 2, 10);
	ck_assert_uint_eq(address(&list, list.at), 0x3000);
	strcpy(list.filter, "3000 A.OUT");
	td_tui_list_arrange(&list);
	ck_assert_uint_eq(list.rows, 1);
	ck_assert_uint_eq(list.at, 0);
	strcpy(list.filter, "nonexistent"); /* the directory is no part of it */
	td_tui_list_arrange(&list);
	ck_assert_uint_eq(list.rows, 0);
	ck_assert_uint_eq(td_tui_list_function(&list), SIZE_MAX);
	td_tui_list_move(&list, 1, 10);
	td_tui_list_open(&list, true);
	ck_assert_uint_eq(list.at, 0);
	list.filter[0] = '\0';
	td_tui_list_arrange(&list);
	ck_assert_uint_eq(list.rows, 3);
	td_tui_list_free(&list);
	stop();
}
END_TEST

START_TEST(moves_within_bounds)
{
	struct td_tui_list list;

	start();
	ck_assert_int_eq(td_tui_list_make(&list, report), 0);
	td_tui_list_move(&list, -1, 2);
	ck_assert_uint_eq(list.at, 0);
	td_tui_list_move(&list, 2, 2);
	ck_assert_uint_eq(list.at, 2);
	ck_assert_uint_eq(list.top, 1);
	td_tui_list_move(&list, LONG_MAX, 2);
	ck_assert_uint_eq(list.at, 2);
	td_tui_list_move(&list, -LONG_MAX, 2);
	ck_assert_uint_eq(list.at, 0);
	ck_assert_uint_eq(list.top, 0);
	td_tui_list_free(&list);
	stop();
}
END_TEST

START_TEST(opens)
{
	struct td_tui_list list;

	start();
	ck_assert_int_eq(td_tui_list_make(&list, report), 0);
	td_tui_list_open(&list, true);
	ck_assert_uint_eq(list.rows, 3 + 4);
	ck_assert_int_eq(list.row[0].node, -1);
	ck_assert_int_eq(list.row[1].node, TD_NODE_RETIRING);
	ck_assert_int_eq(list.row[4].node, TD_NODE_BACKEND_BOUND);
	td_tui_list_move(&list, 3, 10);
	td_tui_list_open(&list, false);
	ck_assert_uint_eq(list.rows, 3);
	ck_assert_uint_eq(list.at, 0);
	/* nothing is known of this one */
	td_tui_list_move(&list, 1, 10);
	td_tui_list_open(&list, true);
	ck_assert_uint_eq(list.rows, 3);
	td_tui_list_free(&list);
	stop();
}
END_TEST

static const struct td_tui_line *line_with(const struct td_tui_details *details,
					   const char *text)
{
	for (size_t i = 0; i < details->lines; i++)
		if (strstr(details->line[i].text, text))
			return &details->line[i];
	ck_abort_msg("no line with %s", text);
	return NULL;
}

START_TEST(details_lead_on)
{
	struct td_tui_details details;
	struct td_paths tree;
	const struct td_tui_line *line;

	start();
	ck_assert_int_eq(td_paths_tree(report, &tree), 0);
	ck_assert_int_eq(td_tui_details_make(&details, report, &tree, 0, 80), 0);
	ck_assert_int_eq(line_with(&details, "retiring ")->node, TD_NODE_RETIRING);
	line_with(&details, "80.0");
	line_with(&details, "60.0 % of the samples");
	line_with(&details, "70.0 % with all that it calls");
	ck_assert_uint_eq(line_with(&details, "(start of the thread)")->link, SIZE_MAX);
	td_tui_details_link(&details, 1, 10);
	line = &details.line[details.at];
	ck_assert_ptr_nonnull(strstr(line->text, "10.0 %"));
	ck_assert_uint_eq(report->function[line->link].address, 0x3000);
	td_tui_details_link(&details, 1, 10); /* there is no other */
	ck_assert_ptr_eq(line, &details.line[details.at]);
	td_tui_details_move(&details, LONG_MAX, 10);
	ck_assert_uint_eq(details.at, details.lines - 1);
	ck_assert_uint_eq(details.top, details.lines - 10);
	td_tui_details_free(&details);
	td_paths_free(&tree);
	stop();
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		sorts, sort_keys_go_round, filters, moves_within_bounds,
		opens, details_lead_on,    NULL,
	};

	return unit_main("tui", tests);
}
