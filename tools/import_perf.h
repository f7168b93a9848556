/* SPDX-License-Identifier: MIT */
/*
 * Fills an import (import_build.h) from a perf.data.  Context: normal.
 */
#ifndef TD_TOOLS_IMPORT_PERF_H
#define TD_TOOLS_IMPORT_PERF_H

#include "tools/import_build.h"

/*
 * Reads the file `input` by means of the program `perf`.  Returns 0, or -1 after
 * saying on standard error what is wrong.
 */
int td_import_perf(struct td_import *import, const char *perf, const char *input);

#endif
