// SPDX-License-Identifier: MIT
/*
 * The profile is written piece by piece: protobuf messages that are put one after
 * the other are one message, whose repeated fields are those of all.  So memory
 * does not grow with the profile, apart from the index of its strings.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "decoder/hash.h"
#include "decoder/label_list.h"
#include "decoder/names.h"
#include "decoder/reserve.h"
#include "decoder/text.h"
#include "tools/export.h"
#include "tools/pprof.pb-c.h"
#include "tools/print.h"

struct pprof {
	FILE *out;
	const struct td_export *export;
	z_stream stream;
	unsigned char *packed; /* room for one piece */
	size_t room;
	struct td_hash known; /* of text[] */
	char **text;
	size_t texts;
	int64_t key_thread, key_tid, key_pid;
	int err;
};

/* Compresses bytes into the file; the last call has `flush` Z_FINISH. */
static void deflate_bytes(struct pprof *pprof, unsigned char *bytes, size_t size,
			  int flush)
{
	z_stream *stream = &pprof->stream;
	unsigned char compressed[4096];

	stream->next_in = bytes;
	stream->avail_in = (uInt)size;
	do {
		stream->next_out = compressed;
		stream->avail_out = sizeof(compressed);
		deflate(stream, flush);
		fwrite(compressed, 1, sizeof(compressed) - stream->avail_out, pprof->out);
	} while (stream->avail_out == 0);
}

static void put(struct pprof *pprof, const TdPprof__Profile *piece)
{
	size_t size = td_pprof__profile__get_packed_size(piece);
	unsigned char *more;

	if (pprof->err)
		return;
	if (size > pprof->room) {
		more = realloc(pprof->packed, 2 * size);
		if (!more) {
			pprof->err = -ENOMEM;
			return;
		}
		pprof->packed = more;
		pprof->room = 2 * size;
	}
	td_pprof__profile__pack(piece, pprof->packed);
	deflate_bytes(pprof, pprof->packed, size, Z_NO_FLUSH);
}

struct text_key {
	const struct pprof *pprof;
	const char *text;
};

static int same_text(const void *context, size_t index)
{
	const struct text_key *key = context;

	return strcmp(key->pprof->text[index], key->text) == 0;
}

static int remember(struct pprof *pprof, uint64_t hash, const char *text)
{
	size_t used = pprof->texts;

	if (td_reserve(&pprof->text, used, sizeof(*pprof->text)) < 0)
		return -ENOMEM;
	pprof->text[used] = strdup(text);
	if (!pprof->text[used])
		return -ENOMEM;
	pprof->texts++;
	return td_hash_add(&pprof->known, hash, used);
}

/* The text's number; writes it when it is new. */
static int64_t text_of(struct pprof *pprof, const char *text)
{
	TdPprof__Profile piece = TD_PPROF__PROFILE__INIT;
	struct text_key key = {pprof, text};
	uint64_t hash = td_hash_bytes(0, text, strlen(text));
	size_t found = td_hash_find(&pprof->known, hash, same_text, &key);

	if (found != SIZE_MAX)
		return (int64_t)found;
	if (!pprof->err)
		pprof->err = remember(pprof, hash, text);
	if (pprof->err)
		return 0;
	piece.n_strings = 1;
	piece.strings = &pprof->text[pprof->texts - 1];
	put(pprof, &piece);
	return (int64_t)pprof->texts - 1;
}

static void put_types(struct pprof *pprof)
{
	const struct td_export *export = pprof->export;

	for (unsigned i = 0; i < export->types; i++) {
		TdPprof__Profile piece = TD_PPROF__PROFILE__INIT;
		TdPprof__ValueType type = TD_PPROF__VALUE_TYPE__INIT, *types = &type;

		type.type = text_of(pprof, export->type[i].name);
		type.unit = text_of(pprof, export->type[i].unit);
		piece.n_sample_types = 1;
		piece.sample_types = &types;
		put(pprof, &piece);
	}
}

/* The mean long period, if all processes have the same. */
static uint64_t period_of(const struct td_report *report)
{
	const struct td_file_header *first = &report->process[0].header;

	for (size_t i = 1; i < report->processes; i++) {
		const struct td_file_header *header = &report->process[i].header;

		if (header->long_period != first->long_period ||
		    header->period_unit != first->period_unit)
			return 0;
	}
	return first->long_period;
}

