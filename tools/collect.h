/* SPDX-License-Identifier: MIT */
/*
 * The rings of profiled processes, held by `tdagent run`: what a killed process leaves
 * in them goes into its profile.
 *
 * A thread of ours takes the rings as they come, and looks at them every
 * TD_COLLECT_INTERVAL_MS, for the tables of the code that they name: these are gone
 * when the process is.  The records stay in their rings; the process itself takes them
 * as ever.
 *
 * Context: normal; one collector at a time.
 */
#ifndef TD_TOOLS_COLLECT_H
#define TD_TOOLS_COLLECT_H

#define TD_COLLECT_INTERVAL_MS 1000

struct td_collector;

/*
 * Opens the socket; *setting is NAME=VALUE for the environment of the program, which
 * the caller frees.  NULL: no collector here, rings are emptied by their processes alone.
 */
struct td_collector *td_collector_open(char **setting);

/* Starts the thread, after the last fork. */
void td_collector_start(struct td_collector *collector);

/* The program has ended: saves what processes that were killed left, and frees it all. */
void td_collector_finish(struct td_collector *collector);

#endif
