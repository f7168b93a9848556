// SPDX-License-Identifier: MIT
#include "tests/unit/json.h"

#include <ctype.h>
#include <string.h>

/* Each returns what follows, NULL for an error. */
static const char *json_value(const char *at, int depth);

static const char *blank(const char *at)
{
	return at ? at + strspn(at, " \n") : NULL;
}

/* At a backslash: the escape's last character. */
static const char *json_escape(const char *at)
{
	if (*++at != 'u')
		return *at && strchr("\"\\/bfnrt", *at) ? at : NULL;
	return strspn(at + 1, "0123456789abcdefABCDEF") >= 4 ? at + 4 : NULL;
}

static const char *json_string(const char *at)
{
	if (!at || *at++ != '"')
		return NULL;
	for (; *at != '"'; at++) {
		if ((unsigned char)*at < 0x20)
			return NULL;
		if (*at == '\\' && !(at = json_escape(at)))
			return NULL;
	}
	return at + 1;
}

static const char *json_number(const char *at)
{
	const char *digits = at += *at == '-';

	at += strspn(at, "0123456789");
	if (at == digits || (*digits == '0' && at > digits + 1))
		return NULL;
	if (*at == '.') {
		size_t fraction = strspn(at + 1, "0123456789");

		if (!fraction)
			return NULL;
		at += 1 + fraction;
	}
	if (*at == 'e') {
		at += 1 + (at[1] == '+' || at[1] == '-');
		if (!isdigit((unsigned char)*at))
			return NULL;
		at += strspn(at, "0123456789");
	}
	return at;
}

static const char *json_list(const char *at, char end, int depth)
{
	at = blank(at + 1);
	if (*at == end)
		return at + 1;
	for (;;) {
		if (end == '}') {
			at = blank(json_string(at));
			if (!at || *at++ != ':')
				return NULL;
		}
		at = blank(json_value(blank(at), depth + 1));
		if (at && *at == end)
			return at + 1;
		if (!at || *at++ != ',')
			return NULL;
		at = blank(at);
	}
}

static const char *json_value(const char *at, int depth)
{
	if (!at || depth > 20)
		return NULL;
	if (*at == '{' || *at == '[')
		return json_list(at, *at == '{' ? '}' : ']', depth);
	if (*at == '"')
		return json_string(at);
	if (strncmp(at, "true", 4) == 0)
		return at + 4;
	if (strncmp(at, "false", 5) == 0)
		return at + 5;
	return json_number(at);
}

int is_json(const char *text)
{
	const char *end = json_value(text, 0);

	return end && strcmp(end, "\n") == 0;
}