static void put_run(struct pprof *pprof)
{
	const struct td_report *report = pprof->export->report;
	const struct td_report_process *first = td_print_first(report);
	uint64_t end = 0;
	TdPprof__Profile piece = TD_PPROF__PROFILE__INIT;
	TdPprof__ValueType period = TD_PPROF__VALUE_TYPE__INIT;
	int ns = first->header.period_unit == TD_UNIT_NS;

	for (size_t i = 0; i < report->processes; i++) {
		const struct td_report_process *process = &report->process[i];
		uint64_t duration = (uint64_t)llround(td_print_duration(process) * 1e9);

		if (process->header.start_realtime_ns + duration > end)
			end = process->header.start_realtime_ns + duration;
	}
	piece.time_nanos = (int64_t)first->header.start_realtime_ns;
	piece.duration_nanos = (int64_t)(end - first->header.start_realtime_ns);
	piece.period = (int64_t)period_of(report);
	if (piece.period) {
		period.type = text_of(pprof, ns ? "cpu" : "cycles");
		period.unit = text_of(pprof, ns ? "nanoseconds" : "count");
		piece.period_type = &period;
	}
	piece.default_sample_type = text_of(pprof, report->has_time ? "cpu" : "samples");
	put(pprof, &piece);
}

/* Takes `text`. */
static void put_comment(struct pprof *pprof, char *text)
{
	TdPprof__Profile piece = TD_PPROF__PROFILE__INIT;
	int64_t number;

	if (!text) {
		pprof->err = -ENOMEM;
		return;
	}
	number = text_of(pprof, text);
	piece.n_comments = 1;
	piece.comments = &number;
	put(pprof, &piece);
	free(text);
}

static void put_process_comments(struct pprof *pprof,
				 const struct td_report_process *process)
{
	const struct td_file_header *header = &process->header;
	const char *unit = header->period_unit == TD_UNIT_NS ? "ns" : "cycles";
	char *command = td_print_command(header);
	char *host = td_text_clean(header->host, sizeof(header->host));

	put_comment(pprof, td_text_format("pid %u%s%s: %s", header->pid,
					  host && host[0] ? " on " : "", host ? host : "",
					  command ? command : ""));
	put_comment(pprof, td_text_format("pid %u: backend %s, trigger %s", header->pid,
					  td_backend_name(header->backend),
					  td_trigger_name(header->trigger)));
	if (header->long_period)
		put_comment(pprof,
			    td_text_format(
				    "pid %u: a sample every %llu %s, windows of %llu %s",
				    header->pid, (unsigned long long)header->long_period,
				    unit, (unsigned long long)header->short_period,
				    unit));
	free(command);
	free(host);
}

/* thread, tid, pid, host, and those of the profile */
#define LABELS_MORE (4 + TD_LABEL_LIST_MAX)

/* More processes than this are not described one by one. */
#define PROCESSES_DESCRIBED 32

static void put_comments(struct pprof *pprof)
{
	const struct td_export *export = pprof->export;
	const struct td_report *report = export->report;

	put_comment(pprof, td_text_format("%s", PACKAGE_STRING));
	for (size_t i = 0; i < report->processes && i < PROCESSES_DESCRIBED; i++)
		put_process_comments(pprof, &report->process[i]);
	if (report->profiles > PROCESSES_DESCRIBED)
		put_comment(pprof,
			    td_text_format("%zu processes in all", report->profiles));
	if (td_report_has_topdown(report))
		put_comment(pprof,
			    td_text_format(
				    "slots and what they are made of are estimates, "
				    "without their intervals: a function's part of the "
				    "samples times all slots of its process times its "
				    "top-down fraction in the whole run"));
	for (size_t i = 0; i < report->notes; i++)
		put_comment(pprof, td_text_format("note: %s", report->note[i]));
	for (size_t i = 0; i < export->labels; i++)
		put_comment(pprof, td_text_format("%s=%s", export->label[i].key,
						  export->label[i].value));
}

