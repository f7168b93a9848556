/* SPDX-License-Identifier: MIT */
/*
 * The program's side of agent/sigsafe/simulation.h: declare phases with
 * SIM_PROGRAM(), call sim_enter() and sim_leave() around the work, sim_end()
 * last in each thread, and ask sim_spent_ns() for the truth.  Without the
 * agent all of this only costs two clock readings a phase.
 *
 * Phase 0 is where every thread starts: all that was not declared.
 * Include it in one file of a program only.
 *
 * Context: normal.
 */
#ifndef TESTS_PROG_SIMULATE_H
#define TESTS_PROG_SIMULATE_H

#include <stdint.h>
#include <time.h>

#include "agent/sigsafe/simulation.h"

static __thread struct td_sim_thread sim_thread;
static uint64_t sim_total[TD_SIM_PHASES_MAX]; /* of ended threads; atomic */

static struct td_sim_thread *sim_self(void)
{
	return &sim_thread;
}

#define SIM_PROGRAM(table)                                                               \
	extern const struct td_simulation tdagent_simulation;                            \
	__attribute__((visibility("default")))                                           \
	const struct td_simulation tdagent_simulation = {                                \
		.version = TD_SIMULATION_VERSION,                                        \
		.phases = sizeof(table) / sizeof((table)[0]),                            \
		.phase = (table),                                                        \
		.self = sim_self,                                                        \
	}

static inline uint64_t sim_cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Returns the phase that it ends, for sim_leave(). */
static inline uint32_t sim_enter(uint32_t phase)
{
	struct td_sim_thread *self = &sim_thread;
	uint32_t previous = self->phase;
	uint64_t now;

	self->busy = 1;
	__atomic_signal_fence(__ATOMIC_SEQ_CST); /* pairs with the agent's handler */
	now = sim_cpu_ns();
	self->spent_ns[previous] += now - self->since_ns;
	self->since_ns = now;
	self->phase = phase;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	self->busy = 0;
	return previous;
}

static inline void sim_leave(uint32_t previous)
{
	sim_enter(previous);
}

/* Hands this thread's times over to sim_spent_ns(); the thread's last call. */
static inline void sim_end(void)
{
	sim_enter(0);
	for (uint32_t i = 0; i < TD_SIM_PHASES_MAX; i++)
		__atomic_fetch_add(&sim_total[i], sim_thread.spent_ns[i],
				   __ATOMIC_RELAXED);
}

/* CPU time that all ended threads spent in a phase. */
static inline uint64_t sim_spent_ns(uint32_t phase)
{
	return __atomic_load_n(&sim_total[phase], __ATOMIC_RELAXED);
}

#endif
