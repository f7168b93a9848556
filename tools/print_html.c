// SPDX-License-Identifier: MIT
#include <errno.h>
#include <string.h>
#include <sys/types.h>

#include "tools/page.h"
#include "tools/print.h"
#include "tools/print_hints.h"

/* JSON on its way into the page. */
struct inside {
	FILE *out;
	int indent; /* in the blanks at a line's begin */
};

/*
 * "<" is in strings only, where it may be written as an escape: so no name can end
 * the script element or begin a comment in it.  Line ends are between values only.
 */
static void put_inside(struct inside *inside, char c)
{
	if (c == '\n' || (inside->indent && c == ' ')) {
		inside->indent = 1;
		return;
	}
	inside->indent = 0;
	if (c == '<')
		fputs("\\u003c", inside->out);
	else
		fputc(c, inside->out);
}

static ssize_t write_inside(void *cookie, const char *bytes, size_t size)
{
	struct inside *inside = cookie;

	for (size_t i = 0; i < size; i++)
		put_inside(inside, bytes[i]);
	if (!ferror(inside->out))
		return (ssize_t)size;
	return 0;
}

/* The texts are our own, without quotation marks. */
static void put_hints(FILE *json, const struct td_report *report)
{
	for (int i = 0; i < TD_NODES; i++)
		fprintf(json, "%s\"%s\": \"%s. Helps: %s\"", i ? "," : "{",
			td_topdown_tree[i].name, td_hint(report, i)->means,
			td_hint(report, i)->helps);
	fputs("}\n", json);
}

/* The page up to the mark, and instead of that the JSON.  Returns what is behind it. */
static const char *put_until(FILE *out, const char *page, const char *mark,
			     void (*print)(FILE *json, const struct td_report *report),
			     const struct td_report *report)
{
	const char *end = (const char *)td_page + td_page_size;
	const char *at = memmem(page, (size_t)(end - page), mark, strlen(mark));
	cookie_io_functions_t calls = {.write = write_inside};
	struct inside inside = {.out = out};
	FILE *json = at ? fopencookie(&inside, "w", calls) : NULL;

	if (!json)
		return NULL;
	fwrite(page, 1, (size_t)(at - page), out);
	print(json, report);
	fclose(json);
	return at + strlen(mark);
}

int td_print_html(FILE *out, const struct td_report *report)
{
	const char *page = (const char *)td_page, *end = page + td_page_size;

	page = put_until(out, page, "@HINTS@", put_hints, report);
	if (page)
		page = put_until(out, page, "@PROFILE@", td_print_json, report);
	if (!page)
		return -ENOMEM;
	fwrite(page, 1, (size_t)(end - page), out);
	return 0;
}
