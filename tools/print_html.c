// SPDX-License-Identifier: MIT
#include <errno.h>
#include <string.h>
#include <sys/types.h>

#include "tools/page.h"
#include "tools/print.h"

#define MARK "@PROFILE@"

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

int td_print_html(FILE *out, const struct td_report *report)
{
	const char *page = (const char *)td_page, *end = page + td_page_size;
	const char *mark = memmem(page, td_page_size, MARK, strlen(MARK));
	struct inside inside = {.out = out};
	cookie_io_functions_t calls = {.write = write_inside};
	FILE *json = fopencookie(&inside, "w", calls);

	if (!json || !mark) {
		if (json)
			fclose(json);
		return -ENOMEM;
	}
	fwrite(page, 1, (size_t)(mark - page), out);
	td_print_json(json, report);
	fclose(json);
	mark += strlen(MARK);
	fwrite(mark, 1, (size_t)(end - mark), out);
	return 0;
}
