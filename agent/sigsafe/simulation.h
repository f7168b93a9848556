/* SPDX-License-Identifier: MIT */
/*
 * The simulated PMU's other side: a program that wants to demonstrate tdagent
 * on a machine without a PMU declares what its phases do and tells when it
 * enters them.  The simulation integrates the declarations over the thread's
 * CPU time; it knows nothing of functions, so what the agent attributes to a
 * function is the agent's own finding.
 *
 * The program exports one object named tdagent_simulation (link it with
 * -Wl,--export-dynamic-symbol=tdagent_simulation).  tests/prog/simulate.h has
 * the few lines that do all of this.
 *
 * Context: the agent reads these structures in its signal handler, on the
 * thread that writes them.
 */
#ifndef TD_SIGSAFE_SIMULATION_H
#define TD_SIGSAFE_SIMULATION_H

#include <stdint.h>

#define TD_SIMULATION_VERSION 1u
#define TD_SIM_PHASES_MAX 32u
#define TD_SIM_SYMBOL "tdagent_simulation"

/* In the order of the PERF_METRICS register: four of level 1, four of level 2. */
enum td_sim_node {
	TD_SIM_RETIRING,
	TD_SIM_BAD_SPECULATION,
	TD_SIM_FRONTEND_BOUND,
	TD_SIM_BACKEND_BOUND,
	TD_SIM_HEAVY_OPERATIONS,
	TD_SIM_BRANCH_MISPREDICTS,
	TD_SIM_FETCH_LATENCY,
	TD_SIM_MEMORY_BOUND,
	TD_SIM_NODES,
};

struct td_sim_phase {
	uint32_t slots_per_us;       /* 18000: 3 GHz, 6 slots a cycle */
	uint32_t node[TD_SIM_NODES]; /* 1/10000 of the slots; level 1 adds up to 10000 */
};

/* One a thread, written by the thread only. */
struct td_sim_thread {
	volatile uint32_t busy;               /* nonzero while the fields below change */
	uint32_t phase;                       /* the present phase */
	uint64_t since_ns;                    /* the thread's CPU time when it began */
	uint64_t spent_ns[TD_SIM_PHASES_MAX]; /* CPU time in each phase before since_ns */
};

struct td_simulation {
	uint32_t version; /* TD_SIMULATION_VERSION */
	uint32_t phases;  /* entries of phase[], at most TD_SIM_PHASES_MAX */
	const struct td_sim_phase *phase;
	/* this thread's record; async-signal-safe (static TLS) */
	struct td_sim_thread *(*self)(void);
};

#endif
