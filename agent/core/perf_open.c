// SPDX-License-Identifier: MIT
#include "agent/core/perf_open.h"

#include <errno.h>

#include "agent/sigsafe/descriptors.h"
#include "agent/sigsafe/syscall.h"

int td_perf_open(struct perf_event_attr *attr, uint32_t tid, int leader)
{
	long fd;

	if (td_descriptors_are_few())
		return -EMFILE;
	if (!attr->size)
		attr->size = sizeof(*attr);
	attr->disabled = leader < 0;
	attr->exclude_hv = 1;
	fd = td_syscall6(SYS_perf_event_open, (long)attr, (long)tid, -1, leader,
			 PERF_FLAG_FD_CLOEXEC, 0);
	return fd < 0 ? (int)fd : td_descriptor_hide((int)fd);
}
