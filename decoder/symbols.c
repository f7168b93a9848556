// SPDX-License-Identifier: MIT
#include "decoder/symbols.h"

#include <elfutils/libdwelf.h>
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libiberty/demangle.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "decoder/text.h"

/* Longer names are shown as they are: demangling can grow without bound. */
#define DEMANGLE_MAX 8192

struct entry {
	uint64_t start;
	uint64_t end;
	const char *name;
	uint32_t rank;   /* the lowest of several at one address is shown */
	uint32_t around; /* index + 1 of the entry that encloses this one, 0 none */
};

struct section {
	uint64_t start;
	uint64_t end;
	int plt;
};

struct td_symbols {
	enum td_symbols_state state;
	Dwfl *dwfl; /* owns names and images */
	Dwfl_Module *module;
	Elf *vdso;
	struct entry *entry; /* sorted by start, one for each address */
	size_t entries;
	struct section *section; /* executable ones */
	size_t sections;
	struct section plt; /* from the first to the last linkage table */
};

static int is_code(const GElf_Sym *sym)
{
	int type = GELF_ST_TYPE(sym->st_info);

	return sym->st_shndx != SHN_UNDEF && sym->st_value != 0 &&
	       (type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE);
}

/* Sized before unsized, functions before labels, global before local names. */
static uint32_t rank_of(const GElf_Sym *sym)
{
	static const uint32_t binding[16] = {
		[STB_LOCAL] = 2, [STB_GLOBAL] = 0, [STB_WEAK] = 1};

	return (sym->st_size == 0) * 8u +
	       (GELF_ST_TYPE(sym->st_info) == STT_NOTYPE) * 4u +
	       binding[GELF_ST_BIND(sym->st_info) & 15];
}

static const struct section *section_of(const struct td_symbols *symbols,
					uint64_t address)
{
	for (size_t i = 0; i < symbols->sections; i++) {
		if (address >= symbols->section[i].start &&
		    address < symbols->section[i].end)
			return &symbols->section[i];
	}
	return NULL;
}

static void add_entry(struct td_symbols *symbols, const GElf_Sym *sym, uint64_t address,
		      const char *name)
{
	/* "$x" and the like mark instruction sets, not functions */
	if (!name || !name[0] || name[0] == '$' || !is_code(sym) ||
	    !section_of(symbols, address))
		return;
	symbols->entry[symbols->entries++] = (struct entry){
		.start = address,
		.end = address + sym->st_size,
		.name = name,
		.rank = rank_of(sym),
	};
}

static int by_start(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* Keeps the best name of each address. */
static void drop_aliases(struct td_symbols *symbols)
{
	size_t kept = 0;

	for (size_t i = 0; i < symbols->entries; i++) {
		if (kept == 0 ||
		    symbols->entry[kept - 1].start != symbols->entry[i].start)
			symbols->entry[kept++] = symbols->entry[i];
	}
	symbols->entries = kept;
}

/* Where a symbol without a size ends: at the next one or with its section. */
static uint64_t open_end(const struct td_symbols *symbols, size_t i)
{
	const struct section *section = section_of(symbols, symbols->entry[i].start);
	uint64_t end = section->end;

	if (i + 1 < symbols->entries && symbols->entry[i + 1].start < end)
		end = symbols->entry[i + 1].start;
	return end;
}

/*
 * Symbols may enclose others.  `around` leads from each to the next one out, so
 * that a lookup never walks over siblings.  A label without a size inside a
 * sized function is no function of its own.
 */
static void link_enclosing(struct td_symbols *symbols)
{
	struct entry *entry = symbols->entry;
	uint32_t outer = 0; /* index + 1 */

	for (size_t i = 0; i < symbols->entries; i++) {
		while (outer && entry[outer - 1].end <= entry[i].start)
			outer = entry[outer - 1].around;
		entry[i].around = outer;
		if (entry[i].end > entry[i].start)
			outer = (uint32_t)i + 1;
		else if (!outer)
			entry[i].end = open_end(symbols, i);
	}
}

static void finish_index(struct td_symbols *symbols)
{
	if (symbols->entries == 0)
		return;
	qsort(symbols->entry, symbols->entries, sizeof(*symbols->entry), by_start);
	drop_aliases(symbols);
	link_enclosing(symbols);
}

static void add_section(struct td_symbols *symbols, const GElf_Shdr *shdr, uint64_t bias,
			const char *name)
{
	struct section *section = &symbols->section[symbols->sections++];
	struct section *plt = &symbols->plt;

	section->start = shdr->sh_addr + bias;
	section->end = section->start + shdr->sh_size;
	section->plt = strncmp(name, ".plt", 4) == 0 || strcmp(name, ".iplt") == 0;
	if (!section->plt)
		return;
	if (!plt->plt || section->start < plt->start)
		plt->start = section->start;
	if (section->end > plt->end)
		plt->end = section->end;
	plt->plt = 1;
}

static int read_sections(struct td_symbols *symbols, Elf *elf, uint64_t bias)
{
	Elf_Scn *scn = NULL;
	size_t count, names;

	if (elf_getshdrnum(elf, &count) < 0 || elf_getshdrstrndx(elf, &names) < 0)
		return 0;
	symbols->section = calloc(count + 1, sizeof(*symbols->section));
	if (!symbols->section)
		return -ENOMEM;
	while ((scn = elf_nextscn(elf, scn)) != NULL && symbols->sections < count) {
		GElf_Shdr shdr;
		const char *name;

		if (!gelf_getshdr(scn, &shdr) || !(shdr.sh_flags & SHF_EXECINSTR))
			continue;
		name = elf_strptr(elf, names, shdr.sh_name);
		add_section(symbols, &shdr, bias, name ? name : "");
	}
	return 0;
}

static int same_build(Elf *elf, const struct td_file_object *object)
{
	const void *id;
	ssize_t size = dwelf_elf_gnu_build_id(elf, &id);

	if (object->build_id_size == 0)
		return 1;
	return size == (ssize_t)object->build_id_size &&
	       memcmp(id, object->build_id, (size_t)size) == 0;
}

/* A regular file only: the path comes from the profile and may name anything. */
static int open_module(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd >= 0 && (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))) {
		close(fd);
		return -1;
	}
	return fd;
}

