/* SPDX-License-Identifier: MIT */
/*
 * Text from outside (symbol names, paths, command lines) made fit for terminals
 * and for JSON: valid UTF-8 without control characters.
 *
 * Context: normal; no globals, no output.
 */
#ifndef TD_DECODER_TEXT_H
#define TD_DECODER_TEXT_H

#include <stdarg.h>
#include <stddef.h>

/*
 * A copy of up to `size` bytes of `text`, ending at the first NUL, in which
 * every control character and every byte that is not UTF-8 is a '?'.  Free it;
 * NULL without memory.
 */
char *td_text_clean(const char *text, size_t size);

/* Columns of clean text: one for each character. */
size_t td_text_width(const char *text);

/*
 * The first bytes of clean text that fill at most `columns` columns.
 */
size_t td_text_prefix(const char *text, size_t columns);

/*
 * The bytes of clean text that go on a line of so many columns: up to the last
 * blank that lets the rest begin with a word, or as many as fit.
 */
size_t td_text_fold(const char *text, size_t columns);

/* The part of a path behind its last '/'; the path itself when that is empty. */
const char *td_text_base(const char *path);

/*
 * 1 if the path or its base is the glob, or is matched by it: "[vdso]" is a name and no
 * choice of letters.
 */
int td_text_path_fits(const char *path, const char *glob);

/*
 * asprintf() into a new string, clean; NULL without memory.
 */
__attribute__((format(printf, 1, 2))) char *td_text_format(const char *format, ...);
__attribute__((format(printf, 1, 0))) char *td_text_vformat(const char *format,
							    va_list args);

#endif
