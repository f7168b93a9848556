// SPDX-License-Identifier: MIT
#include "agent/core/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "agent/sigsafe/syscall.h"

#define PREFIX "tdagent: "

unsigned td_debug_areas;

void td_say(const char *format, ...)
{
	char line[1024] = PREFIX;
	size_t used = sizeof(PREFIX) - 1;
	va_list arguments;
	int length;

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
