/* SPDX-License-Identifier: MIT */
/*
 * For tests of the strobe's state machine: a thread with a trigger and counters made of
 * variables, in a profile in memory.
 */
#ifndef TD_TESTS_FAKE_STROBE_H
#define TD_TESTS_FAKE_STROBE_H

#include <check.h>
#include <errno.h>
#include <string.h>

#include "agent/sigsafe/strobe.h"
#include "agent/sigsafe/syscall.h"
#include "tests/unit/memory_store.h"
#include "tests/unit/unit.h"

static struct td_thread thread;
static struct td_strobe_plan plan;
static uint64_t armed, armings, stops;
static uint64_t counted[3]; /* what the next read gives: elapsed, returns, calls */
static bool readable;
static int arm_result;

/* Two functions of this program, apart enough to be told apart. */
static inline int here(int x)
{
	return x + 1;
}

static inline int there(int x)
{
	return x + 2;
}

static inline uint64_t ip_of(int (*function)(int))
{
	return (uint64_t)function;
}

static inline int fake_arm(struct td_thread *t, uint64_t period)
{
	(void)t;
	armed = period;
	armings++;
	return arm_result;
}

static inline void fake_stop(struct td_thread *t)
{
	(void)t;
	stops++;
}

static inline bool fake_read(struct td_thread *t, struct td_reading *now)
{
	(void)t;
	now->values[0] = now->elapsed = counted[0];
	now->values[1] = counted[1];
	now->values[2] = counted[2];
	return readable;
}

static inline void fake_reset(struct td_thread *t)
{
	(void)t;
	counted[0] = counted[1] = counted[2] = 0;
}

static const struct td_trigger_ops trigger = {.start = fake_arm,
					      .arm = fake_arm,
					      .change = fake_arm,
					      .stop = fake_stop,
					      .echoes = true};

static const struct td_counter_ops counters = {
	.read = fake_read, .read_total = fake_read, .reset = fake_reset};

static inline void setup(void)
{
	memory_store_open(2, 32);
	memset(&thread, 0, sizeof(thread));
	memory_store_add_thread(&thread.places);
	plan = (struct td_strobe_plan){.long_period = 1000000,
				       .short_period = 1000,
				       .shortest = 100,
				       .late = 5000,
				       .jitter_percent = 20,
				       .spread = 200000};
	thread.trigger = &trigger;
	thread.counters = &counters;
	thread.plan = &plan;
	td_random_seed(&thread.random, 1, 1);
	armed = armings = stops = 0;
	counted[0] = counted[1] = counted[2] = 0;
	readable = true;
	arm_result = 0;
	ck_assert_int_eq(td_strobe_start(&thread), 0);
}

static inline struct td_file_thread *record(void)
{
	return thread.places.record;
}

static inline struct td_file_place *place_of(int (*function)(int))
{
	struct td_identity identity;

	td_identity_find(ip_of(function), &identity);
	return td_places_get(&thread.places, &identity);
}

/* An empty window's own signal, after so many units. */
static inline void own_signal_at(int (*function)(int), uint64_t elapsed, uint64_t other)
{
	counted[0] += elapsed;
	counted[1] += other;
	td_strobe_signal(&thread, ip_of(function), TD_SIGNAL_EMPTY);
}

/* A signal after `elapsed` units, `other` of the other counter. */
static inline void signal_at(int (*function)(int), uint64_t elapsed, uint64_t other)
{
	counted[0] += elapsed;
	counted[1] += other;
	td_strobe_signal(&thread, ip_of(function), 0);
}

/* The log's window number `n` from the start; NULL if there are not so many. */
static inline const struct td_file_window *logged(uint32_t n)
{
	for (uint32_t b = 1; b < td_store.header->blocks; b++)
		if (td_store_block(b)->kind == TD_BLOCK_WINDOWS)
			return td_store_record(TD_REF(b, n),
					       sizeof(struct td_file_window));
	return NULL;
}

/* As if the counters were mapped: the handler would open the windows. */
static char pages[TD_PAGES * TD_PAGE]; /* index 0: RDPMC is never executed */
static bool was_switched;

static inline bool fake_usable(const struct td_thread *t)
{
	(void)t;
	return true;
}

static inline bool fake_switched(const struct td_thread *t)
{
	(void)t;
	return was_switched;
}

static const struct td_trigger_ops mapped_trigger = {.start = fake_arm,
						     .arm = fake_arm,
						     .change = fake_arm,
						     .usable = fake_usable,
						     .stop = fake_stop,
						     .echoes = true};
static const struct td_counter_ops mapped_counters = {.read = fake_read,
						      .read_total = fake_read,
						      .reset = fake_reset,
						      .switched = fake_switched};

static inline void map_counters(void)
{
	thread.registers.mapped = true;
	thread.registers.pages = pages;
	thread.trigger = &mapped_trigger;
	thread.counters = &mapped_counters;
	plan.empty_every = 4;
	plan.leavings = 1;
	was_switched = false;
}

/* What td_handler() does last; the call that opens the window. */
static inline long release(void)
{
	ck_assert(thread.release.wanted);
	thread.release.wanted = false;
	counted[0] = counted[1] = counted[2] = 0;
	return thread.release.call[0];
}

#endif
