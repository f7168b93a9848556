// SPDX-License-Identifier: MIT
#include "tools/audit_code.h"

#include <elf.h>
#include <elfutils/libdwelf.h>
#include <errno.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "decoder/hash.h"
#include "decoder/unwind_table.h"
#include "tools/audit_maps.h"

#define SEGMENTS_MAX 64
#define IMAGE_MAX (1ull << 32)
#define LINES 4096u /* of code, direct-mapped */
#define LINE 64u
#define NONE UINT32_MAX

struct object {
	struct td_file_object file;
	uint64_t inode;
	unsigned life;         /* the exec it belongs to */
	struct td_range range; /* of the process's addresses */
	char *shadow;          /* a copy of the tables, as far from its start as there */
	const void *table;     /* in it, NULL: none */
};

struct line {
	uint64_t address; /* 0: empty */
	uint8_t bytes[LINE];
};

struct td_audit_code {
	pid_t pid;
	unsigned life;
	struct td_audit_maps maps;
	struct object *object;
	size_t objects;
	struct td_audit_function *function;
	size_t functions;
	struct td_hash index; /* of function[] */
	/* the last answer, and for which addresses it holds */
	struct td_range last;
	uint32_t last_function;
	struct line line[LINES];
};

struct td_audit_code *td_audit_code_new(pid_t pid)
{
	struct td_audit_code *code = calloc(1, sizeof(*code));

	elf_version(EV_CURRENT);
	if (code)
		code->pid = pid;
	return code;
}

static void drop_cache(struct td_audit_code *code)
{
	code->last = (struct td_range){0, 0};
	memset(code->line, 0, sizeof(code->line));
}

/* Tables are needed as long as their objects can be mapped. */
static void drop_shadow(struct object *object)
{
	if (object->shadow)
		munmap(object->shadow, object->range.end - object->range.start);
	object->shadow = NULL;
	object->table = NULL;
}

void td_audit_code_free(struct td_audit_code *code)
{
	for (size_t i = 0; i < code->objects; i++)
		drop_shadow(&code->object[i]);
	td_audit_maps_free(&code->maps);
	td_hash_free(&code->index);
	free(code->object);
	free(code->function);
	free(code);
}

void td_audit_code_refresh(struct td_audit_code *code)
{
	if (td_audit_maps_read(&code->maps, code->pid))
		drop_cache(code);
}

void td_audit_code_exec(struct td_audit_code *code)
{
	code->life++;
	for (size_t i = 0; i < code->objects; i++)
		drop_shadow(&code->object[i]);
	drop_cache(code);
	td_audit_maps_read(&code->maps, code->pid);
}

/* Any word of its memory, 0 or -EFAULT. */
static int read_memory(const struct td_audit_code *code, uint64_t address, void *to,
		       size_t size)
{
	struct iovec local = {to, size};
	struct iovec remote = {(void *)address, size}; /* NOLINT: its address */
	ssize_t got = process_vm_readv(code->pid, &local, 1, &remote, 1, 0);

	return got == (ssize_t)size ? 0 : -EFAULT;
}

struct image {
	uint64_t bias;
	unsigned segments;
	Elf64_Phdr segment[SEGMENTS_MAX];
};

static int read_image(const struct td_audit_code *code, uint64_t start,
		      struct image *image)
{
	Elf64_Ehdr header;

	if (read_memory(code, start, &header, sizeof(header)) ||
	    memcmp(header.e_ident, ELFMAG, SELFMAG) ||
	    header.e_ident[EI_CLASS] != ELFCLASS64 ||
	    header.e_phentsize != sizeof(Elf64_Phdr) || header.e_phnum > SEGMENTS_MAX)
		return -ENOEXEC;
	image->segments = header.e_phnum;
	return read_memory(code, start + header.e_phoff, image->segment,
			   image->segments * sizeof(*image->segment));
}

/* Where it lies: the segment at offset 0 is the one whose header we have. */
static int place_image(struct image *image, uint64_t start, struct td_range *range)
{
	bool found = false;

	*range = (struct td_range){UINT64_MAX, 0};
	for (unsigned i = 0; i < image->segments; i++) {
		const Elf64_Phdr *s = &image->segment[i];

		if (s->p_type != PT_LOAD)
			continue;
		if (!found && s->p_offset < 4096) {
			image->bias = start - (s->p_vaddr & ~4095ull);
			found = true;
		}
		if ((s->p_vaddr & ~4095ull) < range->start)
			range->start = s->p_vaddr & ~4095ull;
		if (s->p_vaddr + s->p_memsz > range->end)
			range->end = s->p_vaddr + s->p_memsz;
	}
	if (!found || range->end <= range->start || range->end - range->start > IMAGE_MAX)
		return -ENOEXEC;
	range->start += image->bias;
	range->end += image->bias;
	return 0;
}

static const Elf64_Phdr *segment_of_type(const struct image *image, uint32_t type)
{
	for (unsigned i = 0; i < image->segments; i++)
		if (image->segment[i].p_type == type)
			return &image->segment[i];
	return NULL;
}

