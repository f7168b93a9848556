// SPDX-License-Identifier: MIT
#include "agent/sigsafe/descriptors.h"

#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/resource.h>

#include "agent/sigsafe/syscall.h"

#define NUMBERS 65536u /* higher ones are not protected */
#define FLOOR 400u
#define FEW 16

/* One bit a descriptor.  Set by the thread that opened it, read by all. */
static _Atomic uint64_t ours[NUMBERS / 64];

static void mark(int fd, bool is_ours)
{
	uint64_t bit = (uint64_t)1 << (fd % 64);

	if (fd < 0 || (unsigned)fd >= NUMBERS)
		return;
	if (is_ours)
		atomic_fetch_or(&ours[fd / 64], bit);
	else
		atomic_fetch_and(&ours[fd / 64], ~bit);
}

bool td_descriptor_is_ours(int fd)
{
	return fd >= 0 && (unsigned)fd < NUMBERS &&
	       (atomic_load_explicit(&ours[fd / 64], memory_order_relaxed) >> (fd % 64) &
		1);
}

/*
 * Programs take the lowest free number: few get to half of their limit.  Nor
 * higher than needed: the kernel's table has room for the highest number, and
 * fork copies it (up to 512 numbers are one page).
 */
static int floor_of(void)
{
	struct rlimit limit;

	if (td_syscall4(SYS_prlimit64, 0, RLIMIT_NOFILE, 0, &limit) != 0 ||
	    limit.rlim_cur > 2 * FLOOR)
		return FLOOR;
	return (int)(limit.rlim_cur / 2);
}

bool td_descriptors_are_few(void)
{
	struct rlimit limit;

	return td_syscall4(SYS_prlimit64, 0, RLIMIT_NOFILE, 0, &limit) == 0 &&
	       limit.rlim_cur < FEW;
}

bool td_descriptor_is_scarce(int fd, unsigned eighths)
{
	struct rlimit limit;

	return td_syscall4(SYS_prlimit64, 0, RLIMIT_NOFILE, 0, &limit) == 0 &&
	       (rlim_t)fd >= limit.rlim_cur / 8 * eighths;
}

int td_descriptor_hide(int fd)
{
	long high = td_syscall3(SYS_fcntl, fd, F_DUPFD_CLOEXEC, floor_of());

	if (high >= 0) {
		td_syscall1(SYS_close, fd);
		fd = (int)high;
	}
	mark(fd, true);
	return fd;
}

void td_descriptor_close(int fd)
{
	if (!td_descriptor_is_ours(fd))
		return;
	mark(fd, false);
	td_syscall1(SYS_close, fd);
}

void td_descriptor_forget_all(void)
{
	for (unsigned word = 0; word < NUMBERS / 64; word++)
		atomic_store(&ours[word], 0);
}

int td_descriptor_first(unsigned from, unsigned to)
{
	if (to >= NUMBERS)
		to = NUMBERS - 1;
	for (unsigned word = from / 64; from <= to && word <= to / 64; word++) {
		uint64_t bits = atomic_load_explicit(&ours[word], memory_order_relaxed);

		if (word == from / 64)
			bits &= ~(uint64_t)0 << (from % 64);
		if (bits) {
			unsigned fd = word * 64 + (unsigned)__builtin_ctzll(bits);

			return fd <= to ? (int)fd : -1;
		}
	}
	return -1;
}

int td_descriptor_yield(int fd)
{
	long other = td_syscall3(SYS_fcntl, fd, F_DUPFD_CLOEXEC, fd + 1);

	mark(fd, false);
	td_syscall1(SYS_close, fd);
	if (other < 0)
		return -1;
	mark((int)other, true);
	return (int)other;
}
