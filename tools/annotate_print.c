// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/names.h"
#include "decoder/text.h"
#include "tools/annotate_lines.h"

#define NEIGHBOURS 2 /* cold instructions shown around hot ones */
#define NARROW 110   /* pages below it get narrow columns */
#define SHARE 9      /* columns of a share */

static const struct td_file_object *object_of(const struct td_annotated *annotated)
{
	return &annotated->annotate->module[annotated->function->module].object;
}

static int has_nodes(const struct td_annotated *annotated)
{
	return td_annotate_has_nodes(annotated->annotate);
}

static int is_narrow(const struct td_print_style *style)
{
	return style->width && style->width < NARROW;
}

/* Columns of the number of windows, and of a node. */
static int windows_width(const struct td_print_style *style)
{
	return is_narrow(style) ? 6 : 10;
}

static int node_width(const struct td_print_style *style)
{
	return is_narrow(style) ? 7 : 9;
}

static int sums_width(const struct td_annotated *annotated,
		      const struct td_print_style *style)
{
	return SHARE + windows_width(style) +
	       (has_nodes(annotated) ? TD_NODES_LEVEL1 * node_width(style) : 0);
}

static void put_titles(FILE *out, const struct td_annotated *annotated,
		       const struct td_print_style *style, const char *what)
{
	int narrow = is_narrow(style);

	fprintf(out, "\n%*s%*s", SHARE, "Samples %", windows_width(style),
		narrow ? "Wins" : "Windows");
	for (int i = 0; i < TD_NODES_LEVEL1 && has_nodes(annotated); i++)
		fprintf(out, "%*.*s", node_width(style), narrow ? 5 : 9,
			td_topdown_tree[i].title);
	fprintf(out, "  %s\n", what);
}

/* The text, adjusted to the right. */
static void put_cell(FILE *out, const struct td_print_style *style, const char *colour,
		     const char *text, int width)
{
	int blank = width - (int)td_text_width(text);

	fprintf(out, "%*s", blank > 0 ? blank : 0, "");
	td_print_coloured(out, style, colour, text);
}

static void put_share(FILE *out, const struct td_annotated *annotated,
		      const struct td_print_style *style,
		      const struct td_annotate_sums *sums)
{
	/* the whole is the function, or all that was logged */
	uint64_t all =
		annotated->function ? annotated->all.opened : annotated->annotate->logged;
	struct td_estimate share = td_estimate_share(sums->opened, all);
	char text[64];

	snprintf(text, sizeof(text), "%.1f±%.1f", 100 * share.value,
		 50 * (share.high - share.low));
	put_cell(out, style, share.value >= 0.1 ? "\033[1m" : NULL, text, SHARE);
	if (is_narrow(style))
		snprintf(text, sizeof(text), "%" PRIu64, sums->valid);
	else
		snprintf(text, sizeof(text), "%" PRIu64 "/%" PRIu64, sums->valid,
			 sums->opened);
	put_cell(out, style, NULL, text, windows_width(style));
}

/* Blank where nothing was opened, or nothing is known. */
static void put_sums(FILE *out, const struct td_annotated *annotated,
		     const struct td_print_style *style,
		     const struct td_annotate_sums *sums)
{
	struct td_topdown_value value[TD_NODES];

	if (!sums->opened) {
		fprintf(out, "%*s", sums_width(annotated, style), "");
		return;
	}
	put_share(out, annotated, style, sums);
	td_annotate_values(annotated->annotate, sums, value);
	for (int i = 0; i < TD_NODES_LEVEL1 && has_nodes(annotated); i++) {
		const struct td_estimate *e = &value[i].estimate;
		double half = 50 * (e->high - e->low);
		char text[64] = "";

		if (value[i].present)
			snprintf(text, sizeof(text), "%.0f±%.0f%s", 100 * e->value, half,
				 half > 10 ? "?" : td_print_mark(value, i));
		put_cell(out, style, half > 10 ? "\033[2m" : td_print_colour(value, i),
			 text, node_width(style));
	}
}

/* The rest of a line, cut at the page's width; blanks at its start go. */
static void put_rest(FILE *out, const struct td_annotated *annotated,
		     const struct td_print_style *style, size_t used, const char *text)
{
	char *clean;
	size_t room;

	text += strspn(text, " \t");
	clean = td_text_clean(text, strlen(text));
	used += (size_t)sums_width(annotated, style) + 2;
	room = style->width > used + 8 ? style->width - used : SIZE_MAX;
	if (clean && *clean)
		fprintf(out, "  %.*s", (int)td_text_prefix(clean, room), clean);
	fputc('\n', out);
	free(clean);
}

