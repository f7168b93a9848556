/* SPDX-License-Identifier: MIT */
/*
 * The simulated PMU: integrates what the program declares (simulation.h) over
 * its CPU time.  For demonstrations and tests; everything it touches says
 * SIMULATED.
 */
#ifndef TD_SIGSAFE_SIMULATED_H
#define TD_SIGSAFE_SIMULATED_H

#include "agent/sigsafe/clock.h"
#include "agent/sigsafe/simulation.h"

/* slots, the nodes of enum td_sim_node, then the clock's counters */
#define TD_SIMULATED_COUNTERS (1u + TD_SIM_NODES + TD_CLOCK_COUNTERS)

extern const struct td_counter_ops td_simulated_counters;

/* The program's declaration; set by core before the first signal. */
extern const struct td_simulation *td_simulated_program;

#endif