static void put_mapping(struct pprof *pprof, uint32_t index)
{
	const struct td_report_module *module = &pprof->export->report->module[index];
	const struct td_file_object *object = &module->object;
	TdPprof__Profile piece = TD_PPROF__PROFILE__INIT;
	TdPprof__Mapping mapping = TD_PPROF__MAPPING__INIT, *mappings = &mapping;
	char id[2 * sizeof(object->build_id) + 1] = "";

	for (uint32_t i = 0; i < object->build_id_size; i++)
		snprintf(id + 2 * (size_t)i, 3, "%02x", object->build_id[i]);
	mapping.id = index + 1;
	mapping.memory_start = object->map_start;
	mapping.memory_limit = object->map_end;
	mapping.file = text_of(pprof, module->path);
	mapping.build_id = text_of(pprof, id);
	/* names are final: readers need not look for files, which may be others here */
	mapping.has_functions = mapping.has_files = mapping.has_lines = 1;
	mapping.has_inline_frames = 1;
	piece.n_mappings = 1;
	piece.mappings = &mappings;
	put(pprof, &piece);
}

/* The first mapping counts as the program. */
static void put_mappings(struct pprof *pprof)
{
	const struct td_report *report = pprof->export->report;
	const char *exe = td_print_first(report)->header.exe;
	uint32_t program = 0;

	for (uint32_t i = 0; i < report->modules; i++) {
		if (strcmp(report->module[i].object.path, exe) == 0) {
			program = i;
			break;
		}
	}
	if (report->modules)
		put_mapping(pprof, program);
	for (uint32_t i = 0; i < report->modules; i++) {
		if (i != program)
			put_mapping(pprof, i);
	}
}

static void put_function(struct pprof *pprof, uint32_t index)
{
	const struct td_report *report = pprof->export->report;
	const struct td_report_function *f = &report->function[index];
	TdPprof__Profile piece = TD_PPROF__PROFILE__INIT;
	TdPprof__Function function = TD_PPROF__FUNCTION__INIT, *functions = &function;
	TdPprof__Location location = TD_PPROF__LOCATION__INIT, *locations = &location;
	TdPprof__Line line = TD_PPROF__LINE__INIT, *lines = &line;

	function.id = location.id = line.function_id = index + 1ul;
	function.name = function.system_name = text_of(pprof, f->name);
	location.address = f->address;
	if (f->module != TD_NO_MODULE) {
		location.mapping_id = f->module + 1ul;
		if (f->kind == TD_PLACE_FUNCTION || f->kind == TD_PLACE_GAP)
			location.address += report->module[f->module].object.bias;
	}
	location.n_lines = 1;
	location.lines = &lines;
	piece.n_functions = piece.n_locations = 1;
	piece.functions = &functions;
	piece.locations = &locations;
	put(pprof, &piece);
}

static int has_label(const TdPprof__Label *label, size_t labels, int64_t key)
{
	for (size_t i = 0; i < labels; i++)
		if (label[i].key == key)
			return 1;
	return 0;
}

/* The profile's own, where there is none of that name yet; returns how many there are
 * then. */
static size_t label_profile(struct pprof *pprof, const char *list, TdPprof__Label *label,
			    size_t count)
{
	size_t most = count + TD_LABEL_LIST_MAX;
	struct td_label_text text;
	int next;

	while (count < most && (next = td_label_list_next(&list, &text)) != 0) {
		char *key, *value;

		if (next < 0)
			continue;
		key = strndup(text.key, text.key_length);
		value = td_text_clean(text.value, text.value_length);
		if (!key || !value)
			pprof->err = -ENOMEM;
		else if (!has_label(label, count, text_of(pprof, key))) {
			label[count].key = text_of(pprof, key);
			label[count++].text = text_of(pprof, value);
		}
		free(key);
		free(value);
	}
	return count;
}

