// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <stdlib.h>

#include "decoder/names.h"
#include "tools/annotate_lines.h"
#include "tools/quote.h"

static void put_sums(FILE *out, const struct td_annotate *annotate,
		     const struct td_annotate_sums *sums)
{
	struct td_topdown_value value[TD_NODES];
	const char *comma = "";

	fprintf(out, "\"opened\": %" PRIu64 ", \"valid\": %" PRIu64, sums->opened,
		sums->valid);
	td_annotate_values(annotate, sums, value);
	if (!value[0].present)
		return;
	fputs(", \"topdown\": {", out);
	for (int i = 0; i < TD_NODES; i++) {
		if (!value[i].present)
			continue;
		fprintf(out, "%s\"%s\": {\"value\": %.6g, \"low\": %.6g, \"high\": %.6g}",
			comma, td_topdown_tree[i].name, value[i].estimate.value,
			value[i].estimate.low, value[i].estimate.high);
		comma = ", ";
	}
	fputc('}', out);
}

static void put_path(FILE *out, const struct td_source *source, const char *file)
{
	char *path = td_source_path(source, file);

	td_quote_json_raw(out, path ? path : file);
	free(path);
}

static void put_source(FILE *out, const struct td_source *source)
{
	fputs("\"frames\": [", out);
	for (unsigned i = 0; i < source->frames; i++) {
		const struct td_source_frame *frame = &source->frame[i];
		char *name = frame->function ? td_symbol_demangle(frame->function) : NULL;

		fprintf(out, "%s{\"file\": ", i ? ", " : "");
		put_path(out, source, frame->file);
		fprintf(out, ", \"line\": %d", frame->line);
		if (name) {
			fputs(", \"function\": ", out);
			td_quote_json(out, name);
		}
		fputc('}', out);
		free(name);
	}
	fputc(']', out);
}

static void put_function(FILE *out, const struct td_annotated *annotated)
{
	const struct td_annotate_function *f = annotated->function;
	const struct td_annotate *annotate = annotated->annotate;

	fputs("{\"schema\": 1,\n\"simulated\": ", out);
	fputs(annotate->simulated ? "true" : "false", out);
	if (annotate->hybrid)
		fprintf(out, ",\n\"cores\": \"%s\",\n\"elsewhere\": %" PRIu64,
			td_cores_name(annotate->cores), annotate->other_cores);
	fprintf(out, ",\n\"logged\": %" PRIu64 ",\n\"function\": {\"name\": ",
		annotate->logged);
	td_quote_json(out, f->name);
	fputs(", \"module\": ", out);
	td_quote_json_raw(out, annotate->module[f->module].object.path);
	fprintf(out, ", \"start\": %" PRIu64 ", \"end\": %" PRIu64 ", ", f->start,
		f->end);
	put_sums(out, annotate, &annotated->all);
	fputs("},\n", out);
}

void td_annotate_print_json(FILE *out, const struct td_annotated *annotated)
{
	put_function(out, annotated);
	fputs("\"lines\": [", out);
	for (size_t i = 0; i < annotated->lines; i++) {
		const struct td_annotate_line *line = &annotated->line[i];

		fputs(i ? ",\n{" : "\n{", out);
		if (line->file) {
			fputs("\"file\": ", out);
			put_path(out, &line->source, line->file);
			fprintf(out, ", \"line\": %d, ", line->line);
		}
		put_sums(out, annotated->annotate, &line->sums);
		fputc('}', out);
	}
	fputs("\n],\n\"instructions\": [", out);
	for (size_t i = 0; i < annotated->instructions; i++) {
		const struct td_annotate_instruction *at = &annotated->instruction[i];

		fprintf(out, "%s{\"address\": %" PRIu64 ", ", i ? ",\n" : "\n",
			at->code.address);
		if (annotated->disassembled) {
			fputs("\"text\": ", out);
			td_quote_json_raw(out, at->code.text);
			fputs(", ", out);
		}
		put_source(out, &at->source);
		fputs(", ", out);
		put_sums(out, annotated->annotate, &at->sums);
		fputc('}', out);
	}
	fputs("\n]}\n", out);
}
