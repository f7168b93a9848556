/* SPDX-License-Identifier: MIT */
/*
 * The words for the enumerations of format.h, in one place: keys for JSON and
 * CSV, texts for people.  Context: any.  All functions return static strings
 * and never NULL; a value out of range gives "unknown".
 */
#ifndef TD_DECODER_NAMES_H
#define TD_DECODER_NAMES_H

#include "decoder/format.h"

/* JSON key: "other_function", "late", ... */
const char *td_reject_key(unsigned reject);
/* for people: "closed in another function" */
const char *td_reject_text(unsigned reject);
const char *td_lost_key(unsigned lost);
const char *td_lost_text(unsigned lost);
/* "clock", "simulated", ... as TDAGENT_PMU spells them */
const char *td_backend_name(unsigned backend);
/* "task-clock, sigtrap" and so on */
const char *td_trigger_name(unsigned trigger);
const char *td_windows_name(unsigned windows);
/* "large", "small" */
const char *td_cores_name(unsigned cores);

#endif
