// SPDX-License-Identifier: MIT
/* Trees of call paths, from the file's bytes to the report's totals. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/report.h"
#include "tests/unit/build_profile.h"
#include "tests/unit/json.h"
#include "tests/unit/unit.h"
#include "tools/calls.h"
#include "tools/print.h"

static const char *const counters[] = {
	"slots", "retiring", "bad_speculation", "frontend_bound", "backend_bound", NULL};
static const uint64_t own[] = {200, 60, 20, 40, 80};
/* own cost included: 0.8 and 0.2 retiring without it */
static const uint64_t busy[] = {1200, 860, 20, 40, 280};
static const uint64_t waiting[] = {1200, 260, 20, 40, 880};

static char why[256];
static struct build build;
static uint32_t object, thread;

static void start(void)
{
	build_start(&build, counters);
	build.header->backend = TD_BACKEND_METRICS;
	object = build_object(&build, TD_OBJECT_ELF, "/nonexistent/a.out");
	thread = build_thread(&build, 1, "main");
	((struct td_file_thread *)build_record(&build, thread))->empties = 10;
	for (int c = 0; c < 5; c++)
		((struct td_file_thread *)build_record(&build, thread))->empty[c] =
			10 * own[c];
}

static struct td_file_place *function(uint64_t address, uint64_t samples)
{
	struct td_file_place *place =
		build_place(&build, thread, TD_PLACE_FUNCTION, object, address);

	place->samples = samples;
	return place;
}

static uint32_t path(uint32_t parent, const struct td_file_place *place, uint64_t samples)
{
	uint32_t ref = build_path(&build, thread, parent, place);

	((struct td_file_path *)build_record(&build, ref))->samples = samples;
	return ref;
}

static void windows(uint32_t ref, int n, const uint64_t *count)
{
	for (int i = 0; i < n; i++)
		build_path_window(&build, ref, count);
}

static int parse(struct td_profile *profile)
{
	return build_parse(&build, build_size(&build), profile, why, sizeof(why));
}

static void add(struct td_report *report)
{
	struct td_profile profile;

	ck_assert_int_eq(parse(&profile), 0);
	ck_assert_uint_eq(profile.damage.records, 0);
	ck_assert_uint_eq(profile.damage.blocks, 0);
	ck_assert_int_eq(td_report_add(report, &profile, "x.tdp", TD_FATE_EXITED), 0);
	td_profile_free(&profile);
}

static struct td_report *finish(struct td_report_query query)
{
	struct td_report *report = td_report_new(&query);

	add(report);
	ck_assert_int_eq(td_report_finish(report), 0);
	return report;
}

static const struct td_report_function *row(const struct td_report *report,
					    uint64_t address)
{
	for (size_t i = 0; i < report->functions; i++)
		if (report->function[i].address == address)
			return &report->function[i];
	ck_abort_msg("no row at 0x%llx", (unsigned long long)address);
	return NULL;
}

/* Of groups 1 and 2 level 1 is 50, 9, 25 and 16 %, of the first one 25, 10, 15, 50. */
START_TEST(groups_are_combined)
{
	static const uint64_t first[] = {400, 100, 40, 60, 200},
			      one[] = {400, 200, 100, 0, 0},
			      two[] = {400, 220, 200, 4, 0};
	static const double right[] = {0.375, 0.095, 0.2, 0.33};
	const uint64_t *const count[] = {first, one, two};
	struct td_file_place *f;
	struct td_report *report;
	const struct td_report_total *total;
	uint32_t root, at_main;

	build_start(&build, counters);
	build_skylake_level1(&build);
	object = build_object(&build, TD_OBJECT_ELF, "/nonexistent/a.out");
	thread = build_thread(&build, 1, "main");
	f = function(0x2000, 30);
	root = build_root(&build, thread);
	at_main = path(root, function(0x1000, 10), 10);
	for (unsigned group = 0; group < 3; group++) {
		uint32_t ref = path(at_main, f, group ? 0 : 30);

		((struct td_file_path *)build_record(&build, ref))->group = group;
		windows(ref, 100, count[group]);
	}
	report = finish((struct td_report_query){0});
	total = &row(report, 0x1000)->total;
	ck_assert_uint_eq(total->samples, 40);
	ck_assert_uint_eq(total->windows, 300);
	ck_assert_uint_eq(total->counted[0], 100);
	ck_assert_uint_eq(report->paths.nodes, 3);
	for (int i = 0; i < TD_NODES_LEVEL1; i++) {
		ck_assert(total->node[i].present);
		ck_assert_double_eq_tol(total->node[i].estimate.value, right[i], 1e-9);
	}
	/* alike in each group: whatever is uncertain is not that */
	ck_assert_double_eq_tol(total->node[0].estimate.high, 0.375, 1e-6);
	td_report_free(report);
	build_free(&build);
}
END_TEST

