// SPDX-License-Identifier: MIT
#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "decoder/symbols.h"
#include "tests/unit/unit.h"

/* Global and local functions of this binary to be found again. */
__attribute__((noinline, visibility("default"))) int td_test_global(int x);
__attribute__((noinline)) int td_test_global(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x + 1;
}

__attribute__((noinline)) static int td_test_local(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x + 2;
}

/* Code with labels only, as hand-written assembler often is, and a sized
 * function with a label inside. */
__asm__(".text\n"
	".globl td_test_label\n"
	"td_test_label: nop; nop; nop; nop\n"
	".globl td_test_sized\n"
	".type td_test_sized, @function\n"
	"td_test_sized: nop; nop\n"
	"td_test_inside: nop; nop\n"
	".size td_test_sized, .-td_test_sized\n");
extern const char td_test_label[], td_test_sized[];

static const unsigned char *note_build_id(const char *note, size_t size, uint32_t *bytes)
{
	while (size >= sizeof(Elf64_Nhdr)) {
		const Elf64_Nhdr *head = (const void *)note;
		size_t name = (head->n_namesz + 3) & ~3u,
		       desc = (head->n_descsz + 3) & ~3u;

		if (head->n_type == NT_GNU_BUILD_ID) {
			*bytes = head->n_descsz;
			return (const unsigned char *)(head + 1) + name;
		}
		note += sizeof(*head) + name + desc;
		size -= sizeof(*head) + name + desc;
	}
	return NULL;
}

/* The first loaded object is the program, the vdso has AT_SYSINFO_EHDR. */
static int fill(struct dl_phdr_info *info, size_t size, void *data)
{
	struct td_file_object *object = data;
	int vdso = info->dlpi_addr == getauxval(AT_SYSINFO_EHDR);

	(void)size;
	if (vdso != (object->kind == TD_OBJECT_VDSO))
		return 0;
	object->bias = info->dlpi_addr;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *phdr = &info->dlpi_phdr[i];
		const unsigned char *id;

		if (phdr->p_type != PT_NOTE)
			continue;
		id = note_build_id((const char *)info->dlpi_addr + phdr->p_vaddr,
				   phdr->p_memsz, &object->build_id_size);
		if (id)
			memcpy(object->build_id, id, object->build_id_size);
	}
	return 1;
}

static void object_of(struct td_file_object *object, uint32_t kind)
{
	memset(object, 0, sizeof(*object));
	object->kind = kind;
	dl_iterate_phdr(fill, object);
	ck_assert_int_gt(readlink("/proc/self/exe", object->path, 900), 0);
}

static const char *found(const struct td_symbols *symbols, uint64_t address)
{
	struct td_symbol symbol;

	if (!td_symbols_find(symbols, address, &symbol))
		return "";
	ck_assert_uint_le(symbol.start, address);
	ck_assert_uint_lt(address, symbol.end);
	return symbol.name;
}

START_TEST(own_binary)
{
	struct td_file_object object;
	struct td_symbols *symbols;
	uint64_t bias;

	object_of(&object, TD_OBJECT_ELF);
	bias = object.bias;
	symbols = td_symbols_open(&object);
	ck_assert_int_eq(td_symbols_state(symbols), TD_SYMBOLS_READ);
	ck_assert_int_eq(td_test_global(1) + td_test_local(1), 5);
	ck_assert_str_eq(found(symbols, (uint64_t)td_test_global - bias),
			 "td_test_global");
	ck_assert_str_eq(found(symbols, (uint64_t)td_test_global + 1 - bias),
			 "td_test_global");
	ck_assert_str_eq(found(symbols, (uint64_t)td_test_local - bias), "td_test_local");
	ck_assert_str_eq(found(symbols, (uint64_t)td_test_label + 3 - bias),
			 "td_test_label");
	ck_assert_str_eq(found(symbols, (uint64_t)td_test_sized + 3 - bias),
			 "td_test_sized");
	ck_assert_str_eq(found(symbols, 0), "");
	ck_assert_str_eq(found(symbols, UINT64_MAX), "");
	td_symbols_close(symbols);
}
END_TEST

START_TEST(changed_and_missing)
{
	static const char *const missing[] = {"/nonexistent", "/", "/dev/null", "",
					      "/etc/passwd"};
	struct td_file_object object;
	struct td_symbols *symbols;

	object_of(&object, TD_OBJECT_ELF);
	ck_assert_uint_gt(object.build_id_size, 0);
	object.build_id[0] ^= 1;
	symbols = td_symbols_open(&object);
	ck_assert_int_eq(td_symbols_state(symbols), TD_SYMBOLS_CHANGED);
	ck_assert_str_eq(found(symbols, (uint64_t)td_test_global - object.bias), "");
	td_symbols_close(symbols);
	for (size_t i = 0; i < sizeof(missing) / sizeof(missing[0]); i++) {
		strcpy(object.path, missing[i]);
		symbols = td_symbols_open(&object);
		ck_assert_int_eq(td_symbols_state(symbols), TD_SYMBOLS_MISSING);
		ck_assert_str_eq(found(symbols, 0x1000), "");
		td_symbols_close(symbols);
	}
}
END_TEST

START_TEST(vdso)
{
	struct td_file_object object;
	struct td_symbols *symbols;
	struct td_symbol symbol;
	int hits = 0;

	if (!getauxval(AT_SYSINFO_EHDR))
		return; /* a kernel without one */
	object_of(&object, TD_OBJECT_VDSO);
	symbols = td_symbols_open(&object);
	ck_assert_int_eq(td_symbols_state(symbols), TD_SYMBOLS_READ);
	for (uint64_t address = 0; address < 0x4000; address++)
		hits += td_symbols_find(symbols, address, &symbol) &&
			strstr(symbol.name, "clock_gettime") != NULL;
	ck_assert_int_gt(hits, 0);
	td_symbols_close(symbols);
	object.build_id[0] ^= 1;
	symbols = td_symbols_open(&object);
	ck_assert_int_eq(td_symbols_state(symbols), TD_SYMBOLS_CHANGED);
	td_symbols_close(symbols);
}
END_TEST

START_TEST(demangle)
{
	static const char *const names[][2] = {
		{"main", "main"},
		{"memcpy@@GLIBC_2.14", "memcpy"},
		{"_ZN3foo3barEi", "foo::bar(int)"},
		{"_ZN3foo3barEi@V1", "foo::bar(int)"},
		{"_RNvC6_123foo3bar", "123foo::bar"},
		{"_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE",
		 "core::fmt::Write::write_fmt"},
		{"_D3foo3barFiZv", "foo.bar(int)"},
		{"@", "@"},
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char *plain = td_symbol_demangle(names[i][0]);

		ck_assert_str_eq(plain, names[i][1]);
		free(plain);
	}
}
END_TEST

int main(void)
{
	return unit_main("symbols",
			 (const TTest *const[]){own_binary, changed_and_missing, vdso,
						demangle, NULL});
}
