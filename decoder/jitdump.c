// SPDX-License-Identifier: MIT
/* The format: tools/perf/Documentation/jitdump-specification.txt of Linux. */
#include "decoder/jitdump.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/reserve.h"

#define MAGIC 0x4a695444u
#define FLAG_ARCH_TIME 1u
#define NAME_MAX_BYTES 4096u

enum record_kind { CODE_LOAD = 0, CODE_MOVE = 1, CODE_CLOSE = 3 };

struct head {
	uint32_t magic, version, size, machine, padding, pid;
	uint64_t time, flags;
};

struct record {
	uint32_t kind, size;
	uint64_t time;
};

struct load {
	uint32_t pid, tid;
	uint64_t vma, address, size, index;
};

struct move {
	uint32_t pid, tid;
	uint64_t vma, from, to, size, index;
};

/* One thing that happened to the code; `from` of a load is 0. */
struct event {
	uint64_t time, start, end, from;
	const char *name; /* NULL: moved */
	size_t order;
};

struct reading {
	struct td_jitdump *dump;
	FILE *in;
	struct event *event;
	size_t events;
	void *live; /* tree of struct td_jit_code, none of which overlap */
};

/* Up to its NUL, which must be in the record; a long one is cut. 0, -EINVAL or -ENOMEM.
 */
static int read_name(struct reading *reading, size_t left, const char **name)
{
	struct td_jitdump *dump = reading->dump;
	char text[NAME_MAX_BYTES];
	size_t length = 0;
	int c = EOF;

	while (left-- && length < sizeof(text) && (c = fgetc(reading->in)) > 0)
		text[length++] = (char)c;
	if (c != 0 && length < sizeof(text))
		return -EINVAL;
	if (length == sizeof(text))
		length--;
	if (td_reserve(&dump->name, dump->names, sizeof(*dump->name)) < 0)
		return -ENOMEM;
	text[length] = '\0';
	dump->name[dump->names] = strdup(text);
	*name = dump->name[dump->names];
	if (!*name)
		return -ENOMEM;
	dump->names++;
	return 0;
}

/* Code of no size, or beyond the address space, is not kept. */
static int add_event(struct reading *reading, struct event event, uint64_t size)
{
	if (!size || size > UINT64_MAX - event.start || size > UINT64_MAX - event.from)
		return 0;
	if (td_reserve(&reading->event, reading->events, sizeof(event)) < 0)
		return -ENOMEM;
	event.end = event.start + size;
	event.order = reading->events;
	reading->event[reading->events++] = event;
	return 0;
}

static int read_load(struct reading *reading, const struct record *record)
{
	struct event event = {.time = record->time};
	struct load load;
	size_t fixed = sizeof(*record) + sizeof(load);
	int err;

	if (record->size <= fixed || fread(&load, sizeof(load), 1, reading->in) != 1)
		return -EINVAL;
	err = read_name(reading, record->size - fixed, &event.name);
	event.start = load.address;
	if (err || !*event.name)
		return err;
	return add_event(reading, event, load.size);
}

static int read_move(struct reading *reading, const struct record *record)
{
	struct move move;

	if (record->size < sizeof(*record) + sizeof(move) ||
	    fread(&move, sizeof(move), 1, reading->in) != 1)
		return -EINVAL;
	return add_event(
		reading,
		(struct event){.time = record->time, .start = move.to, .from = move.from},
		move.size);
}

/* 1 at the end of what there is. */
static int read_record(struct reading *reading)
{
	off_t at = ftello(reading->in);
	struct record record;
	int err = 0;

	if (at < 0 || fread(&record, sizeof(record), 1, reading->in) != 1 ||
	    record.size < sizeof(record) || record.kind == CODE_CLOSE)
		return 1;
	if (record.kind == CODE_LOAD)
		err = read_load(reading, &record);
	else if (record.kind == CODE_MOVE)
		err = read_move(reading, &record);
	if (err == -EINVAL)
		return 1;
	if (!err && fseeko(reading->in, at + (off_t)record.size, SEEK_SET) < 0)
		return 1;
	return err;
}

/* Threads write as they come. */
static int by_time(const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

/* What overlaps is the same: so a search finds what lies in a range. */
static int apart(const void *a, const void *b)
{
	const struct td_jit_code *x = a, *y = b;

	if (x->end <= y->start)
		return -1;
	return x->start >= y->end;
}

static int by_start(const void *a, const void *b)
{
	const struct td_jit_code *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->from_ns > y->from_ns) - (x->from_ns < y->from_ns);
}

