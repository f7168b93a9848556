/* SPDX-License-Identifier: MIT */
/*
 * What libFuzzer calls with bytes of its own; each source here is one program of it.  The
 * sanitizers say what is done beyond memory, a target itself what must hold whatever the
 * bytes are (fuzz_must()).
 */
#ifndef TD_TESTS_FUZZ_H
#define TD_TESTS_FUZZ_H

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

/* A finding, as a wild write is. */
static inline void fuzz_must(int holds)
{
	if (!holds)
		abort();
}

/* The bytes in memory that ends with them; free it. */
static inline unsigned char *fuzz_copy(const unsigned char *data, size_t size)
{
	unsigned char *bytes = malloc(size ? size : 1);

	fuzz_must(bytes != NULL);
	memcpy(bytes, data, size);
	return bytes;
}

/* The same with a NUL behind them. */
static inline char *fuzz_text(const unsigned char *data, size_t size)
{
	char *text = malloc(size + 1);

	fuzz_must(text != NULL);
	memcpy(text, data, size);
	text[size] = 0;
	return text;
}

#endif
