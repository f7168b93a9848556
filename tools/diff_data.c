// SPDX-License-Identifier: MIT
/* The comparison for programs: JSON and CSV. */
#include <inttypes.h>
#include <math.h>

#include "tools/csv.h"
#include "tools/diff_print.h"
#include "tools/quote.h"

#define QUANTITIES (2 + TD_NODES + 1)

static const char *quantity_name(int quantity)
{
	return quantity == 0                ? "share"
	       : quantity == 1              ? "cost"
	       : quantity == QUANTITIES - 1 ? "retire_latency"
					    : td_topdown_tree[quantity - 2].name;
}

static const struct td_change *quantity_of(const struct td_compare_row *row, int quantity)
{
	return quantity == 0                ? &row->share
	       : quantity == 1              ? &row->cost
	       : quantity == QUANTITIES - 1 ? &row->latency
					    : &row->node[quantity - 2];
}

/* JSON has no infinity: what is not bounded is left out. */
static void json_number(FILE *out, const char *key, double value)
{
	if (isfinite(value))
		fprintf(out, ", \"%s\": %.9g", key, value);
}

static void json_change(FILE *out, const char *key, const struct td_change *change)
{
	fprintf(out, ",\n   \"%s\": {\"verdict\": \"%s\", \"tested\": %s", key,
		td_verdict_name(change->verdict), change->tested ? "true" : "false");
	json_number(out, "before", change->before);
	json_number(out, "after", change->after);
	json_number(out, "change", change->after - change->before);
	json_number(out, "low", change->low);
	json_number(out, "high", change->high);
	if (change->tested) {
		json_number(out, "p", change->p);
		json_number(out, "p_adjusted", change->adjusted);
	}
	fputc('}', out);
}

static void json_quantities(FILE *out, const struct td_compare_row *row)
{
	fprintf(out,
		"\"verdict\": \"%s\",\n   \"samples\": [%" PRIu64 ", %" PRIu64
		"], \"windows\": [%" PRIu64 ", %" PRIu64 "]",
		td_verdict_name(row->verdict), row->samples[0], row->samples[1],
		row->windows[0], row->windows[1]);
	for (int q = 0; q < QUANTITIES; q++) {
		if (quantity_of(row, q)->present)
			json_change(out, quantity_name(q), quantity_of(row, q));
	}
}

static void json_row(FILE *out, const struct td_compare_row *row)
{
	fputs("  {\"name\": ", out);
	td_quote_json(out, row->name);
	fputs(", \"module\": ", out);
	td_quote_json(out, row->module);
	fputs(", ", out);
	json_quantities(out, row);
	if (row->total) {
		fputs(",\n   \"total\": {", out);
		json_quantities(out, row->total);
		fputc('}', out);
	}
	fputs("}", out);
}

static void json_found(FILE *out, const char *key, const size_t *found)
{
	fprintf(out, " \"%s\": {", key);
	for (unsigned i = 1; i < TD_VERDICTS; i++)
		fprintf(out, "%s\"%s\": %zu", i > 1 ? ", " : "", td_verdict_name(i),
			found[i]);
	fputs("},\n", out);
}

static void json_head(FILE *out, const struct td_compare *compare)
{
	fprintf(out, "{\n \"schema\": 1,\n \"simulated\": %s,\n",
		compare->simulated ? "true" : "false");
	fprintf(out, " \"runs\": [%zu, %zu],\n", compare->runs[0], compare->runs[1]);
	if (compare->latency_event[0]) {
		fputs(" \"retire_latency_event\": ", out);
		td_quote_json(out, compare->latency_event);
		fputs(",\n", out);
	}
	if (compare->has_cost)
		fprintf(out, " \"cost_unit\": \"%s\",\n",
			compare->unit == TD_UNIT_NS ? "ns" : "cycles");
	fprintf(out,
		" \"threshold\": %.9g,\n \"noise\": %.9g,\n \"noise_measured\": %s,\n"
		" \"tests\": %zu,\n \"error\": %.9g,\n",
		compare->query.threshold, compare->noise,
		compare->noise_measured ? "true" : "false", compare->tests,
		TD_COMPARE_ERROR);
	json_found(out, "found", compare->found);
	if (compare->inclusive)
		json_found(out, "found_total", compare->found_inclusive);
	fputs(" \"notes\": [", out);
	for (size_t i = 0; i < compare->notes; i++) {
		fputs(i ? ",\n  " : "\n  ", out);
		td_quote_json(out, compare->note[i]);
	}
	fputs("],\n \"total\":\n", out);
}

static size_t rows_of(const struct td_compare *compare, size_t top)
{
	return top && top < compare->rows ? top : compare->rows;
}

void td_diff_print_json(FILE *out, const struct td_compare *compare, size_t top)
{
	json_head(out, compare);
	json_row(out, &compare->total);
	fputs(",\n \"functions\": [", out);
	for (size_t i = 0; i < rows_of(compare, top); i++) {
		fputs(i ? ",\n" : "\n", out);
		json_row(out, &compare->row[i]);
	}
	fputs("]\n}\n", out);
}

static void csv_row(FILE *out, const struct td_compare *compare,
		    const struct td_compare_row *row)
{
	for (int q = 0; q < QUANTITIES; q++) {
		const struct td_change *change = quantity_of(row, q);

		if (!change->present)
			continue;
		fputs(compare->simulated ? "SIMULATED," : ",", out);
		td_quote_csv(out, row == &compare->total ? "(total)" : row->name);
		fputc(',', out);
		td_quote_csv(out, row->module);
		fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%s%s",
			row->samples[0], row->samples[1], row->windows[0],
			row->windows[1], row->inclusive ? "total_" : "",
			quantity_name(q));
		td_csv_number(out, 1, change->before);
		td_csv_number(out, 1, change->after);
		td_csv_number(out, 1, change->after - change->before);
		td_csv_number(out, 1, change->low);
		td_csv_number(out, 1, change->high);
		td_csv_number(out, change->tested, change->p);
		td_csv_number(out, change->tested, change->adjusted);
		fprintf(out, ",%s\n", td_verdict_name(change->verdict));
	}
}

void td_diff_print_csv(FILE *out, const struct td_compare *compare, size_t top)
{
	fputs("simulated,function,module,samples_a,samples_b,windows_a,windows_b,quantity,"
	      "before,after,change,low,high,p,p_adjusted,verdict\n",
	      out);
	csv_row(out, compare, &compare->total);
	for (size_t i = 0; i < rows_of(compare, top); i++) {
		csv_row(out, compare, &compare->row[i]);
		if (compare->row[i].total)
			csv_row(out, compare, compare->row[i].total);
	}
}
