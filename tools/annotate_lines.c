// SPDX-License-Identifier: MIT
#include "tools/annotate_lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct Dwfl_Module *module_of(const struct td_annotated *annotated)
{
	const struct td_annotate *annotate = annotated->annotate;

	return td_symbols_module(annotate->module[annotated->function->module].symbols);
}

/* The places of the first function stand first. */
static size_t count_places(const struct td_annotate *annotate)
{
	size_t count = 0;

	while (count < annotate->places && annotate->place[count].function == 0)
		count++;
	return count;
}

static int by_line(const void *a, const void *b)
{
	const struct td_annotate_line *x = a, *y = b;
	int order = !x->file - !y->file;

	if (!order && x->file)
		order = strcmp(x->file, y->file);
	if (!order && !x->file)
		order = (x->module > y->module) - (x->module < y->module);
	return order ? order : (x->line > y->line) - (x->line < y->line);
}

static int by_file(const void *a, const void *b)
{
	const struct td_annotate_line *x = a, *y = b;

	if (x->of_file != y->of_file)
		return x->of_file > y->of_file ? -1 : 1;
	return by_line(a, b);
}

static int by_windows(const void *a, const void *b)
{
	const struct td_annotate_line *x = a, *y = b;

	if (x->sums.opened != y->sums.opened)
		return x->sums.opened > y->sums.opened ? -1 : 1;
	return by_line(a, b);
}

static int join_lines(struct td_annotated *annotated)
{
	struct td_annotate_line *line = annotated->line;
	size_t kept = 0;
	int err = 0;

	qsort(line, annotated->lines, sizeof(*line), by_line);
	for (size_t i = 0; i < annotated->lines; i++) {
		struct td_annotate_line next = line[i];

		line[i].sums.groups = NULL; /* each has one owner */
		if (kept && by_line(&line[kept - 1], &next) == 0) {
			err |= td_annotate_join(&line[kept - 1].sums, &next.sums);
			free(next.sums.groups);
		} else {
			line[kept++] = next;
		}
	}
	annotated->lines = kept;
	return err ? -ENOMEM : 0;
}

static int same_file(const struct td_annotate_line *a, const struct td_annotate_line *b)
{
	return a->file && b->file ? strcmp(a->file, b->file) == 0 : a->file == b->file;
}

/* The file with the most windows first; lines are by file here. */
static void order_files(struct td_annotated *annotated)
{
	struct td_annotate_line *line = annotated->line;
	size_t next;

	for (size_t first = 0; first < annotated->lines; first = next) {
		uint64_t opened = 0;

		for (next = first;
		     next < annotated->lines && same_file(&line[first], &line[next]);
		     next++)
			opened += line[next].sums.opened;
		for (size_t i = first; i < next; i++)
			line[i].of_file = opened;
	}
	qsort(line, annotated->lines, sizeof(*line), by_file);
}

static int make_lines(struct td_annotated *annotated, size_t places)
{
	const struct td_annotate *annotate = annotated->annotate;
	int err = 0;

	annotated->line = calloc(places + 1, sizeof(*annotated->line));
	if (!annotated->line)
		return -ENOMEM;
	for (size_t i = 0; i < places && !err; i++) {
		struct td_annotate_line *line = &annotated->line[annotated->lines++];
		size_t module = annotate->function[annotate->place[i].function].module;

		td_source_at(td_symbols_module(annotate->module[module].symbols),
			     annotate->place[i].address, &line->source);
		line->module = module;
		line->file = line->source.frames ? line->source.frame[0].file : NULL;
		line->line = line->source.frame[0].line;
		err = td_annotate_join(&line->sums, &annotate->place[i].sums);
		if (!err)
			err = td_annotate_join(&annotated->all, &line->sums);
	}
	return err;
}

