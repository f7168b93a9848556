// SPDX-License-Identifier: MIT
#include "decoder/report_notes.h"

#include "decoder/groups.h"
#include "decoder/text.h"

static int note_skid(struct td_report *report, const struct td_profile *profile)
{
	double skid = td_profile_skid(profile);

	if (skid < TD_SKID_MUCH)
		return 0;
	return td_report_note(
		report,
		td_text_format("pid %u: interrupts came %.0f cycles late (median): a "
			       "sample may be counted for the function behind, "
			       "shares lean to functions with many instructions a cycle, "
			       "and only functions with windows of their own are told",
			       profile->header.pid, skid));
}

/* Of windows that nobody logged, nobody knows; those with their place are out. */
static int note_strays(struct td_report *report, const struct td_profile *profile)
{
	const struct td_file_header *header = &profile->header;

	if (!profile->strays || header->windows_seen <= profile->windows)
		return 0;
	return td_report_note(
		report,
		td_text_format(
			"pid %u: %zu of the %zu windows in the log counted far more "
			"than others and are left out; of the %llu that are not in "
			"the log as many in proportion are not",
			header->pid, profile->strays, profile->windows,
			(unsigned long long)(header->windows_seen - profile->windows)));
}

int td_report_notes(struct td_report *report, const struct td_profile *profile)
{
	const struct td_profile_damage *damage = &profile->damage;
	int err = 0;

	if (profile->header.simulated)
		err = td_report_note(report,
				     td_text_format("SIMULATED: the counters are "
						    "made up, the samples are not"));
	for (uint32_t i = 0; i < profile->header.notes && !err; i++) {
		if (profile->header.note[i][0])
			err = td_report_note(report,
					     td_text_clean(profile->header.note[i], 160));
	}
	if (!err)
		err = note_skid(report, profile);
	if (!err)
		err = note_strays(report, profile);
	if (!err && (damage->blocks || damage->records))
		err = td_report_note(
			report, td_text_format("pid %u: %u damaged blocks and %u damaged "
					       "records of the profile are left out",
					       profile->header.pid, damage->blocks,
					       damage->records));
	if (!err && damage->busy)
		err = td_report_note(
			report,
			td_text_format(
				"pid %u: timelines left out, because they were being "
				"written: %u",
				profile->header.pid, damage->busy));
	if (!err && (damage->missing || damage->cut))
		err = td_report_note(
			report,
			td_text_format("pid %u: the profile is cut short, %u blocks "
				       "and what they held are missing",
				       profile->header.pid,
				       damage->missing +
					       (damage->cut && !damage->missing)));
	return err;
}

/* Windows of other groups are judged, or told apart, or their nodes are. */
int td_report_notes_finish(struct td_report *report)
{
	const struct td_groups_plan *plan = &report->plan;

	if (!report->counted[0] || !plan->groups || report->separated ||
	    td_groups_count_returns(plan) ||
	    td_report_counter(report, "near_returns") >= 0 ||
	    td_report_counter(report, "retiring") >= 0)
		return 0;
	return td_report_note(
		report,
		td_text_format("rates are of windows that begin and end in the same "
			       "function, and nothing counts returns here: of functions "
			       "shorter than a window they lean to what it calls and who "
			       "calls it, by more than ± says"));
}
