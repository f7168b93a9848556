// SPDX-License-Identifier: MIT
#include "tools/program.h"

#include <check.h>
#include <elf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/scratch.h"
#include "tests/unit/unit.h"
#include "decoder/native.h"

static struct scratch scratch;
static const char *const directory = scratch.path;
static char path[PATH_MAX];
static char why[512];

/* The smallest file that looks like a dynamic program. */
static struct {
	Elf64_Ehdr header;
	Elf64_Phdr interpreter;
	Elf64_Phdr dynamic, loaded; /* in e_phnum where a test counts them */
	Elf64_Dyn needed[3];
	char loader[64];
	char strings[32];
} program;

static void setup(void)
{
	memset(&program, 0, sizeof(program));
	memcpy(program.header.e_ident, ELFMAG, SELFMAG);
	program.header.e_ident[EI_CLASS] = ELFCLASS64;
	program.header.e_ident[EI_DATA] = ELFDATA2LSB;
	program.header.e_machine = TD_NATIVE_MACHINE;
	program.header.e_phoff = sizeof(program.header);
	program.header.e_phentsize = sizeof(program.interpreter);
	program.header.e_phnum = 1;
	program.interpreter.p_type = PT_INTERP;
	program.interpreter.p_offset = (Elf64_Off)(program.loader - (char *)&program);
	strcpy(program.loader, "/lib64/" TD_NATIVE_LOADER);
	scratch_directory(&scratch);
	ck_assert_int_eq(setenv("PATH", directory, 1), 0);
}

static void teardown(void)
{
	scratch_remove(&scratch);
}

static void write_file(const char *name, const void *bytes, size_t size, mode_t mode)
{
	char file[PATH_MAX];
	FILE *stream;

	snprintf(file, sizeof(file), "%s/%s", directory, name);
	stream = fopen(file, "w");
	ck_assert_ptr_nonnull(stream);
	ck_assert_uint_eq(fwrite(bytes, 1, size, stream), size);
	fclose(stream);
	ck_assert_int_eq(chmod(file, mode), 0);
}

static int find(const char *name)
{
	why[0] = '\0';
	return td_program_find(name, TD_PROGRAM_PRELOAD, path, sizeof(path), why,
			       sizeof(why));
}

static void assert_refused(int status, const char *word)
{
	ck_assert_int_eq(find("p"), status);
	ck_assert_msg(strstr(why, word), "'%s' has no '%s'", why, word);
}

static void assert_elf_refused(const char *word)
{
	write_file("p", &program, sizeof(program), 0755);
	assert_refused(TD_PROGRAM_REFUSED, word);
}

START_TEST(test_dynamic)
{
	char expected[PATH_MAX];

	write_file("p", &program, sizeof(program), 0755);
	ck_assert_int_eq(find("p"), 0);
	snprintf(expected, sizeof(expected), "%s/p", directory);
	ck_assert_str_eq(path, expected);
	ck_assert_int_eq(find(expected), 0);
}
END_TEST

START_TEST(test_other_elf)
{
	program.interpreter.p_type = PT_LOAD;
	assert_elf_refused("statically linked");
	program.interpreter.p_type = PT_INTERP;
	strcpy(program.loader, "/lib/ld-musl-x86_64.so.1");
	assert_elf_refused("another C library");
	program.header.e_machine = EM_RISCV;
	assert_elf_refused(TD_NATIVE_NAME);
	program.header.e_machine = TD_NATIVE_MACHINE;
	program.header.e_ident[EI_CLASS] = ELFCLASS32;
	assert_elf_refused(TD_NATIVE_NAME);
}
END_TEST

/* Go without cgo: the dynamic linker starts it, and it needs no library. */
START_TEST(test_alone)
{
	program.header.e_phnum = 2;
	program.dynamic.p_type = PT_DYNAMIC;
	program.dynamic.p_offset = (Elf64_Off)((char *)program.needed - (char *)&program);
	program.dynamic.p_filesz = sizeof(program.needed);
	program.needed[0].d_tag = DT_STRTAB;
	assert_elf_refused("no C library");
	program.needed[0].d_tag = DT_NULL;
	program.needed[1].d_tag = DT_NEEDED;
	assert_elf_refused("no C library");
	program.needed[0].d_tag = DT_STRTAB;
	write_file("p", &program, sizeof(program), 0755);
	ck_assert_int_eq(find("p"), 0);
	program.dynamic.p_filesz = sizeof(program.needed[0]);
	assert_elf_refused("no C library");
}
END_TEST

