// SPDX-License-Identifier: MIT
#include "agent/core/events_open.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "agent/core/cores.h"
#include "agent/core/log.h"
#include "agent/core/perf_open.h"
#include "agent/sigsafe/arch.h"
#include "agent/sigsafe/descriptors.h"
#include "agent/sigsafe/handler.h"

#define PAGE 4096

void td_events_of_pmu(const struct td_events_found *of,
		      const struct td_events_member *member, uint32_t *type,
		      uint64_t *config)
{
	bool raw = member->type == PERF_TYPE_RAW && of->pmu;
	bool generic =
		member->type == PERF_TYPE_HARDWARE || member->type == PERF_TYPE_HW_CACHE;

	*type = raw ? of->pmu : member->type;
	*config = generic ? td_cores_hardware(of->pmu, member->config) : member->config;
}

int td_events_open_event(const struct td_events_found *of,
			 const struct td_events_member *member, uint64_t period,
			 uint32_t tid, int leader)
{
	struct perf_event_attr attr = {
		.config1 = TD_ARCH_USER_READING | member->config1,
		.sample_period = period,
		.exclude_kernel = 1,
		/* the cycles by themselves, as core/interrupt.c opens them */
		.read_format = period ? 0 : TD_PERF_READ_GROUP,
	};
	uint32_t type;
	uint64_t config;

	td_events_of_pmu(of, member, &type, &config);
	attr.type = type;
	attr.config = config;
	return td_perf_open(&attr, tid, leader);
}

const volatile struct perf_event_mmap_page *td_events_map(int fd)
{
	void *page = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0);

	return page == MAP_FAILED ? NULL : page;
}

void td_events_close_group(struct td_group_pages *group)
{
	for (uint32_t i = TD_GROUP_MEMBERS; i-- > 0;) {
		if (group->page[i])
			munmap((void *)group->page[i], PAGE);
		group->page[i] = NULL;
		td_descriptor_close(group->fd[i]);
		group->fd[i] = -1;
	}
}

int td_events_open_group(const struct td_events_found *of,
			 const struct td_groups_shape *shape,
			 struct td_group_pages *group, uint32_t number, uint32_t tid)
{
	group->members = shape->members[number];
	group->own = group->members - shape->judged[number] - 1; /* and instructions */
	for (uint32_t i = 0; i < group->members; i++) {
		group->fd[i] = td_events_open_event(of, &of->member[number][i], 0, tid,
						    i ? group->fd[0] : -1);
		if (group->fd[i] < 0)
			return group->fd[i];
		group->page[i] = td_events_map(group->fd[i]);
		if (!group->page[i])
			return -ENOMEM;
	}
	/* only the mark by which we know the descriptor again */
	return fcntl(group->fd[0], F_SETSIG, td_signal.number) != 0 ? -errno : 0;
}

void td_events_clear(struct td_group_counters *groups)
{
	memset(groups, 0, sizeof(*groups));
	for (uint32_t g = 0; g < TD_GROUPS_MAX; g++)
		memset(groups->group[g].fd, 0xff, sizeof(groups->group[g].fd));
}

int td_events_open_all(const struct td_events_found *of,
		       const struct td_groups_shape *shape,
		       struct td_group_counters *groups, struct td_thread *thread,
		       uint32_t tid)
{
	int error = 0;

	td_events_clear(groups);
	groups->shape = shape;
	for (uint32_t g = 0; g < groups->shape->groups; g++) {
		error = td_events_open_group(of, shape, &groups->group[g], g, tid);
		if (error) {
			td_events_close_group(&groups->group[g]);
			break;
		}
		groups->groups = g + 1;
	}
	if (!groups->groups)
		return error;
	if (error)
		td_debug(TD_DEBUG_THREADS, "thread %u: only %u of %u groups (%s)", tid,
			 groups->groups, groups->shape->groups, strerror(-error));
	thread->registers.slots_fd = groups->group[0].fd[0];
	thread->registers.mapped = false;
	thread->groups = groups;
	return 0;
}

int td_events_start(struct td_thread *thread)
{
	struct td_group_counters *groups = thread->groups;

	groups->cycles = td_events_map(thread->fd);
	if (!groups->cycles)
		return -ENOMEM;
	return ioctl(groups->group[0].fd[0], PERF_EVENT_IOC_ENABLE, 0) ? -errno : 0;
}

/* What all groups together were on and on a counter, ns: for the trace. */
static void say_times(const struct td_thread *thread)
{
	const struct td_group_counters *groups = thread->groups;
	struct {
		uint64_t events, enabled, running, value[TD_GROUP_MEMBERS];
	} count;

	for (uint32_t g = 0; g < groups->groups; g++) {
		if (read(groups->group[g].fd[0], &count, sizeof(count)) < 24)
			continue;
		td_debug(TD_DEBUG_THREADS, "group %u: enabled %llu ns, running %llu ns",
			 g, (unsigned long long)count.enabled,
			 (unsigned long long)count.running);
	}
}

void td_events_close(struct td_thread *thread)
{
	struct td_group_counters *groups = thread->groups;

	if (!groups)
		return;
	say_times(thread);
	thread->groups = NULL; /* a signal may still come */
	thread->registers.slots_fd = -1;
	if (groups->cycles)
		munmap((void *)groups->cycles, PAGE);
	for (uint32_t g = 0; g < TD_GROUPS_MAX; g++)
		td_events_close_group(&groups->group[g]);
	groups->groups = 0;
}

void td_events_renumber(struct td_thread *thread, int from, int to)
{
	for (uint32_t g = 0; thread->groups && g < TD_GROUPS_MAX; g++)
		for (uint32_t i = 0; i < TD_GROUP_MEMBERS; i++)
			if (thread->groups->group[g].fd[i] == from)
				thread->groups->group[g].fd[i] = to;
}

void td_events_forget(struct td_thread *thread)
{
	for (uint32_t g = 0; thread->groups && g < TD_GROUPS_MAX; g++)
		for (uint32_t i = 0; i < TD_GROUP_MEMBERS; i++)
			td_descriptor_close(thread->groups->group[g].fd[i]);
}
