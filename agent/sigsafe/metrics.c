// SPDX-License-Identifier: MIT
#include "agent/sigsafe/metrics.h"

#include <string.h>

struct td_metrics_shape td_metrics_shape;

void td_metrics_carry(struct td_thread *thread, struct td_reading *now)
{
	for (uint32_t i = 0; i <= td_metrics_shape.nodes; i++)
		now->values[i] = thread->counter_base[i] += now->values[i];
	now->elapsed = now->values[0] / td_metrics_shape.width;
}

static void to_units(uint64_t *values)
{
	for (uint32_t i = 1; i <= td_metrics_shape.nodes; i++)
		values[i] = td_registers_to_units(values[i]);
}

/* A reading that zeroes is decoded at once, for it must be carried on. */
static bool read_rdpmc(struct td_thread *thread, struct td_reading *now)
{
	return td_metrics_take(thread, now) &&
	       (!td_metrics_shape.clears_on_read || td_metrics_decode(thread, now));
}

static bool decode_rdpmc(struct td_thread *thread, struct td_reading *now)
{
	return td_metrics_shape.clears_on_read || td_metrics_decode(thread, now);
}

bool td_metrics_decode_total(struct td_thread *thread, struct td_reading *now)
{
	if (!td_registers_decode(now->values[0], thread->capture.metrics,
				 td_metrics_shape.nodes, now->values + 1))
		return false;
	if (td_metrics_shape.clears_on_read)
		td_metrics_carry(thread, now);
	to_units(now->values);
	return true;
}

static bool read_total_rdpmc(struct td_thread *thread, struct td_reading *now)
{
	return td_metrics_take_total(thread, now);
}

static bool switched_rdpmc(const struct td_thread *thread)
{
	return thread->capture.lock != thread->registers.lock;
}

__attribute__((cold)) void td_metrics_begin_again(struct td_registers *registers)
{
	for (unsigned tries = 0; tries < 4 && !td_metrics_begin(registers); tries++)
		;
}

/*
 * A reset that is not the beginning of a window: nothing is in a hurry.  What has never
 * had a register, on a hybrid's small cores or while others have them all, counts from
 * nowhere; later on it would count from the reset before.
 */
static void reset_rdpmc(struct td_thread *thread)
{
	struct td_registers *registers = &thread->registers;
	uint32_t n = registers->extras;

	memset(thread->counter_base, 0, sizeof(thread->counter_base));
	memset(&registers->extra_base, 0, sizeof(registers->extra_base));
	td_metrics_begin_again(registers);
	registers->unbased = n > 0 && !td_metrics_joined(&registers->extra_base, n - 1);
}

/* As read() of a group gives it: how many, then their counts in order of opening. */
struct group_read {
	uint64_t events;
	uint64_t enabled;
	uint64_t running;
	uint64_t value[TD_COUNTERS_MAX];
};

static bool read_group(struct td_thread *thread, uint64_t *values, uint64_t *not_running)
{
	uint32_t wanted = 1 + td_metrics_shape.nodes + td_metrics_shape.extras;
	struct group_read group;
	long n = td_syscall3(SYS_read, thread->registers.slots_fd, &group, sizeof(group));

	if (n < (long)(3 + wanted) * 8 || group.events != wanted)
		return false;
	for (uint32_t i = 0; i < wanted; i++)
		values[i] = group.value[i];
	*not_running = group.enabled - group.running;
	return true;
}

/* The kernel multiplied the register's fields by SLOTS: its fields again. */
static uint64_t fields_of(const uint64_t *values)
{
	uint64_t metrics = 0, slots = values[0];

	for (uint32_t i = 0; i < td_metrics_shape.nodes && slots; i++) {
		uint64_t field = (values[1 + i] * 255 + slots / 2) / slots;

		metrics |= (field < 255 ? field : 255) << (8 * i);
	}
	return metrics;
}

static bool take_group(struct td_thread *thread, struct td_reading *now)
{
	uint32_t wanted = 1 + td_metrics_shape.nodes + td_metrics_shape.extras;
	uint64_t not_running = 0;

	now->elapsed = 0;
	if (!read_group(thread, now->values, &not_running))
		return false;
	for (uint32_t i = 0; i < wanted; i++)
		now->values[i] -= thread->counter_base[i];
	now->elapsed = now->values[0] / td_metrics_shape.width;
	/* time without a counter: what was counted is not all there was */
	return not_running == thread->registers.not_running;
}

static bool read_by_syscall(struct td_thread *thread, struct td_reading *now)
{
	if (!take_group(thread, now))
		return false;
	thread->capture.metrics = fields_of(now->values);
	td_registers_correct(&td_metrics_shape.correction, td_metrics_shape.nodes,
			     now->values);
	return true;
}

static bool read_total_by_syscall(struct td_thread *thread, struct td_reading *now)
{
	if (!take_group(thread, now))
		return false;
	to_units(now->values);
	return true;
}

static void reset_by_syscall(struct td_thread *thread)
{
	read_group(thread, thread->counter_base, &thread->registers.not_running);
}

const struct td_counter_ops td_metrics_rdpmc_counters = {
	.read = read_rdpmc,
	.decode = decode_rdpmc,
	.read_total = read_total_rdpmc,
	.reset = reset_rdpmc,
	.switched = switched_rdpmc,
};

const struct td_counter_ops td_metrics_read_counters = {
	.read = read_by_syscall,
	.read_total = read_total_by_syscall,
	.reset = reset_by_syscall,
};
