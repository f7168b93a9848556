// SPDX-License-Identifier: MIT
/* Source lines for machines: `tdagent report --by=line --format=json|csv`. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/text.h"
#include "tools/annotate_lines.h"
#include "tools/csv.h"
#include "tools/quote.h"

/* What stands for a line, each NULL where it is not known. */
struct names {
	char *file, *function;
	char *module;
};

static char *clean(const char *text)
{
	return text ? td_text_clean(text, strlen(text)) : NULL;
}

static struct names names_of(const struct td_annotated *annotated,
			     const struct td_annotate_line *line)
{
	const char *function = line->file ? line->source.frame[0].function : NULL;
	char *path = line->file ? td_source_path(&line->source, line->file) : NULL;
	struct names names = {
		.file = clean(path ? path : line->file),
		.function = function ? td_symbol_demangle(function) : NULL,
		.module = line->module == SIZE_MAX
				  ? NULL
				  : clean(annotated->annotate->module[line->module]
						  .object.path),
	};

	free(path);
	return names;
}

static void free_names(struct names *names)
{
	free(names->file);
	free(names->function);
	free(names->module);
}

static double share_of(const struct td_annotated *annotated,
		       const struct td_annotate_sums *sums)
{
	return (double)sums->opened / (double)annotated->annotate->logged;
}

void td_annotate_json_lines(struct td_json *json, const struct td_annotated *annotated,
			    const struct td_report_query *query)
{
	size_t shown = td_annotated_shown(annotated, query);

	td_json_open(json, "lines", '[');
	for (size_t i = 0; i < shown; i++) {
		const struct td_annotate_line *line = &annotated->line[i];
		struct names names = names_of(annotated, line);
		struct td_topdown_value value[TD_NODES];

		td_json_open(json, NULL, '{');
		if (names.file) {
			td_json_clean(json, "file", names.file);
			td_json_count(json, "line", (uint64_t)line->line);
		}
		if (names.function)
			td_json_clean(json, "function", names.function);
		if (names.module)
			td_json_clean(json, "module", names.module);
		td_json_number(json, "share", share_of(annotated, &line->sums));
		td_json_count(json, "opened", line->sums.opened);
		td_json_count(json, "valid", line->sums.valid);
		td_annotate_values(annotated->annotate, &line->sums, value);
		td_json_topdown(json, value);
		td_json_close(json, '}');
		free_names(&names);
	}
	td_json_close(json, ']');
}

void td_annotate_csv_lines(FILE *out, const struct td_annotated *annotated,
			   const struct td_report_query *query)
{
	const struct td_annotate *annotate = annotated->annotate;
	size_t shown = td_annotated_shown(annotated, query);
	int nodes = td_annotate_has_nodes(annotate) ? TD_NODES : 0;

	fputs("simulated,file,line,function,module,opened,share,valid", out);
	td_csv_node_names(out, "", nodes);
	fputs(nodes ? ",bottleneck\n" : "\n", out);
	for (size_t i = 0; i < shown; i++) {
		const struct td_annotate_line *line = &annotated->line[i];
		struct names names = names_of(annotated, line);
		struct td_topdown_value value[TD_NODES];

		fputs(annotate->simulated ? "SIMULATED," : ",", out);
		td_quote_csv(out, names.file ? names.file : "");
		fputc(',', out);
		if (names.file)
			fprintf(out, "%d", line->line);
		fputc(',', out);
		td_quote_csv(out, names.function ? names.function : "");
		fputc(',', out);
		td_quote_csv(out, names.module ? names.module : "");
		fprintf(out, ",%" PRIu64, line->sums.opened);
		td_csv_number(out, 1, share_of(annotated, &line->sums));
		fprintf(out, ",%" PRIu64, line->sums.valid);
		td_annotate_values(annotate, &line->sums, value);
		td_csv_nodes(out, value, nodes);
		if (nodes)
			td_csv_bottleneck(out, value);
		fputc('\n', out);
		free_names(&names);
	}
}
