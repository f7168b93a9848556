// SPDX-License-Identifier: MIT
/*
 * Handlers that go back by themselves, at any instruction of threads to which all kinds
 * of things happen; for real, but for the windows: tests/lab/wild.sh has these.
 */
#include <check.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "agent/sigsafe/handler.h"
#include "agent/sigsafe/leave.h"
#include "agent/sigsafe/metrics.h"
#include "agent/sigsafe/release.h"
#include "tests/prog/wild_work.h"
#include "tests/unit/unit.h"

#ifdef __x86_64__

#define INTERVAL_NS 47000

struct sampled {
	struct td_thread thread;
	timer_t timer;
};

static const struct td_strobe_plan plan;
static char pages[TD_PAGES * TD_PAGE] __attribute__((aligned(TD_PAGE)));
static pthread_key_t key;
static _Atomic unsigned opened, empty, usual, void_ones;

static void disturb_vectors(void)
{
	__asm__ volatile("pcmpeqd %%xmm0, %%xmm0\n\tpcmpeqd %%xmm1, %%xmm1\n\t"
			 "pcmpeqd %%xmm15, %%xmm15\n\tfninit" ::
				 : "xmm0", "xmm1", "xmm15");
}

/* As td_handler() does with it. */
static void open_window(struct td_thread *thread, const ucontext_t *interrupted)
{
	thread->window.empty = opened++ % 4 == 0;
	empty += thread->window.empty;
	td_release_prepare(thread, 100, thread->window.empty);
	thread->in_window = true;
	disturb_vectors();
	if (td_leave(thread, interrupted))
		usual++;
	else
		void_ones++;
	thread->release.wanted = false;
}

/* Once, as a trigger does: where handlers are slower, others would run all the time. */
static int arm(struct sampled *own)
{
	struct itimerspec once = {.it_value.tv_nsec = INTERVAL_NS};

	return timer_settime(own->timer, 0, &once, NULL);
}

static void handler(int number, siginfo_t *info, void *context)
{
	struct td_thread *thread = td_self;

	(void)number;
	if (!thread || info->si_code == SI_QUEUE)
		return;
	arm((struct sampled *)thread);
	if (atomic_load(&thread->inside)) {
		thread->release.wanted = false;
		atomic_store(&thread->inside, false);
	} else if (td_leave_may(context) && wild_has_room()) {
		open_window(thread, context);
	} else {
		usual++;
	}
}

static void begin(void)
{
	struct sampled *own = calloc(1, sizeof(*own));
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID,
				 .sigev_signo = td_signal.number};

	own->thread.fd = own->thread.registers.slots_fd = -1;
	own->thread.plan = &plan;
	own->thread.registers.pages = pages;
	atomic_store(&own->thread.tid, (uint32_t)gettid());
	event._sigev_un._tid = gettid();
	ck_assert_int_eq(timer_create(CLOCK_MONOTONIC, &event, &own->timer), 0);
	ck_assert_int_eq(pthread_setspecific(key, own), 0);
	td_self = &own->thread;
	td_own_stack = (struct td_own_stack){.size = UINT64_MAX}; /* coroutines' too */
	ck_assert_int_eq(arm(own), 0);
}

static void end(void *pointer)
{
	struct sampled *own = pointer;

	td_self = NULL;
	timer_delete(own->timer);
	free(own);
}

START_TEST(changes_nothing_in_a_wild_program)
{
	struct wild wild = {.threads = 4,
			    .rounds = 3000,
			    .cancelled = 100,
			    .interval_ns = 61000,
			    .begin = begin};
	struct sigaction action = {.sa_sigaction = handler,
				   .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART};

	td_signal.number = SIGRTMIN;
	td_metrics_shape.width = 6;
	sigfillset(&action.sa_mask);
	ck_assert_int_eq(sigaction(td_signal.number, &action, NULL), 0);
	ck_assert_int_eq(pthread_key_create(&key, end), 0);
	td_leave_setup();
	wild_run(&wild);
	printf("%u opened, %u of them empty, %u void, %u as any other; %u jumps, %u switches, %u within\n",
	       opened, empty, void_ones, usual, wild.jumps, wild.switches, wild.within);
	ck_assert_uint_eq(wild.wrong, 0);
	ck_assert_uint_gt(opened, 100);
	ck_assert_uint_gt(usual, 10);
	ck_assert_uint_gt(wild.jumps, 100);
	ck_assert_uint_gt(wild.switches, 100);
}
END_TEST
#endif

int main(void)
{
	const TTest *const tests[] = {
#ifdef __x86_64__
		changes_nothing_in_a_wild_program,
#endif
		NULL};

	return unit_main("leave_wild", tests);
}
