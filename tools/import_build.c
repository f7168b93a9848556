// SPDX-License-Identifier: MIT
#include "tools/import_build.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/estimate.h"
#include "decoder/hash.h"
#include "decoder/reserve.h"
#include "tools/import_elf.h"
#include "decoder/native.h"

#define CPUS_MAX 8192
#define NONE UINT32_MAX

struct object {
	struct td_file_object file;
	struct td_import_elf elf;
	uint32_t ref;
};

struct mapping {
	uint32_t before; /* the one before it of its process, or NONE */
	uint32_t object;
	uint64_t start;
	uint64_t end;
	uint64_t file_offset;
};

struct process {
	int32_t pid;
	uint32_t last; /* its latest mapping, or NONE */
};

/* Where a sample was taken. */
struct spot {
	uint32_t kind;
	uint32_t object;
	uint64_t address;
	uint64_t region;
	uint64_t size;     /* of the place, as far as it is known */
	uint64_t function; /* its start; ELF or run-time address */
	int has_function;
};

struct thread {
	struct td_file_thread record;
	int32_t pid;
	/* its last sample, if a window can begin there */
	int open;
	uint32_t place;
	int32_t cpu;
	struct spot spot;
};

struct place {
	struct spot spot;
	uint32_t thread;
	uint64_t samples;
	uint64_t windows;
	uint32_t rejected[TD_REJECT_MAX];
	struct td_file_sum sum[TD_COUNTERS_MAX];
};

struct td_import {
	struct td_file_header header;
	struct object *object;
	size_t objects;
	struct mapping *mapping;
	size_t mappings;
	struct process *process;
	size_t processes;
	struct thread *thread;
	size_t threads;
	struct place *place;
	size_t places;
	struct td_hash by_pid;
	struct td_hash by_thread;
	struct td_hash by_place;
	int sampler;                /* the counter that makes samples */
	uint64_t longest;           /* what it counts at most in a window; 0: not known */
	uint32_t last_on[CPUS_MAX]; /* the thread of the CPU's last sample, or NONE */
	uint64_t outside;           /* samples that are in no mapping: the kernel's */
};

struct td_import *td_import_new(void)
{
	struct td_import *import = calloc(1, sizeof(*import));
	struct td_file_header *header;

	if (!import)
		return NULL;
	for (int i = 0; i < CPUS_MAX; i++)
		import->last_on[i] = NONE;
	header = &import->header;
	memcpy(header->magic, TD_FILE_MAGIC, sizeof(header->magic));
	header->version = TD_FILE_VERSION;
	header->byte_order = TD_FILE_BYTE_ORDER;
	header->block_size = TD_BLOCK_SIZE;
	header->object_size = sizeof(struct td_file_object);
	header->thread_size = sizeof(struct td_file_thread);
	header->window_size = sizeof(struct td_file_window);
	header->machine = TD_NATIVE_MACHINE;
	header->blocks_max = TD_BLOCKS_MAX;
	header->state = TD_STATE_EXITED;
	return import;
}

void td_import_free(struct td_import *import)
{
	free(import->object);
	free(import->mapping);
	free(import->process);
	free(import->thread);
	free(import->place);
	td_hash_free(&import->by_pid);
	td_hash_free(&import->by_thread);
	td_hash_free(&import->by_place);
	free(import);
}

struct td_file_header *td_import_header(struct td_import *import)
{
	return &import->header;
}

int td_import_counter(struct td_import *import, const char *name, const char *unit)
{
	struct td_file_header *header = &import->header;
	struct td_file_counter *counter = &header->counter[header->counters];

	if (header->counters == TD_COUNTERS_MAX)
		return -EFBIG;
	snprintf(counter->name, sizeof(counter->name), "%s", name);
	snprintf(counter->unit, sizeof(counter->unit), "%s", unit);
	return (int)header->counters++;
}

