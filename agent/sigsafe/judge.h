/* SPDX-License-Identifier: MIT */
/*
 * Which windows count, and why the others do not: one judge for both engines.  What
 * they find out each in its own way is in struct td_judged; the rules and their order
 * are here (doc/top-down.md names the causes).
 *
 * Context: any; reads nothing but its arguments.
 */
#ifndef TD_SIGSAFE_JUDGE_H
#define TD_SIGSAFE_JUDGE_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/sigsafe/identity.h"
#include "agent/sigsafe/thread.h"
#include "decoder/format.h"

/* What is known of a window that has closed. */
struct td_judged {
	bool readable; /* its counts can be trusted, as far as reading them tells */
	bool switched; /* the thread was switched out in it */
	bool delayed;  /* its close waited: our signal was blocked */
	bool left;     /* td_judge_left() */
	uint64_t length, least; /* the trigger's unit; a shorter one ended too early */
	const struct td_identity *opened_in, *closed_in;
};

/*
 * Left by a return, or by a call: not one function's window, though it may be where it
 * began again.  Functions that call each other return only in the end.  `values`: the
 * window's, by the plan's leavings; `own`: how many of them are ours.
 */
static inline bool td_judge_left(const struct td_strobe_plan *plan,
				 const uint64_t *values, const uint64_t own[TD_LEAVINGS])
{
	unsigned first = plan->leavings;

	_Static_assert(TD_LEAVINGS == 2, "one line for each");
	return first && (values[first] > own[0] || values[first + 1] > own[1]);
}

/* TD_REJECT_MAX: in one function, as far as its two ends tell. */
static inline enum td_reject td_judge_ends(const struct td_identity *opened_in,
					   const struct td_identity *closed_in)
{
	if (closed_in->kind == TD_PLACE_UNKNOWN || opened_in->kind == TD_PLACE_UNKNOWN)
		return TD_REJECT_UNKNOWN;
	return closed_in == opened_in || td_identity_same_function(closed_in, opened_in)
		       ? TD_REJECT_MAX
		       : TD_REJECT_FUNCTION;
}

/* TD_REJECT_MAX: the window counts, if its counts can be decoded.  Of several causes
 * the one that explains the others. */
static inline enum td_reject td_judge(const struct td_strobe_plan *plan,
				      const struct td_judged *window)
{
	enum td_reject reject;

	/* before it was open there was nothing to read */
	if (!window->readable)
		return window->delayed ? TD_REJECT_BLOCKED : TD_REJECT_COUNTERS;
	if (window->switched)
		return TD_REJECT_SWITCHED;
	if (window->length < window->least)
		return TD_REJECT_EARLY;
	if (window->delayed)
		return TD_REJECT_BLOCKED;
	if (window->length > 2 * plan->short_period + plan->late)
		return TD_REJECT_LATE;
	reject = td_judge_ends(window->opened_in, window->closed_in);
	if (reject == TD_REJECT_MAX && window->left)
		return TD_REJECT_NESTED;
	return reject;
}

#endif
