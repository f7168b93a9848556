/* SPDX-License-Identifier: MIT */
/*
 * The rates of events that only some windows count, of functions that are shorter than
 * windows: part of report_log.c.  separate.h tells a group's events apart as it does
 * slots; all other groups' windows tell where time is.
 *
 * Context: normal; no globals.
 */
#ifndef TD_DECODER_REPORT_RATES_H
#define TD_DECODER_REPORT_RATES_H

#include "decoder/report_stays.h"

#define TD_REPORT_COUNTS 5u

/* What a window's group counted. */
struct td_report_counts {
	float value[TD_REPORT_COUNTS]; /* the values behind its slots */
	uint8_t group;
	uint8_t counted; /* of near returns, then calls, so many */
	uint8_t returns; /* of the program; 255: or more */
};

struct td_report_rates_of {
	const struct td_separate_input *input; /* as for td_separate() */
	const struct td_report_counts *counts; /* of its windows */
	/* td_separate_common()'s trace, if somebody has it already; else NULL */
	const struct td_separate_trace *insns;
	/* Of each function; NULL: returns judge windows, and sums are not taken. */
	const struct td_report_stays *stays;
	uint32_t first; /* group; with 0 how functions were told apart is filled in as
			   well, for nobody else does */
};

/* Fills the functions' groups->rate for all groups from the first on, as far as there are
 * windows.  0 or -ENOMEM. */
int td_report_rates(struct td_report *report, const struct td_report_rates_of *of);

/*
 * The program's instructions in each window, whatever else its group counts: what
 * td_separate_input.common is.  malloc()'s; NULL: no memory.
 */
float *td_report_instructions(const struct td_groups_plan *plan,
			      const struct td_separate_input *input,
			      const struct td_report_counts *counts);

#endif