/* Copies the loaded segment that holds `address`; what is unreadable stays 0. */
static void copy_segment(const struct td_audit_code *code, struct object *object,
			 const struct image *image, uint64_t address)
{
	for (unsigned i = 0; i < image->segments; i++) {
		const Elf64_Phdr *s = &image->segment[i];
		uint64_t start = s->p_vaddr + image->bias;
		uint64_t end = start + s->p_filesz;

		if (s->p_type != PT_LOAD || address < s->p_vaddr ||
		    address - s->p_vaddr >= s->p_filesz || end > object->range.end)
			continue;
		/* A call copies what it can; a page at a time finds the rest. */
		if (!read_memory(code, start,
				 object->shadow + (start - object->range.start),
				 s->p_filesz))
			return;
		for (uint64_t at = start; at < end; at = (at | 4095) + 1) {
			uint64_t size =
				((at | 4095) + 1 < end ? (at | 4095) + 1 : end) - at;

			read_memory(code, at, object->shadow + (at - object->range.start),
				    size);
		}
		return;
	}
}

/* Notes are in the first segment, where file and memory have the same layout. */
static void find_build_id(const struct td_audit_code *code, struct object *object)
{
	char head[8192];
	const void *id;
	ssize_t size;
	Elf *elf;

	if (read_memory(code, object->range.start, head, 4096))
		return;
	if (read_memory(code, object->range.start + 4096, head + 4096, 4096))
		memset(head + 4096, 0, 4096);
	elf = elf_memory(head, sizeof(head));
	size = elf ? dwelf_elf_gnu_build_id(elf, &id) : -1;
	if (size > 0 && (size_t)size <= sizeof(object->file.build_id)) {
		object->file.build_id_size = (uint32_t)size;
		memcpy(object->file.build_id, id, (size_t)size);
	}
	if (elf)
		elf_end(elf);
}

static void load_tables(const struct td_audit_code *code, struct object *object,
			const struct image *image)
{
	const Elf64_Phdr *table = segment_of_type(image, PT_GNU_EH_FRAME);
	void *shadow;

	if (!table)
		return;
	shadow = mmap(NULL, object->range.end - object->range.start,
		      PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
		      -1, 0);
	if (shadow == MAP_FAILED)
		return;
	object->shadow = shadow;
	copy_segment(code, object, image, table->p_vaddr);
	object->table =
		object->shadow + (table->p_vaddr + image->bias - object->range.start);
}

/* The object that the mapping belongs to, by what was seen of it before. */
static uint32_t known(const struct td_audit_code *code,
		      const struct td_audit_mapping *first, enum td_object_kind kind)
{
	for (size_t i = 0; i < code->objects; i++) {
		const struct object *object = &code->object[i];

		if (object->life == code->life &&
		    (object->file.kind == TD_OBJECT_JIT) == (kind == TD_OBJECT_JIT) &&
		    object->file.map_start == first->start &&
		    object->inode == first->inode &&
		    !strcmp(object->file.path, first->path))
			return (uint32_t)i;
	}
	return NONE;
}

static uint32_t add_object(struct td_audit_code *code,
			   const struct td_audit_mapping *first, enum td_object_kind kind,
			   struct td_range range)
{
	struct object *grown =
		reallocarray(code->object, code->objects + 1, sizeof(*code->object));
	struct object *object;

	if (!grown)
		return NONE;
	code->object = grown;
	object = &grown[code->objects];
	*object = (struct object){
		.inode = first->inode,
		.life = code->life,
		.range = range,
		.file = {.kind = kind, .map_start = first->start, .map_end = range.end},
	};
	snprintf(object->file.path, sizeof(object->file.path), "%s", first->path);
	return (uint32_t)code->objects++;
}

static uint32_t elf_object(struct td_audit_code *code,
			   const struct td_audit_mapping *first, bool vdso)
{
	uint32_t index = known(code, first, vdso ? TD_OBJECT_VDSO : TD_OBJECT_ELF);
	struct image image = {0};
	struct td_range range;

	if (index != NONE)
		return index;
	if (read_image(code, first->start, &image) ||
	    place_image(&image, first->start, &range))
		return NONE;
	index = add_object(code, first, vdso ? TD_OBJECT_VDSO : TD_OBJECT_ELF, range);
	if (index == NONE)
		return NONE;
	code->object[index].file.bias = image.bias;
	load_tables(code, &code->object[index], &image);
	find_build_id(code, &code->object[index]);
	return index;
}

static uint32_t jit_object(struct td_audit_code *code,
			   const struct td_audit_mapping *mapping)
{
	uint32_t index = known(code, mapping, TD_OBJECT_JIT);

	if (index != NONE)
		return index;
	return add_object(code, mapping, TD_OBJECT_JIT,
			  (struct td_range){mapping->start, mapping->end});
}

