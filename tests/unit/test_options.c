// SPDX-License-Identifier: MIT
#include "decoder/options.h"

#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/label_list.h"

static struct td_options options;
static char why[256];

static void setup(void)
{
	td_options_init(&options);
	memset(why, 0, sizeof(why));
}

static int set(const char *name, const char *value)
{
	return td_options_set(&options, name, value, why, sizeof(why));
}

/* Field by field: the structure has padding. */
static void assert_same(const struct td_options *a, const struct td_options *b)
{
	ck_assert_uint_eq(a->long_period.value, b->long_period.value);
	ck_assert_int_eq(a->long_period.unit, b->long_period.unit);
	ck_assert_uint_eq(a->short_period.value, b->short_period.value);
	ck_assert_int_eq(a->short_period.unit, b->short_period.unit);
	ck_assert_uint_eq(a->jitter, b->jitter);
	ck_assert_int_eq(a->pmu, b->pmu);
	ck_assert_int_eq(a->windows, b->windows);
	ck_assert_str_eq(a->output, b->output);
	ck_assert_int_eq(a->report, b->report);
	ck_assert_str_eq(a->report_file, b->report_file);
	ck_assert_int_eq(a->children, b->children);
	ck_assert_int_eq(a->seccomp, b->seccomp);
	ck_assert_int_eq(a->back, b->back);
	ck_assert_int_eq(a->callpath, b->callpath);
	ck_assert_uint_eq(a->debug, b->debug);
	ck_assert_uint_eq(a->seed, b->seed);
}

START_TEST(test_defaults)
{
	ck_assert_uint_eq(options.long_period.value, 20000000);
	ck_assert_int_eq(options.long_period.unit, TD_UNIT_NS);
	ck_assert_uint_eq(options.short_period.value, 10000);
	ck_assert_int_eq(options.short_period.unit, TD_UNIT_NS);
	ck_assert_uint_eq(options.jitter, 20);
	ck_assert_int_eq(options.pmu, TD_PMU_AUTO);
	ck_assert_int_eq(options.windows, TD_WINDOWS_AUTO);
	ck_assert_str_eq(options.output, "");
	ck_assert_int_eq(options.report, TD_REPORT_STDERR);
	ck_assert_int_eq(options.children, TD_CHILDREN_QUIET);
	ck_assert_int_eq(options.seccomp, TD_SECCOMP_PROBE);
	ck_assert_int_eq(options.back, TD_RETURN_USER);
	ck_assert_uint_eq(options.debug, 0);
	ck_assert_uint_eq(options.seed, 0);
	ck_assert_int_eq(td_options_check(&options, why, sizeof(why)), 0);
}
END_TEST

/* The defaults that --help prints are the defaults. */
START_TEST(test_fallbacks_are_the_defaults)
{
	static const char *const spelled[] = {"LONG",     "SHORT",   "JITTER", "BURST",
					      "PMU",      "WINDOWS", "REPORT", "CALLPATH",
					      "CHILDREN", "SECCOMP", "SEED",   "RETURN"};
	struct td_options fresh = options;
	char value[32];

	for (size_t i = 0; i < sizeof(spelled) / sizeof(spelled[0]); i++) {
		const char *fallback = td_option_find(spelled[i])->fallback;

		snprintf(value, sizeof(value), "%.*s", (int)strcspn(fallback, ","),
			 fallback);
		ck_assert_int_eq(set(spelled[i], value), 0);
	}
	assert_same(&options, &fresh);
}
END_TEST

