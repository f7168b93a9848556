// SPDX-License-Identifier: MIT
/*
 * The environment: NAME=VALUE with NULs between them.  What is refused says why and
 * changes nothing; a period is written as it would be read.
 */
#include <errno.h>

#include "decoder/options.h"
#include "tests/fuzz/fuzz.h"

static void set(struct td_options *options, const char *name, const char *value)
{
	const struct td_options before = *options;
	char why[128] = "";
	int err = td_options_set(options, name, value, why, sizeof(why));

	fuzz_must(!err || err == -ENOENT || err == -EINVAL);
	fuzz_must(err != -EINVAL || (why[0] && !strchr(why, '\n')));
	fuzz_must(!err || !memcmp(options, &before, sizeof(before)));
}

static void read_period(const char *value)
{
	struct td_period period, again;
	char text[64];

	if (td_period_parse(value, &period) != 0)
		return;
	td_period_print(&period, text, sizeof(text));
	*strchrnul(text, ' ') = 0; /* "cycles" */
	fuzz_must(!td_period_parse(text, &again));
	fuzz_must(period.value == again.value && period.unit == again.unit);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	char *text = fuzz_text(data, size), why[128], path[64];
	static struct td_options options;

	td_options_init(&options);
	for (char *at = text, *next; at < text + size; at = next) {
		char *value = strchrnul(at, '=');

		next = at + strlen(at) + 1;
		if (!*value)
			continue;
		*value++ = 0;
		set(&options, at, value);
		read_period(value);
		if (!td_output_expand(value, 1, at, path, sizeof(path)))
			fuzz_must(strnlen(path, sizeof(path)) < sizeof(path));
	}
	td_options_check(&options, why, sizeof(why));
	free(text);
	return 0;
}
