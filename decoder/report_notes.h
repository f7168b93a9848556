/* SPDX-License-Identifier: MIT */
/* What a profile's header, its skid and its damage have to say in a report, and how its
 * windows could not be told apart.  Context: any. */
#ifndef TD_DECODER_REPORT_NOTES_H
#define TD_DECODER_REPORT_NOTES_H

#include "decoder/report.h"

/* 0 or -ENOMEM. */
int td_report_notes(struct td_report *report, const struct td_profile *profile);

/* Of all profiles, when the functions are estimated.  0 or -ENOMEM. */
int td_report_notes_finish(struct td_report *report);

#endif
