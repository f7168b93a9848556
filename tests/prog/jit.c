// SPDX-License-Identifier: MIT
/*
 * Writes a loop into a fresh page, as a JIT compiler does, and runs it for two
 * thirds of the CPU time.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/prog/spin.h"

#if defined(__x86_64__)
/* mov %edi,%eax; 1: dec %eax; jnz 1b; ret */
static const unsigned char loop[] = {0x89, 0xf8, 0xff, 0xc8, 0x75, 0xfc, 0xc3};
#elif defined(__aarch64__)
/* 1: subs w0, w0, #1; b.ne 1b; ret */
static const uint32_t loop[] = {0x71000400, 0x54ffffe1, 0xd65f03c0};
#endif

static SPIN_NOINLINE void compiled_work(void)
{
	spin_ms(200);
}

int main(void)
{
	unsigned char *code = mmap(NULL, 8192, PROT_READ | PROT_WRITE | PROT_EXEC,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void (*run)(unsigned);
	uint64_t last, spent = 0;

	if (code == MAP_FAILED)
		return 1;
	memcpy(code + 4096, loop, sizeof(loop));
	__builtin___clear_cache((char *)code + 4096, (char *)code + 8192);
	*(void **)&run = code + 4096;
	last = spin_now_ns();
	while (spent < 400 * SPIN_MS) {
		run(50000);
		spent += spin_ran_ns(&last);
	}
	compiled_work();
	puts("jit: done");
	return 0;
}
