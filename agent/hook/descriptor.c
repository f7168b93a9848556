// SPDX-License-Identifier: MIT
/* Descriptors: to the program ours do not exist, so closing one fails with
 * EBADF, and a number that it wants for itself is free. */
#include <errno.h>
#include <linux/close_range.h>
#include <limits.h>
#include <unistd.h>

#include "agent/core/real.h"
#include "agent/core/threads.h"
#include "agent/hook/hook.h"
#include "agent/sigsafe/descriptors.h"

TD_EXPORT int close(int fd)
{
	if (td_descriptor_is_ours(fd)) {
		errno = EBADF;
		return -1;
	}
	return td_real()->close(fd);
}

/* Closes [first, last] piece by piece around ours. */
TD_EXPORT int close_range(unsigned first, unsigned last, int flags)
{
	while (first <= last) {
		int ours = td_descriptor_first(first, last);

		if (ours < 0)
			break;
		/* first of all, and once: nothing closes in the table that was shared */
		if ((flags & (int)CLOSE_RANGE_UNSHARE) &&
		    td_real()->close_range(UINT_MAX, UINT_MAX, CLOSE_RANGE_UNSHARE) != 0)
			return -1;
		flags &= ~(int)CLOSE_RANGE_UNSHARE;
		if ((unsigned)ours > first &&
		    td_real()->close_range(first, (unsigned)ours - 1, flags) != 0)
			return -1;
		if ((unsigned)ours == last)
			return 0;
		first = (unsigned)ours + 1;
	}
	return td_real()->close_range(first, last, flags);
}

TD_EXPORT void closefrom(int first)
{
	int saved_errno = errno;

	close_range(first < 0 ? 0 : (unsigned)first, UINT_MAX, 0);
	errno = saved_errno;
}

TD_EXPORT int dup2(int from, int to)
{
	if (td_descriptor_is_ours(from)) {
		errno = EBADF;
		return -1;
	}
	if (td_descriptor_is_ours(to))
		td_threads_yield_descriptor(to);
	return td_real()->dup2(from, to);
}

TD_EXPORT int dup3(int from, int to, int flags)
{
	if (td_descriptor_is_ours(from)) {
		errno = EBADF;
		return -1;
	}
	if (td_descriptor_is_ours(to))
		td_threads_yield_descriptor(to);
	return td_real()->dup3(from, to, flags);
}
