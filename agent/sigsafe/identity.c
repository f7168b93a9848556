// SPDX-License-Identifier: MIT
#include "agent/sigsafe/identity.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdatomic.h>
#include <string.h>

#include "agent/sigsafe/maps.h"
#include "agent/sigsafe/memory.h"
#include "agent/sigsafe/path.h"
#include "agent/sigsafe/store.h"

#define PAGE 4096u
#define OBJECTS_MAX 1024u
#define JIT_MAX 256u /* more mappings than that are not looked up again */

/*
 * The objects in which samples were taken.  Entries are only ever added; an
 * unloaded object's entry stays, as its functions stay in the profile.  Written
 * by the thread that claimed the entry before `ref` is stored (release), read by
 * all after they saw it (acquire).
 */
static struct td_object objects[OBJECTS_MAX];
static _Atomic uint32_t object_count;
static _Atomic uint32_t jit_count;

static bool inside(struct td_range range, uint64_t address, uint64_t size)
{
	return address >= range.start && address <= range.end &&
	       size <= range.end - address;
}

struct build_id {
	uint32_t size; /* 0: none */
	uint64_t at;   /* where it is in memory */
	uint8_t bytes[sizeof(((struct td_file_object *)0)->build_id)];
};

/* Looks for the build-id among the notes in [at, end). */
static void find_build_id(uint64_t at, uint64_t end, struct build_id *id)
{
	while (end - at >= sizeof(Elf64_Nhdr) && end > at) {
		const Elf64_Nhdr *note = (const void *)at;
		uint64_t name = at + sizeof(*note);
		uint64_t descriptor = name + ((note->n_namesz + 3ull) & ~3ull);
		uint64_t next = descriptor + ((note->n_descsz + 3ull) & ~3ull);

		if (next > end || next <= at)
			return;
		if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 &&
		    memcmp((const void *)name, "GNU", 4) == 0 &&
		    note->n_descsz <= sizeof(id->bytes)) {
			memcpy(id->bytes, (const void *)descriptor, note->n_descsz);
			id->size = note->n_descsz;
			id->at = descriptor;
			return;
		}
		at = next;
	}
}

/* The mapped ELF header leads to the notes; without it there is no build-id. */
static void read_build_id(const struct td_range *range, uint64_t bias,
			  struct build_id *id)
{
	const Elf64_Ehdr *header = (const void *)range->start;
	const Elf64_Phdr *program;

	if (!inside(*range, range->start, sizeof(*header)) ||
	    memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
	    header->e_phentsize != sizeof(*program) ||
	    !inside(*range, range->start + header->e_phoff,
		    header->e_phnum * sizeof(*program)))
		return;
	program = (const void *)(range->start + header->e_phoff);
	for (unsigned i = 0; i < header->e_phnum && !id->size; i++) {
		uint64_t start = bias + program[i].p_vaddr;

		if (program[i].p_type == PT_NOTE &&
		    inside(*range, start, program[i].p_memsz))
			find_build_id(start, start + program[i].p_memsz, id);
	}
}

static uint64_t mix(uint64_t hash, const void *data, size_t size)
{
	const uint8_t *byte = data;

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ byte[i]) * 0x100000001b3u;
	return hash;
}

/*
 * Tells another file loaded at the same place, also one of the same layout: the
 * name, the build-id and the head of the unwind table.
 */
static uint64_t fingerprint_of(const struct dl_find_object *found,
			       const struct td_range *range, uint64_t bias)
{
	struct build_id id = {.size = 0};
	uint64_t hash = (uint64_t)found->dlfo_link_map->l_ld;

	read_build_id(range, bias, &id);
	hash = mix(hash, id.bytes, id.size);
	if (found->dlfo_eh_frame)
		hash = mix(hash, found->dlfo_eh_frame, 12);
	return mix(hash, found->dlfo_link_map->l_name,
		   strlen(found->dlfo_link_map->l_name));
}

static struct td_object *next_object(struct td_object *after)
{
	uint32_t count = atomic_load_explicit(&object_count, memory_order_acquire);
	struct td_object *end = objects + (count < OBJECTS_MAX ? count : OBJECTS_MAX);

	for (struct td_object *o = after ? after + 1 : objects; o < end; o++)
		if (atomic_load_explicit(&o->ref, memory_order_acquire))
			return o;
	return NULL;
}

