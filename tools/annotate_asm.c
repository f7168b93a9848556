// SPDX-License-Identifier: MIT
/* Disassembly: capstone, which has a free licence and a library for programs. */
#include <capstone.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>

#include "decoder/reserve.h"
#include "tools/annotate_source.h"

static int open_for(unsigned machine, csh *handle)
{
	if (machine == EM_X86_64)
		return cs_open(CS_ARCH_X86, CS_MODE_64, handle) == CS_ERR_OK;
	if (machine == EM_AARCH64)
		return cs_open(CS_ARCH_ARM64, CS_MODE_ARM, handle) == CS_ERR_OK;
	return 0;
}

static unsigned one(csh handle, cs_insn *insn, const unsigned char *code, size_t left,
		    struct td_source_instruction *into)
{
	uint64_t address = into->address;

	if (cs_disasm_iter(handle, &code, &left, &address, insn)) {
		snprintf(into->text, sizeof(into->text), "%s%s%s", insn->mnemonic,
			 insn->op_str[0] ? " " : "", insn->op_str);
		return insn->size;
	}
	snprintf(into->text, sizeof(into->text), ".byte 0x%02x", code[0]);
	return 1;
}

size_t td_source_disassemble(const unsigned char *code, uint64_t start, uint64_t end,
			     unsigned machine, struct td_source_instruction **list)
{
	size_t count = 0, size = end - start;
	cs_insn *insn;
	csh handle;

	*list = NULL;
	if (!code || end <= start || !open_for(machine, &handle))
		return 0;
	insn = cs_malloc(handle);
	for (size_t at = 0;
	     insn && at < size && td_reserve(list, count, sizeof(**list)) == 0; count++) {
		struct td_source_instruction *next = &(*list)[count];

		next->address = start + at;
		next->size = one(handle, insn, code + at, size - at, next);
		at += next->size;
	}
	if (insn)
		cs_free(insn, 1);
	cs_close(&handle);
	return count;
}
