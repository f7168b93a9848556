// SPDX-License-Identifier: MIT
/* What a thread waits for that takes signals of our number, and what comes of ours. */
#include "agent/core/masks.h"

#include <errno.h>
#include <time.h>

#include "agent/core/core.h"
#include "agent/sigsafe/handler.h"
#include "tests/prog/spin.h"
#include "tests/unit/fake_strobe.h"

#define COOKIE 0x7d0000c0ull

struct td_core td_core; /* lifecycle.c has it */

static sigset_t trap;
static unsigned ours;      /* periods that end as soon as they have begun */
static bool comes_besides; /* one of the program's, once ours are over */

static void send_ours(void)
{
	siginfo_t info = {.si_code = SI_QUEUE, .si_value.sival_ptr = (void *)COOKIE};

	info.si_signo = SIGTRAP;
	td_syscall4(SYS_rt_tgsigqueueinfo, getpid(), td_gettid(), SIGTRAP, &info);
}

/* Such a period takes longer than the program has patience. */
static int start(struct td_thread *t, uint64_t period)
{
	fake_arm(t, period);
	if (ours > 0) {
		ours--;
		spin_ms(30);
		send_ours();
	} else if (comes_besides) {
		comes_besides = false;
		td_syscall3(SYS_tgkill, getpid(), td_gettid(), SIGTRAP);
	}
	return 0;
}

static const struct td_trigger_ops starting = {
	.start = start, .arm = fake_arm, .change = fake_arm, .stop = fake_stop};

static void begin(unsigned of_ours, bool besides)
{
	setup();
	thread.trigger = &starting;
	armings = 0;
	td_self = &thread;
	td_signal.number = SIGTRAP;
	td_signal.cookie = COOKIE;
	td_core.pid = (uint32_t)getpid();
	ours = of_ours;
	comes_besides = besides;
	sigemptyset(&trap);
	sigaddset(&trap, SIGTRAP);
	sigprocmask(SIG_BLOCK, &trap, NULL);
}

START_TEST(does_not_wait_for_ours)
{
	struct timespec less = {.tv_nsec = 20000000};

	begin(1, false);
	ck_assert_int_eq(td_masks_wait(&trap, NULL, &less), -1);
	ck_assert_int_eq(errno, EAGAIN);
	ck_assert_uint_eq(armings, 2);
	ck_assert_uint_eq(stops, 2);
}
END_TEST

/* Of the program's and ours one came: a period begins anew. */
START_TEST(waits_for_what_comes_besides)
{
	struct timespec patience = {.tv_sec = 100};
	siginfo_t info;

	begin(2, true);
	ck_assert_int_eq(td_masks_wait(&trap, &info, &patience), SIGTRAP);
	ck_assert_int_eq(info.si_pid, getpid());
	ck_assert_uint_eq(armings, 4);
	comes_besides = true;
	ck_assert_int_eq(td_masks_wait(&trap, NULL, NULL), SIGTRAP);
	ck_assert_uint_eq(armings, 6);
}
END_TEST

START_TEST(leaves_who_is_not_sampled_alone)
{
	struct timespec none = {0};

	begin(1, false);
	atomic_store(&thread.stopped, true);
	send_ours(); /* before the stop */
	ck_assert_int_eq(td_masks_wait(&trap, NULL, &none), -1);
	ck_assert_int_eq(errno, EAGAIN);
	ck_assert_uint_eq(armings, 0);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {does_not_wait_for_ours,
				      waits_for_what_comes_besides,
				      leaves_who_is_not_sampled_alone, NULL};

	return unit_main("masks", tests);
}
