// SPDX-License-Identifier: MIT
#include "tests/unit/memory_store.h"

#include <check.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/sigsafe/windows.h"

void memory_store_open(uint32_t counters, uint32_t blocks_max)
{
	struct stat st;
	int fd = memfd_create("store", MFD_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(ftruncate(fd, TD_HEADER_BLOCKS * TD_BLOCK_SIZE), 0);
	ck_assert_int_eq(fstat(fd, &st), 0);
	td_store.fd = fd;
	td_store.device = st.st_dev;
	td_store.inode = st.st_ino;
	td_store.map_size = (uint64_t)blocks_max * TD_BLOCK_SIZE;
	td_store.header =
		mmap(NULL, td_store.map_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	ck_assert_ptr_ne(td_store.header, MAP_FAILED);
	td_store.ready_blocks = TD_HEADER_BLOCKS;
	td_store.header->blocks = TD_HEADER_BLOCKS;
	td_store.header->blocks_max = blocks_max;
	td_store.header->counters = counters;
	td_store.header->windows_max = td_windows_room(blocks_max);
	td_store.header->place_size = TD_PLACE_SIZE(counters);
}

void memory_store_close(void)
{
	munmap(td_store.header, td_store.map_size);
	close(td_store.fd);
	td_store_forget();
	td_windows_forget();
	td_identity_forget();
}

void memory_store_add_thread(struct td_places *places)
{
	uint32_t block = td_store_take_block();
	uint32_t ref = TD_REF(block, 0);

	ck_assert_uint_ne(block, 0);
	td_store_publish_block(block, TD_BLOCK_THREADS, 0);
	ck_assert(td_places_init(
		places, td_store_record(ref, sizeof(struct td_file_thread)), ref));
}
