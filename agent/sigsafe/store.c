// SPDX-License-Identifier: MIT
#include "agent/sigsafe/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "agent/sigsafe/descriptors.h"
#include "agent/sigsafe/path.h"
#include "agent/sigsafe/proc.h"
#include "agent/sigsafe/syscall.h"

/* The file grows by at least this many blocks at a time. */
#define GROW_BLOCKS 16u
#define OBJECTS_MAX 2048u
#define OBJECTS_A_BLOCK 8u

struct td_store td_store = {.fd = -1};

/* Blocks of object records, in order of claim; 0 until one is there. */
static _Atomic uint32_t object_blocks[OBJECTS_MAX / OBJECTS_A_BLOCK];
static _Atomic uint32_t object_count;

uint32_t td_store_ref(const void *record, uint32_t record_size)
{
	uint64_t offset =
		(uint64_t)((const char *)record - (const char *)td_store.header);

	return TD_REF(offset / TD_BLOCK_SIZE,
		      (offset % TD_BLOCK_SIZE - TD_BLOCK_HEADER) / record_size);
}

/* The descriptor may have been closed and its number reused by the program. */
static bool descriptor_is_ours(void)
{
	struct stat st;

	return td_syscall2(SYS_fstat, td_store.fd, &st) == 0 &&
	       st.st_dev == td_store.device && st.st_ino == td_store.inode;
}

/* Writing past RLIMIT_FSIZE would bring SIGXFSZ upon the program. */
static bool size_is_allowed(uint64_t size)
{
	struct rlimit limit;

	return td_syscall4(SYS_prlimit64, 0, RLIMIT_FSIZE, NULL, &limit) == 0 &&
	       (limit.rlim_cur == RLIM_INFINITY || size <= limit.rlim_cur);
}

/* Some file systems cannot allocate ahead: write the zeros then. */
static bool write_zeros(uint64_t from, uint64_t to)
{
	static const char zeros[TD_BLOCK_SIZE];

	while (from < to) {
		long n = td_syscall4(SYS_pwrite64, td_store.fd, zeros, sizeof(zeros),
				     from);

		if (n != (long)sizeof(zeros))
			return false;
		from += sizeof(zeros);
	}
	return true;
}

/* Real room on the disk first: a full disk must never become a SIGBUS. */
static bool grow(uint32_t from, uint32_t to)
{
	uint64_t start = (uint64_t)from * TD_BLOCK_SIZE,
		 end = (uint64_t)to * TD_BLOCK_SIZE;
	long error;

	if (!size_is_allowed(end) || !descriptor_is_ours())
		return false;
	do
		error = td_syscall4(SYS_fallocate, td_store.fd, 0, start, end - start);
	while (error == -EINTR);
	if (error == -EOPNOTSUPP || error == -ENOSYS)
		return write_zeros(start, end);
	return error == 0;
}

static void note_file(int fd)
{
	struct stat st;

	td_store.fd = fd;
	if (td_syscall2(SYS_fstat, fd, &st) != 0)
		return; /* no room, then */
	td_store.device = st.st_dev;
	td_store.inode = st.st_ino;
}

/* Once the mapping is replaced there is no way back: whether this file can be mapped
 * at all shows in a small one. */
static bool is_mappable(int fd)
{
	long trial = td_syscall6(SYS_mmap, 0, TD_BLOCK_SIZE, PROT_READ | PROT_WRITE,
				 MAP_SHARED, fd, 0);

	if (trial < 0 && trial > -4096)
		return false;
	td_syscall2(SYS_munmap, trial, TD_BLOCK_SIZE);
	return true;
}

/* What is in memory goes into the file, and the file under the same addresses.  The
 * header goes first: whoever is killed in between leaves a profile with nothing in it. */
