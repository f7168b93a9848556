/* SPDX-License-Identifier: MIT */
/*
 * Finds and reads the profiles that a command line names.  Context: normal.
 */
#ifndef TD_TOOLS_INPUTS_H
#define TD_TOOLS_INPUTS_H

#include "decoder/report.h"

/* Gets each profile, which is freed afterwards, and how many there may be behind it, as
 * far as that is known.  Returns 0 or a negative errno, which ends the reading. */
typedef int td_inputs_take(void *context, const struct td_profile *profile,
			   const char *path, size_t left);

/*
 * Hands the profiles at `path` to `take`: files, and of directories all profiles in them.
 * None at all stands for the newest one of this user in the default directory,
 * ${TMPDIR:-/tmp}/tdagent-UID.  Says on standard error what cannot be read, sets
 * *failed for it and goes on.  Returns 0 or what `take` returned.
 */
int td_inputs_each(int count, char **path, td_inputs_take *take, void *context,
		   int *failed);

/*
 * What is read from here on is, of a hybrid processor, of cores of this type
 * (td_profile_read_cores()).  With TD_CORES_ANY, which it is at the start, profiles
 * that are read by one call are all of the large ones, unless nothing in any of them
 * was sampled there.  Returns what it was before.
 */
int td_inputs_of_cores(int cores);

/* The same, as the option --cores of any command (td_argument_set). */
int td_inputs_set_cores(void *request, char *value);

/* Says, for `command`, on standard error that so many samples were left out because
 * they are not of `cores`; nothing of 0.  For output that has no place for it. */
void td_inputs_say_cores(const char *command, enum td_core_type cores,
			 uint64_t elsewhere);

/* A td_inputs_take: adds the profile to the td_report `report`. */
int td_inputs_add_one(void *report, const struct td_profile *profile, const char *path,
		      size_t left);

/* Adds all of them to `report`.  Returns 0 or -ENOMEM. */
int td_inputs_add(struct td_report *report, int count, char **path, int *failed);

#endif
