// SPDX-License-Identifier: MIT
#include "agent/sigsafe/proc.h"

#include <errno.h>
#include <fcntl.h>

#include "agent/sigsafe/syscall.h"

#define FIELD_START 22 /* of proc(5), counted from 1 */

/* Raw calls: reading a file must not pass our own hooks nor be a cancellation point. */
long td_proc_read(const char *path, char *text, size_t size)
{
	long fd = td_syscall4(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
	size_t used = 0;
	long n = 0;

	text[0] = 0;
	if (fd < 0)
		return fd;
	while (used < size - 1) {
		n = td_syscall3(SYS_read, fd, text + used, size - 1 - used);
		if (n == -EINTR)
			continue;
		if (n <= 0)
			break;
		used += (size_t)n;
	}
	td_syscall1(SYS_close, fd);
	text[used] = 0;
	return n < 0 ? n : (long)used;
}

uint64_t td_proc_start(const char *stat)
{
	const char *at = NULL;
	uint64_t start = 0;
	int field = 2;

	/* the name may hold anything, ')' included */
	for (; *stat; stat++)
		if (*stat == ')')
			at = stat;
	for (; at && *at && field < FIELD_START; at++)
		field += *at == ' ';
	for (; at && *at >= '0' && *at <= '9'; at++)
		start = start * 10 + (uint64_t)(*at - '0');
	return start;
}

void td_proc_describe(struct td_file_header *header)
{
	static char text[512]; /* not on a stack that may be small */

	td_proc_read("/proc/self/cmdline", header->command, sizeof(header->command));
	td_proc_read("/proc/self/stat", text, sizeof(text));
	header->process_start = td_proc_start(text);
}
