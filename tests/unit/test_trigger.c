// SPDX-License-Identifier: MIT
/* The clock's event that sends one signal for each arming, the kernel's own. */
#include "agent/sigsafe/trigger.h"

#include <check.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "tests/prog/spin.h"
#include "tests/unit/unit.h"

#define PERIOD 20000u /* ns; a handler takes longer */
#define SIGNALS 200

/* siginfo of a sigtrap event; glibc 2.36 does not know it. */
struct __attribute__((may_alias)) perf_siginfo {
	int number, error, code, padding;
	uint64_t address, data;
	uint32_t type, flags;
};

static struct td_thread thread;
static volatile unsigned signals, waited;

/* Arms at its end: a period that ends before was due besides. */
static void handler(int number, siginfo_t *info, void *context)
{
	bool has_waited = ((const struct perf_siginfo *)(const void *)info)->flags & 1;

	(void)number;
	(void)context;
	signals++;
	waited += has_waited;
	for (uint64_t last = spin_now_ns(), ran = 0; ran < 5 * PERIOD;)
		ran += spin_ran_ns(&last);
	if (has_waited) /* as the strobe: a long one */
		thread.trigger->start(&thread, 100 * PERIOD);
	else
		thread.trigger->arm(&thread, PERIOD);
}

static bool open_event(void)
{
	struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
	struct perf_event_attr attr = {.size = sizeof(attr),
				       .type = PERF_TYPE_SOFTWARE,
				       .config = PERF_COUNT_SW_TASK_CLOCK,
				       .sample_period = PERIOD,
				       .exclude_kernel = 1,
				       .exclude_hv = 1,
				       .disabled = 1,
				       .wakeup_events = 1,
				       .sigtrap = 1,
				       .remove_on_exec = 1};
	unsigned major, minor;
	struct utsname name;

	memset(&thread, 0, sizeof(thread));
	signals = waited = 0;
	if (uname(&name) != 0 || sscanf(name.release, "%u.%u", &major, &minor) != 2 ||
	    TD_PERF_ONCE_HANGS(major * 1000 + minor)) {
		puts("not tested: this kernel hangs when a clock event disables itself");
		return false;
	}
	sigfillset(&action.sa_mask);
	sigaction(SIGTRAP, &action, NULL);
	thread.trigger = &td_perf_once_trigger;
	thread.fd = (int)td_syscall6(SYS_perf_event_open, (long)&attr, 0, -1, -1,
				     PERF_FLAG_FD_CLOEXEC, 0);
	if (thread.fd < 0) {
		printf("not tested: no event: %s\n", strerror(-thread.fd));
		return false;
	}
	thread.fd_mark = SIGTRAP;
	ck_assert_int_eq(fcntl(thread.fd, F_SETSIG, thread.fd_mark), 0);
	return true;
}

static void take_signals(void)
{
	while (signals < SIGNALS)
		spin_ms(1);
	td_perf_once_trigger.stop(&thread);
	ck_assert_uint_le(waited, 5); /* of the first, where none is due */
}

START_TEST(has_none_too_many_after_a_stop)
{
	if (!open_event())
		return;
	for (int i = 0; i < 20; i++) {
		ck_assert_int_eq(td_perf_once_trigger.start(&thread, 1000000000), 0);
		td_perf_once_trigger.stop(&thread);
	}
	ck_assert_int_eq(td_perf_once_trigger.start(&thread, PERIOD), 0);
	take_signals();
}
END_TEST

/* One arming for which none had come. */
START_TEST(has_none_too_many_for_long)
{
	if (!open_event())
		return;
	ck_assert_int_eq(td_perf_once_trigger.arm(&thread, 1000000000), 0);
	ck_assert_int_eq(td_perf_once_trigger.arm(&thread, PERIOD), 0);
	take_signals();
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {has_none_too_many_after_a_stop,
				      has_none_too_many_for_long, NULL};

	return unit_main("trigger", tests);
}
