/* SPDX-License-Identifier: MIT */
/*
 * Names for ELF addresses of one module: from .symtab, .dynsym, MiniDebugInfo
 * and separate debug files (by build-id and by .gnu_debuglink), through libdwfl.
 * The vdso's names come from this process's own.
 *
 * debuginfod would make a report wait for the network: the caller unsets
 * DEBUGINFOD_URLS first.
 *
 * Context: normal; no globals, no output.
 */
#ifndef TD_DECODER_SYMBOLS_H
#define TD_DECODER_SYMBOLS_H

#include <stdint.h>

#include "decoder/format.h"

struct td_symbols;
struct Dwfl_Module;

enum td_symbols_state {
	TD_SYMBOLS_READ,    /* names are as good as the file has them */
	TD_SYMBOLS_MISSING, /* no such file, or not readable, or not ELF */
	TD_SYMBOLS_CHANGED, /* the file is another one than the one that ran */
};

/* One symbol; the name is the linker's and lives as long as the td_symbols. */
struct td_symbol {
	const char *name;
	uint64_t start; /* ELF address */
	uint64_t end;
};

/*
 * Opens the module.  Returns NULL without memory only: a module that cannot be
 * read has no symbols, and td_symbols_state() says why.  A module without
 * build-id cannot be checked; its file is taken as it is.
 */
struct td_symbols *td_symbols_open(const struct td_file_object *object);
enum td_symbols_state td_symbols_state(const struct td_symbols *symbols);
void td_symbols_close(struct td_symbols *symbols);

/*
 * Finds the symbol that covers the address: the innermost one, the global one
 * of aliases.  Inside a procedure linkage table it is "[plt]".  Returns 1, or 0
 * for none.
 */
int td_symbols_find(const struct td_symbols *symbols, uint64_t address,
		    struct td_symbol *symbol);

/*
 * The module as libdwfl has it, for who wants lines and code; it lives as long as
 * the td_symbols.  NULL where names are not TD_SYMBOLS_READ, or are the vdso's.
 * Its addresses are ELF addresses.
 */
struct Dwfl_Module *td_symbols_module(const struct td_symbols *symbols);

/*
 * The name for people, clean (decoder/text.h): without its version
 * ("@@GLIBC_2.14"), C++, Rust and D names demangled.  Free it; NULL without memory.
 */
char *td_symbol_demangle(const char *name);

/* What code without a symbol is called: by its place (TD_PLACE_*).  Free it; NULL
 * without memory. */
char *td_symbol_unnamed(uint32_t kind, const char *module, uint64_t address);

#endif
