/* SPDX-License-Identifier: MIT */
/*
 * A program of one function, for tests of what its own windows say: all windows open and
 * close in it, and none has left it.
 *
 * Context: tests only.
 */
#ifndef TD_TESTS_ONE_COLUMN_H
#define TD_TESTS_ONE_COLUMN_H

#include <math.h>

#include "decoder/window_columns.h"

/* zeros: one for each window, which live as long as the columns */
static inline struct td_columns one_column(uint32_t *zeros)
{
	static uint32_t function[1];
	static float alone[1] = {INFINITY}, back[1];

	return (struct td_columns){.columns = 1,
				   .open = zeros,
				   .close = zeros,
				   .function = function,
				   .alone = alone,
				   .back = back};
}

#endif
