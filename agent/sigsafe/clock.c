// SPDX-License-Identifier: MIT
#include "agent/sigsafe/clock.h"

#include <sys/resource.h>
#include <time.h>

#include "agent/sigsafe/syscall.h"

uint64_t td_clock_thread_cpu(void)
{
	struct timespec now = {0};

	td_syscall2(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void td_clock_read(uint64_t *values)
{
	struct rusage usage = {0};

	values[0] = td_clock_thread_cpu();
	td_syscall2(SYS_getrusage, RUSAGE_THREAD, &usage);
	values[1] = (uint64_t)(usage.ru_minflt + usage.ru_majflt);
	values[2] = (uint64_t)(usage.ru_nvcsw + usage.ru_nivcsw);
}

static bool read_clock(struct td_thread *thread, struct td_reading *now)
{
	td_clock_read(now->values);
	for (unsigned i = 0; i < TD_CLOCK_COUNTERS; i++)
		now->values[i] -= thread->counter_base[i];
	now->elapsed = now->values[0];
	return true;
}

static void reset_clock(struct td_thread *thread)
{
	td_clock_read(thread->counter_base);
}

const struct td_counter_ops td_clock_counters = {
	.read = read_clock, .read_total = read_clock, .reset = reset_clock};

static bool read_nothing(struct td_thread *thread, struct td_reading *now)
{
	(void)thread;
	now->elapsed = 0;
	return false;
}

static void reset_nothing(struct td_thread *thread)
{
	(void)thread;
}

const struct td_counter_ops td_no_counters = {
	.read = read_nothing, .read_total = read_nothing, .reset = reset_nothing};