void td_import_period(struct td_import *import, int counter, uint64_t period)
{
	import->sampler = counter;
	import->longest = period + period / 2;
}

void td_import_note(struct td_import *import, const char *format, ...)
{
	struct td_file_header *header = &import->header;
	va_list args;

	if (header->notes == TD_NOTES_MAX)
		return;
	va_start(args, format);
	vsnprintf(header->note[header->notes++], sizeof(header->note[0]), format, args);
	va_end(args);
}

/* What a mapping's name says that it is. */
static uint32_t kind_of(const char *path, const struct td_import_elf *elf)
{
	static const char *const memory[] = {"//", "/memfd:", "/dev/", "/SYSV",
					     "/anon_hugepage"};

	if (strcmp(path, "[vdso]") == 0)
		return TD_OBJECT_VDSO;
	if (path[0] != '/' || (elf->is_file && !elf->is_elf))
		return TD_OBJECT_JIT;
	for (size_t i = 0; i < sizeof(memory) / sizeof(memory[0]); i++) {
		if (strncmp(path, memory[i], strlen(memory[i])) == 0)
			return TD_OBJECT_JIT;
	}
	return TD_OBJECT_ELF;
}

/* The object of that name, a new one if need be; its index, or -ENOMEM. */
static int object_of(struct td_import *import, const char *path, uint32_t *index)
{
	struct object *object;

	if (strcmp(path, "//anon") == 0)
		path = "[anon]";
	for (size_t i = 0; i < import->objects; i++) {
		*index = (uint32_t)i;
		if (strncmp(import->object[i].file.path, path,
			    sizeof(object->file.path) - 1) == 0)
			return 0;
	}
	if (td_reserve(&import->object, import->objects, sizeof(*object)) < 0)
		return -ENOMEM;
	*index = (uint32_t)import->objects;
	object = &import->object[import->objects++];
	memset(object, 0, sizeof(*object));
	snprintf(object->file.path, sizeof(object->file.path), "%s", path);
	if (path[0] == '/')
		td_import_elf_read(&object->elf, path);
	object->file.kind = kind_of(path, &object->elf);
	return 0;
}

static void set_range(struct td_file_object *file, const struct mapping *mapping,
		      uint64_t elf_address)
{
	if (!file->map_start) {
		file->map_start = mapping->start;
		file->map_end = mapping->end;
		file->bias =
			file->kind == TD_OBJECT_JIT ? 0 : mapping->start - elf_address;
	}
}

struct pid_key {
	const struct td_import *import;
	int32_t pid;
};

static int same_pid(const void *context, size_t index)
{
	const struct pid_key *key = context;

	return key->import->process[index].pid == key->pid;
}

/* NULL: it has no mapping yet. */
static struct process *find_process(const struct td_import *import, int32_t pid)
{
	struct pid_key key = {import, pid};
	size_t found = td_hash_find(&import->by_pid, td_hash_bytes(0, &pid, sizeof(pid)),
				    same_pid, &key);

	return found == SIZE_MAX ? NULL : &import->process[found];
}

/* A new one if need be; NULL without memory. */
static struct process *process_of(struct td_import *import, int32_t pid)
{
	struct process *process = find_process(import, pid);

	if (process)
		return process;
	if (td_reserve(&import->process, import->processes, sizeof(*process)) < 0 ||
	    td_hash_add(&import->by_pid, td_hash_bytes(0, &pid, sizeof(pid)),
			import->processes) < 0)
		return NULL;
	process = &import->process[import->processes++];
	*process = (struct process){pid, NONE};
	return process;
}

