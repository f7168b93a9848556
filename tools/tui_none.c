// SPDX-License-Identifier: MIT
/* Built without ncurses. */
#include <errno.h>

#include "tools/tui.h"

int td_tui_run(const struct td_report *report, int count, char **path)
{
	(void)report, (void)count, (void)path;
	return -ENOSYS;
}
