// SPDX-License-Identifier: MIT
#include "decoder/label_list.h"

#include <string.h>

/* 1 if a label can have this key: none that exports give themselves. */
static int is_key(const char *key, size_t length)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz"
				      "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
	static const char *const own[] = {"thread", "tid", "pid", "host"};

	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		if (strlen(own[i]) == length && !memcmp(own[i], key, length))
			return 0;
	return length && strspn(key, letters) >= length && (key[0] < '0' || key[0] > '9');
}

static int is_plain(const char *value, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if ((unsigned char)value[i] < ' ' || value[i] == 0x7f)
			return 0;
	return 1;
}

int td_label_list_next(const char **list, struct td_label_text *label)
{
	const char *at = *list;
	size_t length = strcspn(at, ",");
	const char *equals = memchr(at, '=', length);

	*label = (struct td_label_text){.key = at, .key_length = length};
	if (!*at)
		return 0;
	*list = at + length + (at[length] == ',');
	if (!equals || !is_key(at, (size_t)(equals - at)) ||
	    !is_plain(equals + 1, length - (size_t)(equals + 1 - at)))
		return -1;
	label->key_length = (size_t)(equals - at);
	label->value = equals + 1;
	label->value_length = length - label->key_length - 1;
	return 1;
}

int td_label_list_same_key(const struct td_label_text *a, const struct td_label_text *b)
{
	return a->key_length == b->key_length &&
	       memcmp(a->key, b->key, a->key_length) == 0;
}

int td_label_list_repeats(const char *list, const struct td_label_text *label)
{
	struct td_label_text other;
	int next;

	while ((next = td_label_list_next(&list, &other)) != 0 && other.key < label->key)
		if (next > 0 && td_label_list_same_key(&other, label))
			return 1;
	return 0;
}