static Dwfl_Module *report_module(struct td_symbols *symbols, const char *path)
{
	static char *no_path; /* NULL: libdwfl's default debug directories */
	static const Dwfl_Callbacks callbacks = {
		.find_elf = dwfl_build_id_find_elf,
		.find_debuginfo = dwfl_standard_find_debuginfo,
		.debuginfo_path = &no_path,
	};
	Dwfl_Module *module;
	int fd = open_module(path);

	if (fd < 0)
		return NULL;
	symbols->dwfl = dwfl_begin(&callbacks);
	module = symbols->dwfl ? dwfl_report_elf(symbols->dwfl, path, path, fd, 0, true)
			       : NULL;
	if (!module)
		close(fd); /* after success it is libdwfl's */
	else
		dwfl_report_end(symbols->dwfl, NULL, NULL);
	return module;
}

static int read_module(struct td_symbols *symbols, const struct td_file_object *object)
{
	Dwfl_Module *module = report_module(symbols, object->path);
	GElf_Addr bias, address;
	GElf_Sym sym;
	Elf *elf;
	int count;

	elf = module ? dwfl_module_getelf(module, &bias) : NULL;
	if (!elf)
		return 0;
	symbols->state = TD_SYMBOLS_CHANGED;
	if (!same_build(elf, object))
		return 0;
	symbols->state = TD_SYMBOLS_READ;
	symbols->module = module;
	if (read_sections(symbols, elf, bias) < 0)
		return -ENOMEM;
	count = dwfl_module_getsymtab(module);
	if (count <= 0)
		return 0;
	symbols->entry = calloc((size_t)count, sizeof(*symbols->entry));
	if (!symbols->entry)
		return -ENOMEM;
	for (int i = 1; i < count; i++) {
		const char *name = dwfl_module_getsym_info(module, i, &sym, &address,
							   NULL, NULL, NULL);

		add_entry(symbols, &sym, address, name);
	}
	return 0;
}

/* Our own vdso is mapped whole, with its section headers at its end. */
static Elf *own_vdso(void)
{
	char *image = (char *)getauxval(AT_SYSINFO_EHDR); /* NOLINT: an address */
	const Elf64_Ehdr *head = (const void *)image;

	if (!image || elf_version(EV_CURRENT) == EV_NONE)
		return NULL;
	return elf_memory(image,
			  head->e_shoff + (size_t)head->e_shnum * head->e_shentsize);
}

static int read_vdso_symbols(struct td_symbols *symbols, Elf_Scn *scn,
			     const GElf_Shdr *shdr)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	size_t count = data && shdr->sh_entsize ? shdr->sh_size / shdr->sh_entsize : 0;

	symbols->entry = calloc(count + 1, sizeof(*symbols->entry));
	if (!symbols->entry)
		return -ENOMEM;
	for (size_t i = 1; i < count; i++) {
		GElf_Sym sym;

		if (gelf_getsym(data, (int)i, &sym))
			add_entry(symbols, &sym, sym.st_value,
				  elf_strptr(symbols->vdso, shdr->sh_link, sym.st_name));
	}
	return 0;
}