/* AddressSanitizer's runtime wants to be first. */
START_TEST(test_sanitizer)
{
	program.header.e_phnum = 3;
	program.dynamic.p_type = PT_DYNAMIC;
	program.dynamic.p_offset = (Elf64_Off)((char *)program.needed - (char *)&program);
	program.dynamic.p_filesz = sizeof(program.needed);
	program.loaded.p_type = PT_LOAD;
	program.loaded.p_vaddr = 0x1000;
	program.loaded.p_filesz = sizeof(program);
	program.needed[0] = (Elf64_Dyn){.d_tag = DT_NEEDED, .d_un.d_val = 1};
	program.needed[1] = (Elf64_Dyn){.d_tag = DT_NEEDED, .d_un.d_val = 9};
	program.needed[2].d_tag = DT_STRTAB;
	program.needed[2].d_un.d_ptr =
		0x1000 + (Elf64_Addr)(program.strings - (char *)&program);
	memcpy(program.strings, "\0libm.so\0libasan.so.8", 22);
	unsetenv("LD_PRELOAD");
	assert_elf_refused("LD_PRELOAD=libasan.so.8");
	setenv("LD_PRELOAD", "/lib/libasan.so.8 /lib/libm.so.6", 1);
	ck_assert_int_eq(find("p"), 0);
	setenv("LD_PRELOAD", "/lib/libm.so.6:/lib/libasan.so.8", 1);
	assert_elf_refused("AddressSanitizer");
	unsetenv("LD_PRELOAD");
	program.needed[2].d_un.d_ptr = 0xfff; /* in no segment */
	write_file("p", &program, sizeof(program), 0755);
	ck_assert_int_eq(find("p"), 0);
	program.needed[2].d_un.d_ptr = 0x1000;
	program.needed[1].d_un.d_val = UINT64_MAX / 2; /* beyond the file */
	write_file("p", &program, sizeof(program), 0755);
	ck_assert_int_eq(find("p"), 0);
}
END_TEST

START_TEST(test_cut_elf)
{
	for (size_t size = SELFMAG; size < sizeof(program.header); size++) {
		write_file("p", &program, size, 0755);
		assert_refused(TD_PROGRAM_REFUSED, TD_NATIVE_NAME);
	}
	write_file("p", &program, sizeof(program.header), 0755);
	assert_refused(TD_PROGRAM_REFUSED, "static");
}
END_TEST

START_TEST(test_rights)
{
	write_file("p", &program, sizeof(program), 04755);
	assert_refused(TD_PROGRAM_REFUSED, "setuid");
	write_file("p", &program, sizeof(program), 02755);
	assert_refused(TD_PROGRAM_REFUSED, "setgid");
	/* without the group's x it is mandatory locking, not setgid */
	write_file("p", &program, sizeof(program), 02745);
	ck_assert_int_eq(find("p"), 0);
}
END_TEST

/* What is only traced needs no glibc, and may not have more rights either. */
START_TEST(test_traced)
{
	program.interpreter.p_type = PT_LOAD;
	write_file("p", &program, sizeof(program), 0755);
	ck_assert_int_eq(td_program_find("p", TD_PROGRAM_TRACE, path, sizeof(path), why,
					 sizeof(why)),
			 0);
	write_file("p", &program, sizeof(program), 04755);
	ck_assert_int_eq(td_program_find("p", TD_PROGRAM_TRACE, path, sizeof(path), why,
					 sizeof(why)),
			 TD_PROGRAM_REFUSED);
	ck_assert_msg(strstr(why, "setuid") && !strstr(why, "PRELOAD"), "%s", why);
	program.header.e_machine = EM_386;
	write_file("p", &program, sizeof(program), 0755);
	ck_assert_int_eq(td_program_find("p", TD_PROGRAM_TRACE, path, sizeof(path), why,
					 sizeof(why)),
			 TD_PROGRAM_REFUSED);
}
END_TEST

START_TEST(test_missing)
{
	char name[PATH_MAX];

	assert_refused(TD_PROGRAM_MISSING, "PATH");
	ck_assert_int_eq(find(""), TD_PROGRAM_MISSING);
	ck_assert_int_eq(find("/nonexistent/p"), TD_PROGRAM_MISSING);
	ck_assert_int_eq(find(directory), TD_PROGRAM_REFUSED);
	write_file("p", &program, sizeof(program), 0644);
	assert_refused(TD_PROGRAM_REFUSED, "Permission denied");
	snprintf(name, sizeof(name), "%s/p/q", directory);
	ck_assert_int_eq(find(name), TD_PROGRAM_MISSING);
}
END_TEST

START_TEST(test_search_goes_on)
{
	char search[PATH_MAX];

	snprintf(search, sizeof(search), "/nonexistent::%s", directory);
	ck_assert_int_eq(setenv("PATH", search, 1), 0);
	write_file("p", &program, sizeof(program), 0755);
	ck_assert_int_eq(find("p"), 0);
}
END_TEST

START_TEST(test_scripts)
{
	char line[PATH_MAX + 8];

	write_file("p", "#!/bin/sh\n", 10, 0755);
	ck_assert_int_eq(find("p"), 0);
	write_file("p", "echo no first line\n", 19, 0755);
	ck_assert_int_eq(find("p"), 0);
	write_file("p", "#!\n", 3, 0755);
	assert_refused(TD_PROGRAM_REFUSED, "#!");
	write_file("p", "#! /nonexistent -x\n", 19, 0755);
	assert_refused(TD_PROGRAM_REFUSED, "interpreter /nonexistent: No such file");
	program.interpreter.p_type = PT_LOAD;
	write_file("static", &program, sizeof(program), 0755);
	snprintf(line, sizeof(line), "#!%s/static\n", directory);
	write_file("p", line, strlen(line), 0755);
	assert_refused(TD_PROGRAM_REFUSED, "statically linked");
	snprintf(line, sizeof(line), "#!%s/p\n", directory);
	write_file("p", line, strlen(line), 0755);
	assert_refused(TD_PROGRAM_REFUSED, "no usable #! line");
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		test_dynamic,        test_other_elf, test_alone,  test_cut_elf,
		test_sanitizer,      test_rights,    test_traced, test_missing,
		test_search_goes_on, test_scripts,   NULL};

	return unit_main_between("program", tests, setup, teardown);
}
