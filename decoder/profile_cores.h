/* SPDX-License-Identifier: MIT */
/*
 * A profile of a hybrid processor holds two: of its large cores and of its small ones,
 * with groups of events, formulas and a width of their own.  A reader gets one of them.
 *
 * Context: any; no globals.
 */
#ifndef TD_DECODER_PROFILE_CORES_H
#define TD_DECODER_PROFILE_CORES_H

#include "decoder/profile.h"

/*
 * Leaves only what was sampled and counted on these cores: records, groups and header
 * become those of a profile of such cores alone, profile->elsewhere the samples that are
 * left out.  TD_CORES_ANY: the large ones, unless nothing was sampled there.  Nothing
 * happens to other profiles.  Returns 0 or -ENOMEM.
 */
int td_profile_keep_cores(struct td_profile *profile, int cores);

#endif
