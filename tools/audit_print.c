// SPDX-License-Identifier: MIT
#include "tools/audit_print.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "decoder/estimate.h"
#include "decoder/text.h"
#include "tools/quote.h"

static void put_share(FILE *out, uint64_t part, uint64_t of)
{
	if (of)
		fprintf(out, " %6.1f", 100.0 * (double)part / (double)of);
	else
		fprintf(out, " %6s", "");
}

/* With its interval. */
static void put_stayed(FILE *out, const struct td_audit_accepted *accepted)
{
	struct td_estimate share;

	if (!accepted->windows) {
		fprintf(out, " %6s %-12s", "", "");
		return;
	}
	share = td_estimate_share(accepted->stayed, accepted->windows);
	fprintf(out, " %6.1f %5.1f-%-6.1f", 100 * share.value, 100 * share.low,
		100 * share.high);
}

/* "same" is for the rule whose error is asked for: there the interval counts. */
static void put_short(FILE *out, const struct td_audit_accepted *accepted,
		      uint64_t windows)
{
	put_share(out, accepted->windows, windows);
	put_share(out, accepted->stayed, accepted->windows);
	put_share(out, accepted->elsewhere, accepted->instructions);
}

static void put_rule(FILE *out, const struct td_audit_accepted *accepted,
		     uint64_t windows)
{
	put_share(out, accepted->windows, windows);
	put_stayed(out, accepted);
	put_share(out, accepted->elsewhere, accepted->instructions);
}

static void put_cells(FILE *out, const struct td_audit_report *report,
		      const struct td_audit_cell *cell)
{
	for (size_t i = 0; i < report->settings->lengths; i++) {
		fprintf(out, "  %9" PRIu64 " %9" PRIu64 " |", report->settings->length[i],
			cell[i].windows);
		put_rule(out, &cell[i].same, cell[i].windows);
		fputs(" |", out);
		put_short(out, &cell[i].no_return, cell[i].windows);
		fputs(" |", out);
		put_short(out, &cell[i].quiet, cell[i].windows);
		fputc('\n', out);
	}
}

static void put_head(FILE *out, const struct td_audit_report *report)
{
	const struct td_audit_result *result = report->result;

	fputs("tdagent audit: which windows that begin and end in one function are its "
	      "own?\nWindows of instructions, single-stepped; not cycles, not "
	      "counters.\n\n  program    ",
	      out);
	for (char **word = report->argv; *word; word++) {
		char *clean = td_text_clean(*word, strlen(*word));

		fprintf(out, "%s%s", word == report->argv ? "" : " ",
			clean ? clean : "?");
		free(clean);
	}
	fprintf(out,
		"\n  moments    %" PRIu64 " of %" PRIu64 " asked for, every %g ms of "
		"CPU time on average, seed %" PRIu64 "\n  windows    of any length below "
		"twice the mean; those of a moment share their steps\n  stepped    %" PRIu64
		" instructions; the program had %" PRIu64 " thread%s and %.3f s of CPU "
		"time with that\n",
		result->moments, report->settings->windows,
		(double)report->settings->period_ns / 1e6, report->settings->seed,
		result->steps, result->threads, result->threads == 1 ? "" : "s",
		(double)result->cpu_ns / 1e9);
	for (size_t i = 0; i < TD_AUDIT_LOSSES; i++)
		if (result->lost[i])
			fprintf(out, "  lost       %" PRIu64 " %s\n", result->lost[i],
				td_audit_loss_text[i]);
}

static void put_explanation(FILE *out)
{
	fputs("\n  same       closed in the function that they were opened in, % of the "
	      "windows\n  no return  of these those in which no near return was executed, "
	      "% of the windows\n  nor call   and no near call either: what tdagent accepts "
	      "with both counters\n  stayed     of those the ones that were in the function "
	      "all the time, with 95 % interval\n  elsewhere  % of those windows' "
	      "instructions outside of the function\n\n",
	      out);
	fprintf(out, "  %9s %9s | %6s %6s %-12s %6s | %6s %6s %6s | %6s %6s %6s\n",
		"mean", "windows", "same", "stayed", "", "elsew.", "no ret", "stayed",
		"elsew.", "nor c.", "stayed", "elsew.");
}

int td_audit_print_text(FILE *out, const struct td_audit_report *report)
{
	const struct td_audit_table *table = &report->result->table;
	struct td_audit_cell total[TD_AUDIT_LENGTHS_MAX];
	struct td_audit_row *rows;
	size_t count;

	put_head(out, report);
	if (!report->result->moments) {
		fputs("\n  No window was opened: the program ended too soon, or slept.\n",
		      out);
		return 0;
	}
	rows = td_audit_rows(report, &count);
	if (!rows)
		return -ENOMEM;
	put_explanation(out);
	td_audit_total(table, total);
	fputs("all functions\n", out);
	put_cells(out, report, total);
	for (size_t i = 0; i < count; i++) {
		fprintf(out, "%.1f %%  %s%s%s%s\n",
			100.0 * (double)rows[i].moments / (double)report->result->moments,
			rows[i].name, *rows[i].module ? "  (" : "", rows[i].module,
			*rows[i].module ? ")" : "");
		put_cells(out, report, table->cell[rows[i].function]);
	}
	td_audit_rows_free(rows, count);
	return 0;
}

