/* SPDX-License-Identifier: MIT */
/*
 * Strings in quotes, as JSON and CSV want them.
 *
 * Context: normal.
 */
#ifndef TD_TOOLS_QUOTE_H
#define TD_TOOLS_QUOTE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/text.h"

/* JSON: clean text (decoder/text.h), which needs no other escapes. */
static inline void td_quote_json(FILE *out, const char *clean)
{
	fputc('"', out);
	for (; *clean; clean++) {
		if (*clean == '"' || *clean == '\\')
			fputc('\\', out);
		fputc(*clean, out);
	}
	fputc('"', out);
}

/* JSON: any text, cleaned first; empty without memory. */
static inline void td_quote_json_raw(FILE *out, const char *text)
{
	char *clean = td_text_clean(text, strlen(text));

	td_quote_json(out, clean ? clean : "");
	free(clean);
}

/* CSV (RFC 4180): a quote is doubled. */
static inline void td_quote_csv(FILE *out, const char *clean)
{
	fputc('"', out);
	for (; *clean; clean++) {
		if (*clean == '"')
			fputc('"', out);
		fputc(*clean, out);
	}
	fputc('"', out);
}

#endif