/* Labels of the thread, then the user's, then the profile's. */
static size_t label_sample(struct pprof *pprof, const struct td_export_sample *sample,
			   TdPprof__Label *label)
{
	const struct td_export *export = pprof->export;
	const struct td_report_thread *thread = &export->report->thread[sample->thread];
	const struct td_report_process *process =
		&export->report->process[thread->process];
	char *host = td_text_clean(process->header.host, sizeof(process->header.host));
	size_t count = 0;

	label[count].key = pprof->key_thread;
	label[count++].text = text_of(pprof, thread->name);
	/* a record of several ended threads has no one number */
	if (thread->record.state != TD_THREAD_FOLDED) {
		label[count].key = pprof->key_tid;
		label[count++].number = thread->record.tid;
	}
	/* nor have several processes */
	if (process->profiles == 1) {
		label[count].key = pprof->key_pid;
		label[count++].number = process->header.pid;
	}
	if (!process->mixed && host && *host) {
		label[count].key = text_of(pprof, "host");
		label[count++].text = text_of(pprof, host);
	}
	free(host);
	for (size_t i = 0; i < export->labels; i++) {
		label[count].key = text_of(pprof, export->label[i].key);
		label[count++].text = text_of(pprof, export->label[i].value);
	}
	if (!process->mixed)
		count = label_profile(pprof, process->header.labels, label, count);
	return count;
}

/* What all samples need once. */
struct room {
	TdPprof__Label *label;
	TdPprof__Label **labels;
	uint64_t *location;
};

static void put_sample(struct pprof *pprof, const struct td_export_sample *sample,
		       const struct room *room)
{
	const struct td_export *export = pprof->export;
	int64_t value[TD_EXPORT_TYPES_MAX];
	TdPprof__Profile piece = TD_PPROF__PROFILE__INIT;
	TdPprof__Sample out = TD_PPROF__SAMPLE__INIT, *outs = &out;

	for (size_t i = 0; i < export->labels + LABELS_MORE; i++)
		td_pprof__label__init(&room->label[i]);
	for (uint32_t i = 0; i < sample->frames; i++)
		room->location[i] = export->frame[sample->frame + i] + 1ul;
	for (unsigned i = 0; i < export->types; i++)
		value[i] = td_export_value(export, &export->type[i], sample);
	out.n_location_ids = sample->frames;
	out.location_ids = room->location;
	out.n_values = export->types;
	out.values = value;
	out.n_labels = label_sample(pprof, sample, room->label);
	out.labels = room->labels;
	piece.n_samples = 1;
	piece.samples = &outs;
	put(pprof, &piece);
}

static void put_samples(struct pprof *pprof)
{
	const struct td_export *export = pprof->export;
	size_t labels = export->labels + LABELS_MORE;
	struct room room = {
		.label = calloc(labels, sizeof(*room.label)),
		.labels = calloc(labels, sizeof(struct TdPprof__Label *)),
		.location = calloc(export->frames + 1, sizeof(*room.location)),
	};

	if (!room.label || !room.labels || !room.location) {
		pprof->err = -ENOMEM;
		goto out_free;
	}
	for (size_t i = 0; i < labels; i++)
		room.labels[i] = &room.label[i];
	pprof->key_thread = text_of(pprof, "thread");
	pprof->key_tid = text_of(pprof, "tid");
	pprof->key_pid = text_of(pprof, "pid");
	for (size_t i = 0; i < export->samples; i++)
		put_sample(pprof, &export->sample[i], &room);
out_free:
	free(room.label);
	free(room.labels);
	free(room.location);
}

int td_export_pprof(FILE *out, const struct td_export *export)
{
	struct pprof pprof = {.out = out, .export = export};

	/* 15 + 16: the largest window, with gzip's header */
	if (deflateInit2(&pprof.stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		return -ENOMEM;
	text_of(&pprof, ""); /* number 0 */
	put_types(&pprof);
	put_run(&pprof);
	put_comments(&pprof);
	put_mappings(&pprof);
	for (size_t i = 0; i < export->report->rows; i++)
		if (export->used[i])
			put_function(&pprof, (uint32_t)i);
	put_samples(&pprof);
	deflate_bytes(&pprof, NULL, 0, Z_FINISH);
	deflateEnd(&pprof.stream);
	for (size_t i = 0; i < pprof.texts; i++)
		free(pprof.text[i]);
	free(pprof.text);
	free(pprof.packed);
	td_hash_free(&pprof.known);
	return pprof.err;
}
