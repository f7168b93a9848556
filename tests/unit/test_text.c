// SPDX-License-Identifier: MIT
#include <stdlib.h>
#include <string.h>

#include "decoder/text.h"
#include "tests/unit/unit.h"

START_TEST(clean)
{
	static const char *const texts[][2] = {
		{"", ""},
		{"plain ~", "plain ~"},
		{"\033[31m\n\t\177", "?[31m???"},
		{"gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f"},
		{"\xe2\x82\xac \xf0\x9f\x98\x80", "\xe2\x82\xac \xf0\x9f\x98\x80"},
		{"\xc2\x9b", "??"},                  /* C1: a terminal obeys it */
		{"\xc0\xaf \xe0\x80\xaf", "?? ???"}, /* overlong */
		{"\xed\xa0\x80", "???"},             /* surrogate */
		{"\xf4\x90\x80\x80\xff", "?????"},   /* beyond Unicode */
		{"cut \xe2\x82", "cut ??"},
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		char *copy = td_text_clean(texts[i][0], strlen(texts[i][0]));

		ck_assert_str_eq(copy, texts[i][1]);
		free(copy);
	}
}
END_TEST

START_TEST(clean_is_bounded)
{
	const char raw[4] = {'a', 'b', '\xe2', '\x82'}; /* no NUL */
	char *copy = td_text_clean(raw, sizeof(raw));

	ck_assert_str_eq(copy, "ab??");
	free(copy);
}
END_TEST

START_TEST(columns)
{
	const char *text = "gr\xc3\xbc\xc3\x9f"
			   "e";

	ck_assert_uint_eq(td_text_width(text), 5);
	ck_assert_uint_eq(td_text_prefix(text, 3), 4);
	ck_assert_uint_eq(td_text_prefix(text, 0), 0);
	ck_assert_uint_eq(td_text_prefix(text, 100), strlen(text));
}
END_TEST

START_TEST(paths_fit)
{
	static const char *const fit[][2] = {
		{"/usr/lib/libc.so.6", "/usr/lib/libc.so.6"},
		{"/usr/lib/libc.so.6", "libc.so.6"},
		{"/usr/lib/libc.so.6", "libc.*"},
		{"/usr/lib/libc.so.6", "/usr/*"},
		{"[vdso]", "[vdso]"},
		{"[vdso]", "*vdso*"},
		{"/opt/[x]/a", "/opt/[x]/a"},
		{"v", "[vdso]"},
	};

	for (size_t i = 0; i < sizeof(fit) / sizeof(fit[0]); i++)
		ck_assert_int_eq(td_text_path_fits(fit[i][0], fit[i][1]), 1);
	ck_assert_int_eq(td_text_path_fits("/usr/lib/libc.so.6", "lib"), 0);
	ck_assert_int_eq(td_text_path_fits("[vdso]", "[anon]"), 0);
	ck_assert_int_eq(td_text_path_fits("", ""), 1);
}
END_TEST

START_TEST(folds)
{
	ck_assert_uint_eq(td_text_fold("one two three", 8), 7);
	ck_assert_uint_eq(td_text_fold("one two three", 7), 7);
	ck_assert_uint_eq(td_text_fold("one two three", 6), 3);
	ck_assert_uint_eq(td_text_fold("one two", 100), 7);
	ck_assert_uint_eq(td_text_fold("gr\xc3\xbc\xc3\x9f"
				       "e",
				       3),
			  4);
}
END_TEST

START_TEST(base)
{
	ck_assert_str_eq(td_text_base("/lib/libc.so.6"), "libc.so.6");
	ck_assert_str_eq(td_text_base("x"), "x");
	ck_assert_str_eq(td_text_base("/lib/"), "/lib/");
}
END_TEST

int main(void)
{
	return unit_main("text", (const TTest *const[]){clean, clean_is_bounded, columns,
							paths_fit, folds, base, NULL});
}
