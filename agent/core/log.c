// SPDX-License-Identifier: MIT
#include "agent/core/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "agent/sigsafe/syscall.h"

#define PREFIX "tdagent: "

unsigned td_debug_areas;

/* The file behind descriptor 2 when we started; all zero: none. */
static struct stat first_stderr;

static long stat_stderr(struct stat *st)
{
	return td_syscall2(SYS_fstat, 2, st);
}

void td_log_start(void)
{
	if (stat_stderr(&first_stderr) != 0)
		memset(&first_stderr, 0, sizeof(first_stderr));
}

bool td_log_possible(void)
{
	struct stat now;

	return stat_stderr(&now) == 0 && now.st_ino &&
	       now.st_ino == first_stderr.st_ino && now.st_dev == first_stderr.st_dev;
}

void td_say(const char *format, ...)
{
	char line[1024] = PREFIX;
	size_t used = sizeof(PREFIX) - 1;
	va_list arguments;
	int length;

	if (!td_log_possible())
		return;
	va_start(arguments, format);
	length = vsnprintf(line + used, sizeof(line) - used - 1, format, arguments);
	va_end(arguments);
	if (length < 0)
		return;
	used += (size_t)length;
	if (used > sizeof(line) - 2)
		used = sizeof(line) - 2;
	line[used++] = '\n';
	/* no stdio: the program's stderr may be locked, buffered or rebound */
	td_syscall3(SYS_write, 2, line, used);
}
