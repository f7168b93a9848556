// SPDX-License-Identifier: MIT
/* Stacks as text: folded lines and speedscope's JSON. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/export.h"
#include "tools/print.h"
#include "tools/quote.h"

struct line {
	char *stack;
	int64_t value;
};

static int by_stack(const void *a, const void *b)
{
	return strcmp(((const struct line *)a)->stack, ((const struct line *)b)->stack);
}

/* A semicolon would end the frame. */
static void put_frame(FILE *out, const char *name)
{
	for (; *name; name++)
		fputc(*name == ';' ? ':' : *name, out);
}

static const struct td_report_function *frame_of(const struct td_export *export,
						 const struct td_export_sample *sample,
						 uint32_t frame)
{
	return &export->report->function[export->frame[sample->frame + frame]];
}

/* Root first; free it; NULL without memory. */
static char *stack_of(const struct td_export *export,
		      const struct td_export_sample *sample, int made_up)
{
	char *stack = NULL;
	size_t size;
	FILE *out = open_memstream(&stack, &size);

	if (!out)
		return NULL;
	if (made_up)
		fputs("SIMULATED;", out);
	put_frame(out, export->report->thread[sample->thread].name);
	for (uint32_t i = sample->frames; i-- > 0;) {
		fputc(';', out);
		put_frame(out, frame_of(export, sample, i)->name);
	}
	if (fclose(out) != 0) {
		free(stack);
		return NULL;
	}
	return stack;
}

static void print_lines(FILE *out, struct line *line, size_t lines)
{
	if (lines)
		qsort(line, lines, sizeof(*line), by_stack);
	for (size_t i = 0; i < lines; i++) {
		if (i + 1 < lines && by_stack(&line[i], &line[i + 1]) == 0)
			line[i + 1].value += line[i].value;
		else if (line[i].value)
			fprintf(out, "%s %" PRId64 "\n", line[i].stack, line[i].value);
	}
}

int td_export_folded(FILE *out, const struct td_export *export,
		     const struct td_export_type *type)
{
	struct line *line = calloc(export->samples + 1, sizeof(*line));
	int made_up = type->kind >= TD_EXPORT_SLOTS && export->report->simulated;
	size_t lines = 0;
	int err = line ? 0 : -ENOMEM;

	for (; lines < export->samples && !err; lines++) {
		const struct td_export_sample *sample = &export->sample[lines];

		line[lines].stack = stack_of(export, sample, made_up);
		line[lines].value = td_export_value(export, type, sample);
		err = line[lines].stack ? 0 : -ENOMEM;
	}
	if (!err)
		print_lines(out, line, lines);
	for (size_t i = 0; i < lines; i++)
		free(line[i].stack);
	free(line);
	return err;
}

/* The functions, then the threads' names, which are the roots. */
static void put_frames(FILE *out, const struct td_export *export)
{
	const struct td_report *report = export->report;
	const char *comma = "";

	fputs("\"shared\": {\"frames\": [", out);
	for (size_t i = 0; i < report->rows; i++) {
		const struct td_report_function *f = &report->function[i];

		fprintf(out, "%s\n{\"name\": ", comma);
		td_quote_json(out, f->name);
		if (f->module != TD_NO_MODULE) {
			fputs(", \"file\": ", out);
			td_quote_json(out, td_report_module(report, f));
		}
		fputc('}', out);
		comma = ",";
	}
	for (size_t i = 0; i < report->threads; i++) {
		fprintf(out, "%s\n{\"name\": ", comma);
		td_quote_json(out, report->thread[i].name);
		fputc('}', out);
		comma = ",";
	}
	fputs("\n]}", out);
}

static void put_stack(FILE *out, const struct td_export *export,
		      const struct td_export_sample *sample)
{
	size_t root = export->report->rows + export->root[sample->thread];

	fprintf(out, "[%zu", root);
	for (uint32_t i = sample->frames; i-- > 0;)
		fprintf(out, ",%" PRIu32, export->frame[sample->frame + i]);
	fputc(']', out);
}

static void put_profile(FILE *out, const struct td_export *export,
			const struct td_export_type *type)
{
	const char *comma = "";
	int64_t total = 0;

	fputs("{\"type\": \"sampled\", \"name\": ", out);
	td_quote_json(out, type->name);
	/* "none" is the only one of its units that fits counts */
	fprintf(out, ", \"unit\": \"%s\", \"startValue\": 0,\n\"samples\": [",
		type->kind == TD_EXPORT_CPU ? "nanoseconds" : "none");
	for (size_t i = 0; i < export->samples; i++) {
		if (!td_export_value(export, type, &export->sample[i]))
			continue;
		fputs(comma, out);
		put_stack(out, export, &export->sample[i]);
		comma = ",";
	}
	fputs("],\n\"weights\": [", out);
	comma = "";
	for (size_t i = 0; i < export->samples; i++) {
		int64_t value = td_export_value(export, type, &export->sample[i]);

		if (!value)
			continue;
		fprintf(out, "%s%" PRId64, comma, value);
		total += value;
		comma = ",";
	}
	fprintf(out, "],\n\"endValue\": %" PRId64 "}", total);
}

int td_export_speedscope(FILE *out, const struct td_export *export)
{
	const struct td_report *report = export->report;
	char *command = td_print_command(&td_print_first(report)->header);

	if (!command)
		return -ENOMEM;
	fputs("{\"$schema\": \"https://www.speedscope.app/file-format-schema.json\",\n",
	      out);
	fprintf(out, "\"exporter\": \"%s@%s\", \"name\": ", PACKAGE_NAME,
		PACKAGE_VERSION);
	td_quote_json(out, command);
	fputs(",\n", out);
	put_frames(out, export);
	fputs(",\n\"profiles\": [\n", out);
	for (unsigned i = 0; i < export->types; i++) {
		fputs(i ? ",\n" : "", out);
		put_profile(out, export, &export->type[i]);
	}
	fputs("]}\n", out);
	free(command);
	return 0;
}
