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

static struct td_thread thread;
static volatile unsigned signals, waited;
static volatile bool ran; /* the program, since the last signal */

/* Arms at its end: a period that ends before was due besides. */
static void handler(int number)
{
	bool has_waited = !ran;

	(void)number;
	signals++;
	waited += has_waited;
	for (uint64_t last = spin_now_ns(), spent = 0; spent < 5 * PERIOD;)
		spent += spin_ran_ns(&last);
	if (has_waited) /* as the strobe: a long one */
		thread.trigger->start(&thread, 100 * PERIOD);
	else
		thread.trigger->arm(&thread, PERIOD);
	ran = false;
}

static bool open_event(void)
{
	struct sigaction action = {.sa_handler = handler};
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
	ran = true;
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
		ran = true;
	td_perf_once_trigger.stop(&thread);
	/* half of them, if one is due too many; where none is, the first ones */
	ck_assert_uint_le(waited, SIGNALS / 4);
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

/* Time that the event has counted. */
static uint64_t counted(void)
{
	uint64_t ns = 0;

	ck_assert_int_eq(read(thread.fd, &ns, sizeof(ns)), sizeof(ns));
	return ns;
}

static void count(int number)
{
	(void)number;
	signals++;
}

/* Its first signal waits, and no period goes on meanwhile. */
START_TEST(interrupts_once_who_blocks_the_signal)
{
	struct sigaction action = {.sa_handler = count};
	sigset_t blocked, pending;
	uint64_t once;

	if (!open_event())
		return;
	sigaction(SIGTRAP, &action, NULL);
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGTRAP);
	sigprocmask(SIG_BLOCK, &blocked, NULL);
	ck_assert_int_eq(td_perf_once_trigger.start(&thread, PERIOD), 0);
	do {
		spin_turns(1000);
		sigpending(&pending);
	} while (!sigismember(&pending, SIGTRAP));
	once = counted();
	spin_ms(1);
	ck_assert_uint_eq(counted(), once);
	td_perf_once_trigger.stop(&thread);
	sigprocmask(SIG_UNBLOCK, &blocked, NULL);
	ck_assert_uint_eq(signals, 1);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {has_none_too_many_after_a_stop,
				      has_none_too_many_for_long,
				      interrupts_once_who_blocks_the_signal, NULL};

	return unit_main("trigger", tests);
}
