/* SPDX-License-Identifier: MIT */
/*
 * main() of a unit test program: runs the NULL-terminated list of tests, prints
 * Check's summary, and exits 0 only when all pass.
 */
#ifndef TD_TESTS_UNIT_H
#define TD_TESTS_UNIT_H

#include <check.h>

/* Each test between setup() and teardown(), of which either may be NULL. */
static inline int unit_main_between(const char *name, const TTest *const *tests,
				    SFun setup, SFun teardown)
{
	Suite *suite = suite_create(name);
	TCase *tcase = tcase_create(name);
	SRunner *runner;
	int failed;

	tcase_set_timeout(tcase, 600); /* that it hangs; a busy machine may be slow */
	tcase_add_checked_fixture(tcase, setup, teardown);
	for (; *tests; tests++)
		tcase_add_test(tcase, *tests);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}

static inline int unit_main(const char *name, const TTest *const *tests)
{
	return unit_main_between(name, tests, NULL, NULL);
}

#endif
