// SPDX-License-Identifier: MIT
#include "agent/sigsafe/metrics.h"

#include <string.h>

struct td_metrics_shape td_metrics_shape;

static uint64_t elapsed_cycles(const struct td_thread *thread, const uint64_t *values)
{
	(void)thread;
	return values[0] / td_metrics_shape.width;
}

/* Readings that zero the registers add up to what one since the reset would be. */
static void carry(struct td_thread *thread, uint64_t *values)
{
	for (uint32_t i = 0; i <= td_metrics_shape.nodes; i++)
		values[i] = thread->counter_base[i] += values[i];
}

/*
 * What SLOTS was when PERF_METRICS was read: half-way between its two readings.
 * With the first alone, the fields' share of the program is too small by what
 * we execute up to the second, and the own cost that is taken out does not fit:
 * 1 to 2 points in windows of 300 cycles.  Where reading PERF_METRICS zeroes
 * both, the second reading is that distance by itself.
 */
static uint64_t slots_at_metrics(const struct td_capture *capture)
{
	if (td_metrics_shape.clears_on_read)
		return capture->slots + capture->slots_after;
	return capture->slots + (capture->slots_after - capture->slots) / 2;
}

/* Turns what the handler captured on entry into counts since the reset. */
static bool read_rdpmc(struct td_thread *thread, uint64_t *values)
{
	const struct td_capture *capture = &thread->capture;
	const struct td_registers *registers = &thread->registers;

	values[0] = slots_at_metrics(capture);
	for (uint32_t i = 0; i < registers->extras; i++)
		values[1 + td_metrics_shape.nodes + i] =
			(capture->extra[i] - registers->extra_base[i]) & TD_COUNTER_MASK;
	if (!capture->complete)
		return false;
	if (!td_metrics_shape.clears_on_read && capture->slots_after < capture->slots)
		return false; /* something reset it */
	if (!td_registers_decode(values[0], capture->metrics, td_metrics_shape.nodes,
				 values + 1))
		return false;
	if (td_metrics_shape.clears_on_read)
		carry(thread, values);
	td_registers_correct(&td_metrics_shape.correction, td_metrics_shape.nodes,
			     values);
	return true;
}

static uint32_t saturated(uint64_t value)
{
	return value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
}

/* The extra counters are never corrected: they are raw among the values. */
static void raw_registers(const struct td_thread *thread, const uint64_t *values,
			  uint32_t *to)
{
	to[0] = saturated(values[0]);
	to[1] = (uint32_t)thread->capture.metrics;
	to[2] = (uint32_t)(thread->capture.metrics >> 32);
	for (uint32_t i = 0; i < td_metrics_shape.extras; i++)
		to[3 + i] = saturated(values[1 + td_metrics_shape.nodes + i]);
}

static bool switched_rdpmc(const struct td_thread *thread)
{
	return thread->capture.lock != thread->registers.lock;
}

/* A reset that is not the beginning of a window: nothing is in a hurry. */
static void reset_rdpmc(struct td_thread *thread)
{
	struct td_registers *registers = &thread->registers;

	for (uint32_t i = 0; i < registers->extras; i++)
		td_metrics_read_one(registers->extra[i], &registers->extra_base[i]);
	memset(thread->counter_base, 0, sizeof(thread->counter_base));
	td_metrics_zero(registers);
	registers->lock = registers->slots->lock;
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

static bool read_by_syscall(struct td_thread *thread, uint64_t *values)
{
	uint32_t wanted = 1 + td_metrics_shape.nodes + td_metrics_shape.extras;
	uint64_t not_running = 0;

	if (!read_group(thread, values, &not_running))
		return false;
	for (uint32_t i = 0; i < wanted; i++)
		values[i] -= thread->counter_base[i];
	thread->capture.metrics = fields_of(values);
	td_registers_correct(&td_metrics_shape.correction, td_metrics_shape.nodes,
			     values);
	/* time without a counter: what was counted is not all there was */
	return not_running == thread->registers.not_running;
}

static void reset_by_syscall(struct td_thread *thread)
{
	read_group(thread, thread->counter_base, &thread->registers.not_running);
}

const struct td_counter_ops td_metrics_rdpmc_counters = {
	.read = read_rdpmc,
	.reset = reset_rdpmc,
	.elapsed = elapsed_cycles,
	.switched = switched_rdpmc,
	.raw = raw_registers,
};

const struct td_counter_ops td_metrics_read_counters = {
	.read = read_by_syscall,
	.reset = reset_by_syscall,
	.elapsed = elapsed_cycles,
	.raw = raw_registers,
};
