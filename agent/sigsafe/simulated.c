// SPDX-License-Identifier: MIT
#include "agent/sigsafe/simulated.h"

#define FIRST_CLOCK (1u + TD_SIM_NODES)

const struct td_simulation *td_simulated_program;

/* Adds what `ns` of CPU time in `phase` counted. */
static void integrate(const struct td_sim_phase *phase, uint64_t ns, uint64_t *values)
{
	uint64_t slots = (uint64_t)((unsigned __int128)ns * phase->slots_per_us / 1000);

	values[0] += slots;
	for (unsigned i = 0; i < TD_SIM_NODES; i++)
		values[1 + i] +=
			(uint64_t)((unsigned __int128)slots * phase->node[i] / 10000);
}

/* All counters since the thread began; false in the middle of a phase change. */
static bool read_absolute(uint64_t *values)
{
	const struct td_simulation *program = td_simulated_program;
	const struct td_sim_thread *self = program->self();

	for (unsigned i = 0; i < FIRST_CLOCK; i++)
		values[i] = 0;
	td_clock_read(values + FIRST_CLOCK);
	if (self->busy || self->phase >= program->phases)
		return false;
	for (unsigned i = 0; i < program->phases; i++) {
		uint64_t ns = self->spent_ns[i];

		if (i == self->phase)
			ns += values[FIRST_CLOCK] - self->since_ns;
		integrate(&program->phase[i], ns, values);
	}
	return true;
}

static bool read_simulated(struct td_thread *thread, struct td_reading *now)
{
	uint64_t *values = now->values;
	bool readable = read_absolute(values);

	for (unsigned i = 0; i < TD_SIMULATED_COUNTERS; i++) {
		/* the reset came in the middle of a phase change */
		if (values[i] < thread->counter_base[i])
			readable = false;
		values[i] -= thread->counter_base[i];
	}
	now->elapsed = values[FIRST_CLOCK];
	return readable;
}

static void reset_simulated(struct td_thread *thread)
{
	if (read_absolute(thread->counter_base))
		return;
	/* No reading is above this: none counts until the next reset. */
	for (unsigned i = 0; i < FIRST_CLOCK; i++)
		thread->counter_base[i] = UINT64_MAX;
}

const struct td_counter_ops td_simulated_counters = {
	.read = read_simulated, .read_total = read_simulated, .reset = reset_simulated};