int td_import_map(struct td_import *import, int32_t pid, uint64_t start, uint64_t length,
		  uint64_t file_offset, const char *path)
{
	struct mapping mapping = {
		.start = start, .end = start + length, .file_offset = file_offset};
	struct process *process = process_of(import, pid);
	struct object *object;

	if (!process || object_of(import, path, &mapping.object) < 0 ||
	    td_reserve(&import->mapping, import->mappings, sizeof(mapping)) < 0)
		return -ENOMEM;
	object = &import->object[mapping.object];
	set_range(&object->file, &mapping,
		  td_import_elf_address(&object->elf, file_offset));
	mapping.before = process->last;
	process->last = (uint32_t)import->mappings;
	import->mapping[import->mappings++] = mapping;
	if (!import->header.exe[0] && object->file.kind == TD_OBJECT_ELF)
		snprintf(import->header.exe, sizeof(import->header.exe), "%s",
			 object->file.path);
	return 0;
}

int td_import_exec(struct td_import *import, int32_t pid)
{
	struct process *process = find_process(import, pid);

	if (process)
		process->last = NONE;
	return 0;
}

/* The list of mappings is the parent's up to here: each goes on by itself. */
int td_import_fork(struct td_import *import, int32_t pid, int32_t parent)
{
	const struct process *from = find_process(import, parent);
	uint32_t last = from ? from->last : NONE;
	struct process *process;

	if (pid == parent)
		return 0; /* a thread */
	process = process_of(import, pid);
	if (!process)
		return -ENOMEM;
	process->last = last;
	return 0;
}

void td_import_build_id(struct td_import *import, const char *path,
			const unsigned char *id, size_t size)
{
	for (size_t i = 0; i < import->objects; i++) {
		struct td_file_object *file = &import->object[i].file;

		if (strcmp(file->path, path) != 0 || size > sizeof(file->build_id))
			continue;
		memcpy(file->build_id, id, size);
		file->build_id_size = (uint32_t)size;
	}
}

/* The latest mapping that has the address: it is what is there now. */
static const struct mapping *mapping_at(const struct td_import *import, int32_t pid,
					uint64_t address)
{
	const struct process *process = find_process(import, pid);
	uint32_t i = process ? process->last : NONE;

	for (; i != NONE; i = import->mapping[i].before) {
		const struct mapping *mapping = &import->mapping[i];

		if (address >= mapping->start && address < mapping->end)
			return mapping;
	}
	return NULL;
}

static uint64_t chunk(uint64_t address)
{
	return address & ~(uint64_t)(TD_PLACE_CHUNK - 1);
}

static void find_spot(struct td_import *import, const struct td_import_sample *sample,
		      struct spot *spot)
{
	const struct mapping *mapping = mapping_at(import, sample->pid, sample->ip);
	const struct object *object;
	uint64_t address = sample->ip;

	*spot = (struct spot){.kind = TD_PLACE_UNKNOWN, .object = NONE};
	if (!mapping) {
		import->outside++;
		return;
	}
	object = &import->object[mapping->object];
	spot->object = mapping->object;
	if (object->file.kind != TD_OBJECT_JIT)
		address = td_import_elf_address(
			&object->elf, address - mapping->start + mapping->file_offset);
	spot->has_function = sample->has_symbol && sample->offset <= address;
	spot->function = spot->has_function ? address - sample->offset : 0;
	spot->address = spot->region = chunk(address);
	spot->size = TD_PLACE_CHUNK;
	if (object->file.kind == TD_OBJECT_JIT) {
		spot->kind = TD_PLACE_JIT;
		spot->region = mapping->start;
	} else if (spot->has_function) {
		spot->kind = TD_PLACE_FUNCTION;
		spot->address = spot->region = spot->function;
		spot->size = sample->offset + 1;
	} else {
		spot->kind = TD_PLACE_GAP;
	}
}

struct thread_key {
	const struct td_import *import;
	int32_t pid;
	int32_t tid;
};

static int same_thread(const void *context, size_t index)
{
	const struct thread_key *key = context;
	const struct thread *thread = &key->import->thread[index];

	return thread->pid == key->pid && thread->record.tid == (uint32_t)key->tid;
}