static int read_vdso(struct td_symbols *symbols, const struct td_file_object *object)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	symbols->vdso = own_vdso();
	if (!symbols->vdso)
		return 0;
	symbols->state = TD_SYMBOLS_CHANGED;
	if (object->build_id_size == 0 || !same_build(symbols->vdso, object))
		return 0;
	symbols->state = TD_SYMBOLS_READ;
	if (read_sections(symbols, symbols->vdso, 0) < 0)
		return -ENOMEM;
	while ((scn = elf_nextscn(symbols->vdso, scn)) != NULL) {
		if (gelf_getshdr(scn, &shdr) && shdr.sh_type == SHT_DYNSYM)
			return read_vdso_symbols(symbols, scn, &shdr);
	}
	return 0;
}

struct td_symbols *td_symbols_open(const struct td_file_object *object)
{
	struct td_symbols *symbols = calloc(1, sizeof(*symbols));
	int err = 0;

	if (!symbols)
		return NULL;
	symbols->state = TD_SYMBOLS_MISSING;
	if (object->kind == TD_OBJECT_VDSO)
		err = read_vdso(symbols, object);
	else if (object->kind == TD_OBJECT_ELF)
		err = read_module(symbols, object);
	if (err) {
		td_symbols_close(symbols);
		return NULL;
	}
	finish_index(symbols);
	return symbols;
}

enum td_symbols_state td_symbols_state(const struct td_symbols *symbols)
{
	return symbols->state;
}

struct Dwfl_Module *td_symbols_module(const struct td_symbols *symbols)
{
	return symbols->module;
}

void td_symbols_close(struct td_symbols *symbols)
{
	if (symbols->dwfl)
		dwfl_end(symbols->dwfl);
	if (symbols->vdso)
		elf_end(symbols->vdso);
	free(symbols->entry);
	free(symbols->section);
	free(symbols);
}

/* The number of entries that start at or before the address. */
static size_t count_before(const struct td_symbols *symbols, uint64_t address)
{
	size_t low = 0, high = symbols->entries;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (symbols->entry[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

int td_symbols_find(const struct td_symbols *symbols, uint64_t address,
		    struct td_symbol *symbol)
{
	const struct section *section = section_of(symbols, address);
	size_t at;

	if (section && section->plt) {
		*symbol =
			(struct td_symbol){"[plt]", symbols->plt.start, symbols->plt.end};
		return 1;
	}
	at = count_before(symbols, address);
	while (at && symbols->entry[at - 1].end <= address)
		at = symbols->entry[at - 1].around;
	if (!at)
		return 0;
	*symbol = (struct td_symbol){symbols->entry[at - 1].name,
				     symbols->entry[at - 1].start,
				     symbols->entry[at - 1].end};
	return 1;
}

static char *demangle(const char *name)
{
	const char *version = strchr(name, '@');
	size_t length =
		version && version != name ? (size_t)(version - name) : strlen(name);
	char *plain = strndup(name, length), *demangled;

	if (!plain || length > DEMANGLE_MAX)
		return plain;
	demangled = cplus_demangle(plain, DMGL_AUTO | DMGL_PARAMS | DMGL_ANSI);
	/* AUTO leaves D out */
	if (!demangled && strncmp(plain, "_D", 2) == 0)
		demangled = dlang_demangle(plain, DMGL_PARAMS);
	if (!demangled)
		return plain;
	free(plain);
	return demangled;
}

char *td_symbol_demangle(const char *name)
{
	char *plain = demangle(name);
	char *clean = plain ? td_text_clean(plain, strlen(plain)) : NULL;

	free(plain);
	return clean;
}

char *td_symbol_unnamed(uint32_t kind, const char *module, uint64_t address)
{
	unsigned long long at = address;

	switch (kind) {
	case TD_PLACE_FUNCTION:
		return td_text_format("%s+0x%llx", module, at);
	case TD_PLACE_GAP:
		return td_text_format("[%s gap 0x%llx]", module, at);
	case TD_PLACE_JIT:
		return td_text_format(
			module[0] == '[' ? "[jit anon 0x%llx]" : "[jit 0x%llx]", at);
	case TD_PLACE_OTHER:
		return td_text_format("[other: the profile was full]");
	default:
		return td_text_format("[unknown code]");
	}
}
