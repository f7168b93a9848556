/* SPDX-License-Identifier: MIT */
/*
 * From a place in a mapped file to its ELF address.  Context: normal.
 */
#ifndef TD_TOOLS_IMPORT_ELF_H
#define TD_TOOLS_IMPORT_ELF_H

#include <stddef.h>
#include <stdint.h>

struct td_import_elf {
	struct td_import_segment {
		uint64_t offset; /* in the file */
		uint64_t size;
		uint64_t address; /* ELF address of its start */
	} segment[16];
	size_t segments;
	int is_elf;  /* 0: the file could not be read, or is no ELF file */
	int is_file; /* 1: a file of that name could be read */
};

/* Reads the loaded segments of the file at `path`, if it is one. */
void td_import_elf_read(struct td_import_elf *elf, const char *path);

/* The ELF address; without segments the offset itself, as in a prelinked file. */
uint64_t td_import_elf_address(const struct td_import_elf *elf, uint64_t offset);

#endif