/* Records `file` in the profile and remembers it; returns NULL if there is no room. */
static struct td_object *add_object(const struct td_object *values,
				    const struct td_file_object *file)
{
	uint32_t index = atomic_load(&object_count);
	uint32_t ref;

	do {
		if (index >= OBJECTS_MAX)
			return NULL;
	} while (!atomic_compare_exchange_weak(&object_count, &index, index + 1));
	ref = td_store_add_object(file);
	objects[index].kind = values->kind;
	objects[index].range = values->range;
	objects[index].bias = values->bias;
	objects[index].twin = values->twin;
	objects[index].link_map = values->link_map;
	objects[index].fingerprint = values->fingerprint;
	objects[index].permanent = values->permanent;
	objects[index].proof = values->proof;
	memcpy(objects[index].proven, values->proven, sizeof(values->proven));
	atomic_store_explicit(&objects[index].ref, ref, memory_order_release);
	return ref ? &objects[index] : NULL;
}

/*
 * What td_identity_stands() looks at.  Of whatever object is loaded later at this
 * address the first page is mapped, with its ELF header: so only there.
 */
static void note_proof(struct td_object *object, const struct build_id *id)
{
	if (id->size < sizeof(object->proven) ||
	    id->at + sizeof(object->proven) > object->range.start + PAGE)
		return;
	object->proof = (const void *)id->at;
	memcpy(object->proven, object->proof, sizeof(object->proven));
}

static struct td_object *add_elf(struct td_object *values, const char *name)
{
	struct td_file_object file = {
		.kind = values->kind,
		.map_start = values->range.start,
		.map_end = values->range.end,
		.bias = values->bias,
		.fingerprint = values->fingerprint,
	};
	struct build_id id = {.size = 0};

	read_build_id(&values->range, values->bias, &id);
	note_proof(values, &id);
	file.build_id_size = id.size;
	memcpy(file.build_id, id.bytes, sizeof(id.bytes));
	if (values->kind == TD_OBJECT_VDSO)
		td_path_copy(file.path, "[vdso]", sizeof(file.path));
	else /* dlopen() keeps a name as given, and who reads the profile is elsewhere */
		td_path_absolute(file.path, name, sizeof(file.path));
	return add_object(values, &file);
}

static struct td_object *elf_object(const struct dl_find_object *found)
{
	const char *name = found->dlfo_link_map->l_name;
	struct td_object values = {
		.kind = TD_OBJECT_ELF,
		.range = {(uint64_t)found->dlfo_map_start, (uint64_t)found->dlfo_map_end},
		.bias = found->dlfo_link_map->l_addr,
		.link_map = found->dlfo_link_map,
		/* the first of its namespace, and without a name: not of dlmopen() */
		.permanent = !found->dlfo_link_map->l_prev && !*name,
	};

	values.fingerprint = fingerprint_of(found, &values.range, values.bias);
	for (struct td_object *o = next_object(NULL); o; o = next_object(o))
		if (o->range.start == values.range.start &&
		    o->range.end == values.range.end && o->link_map == values.link_map &&
		    o->fingerprint == values.fingerprint)
			return o;
	if (!*name)
		name = td_store.header->exe;
	if (strcmp(name, "linux-vdso.so.1") == 0)
		values.kind = TD_OBJECT_VDSO;
	return add_elf(&values, name);
}

static struct td_object *add_jit(const struct td_mapping *mapping, uint64_t twin)
{
	struct td_object values = {
		.kind = TD_OBJECT_JIT, .range = mapping->range, .twin = twin};
	struct td_file_object file = {
		.kind = TD_OBJECT_JIT,
		.map_start = mapping->range.start,
		.map_end = mapping->range.end,
	};

	td_path_copy(file.path, mapping->path, sizeof(file.path));
	return add_object(&values, &file);
}

static struct td_object *jit_object(uint64_t ip)
{
	struct td_mapping mapping;
	uint64_t twin;