/* main calls f and g, f calls g and itself. */
static void build_program(void)
{
	struct td_file_place *in_main, *f, *g;
	uint32_t root, at_main, at_f, at_ff;

	start();
	in_main = function(0x1000, 10);
	f = function(0x2000, 20);
	g = function(0x3000, 70);
	root = build_root(&build, thread);
	at_main = path(root, in_main, 10);
	at_f = path(at_main, f, 15);
	at_ff = path(at_f, f, 5);
	path(at_ff, g, 30);
	path(at_main, g, 40);
	windows(at_main, 10, waiting);
	windows(at_f, 10, busy);
	windows(at_ff, 10, busy);
	windows(root, 5, waiting); /* in no function's total */
}

START_TEST(totals_add_up)
{
	struct td_report *report;
	const struct td_report_function *f;
	int total;

	build_program();
	report = finish((struct td_report_query){0});
	ck_assert_int_eq(report->has_paths, 1);
	f = row(report, 0x1000);
	ck_assert_uint_eq(f->total.samples, 100);
	ck_assert_uint_eq(f->total.windows, 30);
	ck_assert_double_eq_tol(f->total.node[TD_NODE_RETIRING].estimate.value, 0.6,
				1e-9);
	f = row(report, 0x2000);
	/* once each, though it stands twice on most paths */
	ck_assert_uint_eq(f->total.samples, 50);
	ck_assert_double_eq_tol(f->total.share.value, 0.5, 1e-9);
	ck_assert_uint_eq(f->total.windows, 20);
	ck_assert_uint_eq(f->total.sum[0].sum, 20 * 1000);
	ck_assert_double_eq_tol(f->total.node[TD_NODE_RETIRING].estimate.value, 0.8,
				1e-9);
	ck_assert_double_lt(f->total.node[TD_NODE_RETIRING].estimate.low, 0.8);
	ck_assert_ptr_eq(td_report_answer(f, &total), f->total.node);
	ck_assert_int_eq(total, 1);
	f = row(report, 0x3000);
	ck_assert_uint_eq(f->total.samples, 70);
	ck_assert_uint_eq(f->total.windows, 0);
	ck_assert_int_eq(f->total.node[TD_NODE_RETIRING].present, 0);
	ck_assert_ptr_eq(td_report_answer(f, &total), f->node);
	ck_assert_int_eq(total, 0);
	td_report_free(report);
	build_free(&build);
}
END_TEST

START_TEST(own_answer_comes_first)
{
	struct td_report *report;
	const struct td_report_function *f;
	struct td_file_place *place;
	int total;

	start();
	place = function(0x1000, 10);
	for (int i = 0; i < 3; i++)
		build_window(&build, place, waiting);
	windows(path(build_root(&build, thread), place, 10), 3, busy);
	report = finish((struct td_report_query){0});
	f = row(report, 0x1000);
	ck_assert_ptr_eq(td_report_answer(f, &total), f->node);
	ck_assert_int_eq(total, 0);
	td_report_free(report);
	build_free(&build);
}
END_TEST

/* Rows that become one when they get their names. */
START_TEST(united_rows_count_once)
{
	struct td_report *report;
	struct td_file_place *a, *b;
	uint32_t root;

	start();
	a = build_place(&build, thread, TD_PLACE_GAP, object, 0x4000);
	b = build_place(&build, thread, TD_PLACE_GAP, object, 0x4040);
	a->region = b->region = 0x3ff0;
	a->samples = 7;
	b->samples = 5;
	root = build_root(&build, thread);
	windows(path(path(root, a, 7), b, 5), 4, busy);
	report = finish((struct td_report_query){0});
	ck_assert_uint_eq(report->functions, 1);
	ck_assert_uint_eq(report->function[0].total.samples, 12);
	ck_assert_uint_eq(report->function[0].total.windows, 4);
	td_report_free(report);
	build_free(&build);
}
END_TEST

