/* SPDX-License-Identifier: MIT */
/* The labels of a report's profiles in its text.  Context: normal. */
#ifndef TD_TOOLS_PRINT_LABELS_H
#define TD_TOOLS_PRINT_LABELS_H

#include "tools/print.h"

/* "labels     rank=0, 1, 2; version=1.2": each label with its values, the first few of
 * them.  Nothing without labels. */
void td_print_labels(FILE *out, const struct td_report *report,
		     const struct td_print_style *style);

#endif