/* Without a disassembler: the places alone. */
static int list_places(struct td_annotated *annotated, size_t places)
{
	annotated->instruction = calloc(places + 1, sizeof(*annotated->instruction));
	if (!annotated->instruction)
		return -ENOMEM;
	for (size_t i = 0; i < places; i++)
		annotated->instruction[i].code.address =
			annotated->annotate->place[i].address;
	annotated->instructions = places;
	return 0;
}

static int list_code(struct td_annotated *annotated, size_t places)
{
	const struct td_annotate_function *f = annotated->function;
	struct td_source_instruction *list;
	unsigned machine = 0;
	const unsigned char *code =
		td_source_code(module_of(annotated), f->start, f->end, &machine);
	size_t count = td_source_disassemble(code, f->start, f->end, machine, &list);

	if (!count)
		return free(list), list_places(annotated, places);
	annotated->disassembled = 1;
	annotated->instruction = calloc(count, sizeof(*annotated->instruction));
	for (size_t i = 0; i < count && annotated->instruction; i++)
		annotated->instruction[i].code = list[i];
	annotated->instructions = annotated->instruction ? count : 0;
	free(list);
	return annotated->instruction ? 0 : -ENOMEM;
}

/* To the instruction that the address is in: both are in order. */
static int make_instructions(struct td_annotated *annotated, size_t places)
{
	int err = list_code(annotated, places);
	size_t at = 0;

	for (size_t i = 0; i < places && !err && annotated->instructions; i++) {
		const struct td_annotate_place *place = &annotated->annotate->place[i];

		while (at + 1 < annotated->instructions &&
		       annotated->instruction[at + 1].code.address <= place->address)
			at++;
		err = td_annotate_join(&annotated->instruction[at].sums, &place->sums);
	}
	for (size_t i = 0; i < annotated->instructions && !err; i++)
		td_source_at(module_of(annotated), annotated->instruction[i].code.address,
			     &annotated->instruction[i].source);
	return err;
}

int td_annotated_make(struct td_annotated *annotated, const struct td_annotate *annotate)
{
	size_t places = count_places(annotate);
	int err;

	memset(annotated, 0, sizeof(*annotated));
	annotated->annotate = annotate;
	annotated->function = &annotate->function[0];
	err = make_lines(annotated, places);
	if (!err)
		err = join_lines(annotated);
	if (!err) {
		order_files(annotated);
		err = make_instructions(annotated, places);
	}
	if (err)
		td_annotated_free(annotated);
	return err;
}

int td_annotated_make_all(struct td_annotated *annotated,
			  const struct td_annotate *annotate)
{
	int err;

	memset(annotated, 0, sizeof(*annotated));
	annotated->annotate = annotate;
	err = make_lines(annotated, annotate->places);
	if (!err && annotate->elsewhere.opened) {
		struct td_annotate_line *line = &annotated->line[annotated->lines++];

		line->module = SIZE_MAX;
		err = td_annotate_join(&line->sums, &annotate->elsewhere);
		if (!err)
			err = td_annotate_join(&annotated->all, &annotate->elsewhere);
	}
	if (!err)
		err = join_lines(annotated);
	if (err) {
		td_annotated_free(annotated);
		return err;
	}
	qsort(annotated->line, annotated->lines, sizeof(*annotated->line), by_windows);
	return 0;
}

size_t td_annotated_shown(const struct td_annotated *annotated,
			  const struct td_report_query *query)
{
	double least = query->min_share * (double)annotated->annotate->logged;
	size_t most = query->top && query->top < annotated->lines ? query->top
								  : annotated->lines;
	size_t shown = 0;

	while (shown < most && (double)annotated->line[shown].sums.opened >= least)
		shown++;
	return shown;
}

void td_annotated_free(struct td_annotated *annotated)
{
	for (size_t i = 0; i < annotated->lines; i++)
		free(annotated->line[i].sums.groups);
	for (size_t i = 0; i < annotated->instructions; i++)
		free(annotated->instruction[i].sums.groups);
	free(annotated->all.groups);
	free(annotated->line);
	free(annotated->instruction);
}