static bool move_into(int fd)
{
	uint32_t blocks = td_store.header->blocks;
	uint64_t used = (uint64_t)blocks * TD_BLOCK_SIZE;
	char *base = (char *)td_store.header;

	note_file(fd);
	if (!size_is_allowed(used) ||
	    td_syscall4(SYS_pwrite64, fd, base, used, 0) != (long)used)
		return false;
	if (!grow(blocks, atomic_load(&td_store.ready_blocks)) || !is_mappable(fd))
		return false;
	if (td_syscall6(SYS_mmap, (long)base, (long)td_store.map_size,
			PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd,
			0) != (long)base)
		return false;
	td_syscall3(SYS_madvise, base, td_store.map_size, MADV_DONTFORK);
	td_syscall3(SYS_madvise, base, td_store.map_size, MADV_RANDOM);
	return true;
}

static int create(const char *path)
{
	return (int)td_syscall4(SYS_openat, AT_FDCWD, path,
				O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
}

bool td_store_settle(void)
{
	char *path = td_store.later;
	int fd;

	if (!path)
		return true;
	td_proc_describe(td_store.header);
	td_store.later = NULL; /* a profile settles once, or never */
	fd = create(path);
	if (fd == -EEXIST) {
		td_path_copy(path, td_store.otherwise, TD_LATER_MAX);
		fd = create(path);
	}
	if (fd >= 0 && !move_into(fd)) {
		td_syscall1(SYS_close, fd);
		td_syscall3(SYS_unlinkat, AT_FDCWD, path, 0);
		td_store.fd = fd = -1;
	}
	if (fd < 0) {
		path[0] = 0;
		return false;
	}
	td_store.fd = td_descriptor_hide(fd);
	return true;
}

/* Makes `blocks` blocks ready; several threads may do the same at once. */
static bool make_ready(uint32_t blocks)
{
	uint32_t ready = atomic_load(&td_store.ready_blocks);
	uint32_t wanted = ready + (ready / 4 > GROW_BLOCKS ? ready / 4 : GROW_BLOCKS);

	if (blocks <= ready)
		return true;
	if (wanted > td_store.header->blocks_max)
		wanted = td_store.header->blocks_max;
	if (wanted < blocks)
		wanted = blocks;
	if (!grow(ready, wanted)) {
		wanted = blocks;
		if (!grow(ready, wanted))
			return false;
	}
	while (ready < wanted &&
	       !atomic_compare_exchange_weak(&td_store.ready_blocks, &ready, wanted))
		;
	return true;
}

uint32_t td_store_take_block(void)
{
	struct td_file_header *header = td_store.header;
	uint32_t block = __atomic_load_n(&header->blocks, __ATOMIC_RELAXED);

	do {
		if (block >= header->blocks_max || !make_ready(block + 1))
			return 0;
	} while (!__atomic_compare_exchange_n(&header->blocks, &block, block + 1, true,
					      __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
	return block;
}

void td_store_publish_block(uint32_t block, enum td_block_kind kind, uint32_t owner)
{
	struct td_file_block *b = td_store_block(block);

	b->owner = owner;
	/* release: a reader that sees the kind sees the owner */
	__atomic_store_n(&b->kind, kind, __ATOMIC_RELEASE);
}

/* Appends a block to the thread's chain; 0 if there is no room. */
static uint32_t append_block(struct td_places *places)
{
	uint32_t block = td_store_take_block();

	if (!block)
		return 0;
	if (places->block)
		td_store_block(places->block)->next = block;
	else
		places->record->first_block = block;
	td_store_publish_block(block, TD_BLOCK_PLACES, places->record_ref);
	return block;
}

/* Takes the next slot of the thread's table; 0 if there is no room. */
static uint32_t take_place(struct td_places *places)
{
	uint32_t block = places->block;

	if (block && places->slot < td_store_slots(td_store.header->place_size))
		return TD_REF(block, places->slot++);
	block = block ? td_store_block(block)->next : 0; /* left by an earlier thread */
	if (!block)
		block = append_block(places);
	if (!block)
		return 0;
	places->block = block;
	places->slot = 1;
	return TD_REF(block, 0);
}

/* The first place of each table takes what later finds no room. */
static bool take_other(struct td_places *places)
{
	uint32_t other = take_place(places);

	if (!other)
		return false;
	places->other = td_store_record(other, td_store.header->place_size);
	__atomic_store_n(&places->other->kind, TD_PLACE_OTHER, __ATOMIC_RELEASE);
	return true;
}

bool td_places_init(struct td_places *places, struct td_file_thread *record, uint32_t ref)
{
	*places = (struct td_places){
		.record = record, .record_ref = ref, .paths.owner = ref};
	return take_other(places);
}

void td_places_reuse(struct td_places *places, uint32_t first)
{
	places->record->first_block = first;
	places->block = first;
	places->slot = 0;
	places->bucket = NULL;
	take_other(places);
}

static uint64_t hash_of(const struct td_identity *identity, uint32_t group)
{
	uint64_t h = identity->address ^ (uint64_t)identity->object << 40 ^
		     (uint64_t)group << 59;

	h = (h ^ (h >> 32)) * 0xd6e8feb86659fd93u;
	h = (h ^ (h >> 32)) * 0xd6e8feb86659fd93u;
	return h ^ (h >> 32);
}

static bool place_is(const struct td_file_place *place,
		     const struct td_identity *identity, uint32_t group)
{
	return place->group == group && place->address == identity->address &&
	       place->object == identity->object && place->kind == identity->kind;
}

static void fill_place(struct td_file_place *place, const struct td_identity *identity,
		       uint32_t group)
{
	place->group = group;
	place->object = identity->object;
	place->address = identity->address;
	place->region = identity->region;
	place->size = identity->size;
	/* release: the file may be read at any moment */
	__atomic_store_n(&place->kind, identity->kind, __ATOMIC_RELEASE);
}

struct td_file_place *td_places_get(struct td_places *places,
				    const struct td_identity *identity)
{
	return td_places_get_of(places, identity, 0);
}

struct td_file_place *td_places_get_of(struct td_places *places,
				       const struct td_identity *identity, uint32_t group)
{
	uint32_t size = td_store.header->place_size;
	uint32_t *link = &places->record->root;
	uint64_t hash = hash_of(identity, group);
	struct td_file_place *place;

	for (; *link; hash <<= 2) {
		place = td_store_record(*link, size);
		if (place_is(place, identity, group))
			return place;
		link = &place->child[hash >> 62];
	}
	uint32_t ref = take_place(places);
	if (!ref) {
		places->record->lost[TD_LOST_FULL]++;
		return places->other;
	}
	place = td_store_record(ref, size);
	fill_place(place, identity, group);
	*link = ref;
	return place;
}

uint32_t td_store_block_once(_Atomic uint32_t *slot, enum td_block_kind kind)
{
	uint32_t block = atomic_load(slot), none = 0;

	if (block)
		return block;
	block = td_store_take_block();
	if (!block)
		return 0;
	if (!atomic_compare_exchange_strong(slot, &none, block))
		return none; /* another thread was faster; ours stays free */
	td_store_publish_block(block, kind, 0);
	return block;
}

uint32_t td_store_add_object(const struct td_file_object *object)
{
	uint32_t index = atomic_fetch_add(&object_count, 1);
	struct td_file_object *record;
	uint32_t block;

	_Static_assert((TD_BLOCK_SIZE - TD_BLOCK_HEADER) / sizeof(*object) >=
			       OBJECTS_A_BLOCK,
		       "objects a block");
	if (index >= OBJECTS_MAX) {
		atomic_store(&object_count, OBJECTS_MAX);
		return 0;
	}
	block = td_store_block_once(&object_blocks[index / OBJECTS_A_BLOCK],
				    TD_BLOCK_OBJECTS);
	if (!block)
		return 0;
	record = td_store_record(TD_REF(block, index % OBJECTS_A_BLOCK), sizeof(*record));
	memcpy((char *)record + sizeof(record->kind),
	       (const char *)object + sizeof(object->kind),
	       sizeof(*object) - sizeof(object->kind));
	/* release: a reader that sees the kind sees the rest */
	__atomic_store_n(&record->kind, object->kind, __ATOMIC_RELEASE);
	return TD_REF(block, index % OBJECTS_A_BLOCK);
}

void td_store_forget(void)
{
	td_store = (struct td_store){.fd = -1};
	memset((void *)object_blocks, 0, sizeof(object_blocks));
	atomic_store(&object_count, 0);
}
