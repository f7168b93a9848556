/* SPDX-License-Identifier: MIT */
/* Who calls the functions shown, by the samples' call paths.  Context: normal. */
#ifndef TD_TOOLS_PRINT_CALLERS_H
#define TD_TOOLS_PRINT_CALLERS_H

#include "tools/print.h"

void td_print_callers(FILE *out, const struct td_report *report,
		      const struct td_print_style *style);

#endif
