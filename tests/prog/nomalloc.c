// SPDX-License-Identifier: MIT
/*
 * Preloaded beside the agent: the NOMALLOC-th malloc() of its own fails (0: none), and at
 * exit their number goes to the file NOMALLOC_COUNT.
 */
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern void *__libc_malloc(size_t size);

static uintptr_t agent_start, agent_end;
static atomic_int calls;
static int failing;

static int find_agent(struct dl_phdr_info *info, size_t size, void *unused)
{
	(void)size;
	(void)unused;
	if (!strstr(info->dlpi_name, "libtdagent.so"))
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		uintptr_t end = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr +
				info->dlpi_phdr[i].p_memsz;

		if (info->dlpi_phdr[i].p_type == PT_LOAD && end > agent_end)
			agent_end = end;
	}
	agent_start = info->dlpi_addr;
	return 1;
}

static __attribute__((constructor)) void start(void)
{
	const char *number = getenv("NOMALLOC");

	failing = number ? atoi(number) : 0;
	dl_iterate_phdr(find_agent, NULL);
}

__attribute__((visibility("default"))) void *malloc(size_t size)
{
	uintptr_t caller = (uintptr_t)__builtin_return_address(0);

	if (caller >= agent_start && caller < agent_end &&
	    atomic_fetch_add(&calls, 1) + 1 == failing) {
		errno = ENOMEM;
		return NULL;
	}
	return __libc_malloc(size);
}

static __attribute__((destructor)) void end(void)
{
	const char *path = getenv("NOMALLOC_COUNT");
	int fd = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;

	if (fd >= 0)
		dprintf(fd, "%d\n", atomic_load(&calls));
}
