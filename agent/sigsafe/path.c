// SPDX-License-Identifier: MIT
#include "agent/sigsafe/path.h"

#include "agent/sigsafe/syscall.h"

void td_path_copy(char *to, const char *from, size_t size)
{
	size_t i;

	for (i = 0; i + 1 < size && from[i]; i++)
		to[i] = from[i];
	to[i] = 0;
}

void td_path_absolute(char *to, const char *from, size_t size)
{
	size_t used = 0;
	long length;

	if (*from && *from != '/') {
		while (from[0] == '.' && from[1] == '/')
			from += 2;
		/* the kernel counts the NUL, and says "(unreachable)" of some */
		length = td_syscall2(SYS_getcwd, to, size);
		if (length > 0 && (size_t)length < size && *to == '/') {
			used = length == 2 ? 1 : (size_t)length; /* "/" has its slash */
			to[used - 1] = '/';
		}
	}
	td_path_copy(to + used, from, size - used);
}
