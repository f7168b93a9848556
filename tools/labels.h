/* SPDX-License-Identifier: MIT */
/* Labels that the user gives: --label=KEY=VALUE.  Context: normal. */
#ifndef TD_TOOLS_LABELS_H
#define TD_TOOLS_LABELS_H

#include "tools/export.h"

#define TD_LABELS_MAX 32

struct td_labels {
	struct td_export_label label[TD_LABELS_MAX];
	size_t labels;
};

/*
 * Adds one; cuts `value` at its '=' and keeps it.  `taken` are keys that have another
 * meaning, up to NULL.  0, or -1 after saying, for `command`, what is wrong.
 */
int td_labels_add(struct td_labels *labels, const char *command, char *value,
		  const char *const *taken);

#endif
