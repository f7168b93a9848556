// SPDX-License-Identifier: MIT
#include "decoder/text.h"

#include <fnmatch.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The bytes of the printable character at `at`, or 0 for what must not be shown. */
static size_t printable(const unsigned char *at, size_t left)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t bytes = at[0] < 0x80 ? 1 : at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : 4;
	uint32_t code = bytes == 1 ? at[0] : at[0] & (0xffu >> (bytes + 1));

	if (at[0] >= 0xf8 || (at[0] >= 0x80 && at[0] < 0xc0) || bytes > left)
		return 0;
	for (size_t i = 1; i < bytes; i++) {
		if ((at[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (at[i] & 0x3f);
	}
	/* overlong, surrogates, beyond Unicode, C0 and C1 controls */
	if (code < least[bytes] || (code >= 0xd800 && code < 0xe000) || code > 0x10ffff ||
	    code < 0x20 || (code >= 0x7f && code < 0xa0))
		return 0;
	return bytes;
}

char *td_text_clean(const char *text, size_t size)
{
	size_t length = strnlen(text, size);
	char *copy = strndup(text, length);

	for (size_t i = 0; copy && i < length;) {
		size_t bytes = printable((unsigned char *)copy + i, length - i);

		if (!bytes)
			copy[i] = '?';
		i += bytes ? bytes : 1;
	}
	return copy;
}

size_t td_text_width(const char *text)
{
	size_t columns = 0;

	for (; *text; text++)
		columns += (*text & 0xc0) != 0x80;
	return columns;
}

size_t td_text_prefix(const char *text, size_t columns)
{
	size_t bytes = 0;

	for (; text[bytes]; bytes++) {
		if ((text[bytes] & 0xc0) != 0x80 && columns-- == 0)
			break;
	}
	return bytes;
}

size_t td_text_fold(const char *text, size_t columns)
{
	size_t bytes = td_text_prefix(text, columns), cut = bytes;

	while (text[bytes] && cut && text[cut] != ' ')
		cut--;
	return cut ? cut : bytes;
}

const char *td_text_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

int td_text_path_fits(const char *path, const char *glob)
{
	const char *base = td_text_base(path);

	return strcmp(path, glob) == 0 || strcmp(base, glob) == 0 ||
	       fnmatch(glob, path, 0) == 0 || fnmatch(glob, base, 0) == 0;
}

char *td_text_vformat(const char *format, va_list args)
{
	char *text = NULL, *clean;
	int length = vasprintf(&text, format, args);

	if (length < 0)
		return NULL;
	clean = td_text_clean(text, (size_t)length);
	free(text);
	return clean;
}

char *td_text_format(const char *format, ...)
{
	va_list args;
	char *clean;

	va_start(args, format);
	clean = td_text_vformat(format, args);
	va_end(args);
	return clean;
}
