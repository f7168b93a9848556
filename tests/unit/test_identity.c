// SPDX-License-Identifier: MIT
/* Function identity against libunwind's answer for the same addresses. */
#include "agent/sigsafe/identity.h"

#include <check.h>
#include <dlfcn.h>
#include <fcntl.h>
#define UNW_LOCAL_ONLY
#include <libunwind.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "agent/sigsafe/maps.h"
#include "agent/sigsafe/path.h"
#include "tests/unit/memory_store.h"
#include "tests/unit/unit.h"

#define STEP 509 /* a prime: meets all alignments */

static void setup(void)
{
	memory_store_open(0, 64);
	strcpy(td_store.header->exe, "/proc/self/exe");
}

struct tally {
	unsigned functions;
	unsigned gaps;
};

static const struct td_file_object *object_of(const struct td_identity *identity)
{
	return td_store_record(identity->object, sizeof(struct td_file_object));
}

static void compare(uint64_t ip, struct tally *tally)
{
	unw_proc_info_t info;
	struct td_identity identity;

	td_identity_find(ip, &identity);
	ck_assert_uint_ne(identity.object, 0);
	if (unw_get_proc_info_by_ip(unw_local_addr_space, ip, &info, NULL) != 0) {
		ck_assert_msg(identity.kind == TD_PLACE_GAP,
			      "%#lx: libunwind knows no function", (unsigned long)ip);
		ck_assert_uint_eq(identity.size, TD_PLACE_CHUNK);
		tally->gaps++;
		return;
	}
	ck_assert_int_eq(identity.kind, TD_PLACE_FUNCTION);
	ck_assert_uint_eq(identity.address + object_of(&identity)->bias, info.start_ip);
	ck_assert_uint_eq(identity.size, info.end_ip - info.start_ip);
	ck_assert_uint_eq(identity.region, identity.address);
	tally->functions++;
}

static int compare_object(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type != PT_LOAD || !(p->p_flags & PF_X))
			continue;
		for (uint64_t at = 0; at < p->p_memsz; at += STEP)
			compare(info->dlpi_addr + p->p_vaddr + at, data);
	}
	return 0;
}

START_TEST(agrees_with_libunwind)
{
	struct tally tally = {0, 0};

	dl_iterate_phdr(compare_object, &tally);
	ck_assert_uint_gt(tally.functions, 1000);
	ck_assert_uint_gt(tally.gaps, 0);
}
END_TEST

START_TEST(names_the_object)
{
	struct td_identity identity;
	const struct td_file_object *object;

	td_identity_find((uint64_t)&strtod, &identity);
	object = object_of(&identity);
	ck_assert_int_eq(object->kind, TD_OBJECT_ELF);
	ck_assert_ptr_nonnull(strstr(object->path, "libc.so.6"));
	ck_assert_uint_eq(object->build_id_size, 20);
	td_identity_find((uint64_t)&compare, &identity);
	ck_assert_str_eq(object_of(&identity)->path, "/proc/self/exe");
}
END_TEST

START_TEST(same_function_at_both_ends)
{
	struct td_identity a, b, c;

	td_identity_find((uint64_t)&compare, &a);
	td_identity_find((uint64_t)&compare + 9, &b);
	td_identity_find((uint64_t)&compare_object, &c);
	ck_assert(td_identity_same_function(&a, &b));
	ck_assert(!td_identity_same_function(&a, &c));
	ck_assert(td_identity_covers(&a, (uint64_t)&compare));
	ck_assert(td_identity_covers(&a, (uint64_t)&compare + a.size - 1));
	ck_assert(!td_identity_covers(&a, (uint64_t)&compare + a.size));
	ck_assert(!td_identity_covers(&a, (uint64_t)&compare - 1));
}
END_TEST

/* What was found is good as long as the object is the one that was there. */
START_TEST(stands_while_the_object_does)
{
	uint64_t here = (uint64_t)&compare, there = (uint64_t)&strtod;
	struct td_identity program, library;
	struct td_object *object;

	td_identity_find(here, &program);
	td_identity_find(there, &library);
	ck_assert(program.loaded->permanent);
	ck_assert(td_identity_stands(&program, here));
	object = (struct td_object *)library.loaded;
	ck_assert(!object->permanent);
	ck_assert_ptr_nonnull(object->proof);
	ck_assert(td_identity_stands(&library, there));
	object->proven[1] ^= 1; /* another build-id */
	ck_assert(!td_identity_stands(&library, there));
	object->proven[1] ^= 1;
	object->range.end += 4096;
	ck_assert(!td_identity_stands(&library, there));
	object->range.end -= 4096;
	object->link_map = &object;
	ck_assert(!td_identity_stands(&library, there));
}
END_TEST

