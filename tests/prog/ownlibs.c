// SPDX-License-Identifier: MIT
/*
 * A program with libelf and libunwind of its own: it reads its own symbols and
 * walks its own stack, again and again, 200 ms of each.  Built by
 * tests/run/isolation.sh, where both are there.
 */
#define UNW_LOCAL_ONLY
#include <fcntl.h>
#include <gelf.h>
#include <libunwind.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/prog/spin.h"

/* The functions of this program, 0 if it cannot be read. */
static SPIN_NOINLINE int functions_of(Elf *elf)
{
	Elf_Scn *section = NULL;
	int many = 0;

	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;
		GElf_Sym symbol;
		Elf_Data *data;

		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_SYMTAB)
			continue;
		data = elf_getdata(section, NULL);
		for (int i = 0; gelf_getsym(data, i, &symbol); i++)
			many += GELF_ST_TYPE(symbol.st_info) == STT_FUNC;
	}
	return many;
}

static int read_symbols(void)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	int many = elf ? functions_of(elf) : 0;

	elf_end(elf);
	close(fd);
	return many;
}

/* Frames named "nested" on the stack. */
static SPIN_NOINLINE int walk(void)
{
	unw_context_t context;
	unw_cursor_t cursor;
	unw_word_t offset;
	char name[64];
	int many = 0;

	unw_getcontext(&context);
	unw_init_local(&cursor, &context);
	while (unw_step(&cursor) > 0)
		many += !unw_get_proc_name(&cursor, name, sizeof(name), &offset) &&
			!strcmp(name, "nested");
	return many;
}

static __attribute__((noinline, noclone)) int nested(int depth)
{
	int many = depth ? nested(depth - 1) : walk();

	__asm__ volatile("" : "+r"(many)); /* no tail call */
	return many;
}

/* What `ask` says in the first round, -1 if it says otherwise later. */
static int again(int (*ask)(int), int argument)
{
	int first = ask(argument);
	uint64_t last = spin_now_ns();

	for (uint64_t spent = 0; spent < 200 * SPIN_MS; spent += spin_ran_ns(&last))
		if (ask(argument) != first)
			return -1;
	return first;
}

static int symbols(int unused)
{
	(void)unused;
	return read_symbols();
}

int main(void)
{
	elf_version(EV_CURRENT);
	printf("functions: %d\n", again(symbols, 0));
	printf("frames: %d\n", again(nested, 10));
	return 0;
}