/* What a compiler was told of its files may be anything. */
static void put_clean(FILE *out, const char *text)
{
	char *clean = td_text_clean(text, strlen(text));

	fputs(clean ? clean : "", out);
	free(clean);
}

static void put_lines(FILE *out, const struct td_annotated *annotated,
		      const struct td_print_style *style)
{
	struct td_source_text text = {0};
	const char *file = NULL;

	put_titles(out, annotated, style, " Line  Source");
	for (size_t i = 0; i < annotated->lines; i++) {
		const struct td_annotate_line *line = &annotated->line[i];
		int other = line->file && (!file || strcmp(file, line->file));
		char *path;

		if (other) {
			file = line->file;
			path = td_source_path(&line->source, file);
			td_source_free(&text);
			td_source_read(&text, path ? path : file);
			put_clean(out, path ? path : file);
			fputs(text.lines ? "\n" : " (the source is not here)\n", out);
			free(path);
		}
		put_sums(out, annotated, style, &line->sums);
		if (line->file)
			fprintf(out, "  %5d", line->line);
		else
			fputs("      ?", out);
		put_rest(out, annotated, style, 7,
			 line->file ? td_source_line(&text, line->line)
				    : "(no line is known)");
	}
	td_source_free(&text);
}

/* "g() at f.c:12 in f.c:40", when it is another one than before. */
static void put_source(FILE *out, const struct td_source *source,
		       const struct td_source *before)
{
	if (!source->frames || memcmp(source, before, sizeof(*source)) == 0)
		return;
	fputs("    ", out);
	for (unsigned i = 0; i < source->frames; i++) {
		const struct td_source_frame *frame = &source->frame[i];
		char *name = frame->function && i + 1 < source->frames
				     ? td_symbol_demangle(frame->function)
				     : NULL;

		fprintf(out, "%s%s%s", i ? ", inlined at " : "; ", name ? name : "",
			name ? " " : "");
		put_clean(out, td_text_base(frame->file));
		fprintf(out, ":%d", frame->line);
		free(name);
	}
	fputc('\n', out);
}

static int is_near(const struct td_annotated *annotated, size_t at)
{
	size_t first = at > NEIGHBOURS ? at - NEIGHBOURS : 0;

	for (size_t i = first; i <= at + NEIGHBOURS && i < annotated->instructions; i++)
		if (annotated->instruction[i].sums.opened)
			return 1;
	return 0;
}

static void put_instructions(FILE *out, const struct td_annotated *annotated,
			     const struct td_print_style *style, int all)
{
	static const struct td_source none;
	const struct td_source *before = &none;
	int gap = 0;

	put_titles(out, annotated, style,
		   annotated->function->end ? "Offset  Instruction" : "Address");
	for (size_t i = 0; i < annotated->instructions; i++) {
		const struct td_annotate_instruction *at = &annotated->instruction[i];

		if (!all && !is_near(annotated, i)) {
			gap = 1;
			continue;
		}
		if (gap)
			fputs("    ...\n", out);
		gap = 0;
		put_source(out, &at->source, before);
		before = &at->source;
		put_sums(out, annotated, style, &at->sums);
		fprintf(out, "  %6" PRIx64,
			at->code.address - annotated->function->start);
		put_rest(out, annotated, style, 8, at->code.text);
	}
}

static void put_header(FILE *out, const struct td_annotated *annotated,
		       const struct td_print_style *style)
{
	const struct td_annotate *annotate = annotated->annotate;
	const struct td_annotate_sums *all = &annotated->all;

	fprintf(out, "tdagent annotate%s\n",
		annotate->simulated ? " *** SIMULATED ***" : "");
	td_print_line(out, style, "function", "%s", annotated->function->name);
	td_print_line(out, style, "module", "%s", object_of(annotated)->path);
	if (annotate->other_cores)
		td_print_line(
			out, style, "cores",
			"the %s ones; %" PRIu64 " samples are of the %s ones: --cores=%s",
			td_cores_name(annotate->cores), annotate->other_cores,
			td_cores_name(!annotate->cores), td_cores_name(!annotate->cores));
	else if (annotate->hybrid)
		td_print_line(out, style, "cores", "the %s ones",
			      td_cores_name(annotate->cores));
	td_print_line(out, style, "windows",
		      "%" PRIu64 " of %" PRIu64
		      " in the log were opened here (%.1f %%), %" PRIu64 " are valid",
		      all->opened, annotate->logged,
		      100 * (double)all->opened / (double)annotate->logged, all->valid);
	if (annotate->functions > 1)
		td_print_line(out, style, "others",
			      "%zu more of that name have fewer windows: --module "
			      "chooses",
			      annotate->functions - 1);
	if (annotate->skid >= TD_SKID_MUCH)
		td_print_line(out, style, "skid",
			      "interrupts came %.0f cycles late (median): look some "
			      "instructions before",
			      annotate->skid);
	td_print_line(out, style, NULL,
		      "A window counts for the instruction at which it was opened, and "
		      "is longer than one: its top-down is of what ran from there on.");
}

