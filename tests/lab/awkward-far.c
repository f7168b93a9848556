// SPDX-License-Identifier: MIT
/* The second object of awkward: functions that are called across objects. */
#include "awkward.h"

#define EXTENT(name) extern const char __start_lab_##name[], __stop_lab_##name[]

EXTENT(far_plt);
EXTENT(far_got);

IN(far_plt) void awkward_far_plt(void)
{
	STEPS(16);
}

IN(far_got) void awkward_far_got(void)
{
	STEPS(22);
}

void awkward_far_ranges(const char *ranges[4])
{
	ranges[0] = __start_lab_far_plt;
	ranges[1] = __stop_lab_far_plt;
	ranges[2] = __start_lab_far_got;
	ranges[3] = __stop_lab_far_got;
}
