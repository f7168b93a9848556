/* SPDX-License-Identifier: MIT */
/* A strict reader of JSON, for the tests of what writes it. */
#ifndef TD_TESTS_JSON_H
#define TD_TESTS_JSON_H

/* 1 if the text is one JSON value and a newline. */
int is_json(const char *text);

#endif
