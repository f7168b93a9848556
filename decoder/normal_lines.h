/* SPDX-License-Identifier: MIT */
/*
 * What lines (window_lines.h) add to the normal equations: they tie the nodes of a
 * column to each other, so that one matrix does not serve all nodes any more.
 *
 * Context: any; no globals.
 */
#ifndef TD_DECODER_NORMAL_LINES_H
#define TD_DECODER_NORMAL_LINES_H

#include "decoder/normal.h"

/*
 * normal->lines, if there are any, to what the rows are: no line counts more than so
 * many times what the rows know of its column.  Adds them to normal->right, which is no
 * solution yet.  Called at the end of td_normal_build().
 */
void td_normal_add_lines(struct td_normal *normal);

/*
 * right becomes the solution with lines, where `solve` makes it one without: by conjugate
 * gradients.  0 or -ENOMEM.
 */
int td_normal_solve_lines(const struct td_normal *normal, struct td_unknowns *right,
			  int (*solve)(const struct td_normal *normal,
				       struct td_unknowns *right));

#endif