static int thread_of(struct td_import *import, const struct td_import_sample *sample,
		     uint32_t *index)
{
	struct thread_key key = {import, sample->pid, sample->tid};
	uint64_t hash = td_hash_bytes(0, &key.pid, 2 * sizeof(key.pid));
	size_t found = td_hash_find(&import->by_thread, hash, same_thread, &key);
	struct thread *thread;

	*index = (uint32_t)(found == SIZE_MAX ? import->threads : found);
	if (found != SIZE_MAX)
		return 0;
	if (td_reserve(&import->thread, import->threads, sizeof(*thread)) < 0 ||
	    td_hash_add(&import->by_thread, hash, import->threads) < 0)
		return -ENOMEM;
	thread = &import->thread[import->threads++];
	memset(thread, 0, sizeof(*thread));
	thread->pid = sample->pid;
	thread->record.state = TD_THREAD_ENDED;
	thread->record.tid = (uint32_t)sample->tid;
	thread->record.threads = 1;
	thread->record.start_ns = sample->time_ns;
	return 0;
}

struct place_key {
	const struct td_import *import;
	const struct spot *spot;
	uint32_t thread;
};

static int same_place(const void *context, size_t index)
{
	const struct place_key *key = context;
	const struct place *place = &key->import->place[index];

	return place->thread == key->thread && place->spot.kind == key->spot->kind &&
	       place->spot.object == key->spot->object &&
	       place->spot.address == key->spot->address &&
	       place->spot.region == key->spot->region;
}

static int place_of(struct td_import *import, uint32_t thread, const struct spot *spot,
		    uint32_t *index)
{
	struct place_key key = {import, spot, thread};
	uint64_t words[] = {thread, spot->kind, spot->object, spot->address};
	uint64_t hash = td_hash_bytes(0, words, sizeof(words));
	size_t found = td_hash_find(&import->by_place, hash, same_place, &key);
	struct place *place;

	*index = (uint32_t)(found == SIZE_MAX ? import->places : found);
	if (found != SIZE_MAX)
		return 0;
	if (td_reserve(&import->place, import->places, sizeof(*place)) < 0 ||
	    td_hash_add(&import->by_place, hash, import->places) < 0)
		return -ENOMEM;
	place = &import->place[import->places++];
	memset(place, 0, sizeof(*place));
	place->spot = *spot;
	place->thread = thread;
	return 0;
}

static int counter_of(const struct td_import *import, const char *name)
{
	for (unsigned i = 0; i < import->header.counters; i++) {
		if (strcmp(import->header.counter[i].name, name) == 0)
			return (int)i;
	}
	return -1;
}

/*
 * No core has more than eight slots a cycle.  There are more where the kernel
 * throttled the event that samples: it stands still then, but not the others.
 */
static int impossible(const struct td_import *import,
		      const struct td_import_sample *sample)
{
	int slots = counter_of(import, "slots"), cycles = counter_of(import, "cycles");

	return slots >= 0 && cycles >= 0 &&
	       sample->count[slots] / 9 > sample->count[cycles];
}

/* Why what was counted since the last sample is no function's own; or MAX. */
static unsigned reject_of(const struct td_import *import, uint32_t index,
			  const struct td_import_sample *sample, const struct spot *spot)
{
	const struct thread *thread = &import->thread[index];

	if (impossible(import, sample))
		return TD_REJECT_COUNTERS;
	/* elsewhere it counted on its own: what it has counted here is older */
	if (sample->cpu != thread->cpu)
		return TD_REJECT_SWITCHED;
	if (sample->cpu >= 0 && sample->cpu < CPUS_MAX &&
	    import->last_on[sample->cpu] != index)
		return TD_REJECT_SWITCHED;
	if (import->longest && sample->count[import->sampler] > import->longest)
		return TD_REJECT_LATE;
	if (!spot->has_function || !thread->spot.has_function)
		return TD_REJECT_UNKNOWN;
	if (spot->object != thread->spot.object ||
	    spot->function != thread->spot.function)
		return TD_REJECT_FUNCTION;
	return TD_REJECT_MAX;
}

