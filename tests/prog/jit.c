// SPDX-License-Identifier: MIT
/*
 * Writes a loop into a fresh page, as a JIT compiler does, and runs it for two
 * thirds of the CPU time.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/prog/spin.h"

/* mov %edi,%eax; 1: dec %eax; jnz 1b; ret */
static const unsigned char loop[] = {0x89, 0xf8, 0xff, 0xc8, 0x75, 0xfc, 0xc3};

static SPIN_NOINLINE void compiled_work(void)
{
	spin_ms(200);
}

int main(void)
{
	unsigned char *code = mmap(NULL, 8192, PROT_READ | PROT_WRITE | PROT_EXEC,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void (*run)(unsigned);
	uint64_t start;

	if (code == MAP_FAILED)
		return 1;
	memcpy(code + 4096, loop, sizeof(loop));
	*(void **)&run = code + 4096;
	start = spin_cpu_ns();
	while (spin_cpu_ns() - start < 400 * SPIN_MS)
		run(100000);
	compiled_work();
	puts("jit: done");
	return 0;
}
