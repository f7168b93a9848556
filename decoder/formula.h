/* SPDX-License-Identifier: MIT */
/*
 * Arithmetic written as text: numbers, names, + - * / ( ), min(a, b), max(a, b) and
 * when(a, b, c, d): c where a > b, else d.
 *
 * Context: any; no globals, no allocation.
 */
#ifndef TD_DECODER_FORMULA_H
#define TD_DECODER_FORMULA_H

#include <stddef.h>

/* The value of the name of `length` bytes at `name`; NaN: there is none. */
typedef double td_formula_name_fn(void *context, const char *name, size_t length);

/*
 * The chance that the left side of a when(), `length` bytes at `left`, is more than the
 * right one, which it seems to be by `by`.
 */
typedef double td_formula_chance_fn(void *context, const char *left, size_t length,
				    double by);

/*
 * The value of `text`.  NaN where a name has none, where something is divided by 0, or
 * where the text is no formula.  A branch of when() that is not taken may be NaN.  With
 * `chance` (or NULL) a when() is the mean of both branches by that, if both have a value.
 */
double td_formula_value(const char *text, td_formula_name_fn *name,
			td_formula_chance_fn *chance, void *context);

#endif