START_TEST(threads_and_profiles_are_one_tree)
{
	struct td_report *report = td_report_new(&(struct td_report_query){0});
	uint32_t root;

	build_program();
	thread = build_thread(&build, 2, "other");
	root = build_root(&build, thread);
	windows(path(root, function(0x2000, 8), 8), 2, waiting);
	add(report);
	add(report);
	ck_assert_int_eq(td_report_finish(report), 0);
	ck_assert_uint_eq(row(report, 0x1000)->total.samples, 200);
	ck_assert_uint_eq(row(report, 0x2000)->total.samples, 116);
	ck_assert_uint_eq(row(report, 0x2000)->total.windows, 44);
	/* roots, main, f, ff, g twice, and f of the other thread */
	ck_assert_uint_eq(report->paths.nodes, 7);
	td_report_free(report);

	report = finish((struct td_report_query){.thread = "other"});
	ck_assert_uint_eq(row(report, 0x2000)->total.samples, 8);
	ck_assert_uint_eq(report->functions, 1);
	td_report_free(report);
	build_free(&build);
}
END_TEST

START_TEST(what_is_missing_is_said)
{
	struct td_report *report = td_report_new(&(struct td_report_query){0});
	uint32_t root;

	start();
	root = build_root(&build, thread);
	path(root, function(0x1000, 75), 75);
	path(build_path(&build, thread, root, NULL), function(0x2000, 25), 25);
	add(report);
	build_free(&build);
	start();
	function(0x1000, 100);
	add(report);
	ck_assert_int_eq(td_report_finish(report), 0);
	ck_assert(build_has_note(report, "callers of 25 of 200 samples"));
	ck_assert(build_has_note(report, "1 of 2 processes"));
	ck_assert_uint_eq(row(report, 0x1000)->total.samples, 75);
	td_report_free(report);
	build_free(&build);

	start();
	function(0x1000, 100);
	report = finish((struct td_report_query){0});
	ck_assert_int_eq(report->has_paths, 0);
	ck_assert(!build_has_note(report, "call path"));
	td_report_free(report);
	build_free(&build);
}
END_TEST

/* One thing is wrong with the second of three nodes, so that it and its child are
 * left out and nothing else is. */
static void expect_damage(void (*spoil)(struct td_file_path *node))
{
	struct td_profile profile;
	uint32_t root, second;

	start();
	root = build_root(&build, thread);
	second = path(root, function(0x1000, 1), 1);
	path(second, function(0x2000, 1), 1);
	spoil(build_record(&build, second));
	ck_assert_int_eq(parse(&profile), 0);
	ck_assert_uint_eq(profile.paths, 1);
	ck_assert_uint_eq(profile.damage.records, 2);
	td_profile_free(&profile);
	build_free(&build);
}

static void spoil_kind(struct td_file_path *node)
{
	node->kind = 77;
}

static void spoil_parent(struct td_file_path *node)
{
	node->parent += 2; /* its own child */
}

static void own_parent(struct td_file_path *node)
{
	node->parent += 1;
}

static void no_parent(struct td_file_path *node)
{
	node->parent = 0;
}

static void spoil_place(struct td_file_path *node)
{
	node->place = TD_REF(60, 3);
}

static void place_of_a_path(struct td_file_path *node)
{
	node->place = node->parent;
}

static void spoil_sum(struct td_file_path *node)
{
	node->sum[1].squares = -1;
}

static void spoil_cross(struct td_file_path *node)
{
	node->sum[0].cross = NAN;
}

static void cut_with_place(struct td_file_path *node)
{
	node->kind = TD_PATH_CUT;
}

static void second_root(struct td_file_path *node)
{
	node->kind = TD_PATH_ROOT; /* has a parent */
}

START_TEST(damaged_nodes_are_left_out)
{
	expect_damage(spoil_kind);
	expect_damage(spoil_parent);
	expect_damage(own_parent);
	expect_damage(no_parent);
	expect_damage(spoil_place);
	expect_damage(place_of_a_path);
	expect_damage(spoil_sum);
	expect_damage(spoil_cross);
	expect_damage(cut_with_place);
	expect_damage(second_root);
}
END_TEST

START_TEST(nodes_belong_to_their_thread)
{
	struct td_profile profile;
	struct td_file_place *place;
	uint32_t first = 0, root;

	start();
	place = function(0x1000, 1);
	root = build_root(&build, thread);
	first = thread;
	thread = build_thread(&build, 2, "other");
	/* of the other thread: with the first one's parent, with its place */
	build_path(&build, thread, root, function(0x2000, 1));
	build_path(&build, thread, build_root(&build, thread), place);
	ck_assert_int_eq(parse(&profile), 0);
	ck_assert_uint_eq(profile.paths, 2);
	ck_assert_uint_eq(profile.damage.records, 2);
	td_profile_free(&profile);

	/* a thread whose record is gone takes its tree along */
	((struct td_file_thread *)build_record(&build, first))->state = TD_THREAD_FREE;
	ck_assert_int_eq(parse(&profile), 0);
	ck_assert_uint_eq(profile.paths, 1);
	td_profile_free(&profile);

	build.header->path_size = (uint32_t)TD_PATH_SIZE(5) - 8;
	ck_assert_int_lt(parse(&profile), 0);
	build_free(&build);
}
END_TEST

