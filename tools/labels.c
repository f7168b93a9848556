// SPDX-License-Identifier: MIT
#include "tools/labels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/text.h"

/* What all formats take as a key: a letter, then letters, digits and _. */
static int is_key(const char *key, size_t length)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz"
				      "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";

	return length && strspn(key, letters) >= length && (key[0] < '0' || key[0] > '9');
}

static int is_clean(const char *text)
{
	char *clean = td_text_clean(text, strlen(text));
	int same = clean && strcmp(clean, text) == 0;

	free(clean);
	return same;
}

static int is_taken(const struct td_labels *labels, const char *key,
		    const char *const *taken)
{
	for (; *taken; taken++) {
		if (strcmp(*taken, key) == 0)
			return 1;
	}
	for (size_t i = 0; i < labels->labels; i++) {
		if (strcmp(labels->label[i].key, key) == 0)
			return 1;
	}
	return 0;
}

static int refuse(const char *command, const char *key, const char *why)
{
	fprintf(stderr, "tdagent %s: --label%s%s: %s\n", command, key ? "=" : "",
		key ? key : "", why);
	return -1;
}

int td_labels_add(struct td_labels *labels, const char *command, char *value,
		  const char *const *taken)
{
	char *equals = strchr(value, '=');

	if (!equals || !is_key(value, (size_t)(equals - value)))
		return refuse(command, value,
			      "give KEY=VALUE, the KEY of letters, digits and _");
	*equals = '\0';
	if (!is_clean(equals + 1))
		return refuse(command, NULL,
			      "the value is no UTF-8 text without control characters");
	if (is_taken(labels, value, taken))
		return refuse(command, value, "this label is there already");
	if (labels->labels == TD_LABELS_MAX)
		return refuse(command, NULL, "32 labels are the most");
	labels->label[labels->labels++] = (struct td_export_label){value, equals + 1};
	return 0;
}
