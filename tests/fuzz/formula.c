// SPDX-License-Identifier: MIT
/* Formulas of a table of events, an event's terms, and text made fit for terminals. */
#include "decoder/event_names.h"
#include "decoder/formula.h"
#include "decoder/text.h"
#include "tests/fuzz/fuzz.h"

static double value_of(void *context, const char *name, size_t length)
{
	(void)context;
	return length ? name[0] - name[length - 1] : 0;
}

static double chance_of(void *context, const char *left, size_t length, double by)
{
	(void)context;
	return length && left[0] == '1' ? 1 : by > 1 ? 0.5 : 0;
}

static void clean(const char *text, size_t size)
{
	char *once = td_text_clean(text, size), *twice;

	fuzz_must(once != NULL);
	twice = td_text_clean(once, strlen(once));
	fuzz_must(twice && !strcmp(once, twice));
	fuzz_must(td_text_prefix(once, 5) <= strlen(once));
	fuzz_must(td_text_fold(once, 7) <= strlen(once));
	fuzz_must(td_text_width(once) <= strlen(once));
	td_text_base(once);
	free(twice);
	free(once);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	char *text = fuzz_text(data, size);
	uint64_t config = 0;

	td_formula_value(text, value_of, chance_of, NULL);
	td_formula_value(text, value_of, NULL, NULL);
	td_event_format_put("config", text, 0x123456789abcdef, &config);
	clean(text, size);
	free(text);
	return 0;
}
