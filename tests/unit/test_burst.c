// SPDX-License-Identifier: MIT
/* Bursts: several windows after each sample. */
#include <signal.h>
#include <unistd.h>

#include "agent/sigsafe/handler.h"
#include "tests/unit/fake_strobe.h"

/* Three windows after each sample: the first is nowhere, the others follow each other,
 * opened where the one before has closed; all slots are in the totals. */
START_TEST(takes_bursts)
{
	plan.burst = 3;
	for (int i = 0; i < 2; i++) {
		uint64_t long_ones = armings + 1;

		signal_at(here, 1200000, 0);
		ck_assert_uint_lt(armed, 2000);
		signal_at(here, 2500, 0); /* dropped */
		ck_assert(thread.in_window);
		ck_assert_uint_lt(armed, 2000);
		signal_at(there, 2600, 0); /* left */
		ck_assert(thread.in_window);
		ck_assert_uint_lt(armed, 2000);
		signal_at(there, 2700, 0);
		ck_assert(!thread.in_window);
		ck_assert_uint_ge(armed, 800000);
		/* the trigger goes on by itself: each close arms the long period first */
		ck_assert_uint_eq(armings, long_ones + 5);
	}
	ck_assert_uint_eq(record()->samples, 2);
	ck_assert_uint_eq(place_of(here)->samples, 2);
	ck_assert_uint_eq(place_of(there)->samples, 0);
	ck_assert_uint_eq(record()->windows, 2);
	ck_assert_uint_eq(place_of(there)->windows, 2);
	ck_assert_uint_eq(place_of(here)->windows, 0);
	ck_assert_uint_eq(record()->rejected[TD_REJECT_FUNCTION], 2);
	ck_assert_uint_eq(place_of(here)->rejected[TD_REJECT_FUNCTION], 2);
	ck_assert_uint_eq(logged(0)->value[0], 2600);
	ck_assert_uint_eq(logged(1)->value[0], 2700);
	ck_assert_uint_eq(logged(1)->reject, TD_REJECT_MAX);
	ck_assert_uint_eq(logged(4)->state, TD_WINDOW_FREE);
	/* what the last window counted is in the next period */
	ck_assert_uint_eq(record()->total[0], 2 * (1200000 + 2500 + 2600) + 2700);
}
END_TEST

/* A trigger that fires once is armed once a window: no period is left over. */
START_TEST(arms_once_a_window)
{
	struct td_trigger_ops once = trigger;

	once.echoes = false;
	thread.trigger = &once;
	plan.burst = 3;
	signal_at(here, 1200000, 0);
	for (int i = 0; i < 3; i++)
		signal_at(here, 2500, 0);
	ck_assert_uint_eq(armings, 5); /* with the start */
	ck_assert_uint_ge(armed, 800000);
	ck_assert_uint_eq(record()->windows, 2);
}
END_TEST

static int no_signal_of_it_came(struct td_thread *t, uint64_t period)
{
	(void)t;
	(void)period;
	ck_abort_msg("another one may be due");
	return 0;
}

/* Behind a signal that waited, of a sample or of a window, it is started, not armed. */
START_TEST(starts_behind_what_waited)
{
	struct td_trigger_ops once = trigger;

	once.echoes = false;
	thread.trigger = &once;
	signal_at(here, 1200000, 0);
	once.arm = no_signal_of_it_came;
	td_strobe_signal(&thread, ip_of(here), TD_SIGNAL_DELAYED);
	ck_assert(!thread.in_window);
	ck_assert_uint_ge(armed, 800000);
	ck_assert_uint_eq(armings, 3);
	td_strobe_signal(&thread, ip_of(here), TD_SIGNAL_DELAYED);
	ck_assert(!thread.in_window);
	ck_assert_uint_eq(armings, 4);
}
END_TEST

/* An empty window is none of the first ones, and the burst goes on behind it. */
START_TEST(measures_empty_windows_in_bursts)
{
	map_counters();
	plan.burst = 2;
	signal_at(here, 1200000, 0);
	ck_assert_int_eq(release(), SYS_ioctl);
	signal_at(here, 2500, 2);
	ck_assert_int_eq(release(), SYS_rt_tgsigqueueinfo);
	own_signal_at(here, 30, 2);
	ck_assert(!thread.in_window);
	ck_assert_uint_eq(record()->empties, 1);
	signal_at(here, 1200000, 0);
	release();
	signal_at(here, 2500, 2);
	ck_assert_int_eq(release(), SYS_ioctl);
	ck_assert_uint_eq(thread.release.period, thread.window.requested);
	signal_at(here, 2500, 2);
	ck_assert_uint_eq(record()->windows, 1);
	ck_assert_uint_eq(record()->samples, 2);
}
END_TEST

/* Whatever ends a burst early, no window of it opens later, and the dropped one is no
 * loss. */
START_TEST(ends_bursts)
{
	plan.burst = 4;
	signal_at(here, 1200000, 0);
	td_strobe_block(&thread);
	ck_assert(!thread.in_window);
	ck_assert_uint_ge(armed, 800000);
	signal_at(here, 1200000, 0);
	signal_at(here, 2500, 0);
	td_strobe_signal(&thread, ip_of(here), TD_SIGNAL_DELAYED);
	ck_assert(!thread.in_window);
	ck_assert_uint_ge(armed, 800000);
	ck_assert_uint_eq(record()->rejected[TD_REJECT_BLOCKED], 0);
	ck_assert_uint_eq(record()->rejected[TD_REJECT_EARLY], 1);
	signal_at(here, 1200000, 0);
	td_strobe_stop(&thread);
	ck_assert_uint_eq(record()->rejected[TD_REJECT_CUT], 0);
	ck_assert_uint_eq(record()->windows, 0);
}
END_TEST

static bool is_pending(int number)
{
	sigset_t pending;

	sigpending(&pending);
	return sigismember(&pending, number) == 1;
}

/* The short period has ended once more in the handler: its signal does not end the next
 * window; another one of that number stays. */
START_TEST(takes_echoes_away)
{
	sigset_t blocked;

	td_signal.number = SIGUSR1;
	td_signal.cookie = 0x1234567812345678;
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGUSR1);
	sigprocmask(SIG_BLOCK, &blocked, NULL); /* as in a handler */
	plan.burst = 3;
	signal_at(here, 1200000, 0);
	sigqueue(getpid(), SIGUSR1,
		 (union sigval){.sival_ptr = (void *)td_signal.cookie});
	ck_assert(is_pending(SIGUSR1));
	signal_at(here, 2500, 0);
	ck_assert(thread.in_window);
	ck_assert(!is_pending(SIGUSR1));
	kill(getpid(), SIGUSR1);
	signal_at(here, 2500, 0);
	ck_assert(thread.in_window);
	ck_assert(is_pending(SIGUSR1));
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {takes_bursts,
				      arms_once_a_window,
				      starts_behind_what_waited,
				      measures_empty_windows_in_bursts,
				      ends_bursts,
				      takes_echoes_away,
				      NULL};

	return unit_main_between("burst", tests, setup, memory_store_close);
}
