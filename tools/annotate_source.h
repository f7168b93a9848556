/* SPDX-License-Identifier: MIT */
/*
 * What is known of an instruction: its code, its line, and the functions that were
 * inlined there, by libdw; its text by capstone.  Context: normal; no globals.
 */
#ifndef TD_TOOLS_ANNOTATE_SOURCE_H
#define TD_TOOLS_ANNOTATE_SOURCE_H

#include <stddef.h>
#include <stdint.h>

struct Dwfl_Module;

#define TD_SOURCE_FRAMES 8

/* Innermost first: frame[0] has the line of the instruction, each further one the
 * line from which the one before it was called, all in one real function. */
struct td_source {
	unsigned frames;       /* 0: no line is known */
	const char *directory; /* where the compiler ran, or NULL */
	struct td_source_frame {
		/* as the compiler had it, perhaps below `directory`; the module's memory
		 */
		const char *file;
		int line;
		const char *function; /* NULL: not known */
	} frame[TD_SOURCE_FRAMES];
};

/* Of an ELF address.  `module` may be NULL. */
void td_source_at(struct Dwfl_Module *module, uint64_t address, struct td_source *source);

/* One of its frames' files with the directory, as it can be opened: not clean.  The
 * caller frees it.  NULL: no memory. */
char *td_source_path(const struct td_source *source, const char *file);

/*
 * The code of [start, end), which is the module's memory; NULL where the file has
 * none there.  *machine becomes the ELF machine.
 */
const unsigned char *td_source_code(struct Dwfl_Module *module, uint64_t start,
				    uint64_t end, unsigned *machine);

/* A text file by lines. */
struct td_source_text {
	char *bytes;
	char **line;
	size_t lines;
};

/* Empty for a file that cannot be read, is no regular one, or is above 64 MiB. */
void td_source_read(struct td_source_text *text, const char *path);
void td_source_free(struct td_source_text *text);
/* Line 1 is the first; "" for one that is not there. */
const char *td_source_line(const struct td_source_text *text, int line);

/* One instruction. */
struct td_source_instruction {
	uint64_t address;
	unsigned size;  /* bytes */
	char text[192]; /* clean */
};

/*
 * Takes [start, end) apart.  Returns the number of instructions in *list, which
 * the caller frees; 0 where the machine is not known to the disassembler.  Bytes
 * that are no instruction are ".byte".
 */
size_t td_source_disassemble(const unsigned char *code, uint64_t start, uint64_t end,
			     unsigned machine, struct td_source_instruction **list);

#endif