/* open_memstream()'s, which writes to them when the stream is closed */
static char *printed;
static size_t printed_size;

START_TEST(reports_have_it)
{
	const struct td_print_style style = {0};
	struct td_report *report;
	FILE *out = open_memstream(&printed, &printed_size);

	build_program();
	report = finish((struct td_report_query){.sort = TD_SORT_TOTAL});
	ck_assert_int_eq(td_report_sort("total"), TD_SORT_TOTAL);
	ck_assert_uint_eq(report->function[0].address, 0x1000);
	ck_assert_uint_eq(report->function[1].address, 0x3000);
	td_print_json(out, report);
	fclose(out);
	ck_assert(is_json(printed));
	ck_assert_ptr_nonnull(strstr(printed, "\"total\": {\n    \"samples\": 100,\n"
					      "    \"share\": 1,"));
	ck_assert_ptr_nonnull(strstr(
		printed, "\"windows\": 30,\n    \"opened\": 30,\n    \"slots\": 30000,"));
	free(printed);

	out = open_memstream(&printed, &printed_size);
	td_print_csv(out, report);
	fclose(out);
	ck_assert_ptr_nonnull(strstr(printed, ",total_samples,total_share,"));
	free(printed);

	out = open_memstream(&printed, &printed_size);
	td_print_text(out, report, &style);
	fclose(out);
	ck_assert_ptr_nonnull(strstr(printed, "Total %"));
	ck_assert_ptr_nonnull(strstr(printed, "^80.0"));
	ck_assert_ptr_nonnull(strstr(printed, "^ with all that the function calls"));
	free(printed);
	td_report_free(report);
	build_free(&build);
}
END_TEST

static const struct td_path_node *find(const struct td_report *report,
				       const struct td_paths *tree, size_t parent,
				       uint64_t address)
{
	for (size_t i = 0; i < tree->nodes; i++) {
		size_t at = tree->node[i].row;

		if (tree->node[i].parent == parent && at != SIZE_MAX &&
		    report->function[at].address == address)
			return &tree->node[i];
	}
	ck_abort_msg("no node of 0x%llx below %zu", (unsigned long long)address, parent);
	return NULL;
}

START_TEST(the_tree_adds_up)
{
	struct td_topdown_value value[TD_NODES];
	struct td_report *report;
	const struct td_path_node *node;
	struct td_paths tree;
	size_t at_main;

	build_program();
	report = finish((struct td_report_query){0});
	ck_assert_int_eq(td_paths_tree(report, &tree), 0);
	ck_assert_uint_eq(tree.nodes, 6);
	ck_assert_uint_eq(tree.node[0].kind, TD_PATH_ROOT);
	ck_assert_uint_eq(tree.node[0].total, 100);
	ck_assert_uint_eq(tree.node[0].windows, 35);
	node = find(report, &tree, 0, 0x1000);
	at_main = (size_t)(node - tree.node);
	ck_assert_uint_eq(node->samples, 10);
	ck_assert_uint_eq(node->total, 100);
	ck_assert_uint_eq(node->windows, 30);
	td_report_path_values(report, node, value);
	ck_assert_double_eq_tol(value[TD_NODE_RETIRING].estimate.value, 0.6, 1e-9);
	node = find(report, &tree, at_main, 0x2000);
	ck_assert_uint_eq(node->samples, 15);
	ck_assert_uint_eq(node->total, 50);
	td_report_path_values(report, node, value);
	ck_assert_double_eq_tol(value[TD_NODE_RETIRING].estimate.value, 0.8, 1e-9);
	node = find(report, &tree, at_main, 0x3000);
	ck_assert_uint_eq(node->total, 40);
	td_report_path_values(report, node, value);
	ck_assert_int_eq(value[TD_NODE_RETIRING].present, 0);
	td_paths_free(&tree);
	td_report_free(report);
	build_free(&build);
}
END_TEST

/* g is nobody's function any more; its samples stay on their paths. */
START_TEST(the_tree_keeps_what_is_left_out)
{
	uint64_t other = 0;
	struct td_report *report;
	struct td_paths tree;

	build_program();
	report = finish((struct td_report_query){.sort = TD_SORT_NAME, .top = 1});
	ck_assert_uint_eq(report->functions, 1);
	ck_assert_int_eq(td_paths_tree(report, &tree), 0);
	ck_assert_uint_eq(tree.node[0].total, 100);
	for (size_t i = 1; i < tree.nodes; i++) {
		ck_assert_uint_lt(tree.node[i].row, report->rows);
		if (tree.node[i].row >= report->functions)
			other += tree.node[i].samples;
	}
	ck_assert_uint_eq(other + report->function[0].samples, 100);
	td_paths_free(&tree);
	td_report_free(report);
	build_free(&build);
}
END_TEST