START_TEST(test_latency)
{
	static const char *const bad[] = {"",           "@1000",     "cycles@",
					  "cycles@999", "cycles@1k", "cycles@5000000000",
					  "cycles@-1"};
	char longest[128];

	ck_assert_int_eq(set("LATENCY", "mem_inst_retired.all_loads"), 0);
	ck_assert_str_eq(options.latency, "mem_inst_retired.all_loads");
	ck_assert_int_eq(set("LATENCY", "loads=r81d0@1000"), 0);
	ck_assert_str_eq(options.latency, "loads=r81d0@1000");
	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	ck_assert_int_ne(set("LATENCY", longest), 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ck_assert_msg(set("LATENCY", bad[i]) != 0, "'%s' is no event", bad[i]);
	ck_assert_str_eq(options.latency, "loads=r81d0@1000");
}
END_TEST

START_TEST(test_order)
{
	static const char *const order[] = {
		"LONG",   "SHORT",    "JITTER",   "BURST",   "PMU",    "LEVEL",
		"EVENTS", "LATENCY",  "WINDOWS",  "RETURN",  "LABELS", "OUTPUT",
		"REPORT", "CALLPATH", "CHILDREN", "SECCOMP", "SEED",   "DEBUG"};

	ck_assert_uint_eq(td_option_count, sizeof(order) / sizeof(order[0]));
	for (size_t i = 0; i < td_option_count; i++)
		ck_assert_str_eq(td_option_table[i].name, order[i]);
}
END_TEST

static const struct {
	const char *text;
	uint64_t value;
	enum td_unit unit;
	const char *printed;
} periods[] = {
	{"1000000", 1000000, TD_UNIT_CYCLES, "1000000 cycles"},
	{"0", 0, TD_UNIT_CYCLES, "0 cycles"},
	{"10us", 10000, TD_UNIT_NS, "10us"},
	{"1ms", 1000000, TD_UNIT_NS, "1ms"},
	{"1500us", 1500000, TD_UNIT_NS, "1500us"},
	{"2s", 2000000000, TD_UNIT_NS, "2s"},
	{"500ns", 500, TD_UNIT_NS, "500ns"},
	{"007us", 7000, TD_UNIT_NS, "7us"},
	{"18446744073709551615", UINT64_MAX, TD_UNIT_CYCLES,
	 "18446744073709551615 cycles"},
};

START_TEST(test_period)
{
	struct td_period period;
	char text[64];

	ck_assert_int_eq(td_period_parse(periods[_i].text, &period), 0);
	ck_assert_uint_eq(period.value, periods[_i].value);
	ck_assert_int_eq(period.unit, periods[_i].unit);
	td_period_print(&period, text, sizeof(text));
	ck_assert_str_eq(text, periods[_i].printed);
}
END_TEST

static const char *const not_periods[] = {
	"",
	" 1ms",
	"1ms ",
	"+1ms",
	"-1",
	"1.5ms",
	"12q",
	"us",
	"0x10",
	"1 ms",
	"1MS",
	"1msms",
	"18446744073709551616",
	"18446744073709551615s",
	"99999999999999999999999",
};

START_TEST(test_not_a_period)
{
	struct td_period period = {42, TD_UNIT_NS};

	ck_assert_int_eq(td_period_parse(not_periods[_i], &period), -EINVAL);
	ck_assert_uint_eq(period.value, 42);
}
END_TEST

static const struct {
	const char *name;
	const char *value;
	const char *why;
} refused[] = {
	{"LONG", "12q",
	 "TDAGENT_LONG: '12q' is not a period; write cycles (1000000) or a time (1ms, "
	 "10us)"},
	{"LONG", "",
	 "TDAGENT_LONG: '' is not a period; write cycles (1000000) or a time (1ms, "
	 "10us)"},
	{"LONG", "999ns",
	 "TDAGENT_LONG: '999ns' is not within the limits; write 1us to 1000s, or 1000 "
	 "to 1000000000000 cycles"},
	{"LONG", "1001s",
	 "TDAGENT_LONG: '1001s' is not within the limits; write 1us to 1000s, or 1000 "
	 "to 1000000000000 cycles"},
	{"SHORT", "-1",
	 "TDAGENT_SHORT: '-1' is not a period; write cycles (300), a time (10us), or 0 "
	 "for no windows"},
	{"SHORT", "1001s",
	 "TDAGENT_SHORT: '1001s' is not within the limits; write 0 to 1000s, or at "
	 "most 1000000000000 cycles"},
	{"JITTER", "101",
	 "TDAGENT_JITTER: '101' is not a percentage; write a whole number from 0 to 100"},
	{"BURST", "0",
	 "TDAGENT_BURST: '0' is not a number of windows; write a whole number from 1 to "
	 "16"},
	{"BURST", "17",
	 "TDAGENT_BURST: '17' is not a number of windows; write a whole number from 1 to "
	 "16"},
	{"JITTER", "20%",
	 "TDAGENT_JITTER: '20%' is not a percentage; write a whole number from 0 to 100"},
	{"PMU", "timer",
	 "TDAGENT_PMU: 'timer' is not a way to measure of this version; write auto, "
	 "metrics, events, clock or simulated"},
	{"LABELS", "rank=3,,x=1",
	 "TDAGENT_LABELS: '' is not a label; write KEY=VALUE, the KEY of letters, digits "
	 "and _, not thread, tid, pid or host"},
	{"LABELS", "rank",
	 "TDAGENT_LABELS: 'rank' is not a label; write KEY=VALUE, the KEY of letters, "
	 "digits and _, not thread, tid, pid or host"},
	{"LABELS", "a=1,pid=2",
	 "TDAGENT_LABELS: 'pid=2' is not a label; write KEY=VALUE, the KEY of letters, "
	 "digits and _, not thread, tid, pid or host"},
	{"LEVEL", "3",
	 "TDAGENT_LEVEL: '3' is not a top-down depth; write auto, 0, 1 or 2"},
	{"WINDOWS", "Vernier",
	 "TDAGENT_WINDOWS: 'Vernier' is not a way to cut windows; write auto, rdpmc or "
	 "vernier"},
	{"OUTPUT", "a%q",
	 "TDAGENT_OUTPUT: 'a%q' is not a file name; write p (process id), e (program) "
	 "or % after each %"},
	{"OUTPUT", "a%",
	 "TDAGENT_OUTPUT: 'a%' is not a file name; write p (process id), e (program) "
	 "or % after each %"},
	{"REPORT", "", "TDAGENT_REPORT: '' is not a place; write stderr, none or a file"},
	{"CALLPATH", "yes", "TDAGENT_CALLPATH: 'yes' is not known; write on or off"},
	{"CHILDREN", "yes",
	 "TDAGENT_CHILDREN: 'yes' is not known; write quiet, report or off"},
	{"SEED", "1e3",
	 "TDAGENT_SEED: '1e3' is not a seed; write a whole number, or 0 for a new one "
	 "each run"},
	{"SEED", "18446744073709551616",
	 "TDAGENT_SEED: '18446744073709551616' is not a seed; write a whole number, or "
	 "0 for a new one each run"},
	{"DEBUG", "core,",
	 "TDAGENT_DEBUG: '' is not an area; write core, threads, store and strobe with "
	 "commas between them, or all"},
	{"DEBUG", "core,strobes",
	 "TDAGENT_DEBUG: 'strobes' is not an area; write core, threads, store and "
	 "strobe with commas between them, or all"},
};

START_TEST(test_refused)
{
	struct td_options before = options;

	ck_assert_int_eq(set(refused[_i].name, refused[_i].value), -EINVAL);
	ck_assert_str_eq(why, refused[_i].why);
	assert_same(&options, &before);
}
END_TEST

START_TEST(test_limits_are_inside)
{
	ck_assert_int_eq(set("LONG", "1us"), 0);
	ck_assert_int_eq(set("LONG", "1000s"), 0);
	ck_assert_int_eq(set("LONG", "1000"), 0);
	ck_assert_int_eq(set("LONG", "1000000000000"), 0);
	ck_assert_int_eq(set("SHORT", "0"), 0);
	ck_assert_int_eq(set("BURST", "16"), 0);
	ck_assert_uint_eq(options.burst, 16);
	ck_assert_int_eq(set("JITTER", "100"), 0);
	ck_assert_int_eq(set("SEED", "18446744073709551615"), 0);
	ck_assert_uint_eq(options.seed, UINT64_MAX);
}
END_TEST

START_TEST(test_words)
{
	ck_assert_int_eq(set("PMU", "simulated"), 0);
	ck_assert_int_eq(options.pmu, TD_PMU_SIMULATED);
	ck_assert_int_eq(set("PMU", "events"), 0);
	ck_assert_int_eq(options.pmu, TD_PMU_EVENTS);
	ck_assert_int_eq(set("LABELS", "rank=3,version=a b=c,empty="), 0);
	ck_assert_str_eq(options.labels, "rank=3,version=a b=c,empty=");
	ck_assert_int_eq(set("LEVEL", "2"), 0);
	ck_assert_int_eq(options.level, TD_LEVEL_2);
	ck_assert_int_eq(set("LEVEL", "auto"), 0);
	ck_assert_int_eq(options.level, TD_LEVEL_AUTO);
	ck_assert_int_eq(set("WINDOWS", "vernier"), 0);
	ck_assert_int_eq(options.windows, TD_WINDOWS_BY_VERNIER);
	ck_assert_int_eq(set("WINDOWS", "rdpmc"), 0);
	ck_assert_int_eq(options.windows, TD_WINDOWS_BY_RDPMC);
	ck_assert_int_eq(set("CALLPATH", "on"), 0);
	ck_assert_int_eq(options.callpath, 1);
	ck_assert_int_eq(set("CALLPATH", "off"), 0);
	ck_assert_int_eq(options.callpath, 0);
	ck_assert_int_eq(set("CHILDREN", "off"), 0);
	ck_assert_int_eq(options.children, TD_CHILDREN_OFF);
	ck_assert_int_eq(set("RETURN", "sigreturn"), 0);
	ck_assert_int_eq(options.back, TD_RETURN_SIGRETURN);
	ck_assert_int_eq(set("RETURN", "user"), 0);
	ck_assert_int_eq(options.back, TD_RETURN_USER);
	ck_assert_int_eq(set("RETURN", "kernel"), -EINVAL);
	ck_assert_int_eq(set("SECCOMP", "trust"), 0);
	ck_assert_int_eq(options.seccomp, TD_SECCOMP_TRUST);
	ck_assert_int_eq(set("SECCOMP", "off"), 0);
	ck_assert_int_eq(options.seccomp, TD_SECCOMP_OFF);
	ck_assert_int_eq(set("DEBUG", "core,strobe"), 0);
	ck_assert_uint_eq(options.debug, TD_DEBUG_CORE | TD_DEBUG_STROBE);
	ck_assert_int_eq(set("REPORT", "none"), 0);
	ck_assert_int_eq(options.report, TD_REPORT_NONE);
	ck_assert_int_eq(set("REPORT", "/x/%p.txt"), 0);
	ck_assert_int_eq(options.report, TD_REPORT_FILE);
	ck_assert_str_eq(options.report_file, "/x/%p.txt");
	ck_assert_int_eq(set("OUTPUT", "%e-100%%"), 0);
	ck_assert_str_eq(options.output, "%e-100%%");
}
END_TEST

START_TEST(test_long_path)
{
	char path[TD_PATH_MAX + 1];

	memset(path, 'x', sizeof(path));
	path[TD_PATH_MAX] = '\0';
	ck_assert_int_eq(set("OUTPUT", path), -EINVAL);
	ck_assert_str_eq(why,
			 "TDAGENT_OUTPUT: the path has 1024 bytes; write at most 1023");
	path[TD_PATH_MAX - 1] = '\0';
	ck_assert_int_eq(set("OUTPUT", path), 0);
}
END_TEST

START_TEST(test_unknown_name)
{
	ck_assert_int_eq(set("LNOG", "1ms"), -ENOENT);
	ck_assert_str_eq(why, "TDAGENT_LNOG: no such option; did you mean TDAGENT_LONG?");
	ck_assert_int_eq(set("CHILD", "off"), -ENOENT);
	ck_assert_str_eq(why,
			 "TDAGENT_CHILD: no such option; `tdagent help run` lists them");
	ck_assert_int_eq(set("", "1"), -ENOENT);
	ck_assert_int_eq(set("A_VERY_LONG_NAME_THAT_IS_NO_OPTION", "1"), -ENOENT);
	ck_assert_ptr_null(td_option_nearest("DEPTH"));
	ck_assert_str_eq(td_option_nearest("SEEDS")->name, "SEED");
}
END_TEST

/* Somebody else's value does not break the line, nor the buffer. */
START_TEST(test_message_is_one_short_line)
{
	char value[3000];

	memset(value, 'q', sizeof(value));
	value[1] = '\n';
	value[2] = '\033';
	value[sizeof(value) - 1] = '\0';
	ck_assert_int_eq(set("LONG", value), -EINVAL);
	ck_assert_ptr_null(strchr(why, '\n'));
	ck_assert_ptr_null(strchr(why, '\033'));
	ck_assert_uint_lt(strlen(why), 200);
	for (size_t size = 0; size < 40; size++) {
		memset(why, 0x55, sizeof(why));
		td_options_set(&options, "JITTER", "x", why, size);
		td_options_set(&options, "JITTRE", "x", why, size);
		ck_assert_int_eq(why[size], 0x55);
		if (size)
			ck_assert_uint_lt(strnlen(why, size), size);
	}
}
END_TEST

START_TEST(test_short_is_not_above_long)
{
	ck_assert_int_eq(set("LONG", "5us"), 0);
	ck_assert_int_eq(td_options_check(&options, why, sizeof(why)), -EINVAL);
	ck_assert_str_eq(why,
			 "TDAGENT_SHORT: 10us is longer than TDAGENT_LONG, 5us; write "
			 "at most 5us, or 0 for no windows");
	ck_assert_int_eq(set("SHORT", "5us"), 0);
	ck_assert_int_eq(td_options_check(&options, why, sizeof(why)), 0);
	ck_assert_int_eq(set("SHORT", "6000"), 0); /* cycles */
	ck_assert_int_eq(td_options_check(&options, why, sizeof(why)), 0);
}
END_TEST

static int argue(const char *name, const char *value)
{
	return td_options_argument(&options, td_option_find(name), value, why,
				   sizeof(why));
}

static void refused_as(const char *message)
{
	ck_assert_int_eq(td_options_check(&options, why, sizeof(why)), -EINVAL);
	ck_assert_str_eq(why, message);
}

/* As their user wrote them, or could have. */
START_TEST(test_names_of_arguments)
{
	ck_assert_int_eq(argue("LONG", "5"), -EINVAL);
	ck_assert_int_eq(strncmp(why, "--long: '5' is ", 15), 0);
	options.command = 1;
	ck_assert_int_eq(argue("LONG", "5us"), 0);
	refused_as("--short: 10us is longer than --long, 5us; write at most 5us, or 0 "
		   "for no windows");
	ck_assert_int_eq(set("SHORT", "9us"), 0);
	ck_assert_int_eq(argue("SHORT", "-1"), -EINVAL); /* which leaves the variable's */
	refused_as("TDAGENT_SHORT: 9us is longer than --long, 5us; write at most 5us, "
		   "or 0 for no windows");
	ck_assert_int_eq(set("LONG", "5us"), 0);
	ck_assert_int_eq(argue("SHORT", "7us"), 0);
	refused_as("--short: 7us is longer than TDAGENT_LONG, 5us; write at most 5us, "
		   "or 0 for no windows");
}
END_TEST

START_TEST(test_expand)
{
	char path[32];

	ck_assert_int_eq(
		td_output_expand("/t/%e.%p.tdp", 4294967295u, "/usr/bin/xz", path, 32),
		0);
	ck_assert_str_eq(path, "/t/xz.4294967295.tdp");
	ck_assert_int_eq(td_output_expand("%%%e%%", 1, "%p", path, 32), 0);
	ck_assert_str_eq(path, "%%p%");
	ck_assert_int_eq(td_output_expand("", 1, "x", path, 1), 0);
	ck_assert_str_eq(path, "");
	ck_assert_int_eq(td_output_expand("abc", 1, "x", path, 3), -ENAMETOOLONG);
	ck_assert_int_eq(td_output_expand("a%pc", 12, "x", path, 4), -ENAMETOOLONG);
	ck_assert_int_eq(td_output_expand("a%pc", 12, "x", path, 5), 0);
	ck_assert_str_eq(path, "a12c");
	ck_assert_int_eq(td_output_expand("%d", 1, "x", path, 32), -EINVAL);
}
END_TEST

#define COUNT(a) (int)(sizeof(a) / sizeof((a)[0]))

START_TEST(test_repeated_labels)
{
	const char *const list = "a=1,b=2,ab=3,a=4,b", *rest = list;
	const int repeats[] = {0, 0, 0, 1};
	struct td_label_text label;

	for (size_t i = 0; i < COUNT(repeats); i++) {
		ck_assert_int_eq(td_label_list_next(&rest, &label), 1);
		ck_assert_int_eq(td_label_list_repeats(list, &label), repeats[i]);
	}
	ck_assert_int_eq(td_label_list_next(&rest, &label), -1);
}
END_TEST

static Suite *suite(void)
{
	Suite *suite = suite_create("options");
	TCase *tests = tcase_create("options");

	tcase_add_checked_fixture(tests, setup, NULL);
	tcase_add_test(tests, test_defaults);
	tcase_add_test(tests, test_fallbacks_are_the_defaults);
	tcase_add_test(tests, test_order);
	tcase_add_test(tests, test_latency);
	tcase_add_loop_test(tests, test_period, 0, COUNT(periods));
	tcase_add_loop_test(tests, test_not_a_period, 0, COUNT(not_periods));
	tcase_add_loop_test(tests, test_refused, 0, COUNT(refused));
	tcase_add_test(tests, test_limits_are_inside);
	tcase_add_test(tests, test_words);
	tcase_add_test(tests, test_repeated_labels);
	tcase_add_test(tests, test_long_path);
	tcase_add_test(tests, test_unknown_name);
	tcase_add_test(tests, test_message_is_one_short_line);
	tcase_add_test(tests, test_short_is_not_above_long);
	tcase_add_test(tests, test_names_of_arguments);
	tcase_add_test(tests, test_expand);
	suite_add_tcase(suite, tests);
	return suite;
}

int main(void)
{
	SRunner *runner = srunner_create(suite());
	int failed;

	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