void td_annotate_print_text(FILE *out, const struct td_annotated *annotated,
			    const struct td_print_style *style, int all)
{
	put_header(out, annotated, style);
	if (annotated->lines && annotated->line[0].file)
		put_lines(out, annotated, style);
	else if (annotated->function->end)
		td_print_line(out, style, NULL,
			      "No lines: the module has no debug information here (-g, "
			      "a package with debug symbols, or --debuginfod).");
	else
		td_print_line(out, style, NULL,
			      "Compiled while the program ran: no lines and no "
			      "instructions are known, but their addresses.");
	put_instructions(out, annotated, style, all);
	if (!annotated->disassembled && annotated->function->end)
		fputs("No instructions: there is no disassembler for this machine.\n",
		      out);
}

/* Windows opened where a line is known. */
static uint64_t count_known(const struct td_annotated *annotated)
{
	uint64_t known = 0;

	for (size_t i = 0; i < annotated->lines; i++)
		if (annotated->line[i].file)
			known += annotated->line[i].sums.opened;
	return known;
}

/* "demo.c:12 main", or the module. */
static void put_place(FILE *out, const struct td_annotated *annotated,
		      const struct td_print_style *style,
		      const struct td_annotate_line *line)
{
	const struct td_source_frame *frame = &line->source.frame[0];
	char *name = NULL, *text = NULL, *path = NULL;

	if (line->file && frame->function)
		name = td_symbol_demangle(frame->function);
	if (line->file && !style->width)
		path = td_source_path(&line->source, line->file);
	if (line->file)
		text = td_text_format("%s:%d%s%s", path ? path : td_text_base(line->file),
				      line->line, name ? " " : "", name ? name : "");
	else if (line->module != SIZE_MAX)
		text = td_text_format(
			"%s (no line is known)",
			td_text_base(
				annotated->annotate->module[line->module].object.path));
	put_rest(out, annotated, style, 0, text ? text : "[no file]");
	free(name);
	free(path);
	free(text);
}

static void put_places(FILE *out, const struct td_annotated *annotated,
		       const struct td_report_query *query,
		       const struct td_print_style *style)
{
	size_t shown = td_annotated_shown(annotated, query);

	put_titles(out, annotated, style, "Line");
	for (size_t i = 0; i < shown; i++) {
		const struct td_annotate_line *line = &annotated->line[i];

		put_sums(out, annotated, style, &line->sums);
		put_place(out, annotated, style, line);
	}
	if (has_nodes(annotated))
		td_print_legend(out, style, "*<?");
}

void td_annotate_print_lines(FILE *out, const struct td_annotated *annotated,
			     const struct td_report_query *query,
			     const struct td_print_style *style)
{
	const struct td_annotate *annotate = annotated->annotate;

	if (!annotate->logged) {
		td_print_line(out, style, NULL,
			      "No lines: the profile has no log of windows, which alone "
			      "knows instructions: record with windows (--short)");
		return;
	}
	td_print_line(out, style, NULL,
		      "%% of the %" PRIu64 " windows in the log%s; of %" PRIu64
		      " the line is known. A window counts for the line at which it was "
		      "opened, and is longer: its top-down is of what ran from there on.",
		      annotate->logged, annotate->simulated ? " (SIMULATED)" : "",
		      count_known(annotated));
	if (annotate->skid >= TD_SKID_MUCH)
		td_print_line(out, style, NULL,
			      "Interrupts came %.0f cycles late (median): look some "
			      "lines before.",
			      annotate->skid);
	put_places(out, annotated, query, style);
}