static void add_window(const struct td_import *import, struct place *place,
		       const uint64_t *count)
{
	place->windows++;
	for (unsigned i = 0; i < import->header.counters; i++) {
		double x = (double)count[i];
		struct td_file_sum sum = {count[i], x * x, x * (double)count[0]};

		td_sum_add(&place->sum[i], &sum);
	}
}

/* The window that this sample closes. */
static void close_window(struct td_import *import, uint32_t index,
			 const struct td_import_sample *sample, const struct spot *spot)
{
	struct thread *thread = &import->thread[index];
	struct place *place = &import->place[thread->place];
	unsigned reject = reject_of(import, index, sample, spot);

	if (reject == TD_REJECT_MAX) {
		thread->record.windows++;
		add_window(import, place, sample->count);
	} else {
		thread->record.rejected[reject]++;
		place->rejected[reject]++;
	}
}

static void add_totals(struct td_import *import, struct td_file_thread *record,
		       const struct td_import_sample *sample)
{
	int time = counter_of(import, "cpu_time"), unread = impossible(import, sample);

	for (unsigned i = 0; i < import->header.counters && !unread; i++)
		record->total[i] += sample->count[i];
	if (time >= 0)
		record->cpu_ns += sample->count[time];
	record->unread += (uint64_t)unread;
	record->samples++;
	record->last_ns = record->end_ns = sample->time_ns;
	snprintf(record->name, sizeof(record->name), "%s", sample->thread);
}

int td_import_sample(struct td_import *import, const struct td_import_sample *sample)
{
	struct thread *thread;
	uint32_t index, place;
	struct spot spot;

	find_spot(import, sample, &spot);
	if (thread_of(import, sample, &index) < 0 ||
	    place_of(import, index, &spot, &place) < 0)
		return -ENOMEM;
	thread = &import->thread[index];
	if (thread->open)
		close_window(import, index, sample, &spot);
	add_totals(import, &thread->record, sample);
	import->place[place].samples++;
	if (import->place[place].spot.size < spot.size)
		import->place[place].spot.size = spot.size;
	thread->open = 1;
	thread->place = place;
	thread->cpu = sample->cpu;
	thread->spot = spot;
	if (sample->cpu >= 0 && sample->cpu < CPUS_MAX)
		import->last_on[sample->cpu] = index;
	if (!import->header.start_ns || sample->time_ns < import->header.start_ns)
		import->header.start_ns = sample->time_ns;
	if (sample->time_ns > import->header.end_ns)
		import->header.end_ns = sample->time_ns;
	return 0;
}

void td_import_gap(struct td_import *import)
{
	for (size_t i = 0; i < import->threads; i++)
		import->thread[i].open = 0;
}

/* The file as it grows. */
struct writer {
	unsigned char *bytes;
	uint32_t blocks;
	uint32_t kind; /* of the last block */
	uint32_t owner;
	uint32_t used; /* its records */
};

/* Room for a record; *ref is its number.  NULL when the file is full. */
static void *add_record(struct writer *writer, uint32_t kind, uint32_t owner,
			uint32_t size, uint32_t *ref)
{
	uint32_t slots = (TD_BLOCK_SIZE - TD_BLOCK_HEADER) / size;
	struct td_file_block *block;
	unsigned char *more;

	if (writer->kind != kind || writer->owner != owner || writer->used == slots) {
		if (writer->blocks == TD_BLOCKS_MAX)
			return NULL;
		more = reallocarray(writer->bytes, writer->blocks + 1ul, TD_BLOCK_SIZE);
		if (!more)
			return NULL;
		writer->bytes = more;
		block = (void *)(more + (size_t)writer->blocks * TD_BLOCK_SIZE);
		memset(block, 0, TD_BLOCK_SIZE);
		block->kind = writer->kind = kind;
		block->owner = writer->owner = owner;
		writer->used = 0;
		writer->blocks++;
	}
	*ref = TD_REF(writer->blocks - 1, writer->used);
	return writer->bytes + (size_t)(writer->blocks - 1) * TD_BLOCK_SIZE +
	       TD_BLOCK_HEADER + (size_t)writer->used++ * size;
}