/* The page is whole, and no name can end the script that holds the report. */
START_TEST(html_holds_the_json)
{
	static const char begin[] = "<script id=\"profile\" type=\"application/json\">";
	static const char hints[] = "<script id=\"hints\" type=\"application/json\">";
	struct td_report *report;
	FILE *out = open_memstream(&printed, &printed_size);
	char *at, *end;

	build_program();
	report = finish((struct td_report_query){0});
	free(report->function[0].name);
	report->function[0].name = strdup("</script><!-- @PROFILE@ \"x\"");
	ck_assert_int_eq(td_print_html(out, report), 0);
	fclose(out);
	ck_assert_ptr_eq(strstr(printed, "<!DOCTYPE html>"), printed);
	ck_assert_str_eq(printed + printed_size - 8, "</html>\n");
	at = strstr(printed, hints);
	ck_assert_ptr_nonnull(at);
	at += strlen(hints);
	end = strstr(at, "</script>");
	end[0] = '\n', end[1] = '\0';
	ck_assert_msg(is_json(at), "%s", at);
	at = strstr(end + 2, begin);
	ck_assert_ptr_nonnull(at);
	at += strlen(begin);
	end = strstr(at, "</script>");
	ck_assert_ptr_nonnull(end);
	strcpy(end, "\n");
	ck_assert_msg(is_json(at), "%s", at);
	ck_assert_ptr_null(strchr(at, '<'));
	ck_assert_ptr_nonnull(
		strstr(at, "\"\\u003c/script>\\u003c!-- @PROFILE@ \\\"x\\\"\""));
	ck_assert_ptr_nonnull(strstr(at, "\"paths\": ["));
	free(printed);
	td_report_free(report);
	build_free(&build);
}
END_TEST

/* The samples of the only call from or to `other`. */
static uint64_t calls_with(const struct td_call *call, size_t calls, size_t other)
{
	uint64_t samples = 0;
	size_t found = 0;

	for (size_t i = 0; i < calls; i++)
		if (call[i].other == other) {
			samples = call[i].samples;
			found++;
		}
	ck_assert_uint_eq(found, 1);
	return samples;
}

/* f calls g, which calls f again, which calls g: nothing is counted twice. */
START_TEST(calls_of_recursion)
{
	struct td_file_place *f, *g;
	struct td_report *report;
	struct td_call *call;
	struct td_paths tree;
	size_t calls, at_f, at_g;
	uint32_t root, at;

	start();
	f = function(0x1000, 40);
	g = function(0x2000, 60);
	root = build_root(&build, thread);
	at = path(path(root, f, 10), g, 20);
	path(path(at, f, 30), g, 40);
	report = finish((struct td_report_query){0});
	at_f = (size_t)(row(report, 0x1000) - report->function);
	at_g = (size_t)(row(report, 0x2000) - report->function);
	ck_assert_int_eq(td_paths_tree(report, &tree), 0);

	call = td_calls_list(&tree, TD_CALLS_CALLERS, TD_CALLS_ALL, &calls);
	ck_assert_uint_eq(calls, 2);
	ck_assert_uint_eq(call[0].function, at_f < at_g ? at_f : at_g);
	ck_assert_uint_eq(calls_with(call, calls, SIZE_MAX), 100);
	ck_assert_uint_eq(calls_with(call, calls, at_f), 90);
	free(call);
	call = td_calls_list(&tree, TD_CALLS_CALLEES, at_f, &calls);
	ck_assert_uint_eq(calls, 1);
	ck_assert_uint_eq(calls_with(call, calls, at_g), 90);
	free(call);
	call = td_calls_list(&tree, TD_CALLS_CALLEES, at_g, &calls);
	ck_assert_uint_eq(calls_with(call, calls, at_f), 70);
	free(call);
	td_paths_free(&tree);
	td_report_free(report);
	build_free(&build);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		totals_add_up,
		groups_are_combined,
		own_answer_comes_first,
		united_rows_count_once,
		threads_and_profiles_are_one_tree,
		what_is_missing_is_said,
		damaged_nodes_are_left_out,
		nodes_belong_to_their_thread,
		reports_have_it,
		the_tree_adds_up,
		the_tree_keeps_what_is_left_out,
		calls_of_recursion,
		html_holds_the_json,
		NULL,
	};

	return unit_main("paths", tests);
}
