// SPDX-License-Identifier: MIT
/*
 * onsmall PROFILE THREAD...: makes the profile one of a hybrid processor, on whose small
 * cores the threads of these names were and on whose large ones all others.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "decoder/format.h"

static unsigned char *file;
static char **names;

static struct td_file_header *header(void)
{
	return (struct td_file_header *)file;
}

/* Hands all records of a kind to `use`. */
static void each(uint32_t kind, uint32_t size, void (*use)(void *record))
{
	for (uint32_t i = TD_HEADER_BLOCKS; i < header()->blocks; i++) {
		unsigned char *start = file + (size_t)i * TD_BLOCK_SIZE;

		if (((struct td_file_block *)start)->kind != kind)
			continue;
		for (uint32_t at = TD_BLOCK_HEADER; at + size <= TD_BLOCK_SIZE;
		     at += size)
			use(start + at);
	}
}

static void mark_thread(void *record)
{
	struct td_file_thread *thread = record;

	for (char **name = names; *name && thread->state; name++)
		if (strncmp(thread->name, *name, sizeof(thread->name)) == 0)
			thread->cores = TD_CORES_SMALL;
}

static struct td_file_window *window;

static void mark_window(void *record)
{
	const struct td_file_thread *thread = record;

	if (thread->state && thread->tid == window->thread && thread->cores)
		window->group = 1;
}

static void find_thread(void *record)
{
	window = record;
	if (window->state)
		each(TD_BLOCK_THREADS, header()->thread_size, mark_window);
}

int main(int argc, char **argv)
{
	struct stat st;
	int fd = argc > 2 ? open(argv[1], O_RDWR) : -1;

	if (fd < 0 || fstat(fd, &st) != 0)
		return perror("onsmall PROFILE THREAD..."), 2;
	file = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (file == MAP_FAILED)
		return perror(argv[1]), 2;
	names = argv + 2;
	header()->groups = 2;
	header()->small_group = 1;
	each(TD_BLOCK_THREADS, header()->thread_size, mark_thread);
	each(TD_BLOCK_WINDOWS, header()->window_size, find_thread);
	return 0;
}
