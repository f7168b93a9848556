// SPDX-License-Identifier: MIT
/* What the triggers ask the kernel for, which is not asked: calls are noted here. */
#include "agent/sigsafe/syscall.h"

static long noted(long number, long fd, long request, long argument);

#undef td_syscall3
#define td_syscall3(nr, a, b, c) noted(nr, (long)(a), (long)(b), (long)(c))
#include "agent/sigsafe/trigger.c"

#include "tests/unit/unit.h"

#define MARK 5
#define SHORT TD_TASK_CLOCK_SHORTEST_NS

static struct td_thread thread;
static uint64_t period;
static unsigned refreshes, enables;

static long noted(long number, long fd, long request, long argument)
{
	ck_assert_int_eq(fd, thread.fd);
	if (number == SYS_fcntl)
		return MARK;
	ck_assert_int_eq(number, SYS_ioctl);
	if (request == (long)PERF_EVENT_IOC_PERIOD)
		period = *(const uint64_t *)argument;
	refreshes += request == (long)PERF_EVENT_IOC_REFRESH;
	enables += request == (long)PERF_EVENT_IOC_ENABLE;
	return 0;
}

static void setup(void)
{
	thread = (struct td_thread){.fd = 3, .fd_mark = MARK};
	period = 0;
	refreshes = enables = 0;
}

static void expect(uint64_t of, unsigned refreshed, unsigned enabled)
{
	ck_assert_uint_eq(period, of);
	ck_assert_uint_eq(refreshes, refreshed);
	ck_assert_uint_eq(enables, enabled);
}

/* One signal, so as soon as may be; what goes on leaves time for the program. */
START_TEST(goes_on_for_longer_than_the_shortest)
{
	const struct td_trigger_ops *once = &td_perf_once_trigger;

	ck_assert_int_eq(once->start(&thread, SHORT), 0);
	expect(SHORT, 1, 0);
	ck_assert_int_eq(once->arm(&thread, SHORT), 0);
	expect(SHORT, 2, 0);
	ck_assert_int_eq(once->start(&thread, SHORT), 0);
	expect(10 * SHORT, 2, 1);
	ck_assert_int_eq(once->start(&thread, 1000 * SHORT), 0);
	expect(1000 * SHORT, 2, 2);
}
END_TEST

/* A descriptor that is the program's now is not touched. */
START_TEST(leaves_others_files_alone)
{
	thread.fd_mark = MARK + 1;
	ck_assert_int_eq(td_perf_once_trigger.start(&thread, SHORT), -EBADF);
	ck_assert_int_eq(td_perf_once_trigger.arm(&thread, SHORT), -EBADF);
	ck_assert_int_eq(td_perf_trigger.arm(&thread, SHORT), -EBADF);
	td_perf_once_trigger.stop(&thread);
	expect(0, 0, 0);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {goes_on_for_longer_than_the_shortest,
				      leaves_others_files_alone, NULL};

	return unit_main_between("trigger_calls", tests, setup, NULL);
}