static void json_accepted(FILE *out, const char *key,
			  const struct td_audit_accepted *accepted)
{
	struct td_estimate share;

	fprintf(out,
		",\n     \"%s\": {\"windows\": %" PRIu64 ", \"stayed\": %" PRIu64
		", \"instructions\": %" PRIu64 ", \"elsewhere\": %" PRIu64,
		key, accepted->windows, accepted->stayed, accepted->instructions,
		accepted->elsewhere);
	if (accepted->windows) {
		share = td_estimate_share(accepted->stayed, accepted->windows);
		fprintf(out,
			", \"stayed_share\": {\"value\": %.6f, \"low\": %.6f, "
			"\"high\": %.6f}",
			share.value, share.low, share.high);
	}
	fputc('}', out);
}

static void json_cells(FILE *out, const struct td_audit_report *report,
		       const struct td_audit_cell *cell)
{
	fputs("\"lengths\": [", out);
	for (size_t i = 0; i < report->settings->lengths; i++) {
		fprintf(out,
			"%s\n    {\"mean\": %" PRIu64 ", \"windows\": %" PRIu64
			", \"cut\": %" PRIu64,
			i ? "," : "", report->settings->length[i], cell[i].windows,
			cell[i].cut);
		json_accepted(out, "same_function", &cell[i].same);
		json_accepted(out, "no_return", &cell[i].no_return);
		json_accepted(out, "no_call_or_return", &cell[i].quiet);
		fputc('}', out);
	}
	fputs("]", out);
}

static void json_run(FILE *out, const struct td_audit_report *report)
{
	const struct td_audit_result *result = report->result;

	fputs("{\"schema\": 1,\n \"run\": {\"command\": [", out);
	for (char **word = report->argv; *word; word++) {
		fputs(word == report->argv ? "" : ", ", out);
		td_quote_json_raw(out, *word);
	}
	fprintf(out,
		"], \"pid\": %d, \"windows\": %" PRIu64 ", \"period_ns\": %" PRIu64
		", \"seed\": %" PRIu64 ",\n  \"moments\": %" PRIu64
		", \"steps\": %" PRIu64 ", \"threads\": %" PRIu64
		", \"cpu_time_s\": %.6f, ",
		(int)report->pid, report->settings->windows, report->settings->period_ns,
		report->settings->seed, result->moments, result->steps, result->threads,
		(double)result->cpu_ns / 1e9);
	if (WIFEXITED(report->status))
		fprintf(out, "\"exit_status\": %d", WEXITSTATUS(report->status));
	else
		fprintf(out, "\"signal\": %d", WTERMSIG(report->status));
	fputs(",\n  \"lost\": {", out);
	for (size_t i = 0; i < TD_AUDIT_LOSSES; i++)
		fprintf(out, "%s\"%s\": %" PRIu64, i ? ", " : "", td_audit_loss_key[i],
			result->lost[i]);
	fputs("}}", out);
}

static const char *kind_key(enum td_place_kind kind)
{
	return kind == TD_PLACE_FUNCTION ? "function"
	       : kind == TD_PLACE_GAP    ? "gap"
	       : kind == TD_PLACE_JIT    ? "jit"
					 : "unknown";
}

int td_audit_print_json(FILE *out, const struct td_audit_report *report)
{
	const struct td_audit_result *result = report->result;
	struct td_audit_cell total[TD_AUDIT_LENGTHS_MAX];
	size_t count;
	struct td_audit_row *rows = td_audit_rows(report, &count);

	if (!rows)
		return -ENOMEM;
	json_run(out, report);
	td_audit_total(&result->table, total);
	fputs(",\n \"total\": {", out);
	json_cells(out, report, total);
	fputs("},\n \"functions\": [", out);
	for (size_t i = 0; i < count; i++) {
		const struct td_audit_function *f =
			td_audit_code_get(result->code, rows[i].function);

		fprintf(out, "%s\n  {\"name\": ", i ? "," : "");
		td_quote_json_raw(out, rows[i].name);
		fputs(", \"module\": ", out);
		td_quote_json_raw(out, rows[i].module);
		fprintf(out,
			", \"address\": \"0x%" PRIx64 "\", \"kind\": \"%s\", "
			"\"moments\": %" PRIu64 ",\n   ",
			f->region, kind_key(f->kind), rows[i].moments);
		json_cells(out, report, result->table.cell[rows[i].function]);
		fputc('}', out);
	}
	fputs("]}\n", out);
	td_audit_rows_free(rows, count);
	return 0;
}