START_TEST(knows_the_vdso)
{
	uint64_t vdso = getauxval(AT_SYSINFO_EHDR);
	struct td_identity identity;

	ck_assert_uint_ne(vdso, 0);
	td_identity_find(vdso + 0x800, &identity);
	ck_assert_int_eq(object_of(&identity)->kind, TD_OBJECT_VDSO);
	ck_assert_str_eq(object_of(&identity)->path, "[vdso]");
}
END_TEST

START_TEST(knows_jit_memory)
{
	char *page = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct td_identity a, b;

	ck_assert_ptr_ne(page, MAP_FAILED);
	td_identity_find((uint64_t)page + 100, &a);
	td_identity_find((uint64_t)page + 4096 + 5, &b);
	ck_assert_int_eq(a.kind, TD_PLACE_JIT);
	ck_assert_uint_eq(a.address, (uint64_t)page + 64);
	ck_assert_uint_eq(a.size, 64);
	ck_assert_uint_eq(a.object, b.object);
	ck_assert(td_identity_same_function(&a, &b));
	ck_assert_uint_ne(a.address, b.address);
	munmap(page, 3 * 4096);
	td_identity_find(16, &a); /* mapped nowhere */
	ck_assert_int_eq(a.kind, TD_PLACE_UNKNOWN);
}
END_TEST

/* A small table by hand: functions at +0x1000 (16 bytes) and +0x1100 (32). */
struct small_table {
	uint8_t version, eh_frame, count_encoding, table;
	int32_t eh_frame_pointer;
	uint32_t count;
	int32_t entry[2][2];
	uint32_t cie_length, cie_id;
	uint8_t cie[16];
	struct {
		uint32_t length, cie;
		int32_t start;
		uint32_t size;
	} fde[2];
};

static void build_table(struct small_table *t)
{
	static const uint8_t cie[16] = {1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b};
	char *base = (char *)t;

	memset(t, 0, sizeof(*t));
	*t = (struct small_table){.version = 1,
				  .eh_frame = 0x1b,
				  .count_encoding = 3,
				  .table = 0x3b,
				  .count = 2,
				  .cie_length = 20};
	memcpy(t->cie, cie, sizeof(cie));
	for (int i = 0; i < 2; i++) {
		t->entry[i][0] = 0x1000 + 0x100 * i;
		t->entry[i][1] = (int32_t)((char *)&t->fde[i] - base);
		t->fde[i].length = 12;
		t->fde[i].cie =
			(uint32_t)((char *)&t->fde[i].cie - (char *)&t->cie_length);
		t->fde[i].size = 16u << i;
	}
}

static bool find(const struct small_table *t, uint64_t offset, struct td_range *range)
{
	uint64_t base = (uint64_t)t;
	struct td_range limits = {base, base + 0x2000};
	bool found = td_unwind_table_find(t, limits, base + offset, range);

	range->start -= range->start ? base : 0;
	range->end -= range->end ? base : 0;
	return found;
}

static char memory[0x2000] __attribute__((aligned(8)));

START_TEST(reads_a_table)
{
	struct small_table *t = (void *)memory;
	struct td_range range;

	build_table(t);
	ck_assert(find(t, 0x1000, &range));
	ck_assert_uint_eq(range.start, 0x1000);
	ck_assert_uint_eq(range.end, 0x1010);
	ck_assert(find(t, 0x111f, &range));
	ck_assert_uint_eq(range.end, 0x1120);
	ck_assert(!find(t, 0x1010, &range)); /* between */
	ck_assert_uint_eq(range.start, 0x1010);
	ck_assert_uint_eq(range.end, 0x1100);
	ck_assert(!find(t, 0xfff, &range)); /* before */
	ck_assert_uint_eq(range.end, 0x1000);
	ck_assert(!find(t, 0x1120, &range)); /* behind */
	ck_assert_uint_eq(range.start, 0x1120);
	ck_assert_uint_eq(range.end, 0x2000);
}
END_TEST

START_TEST(survives_a_broken_table)
{
	struct small_table *t = (void *)memory;
	struct td_range range;

	for (size_t i = 0; i < sizeof(*t); i++)
		for (unsigned bit = 0; bit < 8; bit++) {
			build_table(t);
			((uint8_t *)t)[i] ^= (uint8_t)(1u << bit);
			for (uint64_t at = 0xff8; at < 0x1130; at += 24)
				find(t, at, &range); /* reads nothing outside `limits` */
		}
	build_table(t);
	t->count = 0x40000000;
	ck_assert(!find(t, 0x1000, &range));
	ck_assert_uint_eq(range.end, 0);
	build_table(t);
	memmove(memory + 1, memory, sizeof(*t)); /* no linker puts it there */
	ck_assert(!find((void *)(memory + 1), 0x1000, &range));
	ck_assert_uint_eq(range.end, 0);
}
END_TEST

