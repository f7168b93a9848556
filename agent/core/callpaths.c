// SPDX-License-Identifier: MIT
#include "agent/core/callpaths.h"

#include <string.h>
#include <sys/mman.h>

#include "agent/core/core.h"
#include "agent/core/log.h"
#include "agent/sigsafe/arch.h"
#include "agent/sigsafe/callpath.h"
#include "agent/sigsafe/maps.h"
#include "agent/sigsafe/store.h"

static bool enabled;

void td_callpaths_start(void)
{
	enabled = td_core.options.callpath;
	if (enabled)
		td_store.header->path_size = TD_PATH_SIZE(td_store.header->counters);
}

static struct td_callpath *new_callpath(void)
{
	static bool said;
	void *memory = mmap(NULL, sizeof(struct td_callpath), PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory != MAP_FAILED) {
		madvise(memory, sizeof(struct td_callpath), MADV_DONTFORK);
		return memory;
	}
	if (!said)
		td_core_note("no call paths of some threads: no memory");
	said = true;
	return NULL;
}

/* Where the calling thread's stack is: what is mapped from its stack pointer up.
 * glibc puts the control block, which the thread pointer points to, on top of the
 * stack that it allocates or is given. */
static struct td_range own_stack(bool *grows)
{
	uint64_t sp = (uint64_t)__builtin_frame_address(0),
		 top = td_arch_thread_pointer();
	struct td_mapping mapping;

	*grows = false;
	if (!td_maps_exactly(sp, &mapping))
		return (struct td_range){0, 0};
	*grows = strcmp(mapping.path, "[stack]") == 0;
	if (*grows)
		return mapping.range;
	if (top > sp && top < mapping.range.end)
		return (struct td_range){mapping.range.start, top};
	return (struct td_range){0, 0};
}

void td_callpaths_begin(struct td_thread *thread)
{
	struct td_range stack = {0, 0};
	bool grows = false;

	if (!enabled)
		return;
	if (!thread->callpath)
		thread->callpath = new_callpath();
	if (!thread->callpath)
		return;
	if (!thread->adopted)
		stack = own_stack(&grows);
	td_callpath_reset(thread->callpath, stack, grows);
}