static int write_objects(struct td_import *import, struct writer *writer)
{
	for (size_t i = 0; i < import->objects; i++) {
		struct object *object = &import->object[i];
		void *record = add_record(writer, TD_BLOCK_OBJECTS, 0,
					  sizeof(object->file), &object->ref);

		if (!record)
			return -EFBIG;
		memcpy(record, &object->file, sizeof(object->file));
	}
	return 0;
}

static int by_thread(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return (x->thread > y->thread) - (x->thread < y->thread);
}

static int write_place(struct td_import *import, struct writer *writer,
		       const struct place *place, uint32_t thread)
{
	uint32_t ref, counters = import->header.counters;
	struct td_file_place *record = add_record(writer, TD_BLOCK_PLACES, thread,
						  import->header.place_size, &ref);

	if (!record)
		return -EFBIG;
	record->kind = place->spot.kind;
	if (place->spot.object != NONE)
		record->object = import->object[place->spot.object].ref;
	record->address = place->spot.address;
	record->region = place->spot.region;
	record->size = (uint32_t)place->spot.size;
	record->samples = place->samples;
	record->windows = place->windows;
	memcpy(record->rejected, place->rejected, sizeof(record->rejected));
	memcpy(record->sum, place->sum, counters * sizeof(record->sum[0]));
	return 0;
}

static int write_threads(struct td_import *import, struct writer *writer)
{
	uint32_t *ref = calloc(import->threads + 1, sizeof(*ref));
	int err = ref ? 0 : -ENOMEM;

	for (size_t i = 0; i < import->threads && !err; i++) {
		void *record = add_record(writer, TD_BLOCK_THREADS, 0,
					  sizeof(struct td_file_thread), &ref[i]);

		if (record)
			memcpy(record, &import->thread[i].record,
			       sizeof(struct td_file_thread));
		else
			err = -EFBIG;
	}
	if (import->places)
		qsort(import->place, import->places, sizeof(*import->place), by_thread);
	for (size_t i = 0; i < import->places && !err; i++)
		err = write_place(import, writer, &import->place[i],
				  ref[import->place[i].thread]);
	free(ref);
	return err;
}

static void finish_header(struct td_import *import)
{
	struct td_file_header *header = &import->header;
	uint64_t most = 0;

	header->place_size = (uint32_t)TD_PLACE_SIZE(header->counters);
	for (size_t i = 0; i < import->threads; i++) {
		if (import->thread[i].record.samples > most) {
			most = import->thread[i].record.samples;
			header->pid = (uint32_t)import->thread[i].pid;
		}
	}
	if (import->outside)
		td_import_note(import,
			       "%llu samples are outside the program's mappings (in the "
			       "kernel): [unknown code]",
			       (unsigned long long)import->outside);
}

int td_import_finish(struct td_import *import, unsigned char **bytes, size_t *size)
{
	struct writer writer = {.bytes = calloc(TD_HEADER_BLOCKS, TD_BLOCK_SIZE),
				.blocks = TD_HEADER_BLOCKS};
	int err;

	if (!writer.bytes)
		return -ENOMEM;
	finish_header(import);
	err = write_objects(import, &writer);
	if (!err)
		err = write_threads(import, &writer);
	if (err) {
		free(writer.bytes);
		return err;
	}
	import->header.blocks = writer.blocks;
	memcpy(writer.bytes, &import->header, sizeof(import->header));
	*bytes = writer.bytes;
	*size = (size_t)writer.blocks * TD_BLOCK_SIZE;
	return 0;
}
