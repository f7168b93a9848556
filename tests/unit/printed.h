/* SPDX-License-Identifier: MIT */
/* What a report looks like when it is printed, for tests that look for words in it. */
#ifndef TD_TESTS_PRINTED_H
#define TD_TESTS_PRINTED_H

#include "decoder/report.h"

/* PAGE: text in 100 columns; TEXT: in lines of any length. */
enum printed { PRINTED_TEXT, PRINTED_PAGE, PRINTED_JSON, PRINTED_CSV };

/* The whole output; free it. */
char *printed(const struct td_report *report, enum printed as);

/* Ends the test where it lacks the words, or is no JSON. */
void printed_has(const struct td_report *report, enum printed as, const char *words);

#endif
