/* SPDX-License-Identifier: MIT */
/* What profile.c needs of raw readings.  Context: normal. */
#ifndef TD_DECODER_WINDOWS_H
#define TD_DECODER_WINDOWS_H

#include "decoder/profile.h"

/* Turns raw totals of header.counters values (format.h, raw_totals) into slots,
 * corrected; leaves others alone. */
void td_windows_correct_total(const struct td_profile *profile, uint64_t *total);

#endif
