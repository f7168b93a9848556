/* SPDX-License-Identifier: MIT */
/*
 * Where a run's profiles go, and what `tdagent run` says of them at its end.
 *
 * Context: normal.
 */
#ifndef TD_TOOLS_OUTPUT_H
#define TD_TOOLS_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decoder/options.h"

struct td_output {
	char pattern[TD_PATH_MAX]; /* absolute, for TDAGENT_OUTPUT */
	char program[256];         /* base name */
	bool fresh;                /* the directory is a new one of ours */
	uint64_t since; /* CLOCK_REALTIME, ns: older profiles are not this run's */
};

/*
 * Chooses the pattern: `given` made absolute, or for "" a new directory of our
 * own.  Returns 0, or -errno with `why`: one line.
 */
int td_output_open(struct td_output *output, const char *given, const char *program,
		   char *why, size_t why_size);

/*
 * Prints the report of process `pid` where options->report says, then on
 * standard error where the profile is, or why there is none.  `status` is the
 * process's wait status.
 */
void td_output_report(const struct td_output *output, const struct td_options *options,
		      uint32_t pid, int status);

/* Removes the new directory if nothing came into it. */
void td_output_close(const struct td_output *output);

#endif
