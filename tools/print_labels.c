// SPDX-License-Identifier: MIT
#include "tools/print_labels.h"

#include <stdlib.h>
#include <string.h>

#include "decoder/label_list.h"

#define VALUES_SHOWN 8

/* What the process has for this key: 1, or 0 if it has no such label. */
static int label_of(const struct td_report_process *process,
		    const struct td_label_text *key, struct td_label_text *label)
{
	const char *list = process->mixed ? "" : process->header.labels;
	int next;

	while ((next = td_label_list_next(&list, label)) != 0)
		if (next > 0 && td_label_list_same_key(label, key))
			return 1;
	return 0;
}

static int same_value(const struct td_label_text *a, const struct td_label_text *b)
{
	return a->value_length == b->value_length &&
	       memcmp(a->value, b->value, a->value_length) == 0;
}

/* 1 if one of the processes before this one has the key, with `value` that value. */
static int seen(const struct td_report *report, size_t process,
		const struct td_label_text *label, int value)
{
	struct td_label_text other;

	for (size_t i = 0; i < process; i++)
		if (label_of(&report->process[i], label, &other) &&
		    (!value || same_value(label, &other)))
			return 1;
	return 0;
}

/* "rank=0, 1, 2", of the processes from the first that has the key. */
static void put_key(FILE *text, const struct td_report *report, size_t first,
		    const struct td_label_text *key)
{
	struct td_label_text label;
	size_t values = 0;

	fprintf(text, "%s%.*s=", ftell(text) ? "; " : "", (int)key->key_length, key->key);
	for (size_t i = first; i < report->processes; i++) {
		if (!label_of(&report->process[i], key, &label) ||
		    seen(report, i, &label, 1) || values++ >= VALUES_SHOWN)
			continue;
		fprintf(text, "%s%.*s", values > 1 ? ", " : "", (int)label.value_length,
			label.value);
	}
	if (values > VALUES_SHOWN)
		fprintf(text, " and %zu more", values - VALUES_SHOWN);
}

static void put_process(FILE *text, const struct td_report *report, size_t process)
{
	const struct td_report_process *p = &report->process[process];
	const char *list = p->mixed ? "" : p->header.labels;
	struct td_label_text label;
	int next;

	while ((next = td_label_list_next(&list, &label)) != 0)
		if (next > 0 && !td_label_list_repeats(p->header.labels, &label) &&
		    !seen(report, process, &label, 0))
			put_key(text, report, process, &label);
}

void td_print_labels(FILE *out, const struct td_report *report,
		     const struct td_print_style *style)
{
	char *line = NULL;
	size_t size;
	FILE *text = open_memstream(&line, &size);

	if (!text)
		return;
	for (size_t i = 0; i < report->processes; i++)
		put_process(text, report, i);
	if (fclose(text) == 0)
		td_print_line(out, style, "labels", "%s", line);
	free(line);
}