/* The page of this program's text at `ip`, mapped once more; where `ip` is in it. */
static uint64_t map_again(uint64_t ip)
{
	const Elf64_Phdr *segment = (const void *)getauxval(AT_PHDR);
	uint64_t page = ip & ~4095ull, bias = 0, offset = UINT64_MAX;
	struct dl_find_object found;
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	void *again;

	ck_assert_int_eq(_dl_find_object((void *)ip, &found), 0);
	bias = found.dlfo_link_map->l_addr;
	for (uint64_t i = 0; i < getauxval(AT_PHNUM); i++)
		if (segment[i].p_type == PT_LOAD &&
		    ip - bias - segment[i].p_vaddr < segment[i].p_memsz)
			offset = page - bias - segment[i].p_vaddr + segment[i].p_offset;
	ck_assert_int_ne(fd, -1);
	again = mmap(NULL, 8192, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, (off_t)offset);
	ck_assert_ptr_ne(again, MAP_FAILED);
	close(fd);
	return (uint64_t)again + (ip & 4095);
}

/* A part of the program in a second place is the program; other code there is not. */
START_TEST(mapped_once_more)
{
	uint64_t ip = (uint64_t)compare_object, again = map_again(ip);
	struct td_identity first, second;

	td_identity_find(ip, &first);
	for (int i = 0; i < 2; i++) { /* and once it is known */
		td_identity_find(again + 1, &second);
		ck_assert(td_identity_same_function(&first, &second));
		ck_assert_uint_eq(second.start, again);
		ck_assert_uint_eq(second.size, first.size);
		ck_assert(!td_identity_stands(&second, again));
	}
	ck_assert_ptr_ne(mmap((void *)(again & ~4095ull), 8192, PROT_READ | PROT_EXEC,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0),
			 MAP_FAILED);
	td_identity_find(again, &second);
	ck_assert_int_eq(second.kind, TD_PLACE_JIT);
	munmap((void *)(again & ~4095ull), 8192); /* and what is gone is neither */
	td_identity_find(again, &second);
	ck_assert_int_eq(second.kind, TD_PLACE_JIT);
}
END_TEST

START_TEST(joins_mappings)
{
	struct td_mapping run = {.range = {0, 0}};
	static const char *const lines[] = {
		"1000-2000 r--p 00000000 08:01 77  /lib/a b.so",
		"2000-3000 r-xp 00001000 08:01 77  /lib/a b.so",
		"4000-5000 r-xp 00000000 00:00 0 ",
		"5000-6000 rw-p 00000000 00:00 0",
		"8000-9000 r-xp 00000000 00:00 0  [heap]",
	};
	unsigned i;

	for (i = 0; i < 5; i++)
		if (td_maps_line(lines[i], 0x4800, &run))
			break;
	ck_assert_uint_eq(i, 4);
	ck_assert_uint_eq(run.range.start, 0x4000);
	ck_assert_uint_eq(run.range.end, 0x6000);
	ck_assert_str_eq(run.path, "[anon]");
	memset(&run, 0, sizeof(run));
	for (i = 0; i < 5; i++)
		if (td_maps_line(lines[i], 0x2fff, &run))
			break;
	ck_assert_uint_eq(i, 2);
	ck_assert_uint_eq(run.range.start, 0x1000);
	ck_assert_str_eq(run.path, "/lib/a b.so");
}
END_TEST

START_TEST(completes_paths)
{
	char path[64], small[8];

	ck_assert_int_eq(chdir("/usr/lib"), 0);
	td_path_absolute(path, "./one.so", sizeof(path));
	ck_assert_str_eq(path, "/usr/lib/one.so");
	td_path_absolute(path, "../one.so", sizeof(path));
	ck_assert_str_eq(path, "/usr/lib/../one.so");
	td_path_absolute(path, "", sizeof(path));
	ck_assert_str_eq(path, "");
	td_path_absolute(path, "/one.so", sizeof(path));
	ck_assert_str_eq(path, "/one.so");
	ck_assert_int_eq(chdir("/"), 0);
	td_path_absolute(path, "one.so", sizeof(path));
	ck_assert_str_eq(path, "/one.so");
	ck_assert_int_eq(chdir("/usr/lib"), 0);
	td_path_absolute(small, "one.so.1", sizeof(small));
	ck_assert_str_eq(small, "one.so.");
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {agrees_with_libunwind,
				      names_the_object,
				      stands_while_the_object_does,
				      same_function_at_both_ends,
				      knows_the_vdso,
				      knows_jit_memory,
				      mapped_once_more,
				      reads_a_table,
				      survives_a_broken_table,
				      joins_mappings,
				      completes_paths,
				      NULL};

	return unit_main_between("identity", tests, setup, memory_store_close);
}
