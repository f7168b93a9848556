// SPDX-License-Identifier: MIT
#include "tools/annotate_source.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TEXT_MAX (64u << 20)

static const char *file_of(Dwarf_Die *die, Dwarf_Attribute *attribute)
{
	Dwarf_Files *files;
	Dwarf_Word index;
	Dwarf_Die unit;

	if (dwarf_formudata(attribute, &index) != 0 ||
	    !dwarf_diecu(die, &unit, NULL, NULL) ||
	    dwarf_getsrcfiles(&unit, &files, NULL) != 0)
		return NULL;
	return dwarf_filesrc(files, index, NULL, NULL);
}

/* The frame from which an inlined function is called. */
static void put_caller(struct td_source *source, Dwarf_Die *inlined)
{
	struct td_source_frame *frame = &source->frame[source->frames];
	Dwarf_Attribute attribute;
	Dwarf_Word line;

	frame->file = dwarf_attr(inlined, DW_AT_call_file, &attribute)
			      ? file_of(inlined, &attribute)
			      : NULL;
	if (!frame->file || !dwarf_attr(inlined, DW_AT_call_line, &attribute) ||
	    dwarf_formudata(&attribute, &line) != 0)
		return;
	frame->line = (int)line;
	source->frames++;
}

/* From the innermost scope outwards; names belong to the frames in turn. */
static void put_scopes(struct td_source *source, Dwarf_Die *scope, int scopes)
{
	for (int i = 0; i < scopes && source->frames < TD_SOURCE_FRAMES; i++) {
		int tag = dwarf_tag(&scope[i]);

		if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram)
			continue;
		source->frame[source->frames - 1].function = dwarf_diename(&scope[i]);
		if (tag == DW_TAG_subprogram)
			return;
		put_caller(source, &scope[i]);
	}
}

/* Of clang's units there is no table by address: then one after the other is asked. */
static Dwarf_Die *unit_at(struct Dwfl_Module *module, uint64_t address, Dwarf_Addr *bias)
{
	Dwarf_Die *unit = dwfl_module_addrdie(module, address, bias);

	if (unit)
		return unit;
	do
		unit = dwfl_module_nextcu(module, unit, bias);
	while (unit && dwarf_haspc(unit, address - *bias) <= 0);
	return unit;
}

/* The instruction's own frame: its line, and where the compiler ran. */
static void put_line(struct td_source *source, Dwarf_Die *unit, Dwarf_Line *line)
{
	Dwarf_Attribute attribute;

	source->frame[0].file = dwarf_linesrc(line, NULL, NULL);
	if (!source->frame[0].file || dwarf_lineno(line, &source->frame[0].line) != 0 ||
	    !source->frame[0].line)
		return; /* 0: the compiler's own */
	if (dwarf_attr(unit, DW_AT_comp_dir, &attribute))
		source->directory = dwarf_formstring(&attribute);
	source->frames = 1;
}

void td_source_at(struct Dwfl_Module *module, uint64_t address, struct td_source *source)
{
	Dwarf_Die *unit, *scope = NULL, *tree = NULL;
	Dwarf_Line *line;
	Dwarf_Addr bias;
	int scopes;

	memset(source, 0, sizeof(*source));
	unit = module ? unit_at(module, address, &bias) : NULL;
	line = unit ? dwarf_getsrc_die(unit, address - bias) : NULL;
	if (line)
		put_line(source, unit, line);
	if (!source->frames)
		return;
	scopes = dwarf_getscopes(unit, address - bias, &scope);
	/* the scopes of an inlined function are where it was written, its parents
	 * in the tree where it is now */
	if (scopes > 0)
		scopes = dwarf_getscopes_die(&scope[0], &tree);
	if (scopes > 0)
		put_scopes(source, tree, scopes);
	free(scope);
	free(tree);
}

char *td_source_path(const struct td_source *source, const char *file)
{
	char *path;

	if (file[0] == '/' || !source->directory)
		return strdup(file);
	return asprintf(&path, "%s/%s", source->directory, file) < 0 ? NULL : path;
}

const unsigned char *td_source_code(struct Dwfl_Module *module, uint64_t start,
				    uint64_t end, unsigned *machine)
{
	GElf_Addr bias;
	Elf *elf = module ? dwfl_module_getelf(module, &bias) : NULL;
	GElf_Ehdr header;
	size_t count;

	if (!elf || !gelf_getehdr(elf, &header) || elf_getphdrnum(elf, &count) < 0)
		return NULL;
	*machine = header.e_machine;
	start -= bias;
	end -= bias;
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr segment;
		Elf_Data *data;

		if (!gelf_getphdr(elf, (int)i, &segment) || segment.p_type != PT_LOAD ||
		    start < segment.p_vaddr || end < start ||
		    end - segment.p_vaddr > segment.p_filesz)
			continue;
		data = elf_getdata_rawchunk(
			elf, (int64_t)(segment.p_offset + (start - segment.p_vaddr)),
			end - start, ELF_T_BYTE);
		return data ? data->d_buf : NULL;
	}
	return NULL;
}

static char *read_all(const char *path, size_t *size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	char *bytes = NULL;
	ssize_t got;

	*size = 0;
	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    st.st_size < TEXT_MAX)
		bytes = malloc((size_t)st.st_size + 1);
	while (bytes && *size < (size_t)st.st_size) {
		got = read(fd, bytes + *size, (size_t)st.st_size - *size);
		if (got <= 0)
			break;
		*size += (size_t)got;
	}
	if (bytes)
		bytes[*size] = '\0';
	if (fd >= 0)
		close(fd);
	return bytes;
}

void td_source_read(struct td_source_text *text, const char *path)
{
	size_t size, lines = 1;
	char *rest;

	memset(text, 0, sizeof(*text));
	text->bytes = read_all(path, &size);
	if (!text->bytes)
		return;
	for (size_t i = 0; i < size; i++)
		lines += text->bytes[i] == '\n';
	text->line = calloc(lines, sizeof(*text->line));
	rest = text->bytes;
	while (text->line && rest && text->lines < lines)
		text->line[text->lines++] = strsep(&rest, "\n");
}

void td_source_free(struct td_source_text *text)
{
	free(text->bytes);
	free(text->line);
	memset(text, 0, sizeof(*text));
}

const char *td_source_line(const struct td_source_text *text, int line)
{
	return line > 0 && (size_t)line <= text->lines ? text->line[line - 1] : "";
}