/* Of code that is overwritten in part nothing runs any more. */
static void end_code(struct reading *reading, const struct td_jit_code *range,
		     uint64_t time)
{
	struct td_jit_code **found;

	while ((found = tfind(range, &reading->live, apart)) != NULL) {
		struct td_jit_code *old = *found;

		tdelete(old, &reading->live, apart);
		old->until_ns = time;
	}
}

/* Fills the next of code[], if the event has put any there.  0 or -ENOMEM. */
static int follow(struct reading *reading, const struct event *event)
{
	struct td_jitdump *dump = reading->dump;
	struct td_jit_code *code = &dump->code[dump->codes];
	struct td_jit_code old = {.start = event->from,
				  .end = event->from + (event->end - event->start)};
	struct td_jit_code **found;

	*code = (struct td_jit_code){.start = event->start,
				     .end = event->end,
				     .from_ns = event->time,
				     .until_ns = UINT64_MAX,
				     .name = event->name};
	if (!event->name) {
		found = tfind(&old, &reading->live, apart);
		code->name = found ? (*found)->name : NULL;
		end_code(reading, &old, event->time);
	}
	end_code(reading, code, event->time);
	if (!code->name)
		return 0;
	dump->codes++;
	return tsearch(code, &reading->live, apart) ? 0 : -ENOMEM;
}

static void keep(void *code)
{
	(void)code;
}

static int follow_all(struct reading *reading)
{
	struct td_jitdump *dump = reading->dump;
	int err = 0;

	dump->code = calloc(reading->events + 1, sizeof(*dump->code));
	if (!dump->code)
		return -ENOMEM;
	if (reading->events)
		qsort(reading->event, reading->events, sizeof(*reading->event), by_time);
	for (size_t i = 0; i < reading->events && !err; i++)
		err = follow(reading, &reading->event[i]);
	tdestroy(reading->live, keep);
	return err;
}

/* Times of another clock say what is there last and no more. */
static void keep_last(struct td_jitdump *dump)
{
	size_t kept = 0;

	for (size_t i = 0; i < dump->codes; i++) {
		if (dump->code[i].until_ns != UINT64_MAX)
			continue;
		dump->code[kept] = dump->code[i];
		dump->code[kept++].from_ns = 0;
	}
	dump->codes = kept;
}

static void sort(struct td_jitdump *dump)
{
	uint64_t reach = 0;

	if (dump->codes)
		qsort(dump->code, dump->codes, sizeof(*dump->code), by_start);
	for (size_t i = 0; i < dump->codes; i++) {
		if (dump->code[i].end > reach)
			reach = dump->code[i].end;
		dump->code[i].reach = reach;
	}
}

int td_jitdump_read(struct td_jitdump *dump, FILE *in, uint32_t pid)
{
	struct reading reading = {.dump = dump, .in = in};
	struct head head;
	int err;

	memset(dump, 0, sizeof(*dump));
	if (fread(&head, sizeof(head), 1, in) != 1 || head.magic != MAGIC ||
	    head.version != 1 || head.size < sizeof(head) || head.pid != pid ||
	    fseeko(in, (off_t)head.size, SEEK_SET) < 0)
		return -EINVAL;
	do
		err = read_record(&reading);
	while (!err);
	if (err > 0)
		err = follow_all(&reading);
	free(reading.event);
	if (err) {
		td_jitdump_free(dump);
		return err;
	}
	if (head.flags & FLAG_ARCH_TIME)
		keep_last(dump);
	sort(dump);
	return 0;
}

/* The first from which on something may end behind the address. */
static size_t first_behind(const struct td_jitdump *dump, uint64_t address)
{
	size_t low = 0, high = dump->codes;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (dump->code[middle].reach <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* How much of [a, b) and [c, d) is common. */
static double common(uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
	uint64_t from = a > c ? a : c, to = b < d ? b : d;

	return to > from ? (double)(to - from) : 0;
}

const char *td_jitdump_find(const struct td_jitdump *dump, uint64_t start, uint64_t size,
			    uint64_t from_ns, uint64_t until_ns)
{
	const char *name = NULL;
	double most = 0;

	for (size_t i = first_behind(dump, start);
	     i < dump->codes && dump->code[i].start < start + size; i++) {
		const struct td_jit_code *code = &dump->code[i];
		double has = common(code->start, code->end, start, start + size) *
			     common(code->from_ns, code->until_ns, from_ns, until_ns);

		if (has <= most)
			continue;
		most = has;
		name = code->name;
	}
	return name;
}

void td_jitdump_free(struct td_jitdump *dump)
{
	for (size_t i = 0; i < dump->names; i++)
		free(dump->name[i]);
	free(dump->name);
	free(dump->code);
	memset(dump, 0, sizeof(*dump));
}
