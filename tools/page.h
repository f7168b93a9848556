/* SPDX-License-Identifier: MIT */
/*
 * The page of the HTML report: tools/page/, packed into the program by pack.sh.
 * "@HINTS@" and "@PROFILE@" stand once in it, in this order, where JSON belongs: what the
 * nodes mean, and the report.
 *
 * Context: any; read only.
 */
#ifndef TD_TOOLS_PAGE_H
#define TD_TOOLS_PAGE_H

#include <stddef.h>

extern const unsigned char td_page[];
extern const size_t td_page_size;

#endif