	for (struct td_object *o = next_object(NULL); o; o = next_object(o))
		if (o->kind == TD_OBJECT_JIT && ip >= o->range.start && ip < o->range.end)
			return o;
	/* A walk through the mappings a sample would be too much for a program
	 * that makes new ones all the time. */
	if (atomic_fetch_add(&jit_count, 1) >= JIT_MAX) {
		atomic_store(&jit_count, JIT_MAX);
		return NULL;
	}
	if (!td_maps_find(ip, &mapping))
		return NULL;
	return add_jit(&mapping, td_maps_twin(ip, &twin) ? twin - ip : 0);
}

/* A chunk of code that no table describes, as part of `region`. */
static void set_chunk(struct td_identity *identity, enum td_place_kind kind,
		      const struct td_object *object, uint64_t ip, uint64_t region)
{
	*identity = (struct td_identity){
		.kind = kind,
		.object =
			object ? atomic_load_explicit(&object->ref, memory_order_relaxed)
			       : 0,
		.address = (ip & ~(uint64_t)(TD_PLACE_CHUNK - 1)) -
			   (object ? object->bias : 0),
		.region = region - (object ? object->bias : 0),
		.size = TD_PLACE_CHUNK,
		.start = ip & ~(uint64_t)(TD_PLACE_CHUNK - 1),
	};
}

/* False: no loaded object is there. */
static bool find_loaded(uint64_t ip, struct td_identity *identity)
{
	struct dl_find_object found;
	const struct td_object *object;
	struct td_range range;

	if (_dl_find_object((void *)ip, &found) != 0)
		return false;
	object = elf_object(&found);
	if (!object) {
		set_chunk(identity, TD_PLACE_UNKNOWN, NULL, ip, 0);
	} else if (td_unwind_table_find(found.dlfo_eh_frame, object->range, ip, &range)) {
		*identity = (struct td_identity){
			.kind = TD_PLACE_FUNCTION,
			.object =
				atomic_load_explicit(&object->ref, memory_order_relaxed),
			.address = range.start - object->bias,
			.region = range.start - object->bias,
			.size = (uint32_t)(range.end - range.start),
			.start = range.start,
			.loaded = object,
		};
	} else {
		set_chunk(identity, TD_PLACE_GAP, object, ip,
			  range.end ? range.start : object->range.start);
	}
	return true;
}

/* The program has mapped a part of itself once more: V8 does it with its built-in
 * functions, so that calls of them are short.  Something else may be there by now, or
 * nothing: the vernier's records are of the past, and callers what a stack says. */
static bool find_twin(uint64_t ip, const struct td_object *object,
		      struct td_identity *identity)
{
	uint64_t at = ip & ~(uint64_t)(TD_MEMORY_ALIKE - 1);

	if (!object->twin || !find_loaded(ip + object->twin, identity) ||
	    !td_memory_is_alike(at, at + object->twin))
		return false;
	identity->start -= object->twin;
	if (identity->loaded)
		identity->loaded = object; /* nothing proves it: looked at anew */
	return true;
}

static void find_jit(uint64_t ip, struct td_identity *identity)
{
	const struct td_object *object = jit_object(ip);

	if (object && find_twin(ip, object, identity))
		return;
	if (object)
		set_chunk(identity, TD_PLACE_JIT, object, ip, object->range.start);
	else
		set_chunk(identity, TD_PLACE_UNKNOWN, NULL, ip, 0);
}

void td_identity_find(uint64_t ip, struct td_identity *identity)
{
	if (!find_loaded(ip, identity))
		find_jit(ip, identity);
}

bool td_identity_is_proven(const struct td_identity *identity, uint64_t ip)
{
	const struct td_object *object = identity->loaded;
	struct dl_find_object found;
	uint64_t now[2];

	if (!object->proof || _dl_find_object((void *)ip, &found) != 0 ||
	    found.dlfo_link_map != object->link_map ||
	    (uint64_t)found.dlfo_map_start != object->range.start ||
	    (uint64_t)found.dlfo_map_end != object->range.end)
		return false;
	memcpy(now, object->proof, sizeof(now));
	return now[0] == object->proven[0] && now[1] == object->proven[1];
}

void td_identity_forget(void)
{
	uint32_t count = atomic_load(&object_count);

	/* no more: a forked child pays for each page that it writes */
	for (uint32_t i = 0; i < count && i < OBJECTS_MAX; i++)
		atomic_store(&objects[i].ref, 0);
	atomic_store(&object_count, 0);
	atomic_store(&jit_count, 0);
}
