// SPDX-License-Identifier: MIT
/* Descriptors of ours: out of the program's way, and none where it has few. */
#include "agent/sigsafe/descriptors.h"

#include <check.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/unit/unit.h"

static void limit(rlim_t descriptors)
{
	struct rlimit limit;

	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
	limit.rlim_cur = descriptors;
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

START_TEST(few_are_the_programs)
{
	limit(15);
	ck_assert(td_descriptors_are_few());
	limit(16);
	ck_assert(!td_descriptors_are_few());
}
END_TEST

START_TEST(ours_are_where_the_program_is_not)
{
	int low = open("/dev/null", O_RDONLY | O_CLOEXEC), high;

	limit(64);
	high = td_descriptor_hide(low);
	ck_assert_int_ge(high, 32);
	ck_assert_int_eq(fcntl(low, F_GETFD), -1);
	ck_assert_int_eq(fcntl(high, F_GETFD), FD_CLOEXEC);
	ck_assert(td_descriptor_is_ours(high));
	ck_assert_int_eq(td_descriptor_first(0, 63), high);
	ck_assert(td_descriptor_is_scarce(high, 4));
	ck_assert(!td_descriptor_is_scarce(high, 7));
	td_descriptor_close(high);
	ck_assert_int_eq(fcntl(high, F_GETFD), -1);
	ck_assert_int_eq(td_descriptor_first(0, 63), -1);
}
END_TEST

START_TEST(ours_give_way)
{
	int fd, other;

	limit(64);
	fd = td_descriptor_hide(open("/dev/null", O_RDONLY | O_CLOEXEC));
	other = td_descriptor_yield(fd);
	ck_assert_int_gt(other, fd);
	ck_assert(!td_descriptor_is_ours(fd) && td_descriptor_is_ours(other));
	ck_assert_int_eq(fcntl(fd, F_GETFD), -1);
	limit((rlim_t)other + 1); /* no number above is left */
	ck_assert_int_eq(td_descriptor_yield(other), -1);
	ck_assert_int_eq(fcntl(other, F_GETFD), -1);
}
END_TEST

START_TEST(who_closed_ours_keeps_what_is_there)
{
	int fd, theirs = open("/dev/null", O_RDONLY | O_CLOEXEC);

	limit(64);
	fd = td_descriptor_hide(open("/dev/null", O_RDONLY | O_CLOEXEC));
	td_descriptor_forget_all();
	td_descriptor_close(fd);
	td_descriptor_close(theirs);
	ck_assert_int_ge(fcntl(fd, F_GETFD), 0);
	ck_assert_int_ge(fcntl(theirs, F_GETFD), 0);
}
END_TEST

int main(void)
{
	return unit_main(
		"descriptors",
		(const TTest *const[]){few_are_the_programs,
				       ours_are_where_the_program_is_not, ours_give_way,
				       who_closed_ours_keeps_what_is_there, NULL});
}
