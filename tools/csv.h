/* SPDX-License-Identifier: MIT */
/*
 * Fields of CSV (RFC 4180), each with the comma before it; empty for what was not
 * measured.
 *
 * Context: normal.
 */
#ifndef TD_TOOLS_CSV_H
#define TD_TOOLS_CSV_H

#include <math.h>
#include <stdio.h>

#include "decoder/topdown.h"

static inline void td_csv_number(FILE *out, int present, double value)
{
	fputc(',', out);
	if (present && isfinite(value))
		fprintf(out, "%.9g", value);
}

static inline void td_csv_estimate(FILE *out, int present,
				   const struct td_estimate *estimate)
{
	td_csv_number(out, present, estimate->value);
	td_csv_number(out, present, estimate->low);
	td_csv_number(out, present, estimate->high);
}

/* The columns of the first `nodes` of the tree, "retiring_value" and so on. */
static inline void td_csv_node_names(FILE *out, const char *prefix, int nodes)
{
	for (int i = 0; i < nodes; i++) {
		const char *name = td_topdown_tree[i].name;

		fprintf(out, ",%s%s_value,%s%s_low,%s%s_high", prefix, name, prefix, name,
			prefix, name);
	}
}

static inline void td_csv_nodes(FILE *out, const struct td_topdown_value value[TD_NODES],
				int nodes)
{
	for (int i = 0; i < nodes; i++)
		td_csv_estimate(out, value[i].present, &value[i].estimate);
}

static inline void td_csv_bottleneck(FILE *out,
				     const struct td_topdown_value value[TD_NODES])
{
	int node = td_topdown_bottleneck(value);

	fprintf(out, ",%s", node < 0 ? "" : td_topdown_tree[node].name);
}

#endif