static int same_function(const void *context, size_t index)
{
	const struct {
		const struct td_audit_function *all, *wanted;
	} *pair = context;
	const struct td_audit_function *f = &pair->all[index];

	return f->kind == pair->wanted->kind && f->object == pair->wanted->object &&
	       f->region == pair->wanted->region;
}

static uint32_t number_of(struct td_audit_code *code,
			  const struct td_audit_function *wanted)
{
	const struct {
		const struct td_audit_function *all, *wanted;
	} pair = {code->function, wanted};
	uint64_t key[3] = {wanted->kind, wanted->object, wanted->region};
	uint64_t hash = td_hash_bytes(0, key, sizeof(key));
	size_t index = td_hash_find(&code->index, hash, same_function, &pair);
	struct td_audit_function *grown;

	if (index != SIZE_MAX)
		return (uint32_t)index;
	if (code->functions % 64 == 0) {
		grown = reallocarray(code->function, code->functions + 64,
				     sizeof(*code->function));
		if (!grown)
			return NONE;
		code->function = grown;
	}
	if (td_hash_add(&code->index, hash, code->functions))
		return NONE;
	code->function[code->functions] = *wanted;
	return (uint32_t)code->functions++;
}

/* In an ELF object: a function or the gap between two, and its addresses. */
static void find_in_object(const struct object *object, uint64_t ip,
			   struct td_audit_function *function, struct td_range *range)
{
	uint64_t shadow = (uint64_t)object->shadow;
	struct td_range limits = {shadow,
				  shadow + (object->range.end - object->range.start)};
	bool found = object->table &&
		     td_unwind_table_find(object->table, limits,
					  ip - object->range.start + shadow, range);

	if (!object->table || !range->end)
		*range = object->range;
	else
		*range = (struct td_range){range->start - shadow + object->range.start,
					   range->end - shadow + object->range.start};
	function->kind = found ? TD_PLACE_FUNCTION : TD_PLACE_GAP;
	function->region = range->start - object->file.bias;
	function->size = found ? (uint32_t)(range->end - range->start) : 0;
}

static void find(struct td_audit_code *code, uint64_t ip,
		 struct td_audit_function *function, struct td_range *range)
{
	const struct td_audit_mapping *mapping = td_audit_maps_find(&code->maps, ip);
	const struct td_audit_mapping *first;
	bool vdso;

	*function = (struct td_audit_function){.kind = TD_PLACE_UNKNOWN, .object = NONE};
	*range = (struct td_range){ip, ip + 1};
	if (!mapping)
		return;
	vdso = !strcmp(mapping->path, "[vdso]");
	first = vdso ? mapping : td_audit_maps_first(&code->maps, mapping);
	if (first)
		function->object = elf_object(code, first, vdso);
	if (function->object != NONE &&
	    ip - code->object[function->object].range.start <
		    code->object[function->object].range.end -
			    code->object[function->object].range.start) {
		find_in_object(&code->object[function->object], ip, function, range);
		return;
	}
	function->object = jit_object(code, mapping);
	function->kind = function->object == NONE ? TD_PLACE_UNKNOWN : TD_PLACE_JIT;
	function->region = mapping->start;
	*range = (struct td_range){mapping->start, mapping->end};
}

uint32_t td_audit_code_function(struct td_audit_code *code, uint64_t ip)
{
	struct td_audit_function function;

	if (ip - code->last.start < code->last.end - code->last.start)
		return code->last_function;
	if (!td_audit_maps_find(&code->maps, ip))
		td_audit_code_refresh(code);
	find(code, ip, &function, &code->last);
	code->last_function = number_of(code, &function);
	if (code->last_function == NONE)
		code->last = (struct td_range){0, 0};
	return code->last_function;
}

/* Only code that the program cannot write is kept. */
size_t td_audit_code_bytes(struct td_audit_code *code, uint64_t ip, uint8_t *bytes,
			   size_t size)
{
	size_t have = 0;

	while (have < size) {
		uint64_t start = (ip + have) & ~(uint64_t)(LINE - 1);
		struct line *line = &code->line[start / LINE % LINES];
		size_t offset = (size_t)(ip + have - start);
		size_t part = LINE - offset < size - have ? LINE - offset : size - have;

		if (line->address != start) {
			const struct td_audit_mapping *mapping =
				td_audit_maps_find(&code->maps, start);

			line->address = 0;
			if (read_memory(code, start, line->bytes, LINE))
				break;
			if (mapping && mapping->inode && !mapping->writable)
				line->address = start;
		}
		memcpy(bytes + have, line->bytes + offset, part);
		have += part;
	}
	return have;
}

const struct td_audit_function *td_audit_code_get(const struct td_audit_code *code,
						  uint32_t number)
{
	return &code->function[number];
}

const struct td_file_object *td_audit_code_object(const struct td_audit_code *code,
						  uint32_t object)
{
	return object == NONE ? NULL : &code->object[object].file;
}

size_t td_audit_code_objects(const struct td_audit_code *code)
{
	return code->objects;
}
