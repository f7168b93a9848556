// SPDX-License-Identifier: MIT
/* Lines of text with labels, folded at the page's width. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/text.h"
#include "tools/print.h"

#define LABEL 11 /* columns of the labels */

/*
 * One line of text, folded at blanks to the page's width; with a label the
 * folded lines stand below each other behind it.
 */
static void fold(FILE *out, const struct td_print_style *style, const char *label,
		 const char *text)
{
	int indent = label ? LABEL : 0;
	size_t room = style->width > LABEL + 8 ? style->width - (size_t)indent : SIZE_MAX;

	fprintf(out, "%-*s", indent, label ? label : "");
	while (*text) {
		size_t bytes = td_text_fold(text, room);

		fprintf(out, "%.*s\n", (int)bytes, text);
		text += bytes;
		text += strspn(text, " ");
		if (*text)
			fprintf(out, "%*s", indent, "");
	}
}

void td_print_line(FILE *out, const struct td_print_style *style, const char *label,
		   const char *format, ...)
{
	char *text = NULL, *clean = NULL;
	va_list args;

	va_start(args, format);
	if (vasprintf(&text, format, args) >= 0) {
		clean = td_text_clean(text, strlen(text));
		free(text);
	}
	va_end(args);
	if (clean && *clean)
		fold(out, style, label, clean);
	free(clean);
}
