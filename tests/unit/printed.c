// SPDX-License-Identifier: MIT
#include "tests/unit/printed.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/json.h"
#include "tools/print.h"

char *printed(const struct td_report *report, enum printed as)
{
	const struct td_print_style style = {.width = as == PRINTED_PAGE ? 100 : 0};
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (as == PRINTED_JSON)
		td_print_json(out, report);
	else if (as == PRINTED_CSV)
		td_print_csv(out, report);
	else
		td_print_text(out, report, &style);
	fclose(out);
	return text;
}

void printed_has(const struct td_report *report, enum printed as, const char *words)
{
	char *text = printed(report, as);

	ck_assert_msg(strstr(text, words) != NULL, "no \"%s\" in:\n%s", words, text);
	ck_assert(as != PRINTED_JSON || is_json(text));
	free(text);
}
