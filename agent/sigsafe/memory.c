// SPDX-License-Identifier: MIT
#include "agent/sigsafe/memory.h"

#include <string.h>
#include <sys/uio.h>

#include "agent/sigsafe/maps.h"
#include "agent/sigsafe/syscall.h"

#define LOOKED_MAX 64u
#define GROWTH_MAX (1ull << 30) /* no stack pointer further down is of that stack */
#define PAGE 4096u

/* The first thread's stack has grown: where does it start now? */
static void follow_growth(struct td_memory *memory, uint64_t sp)
{
	struct td_mapping now;

	if (!memory->grows || memory->looked >= LOOKED_MAX ||
	    memory->stack.end - sp > GROWTH_MAX)
		return;
	memory->looked++;
	if (td_maps_exactly(sp, &now) && now.range.end == memory->stack.end)
		memory->stack.start = now.range.start;
}

void td_memory_begin(struct td_memory *memory, uint64_t sp)
{
	memory->chunk_size = 0;
	memory->from = 0;
	if (sp >= memory->stack.end)
		return;
	if (sp < memory->stack.start)
		follow_growth(memory, sp);
	if (sp >= memory->stack.start)
		memory->from = sp;
}

/* A copy of what is at `address` up to the end of the chunk or page. */
static bool fetch_chunk(struct td_memory *memory, uint64_t address)
{
	uint64_t room = PAGE - address % PAGE;
	struct iovec to = {memory->chunk,
			   room < TD_MEMORY_CHUNK ? room : TD_MEMORY_CHUNK};
	struct iovec from = {(void *)address, to.iov_len};
	/* the kernel takes any thread's number: this one cannot be out of date */
	long n = td_syscall6(SYS_process_vm_readv, (long)td_gettid(), (long)&to, 1,
			     (long)&from, 1, 0);

	memory->chunk_size = n > 0 ? (uint32_t)n : 0;
	memory->chunk_start = address;
	return n > 0;
}

bool td_memory_is_alike(uint64_t a, uint64_t b)
{
	uint8_t bytes[2][TD_MEMORY_ALIKE];
	struct iovec to = {bytes, sizeof(bytes)};
	struct iovec from[2] = {{(void *)a, TD_MEMORY_ALIKE},
				{(void *)b, TD_MEMORY_ALIKE}};

	return td_syscall6(SYS_process_vm_readv, (long)td_gettid(), (long)&to, 1,
			   (long)from, 2, 0) == (long)sizeof(bytes) &&
	       memcmp(bytes[0], bytes[1], TD_MEMORY_ALIKE) == 0;
}

static bool take_byte(struct td_memory *memory, uint64_t address, uint8_t *byte)
{
	if (address - memory->chunk_start >= memory->chunk_size &&
	    !fetch_chunk(memory, address))
		return false;
	*byte = memory->chunk[address - memory->chunk_start];
	return true;
}

bool td_memory_fetch(struct td_memory *memory, uint64_t address, uint64_t *value)
{
	uint64_t offset = address - memory->chunk_start;
	uint8_t bytes[sizeof(*value)];

	if (address > UINT64_MAX - sizeof(bytes))
		return false;
	if (offset < memory->chunk_size && memory->chunk_size - offset >= sizeof(bytes)) {
		memcpy(value, memory->chunk + offset, sizeof(*value));
		return true;
	}
	for (unsigned i = 0; i < sizeof(bytes); i++)
		if (!take_byte(memory, address + i, &bytes[i]))
			return false;
	memcpy(value, bytes, sizeof(*value));
	return true;
}
