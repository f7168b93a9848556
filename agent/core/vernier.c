// SPDX-License-Identifier: MIT
#include "agent/core/vernier.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "agent/core/alternation.h"
#include "agent/core/collector.h"
#include "agent/core/cores.h"
#include "agent/core/events.h"
#include "agent/core/facts.h"
#include "agent/core/interrupt.h"
#include "agent/core/log.h"
#include "agent/core/perf_open.h"
#include "agent/sigsafe/clock.h"
#include "agent/sigsafe/descriptors.h"
#include "agent/sigsafe/groups.h"
#include "agent/sigsafe/handler.h"
#include "agent/sigsafe/metrics.h"
#include "agent/sigsafe/trigger.h"
#include "agent/sigsafe/vernier.h"

#define PAGE 4096u

/* A few signals a second are not felt; between two ticks nothing survives a kill. */
#define TICK_NS 250000000u

/* Closer records are of one interrupt of the clock; and what makes them two on a
 * virtual machine, too. */
#define CLOCK_SHORTEST_NS 4000u
#define CYCLES_SHORTEST 2u
#define CLOCK_DELAY_NS 10000u

/* Data pages of a ring, of the first ones and of the last. */
#define PAGES_MOST 32u
#define RINGS_WITH_MOST 8u

#define TRIAL_LOOP 200000u

/* The trial of an event that alternates: so many times the short period. */
#define ALTERNATION_LONG 8u

#define KERNEL_REMOVES_ON_EXEC 5013

struct group_event {
	uint32_t type;
	uint64_t config;
	uint64_t config1;
	bool kernel; /* counted there, too */
};

/* The groups, in the order of their counts.  Written by td_vernier_try(). */
static struct group_event group[TD_GROUPS_MAX][TD_COUNTERS_MAX];
static uint32_t counters; /* that the profile has then */
static unsigned rings;    /* that are mapped; under the core lock */
static bool alternates;   /* look_for_alternation() */

static void add_event(uint32_t g, uint32_t type, uint64_t config)
{
	group[g][td_vernier_shape.values[g]++] =
		(struct group_event){.type = type, .config = config};
}

static bool is_sampler(uint32_t place)
{
	return place - td_vernier_shape.sampler < td_vernier_samplers(&td_vernier_shape);
}

static bool removes_on_exec(void)
{
	return td_facts_kernel() >= KERNEL_REMOVES_ON_EXEC;
}

static void fill_attr(const struct td_backend_choice *choice, uint32_t g, uint32_t place,
		      struct perf_event_attr *attr)
{
	const struct group_event *event = &group[g][place];

	*attr = (struct perf_event_attr){
		.type = event->type,
		.config = event->config,
		.config1 = event->config1,
		.exclude_kernel = !event->kernel,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.read_format = TD_PERF_READ_GROUP,
	};
	if (!is_sampler(place))
		return;
	/* the order of td_ring_record.word in agent/sigsafe/vernier_window.c */
	attr->sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TIME |
			    PERF_SAMPLE_READ;
	attr->sample_period = choice->plan.long_period;
	/* whoever holds the ring then: it would go on counting another program */
	attr->remove_on_exec = removes_on_exec();
	attr->watermark = 1;
	attr->wakeup_watermark = UINT32_MAX; /* nobody waits for it */
}

static int open_event(const struct td_backend_choice *choice, uint32_t g, uint32_t place,
		      uint32_t tid, int leader)
{
	union td_alternation_attr room = {.word = {0}};

	fill_attr(choice, g, place, &room.attr);
	if (is_sampler(place) && td_vernier_shape.alternates)
		td_alternation_put(&room);
	return td_perf_open(&room.attr, tid, leader);
}

static void clear_groups(struct td_vernier *vernier)
{
	memset(vernier->fd, 0xff, sizeof(vernier->fd));
}

static void close_groups(struct td_vernier *vernier)
{
	for (uint32_t g = TD_GROUPS_MAX; g-- > 0;)
		for (uint32_t i = TD_COUNTERS_MAX; i-- > 0;)
			td_descriptor_close(vernier->fd[g][i]);
	clear_groups(vernier);
}

static int open_group(const struct td_backend_choice *choice, struct td_vernier *vernier,
		      uint32_t g, uint32_t tid)
{
	int *fds = vernier->fd[g];

	for (uint32_t i = 0; i < td_vernier_shape.values[g]; i++) {
		fds[i] = open_event(choice, g, i, tid, i ? fds[0] : -1);
		if (fds[i] < 0)
			return fds[i];
		/* a group takes many: what is left is for the program, and for
		 * threads that make do with the strobe's few */
		if (td_descriptor_is_scarce(fds[i], 6))
			return -EMFILE;
		/* only the mark by which we know it again */
		if (is_sampler(i) || i == 0)
			if (fcntl(fds[i], F_SETSIG, td_signal.number) != 0)
				return -errno;
	}
	return 0;
}

static int open_groups(const struct td_backend_choice *choice, struct td_vernier *vernier,
		       uint32_t tid)
{
	int error = 0;

	clear_groups(vernier);
	for (uint32_t g = 0; g < td_vernier_shape.groups && !error; g++)
		error = open_group(choice, vernier, g, tid);
	return error;
}

/* Records of the group's events go into the ring, which is that of the first one. */
static int direct_group(struct td_vernier *vernier, uint32_t g)
{
	uint32_t a = td_vernier_shape.sampler, n = td_vernier_samplers(&td_vernier_shape);
	int ring = vernier->fd[0][a];

	for (uint32_t i = 0; i < n; i++) {
		int fd = vernier->fd[g][a + i];

		if (ioctl(fd, PERF_EVENT_IOC_ID, &vernier->id[g][i]) != 0)
			return -errno;
		if (fd != ring && ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, ring) != 0)
			return -errno;
	}
	return 0;
}

static int map_ring(struct td_vernier *vernier, uint32_t pages)
{
	int fd = vernier->fd[0][td_vernier_shape.sampler], error = 0;
	void *memory =
		mmap(NULL, (pages + 1) * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (memory == MAP_FAILED)
		return -errno;
	vernier->ring = (struct td_ring){
		.page = memory,
		.data = (const uint8_t *)memory + PAGE,
		.size = (uint64_t)pages * PAGE,
	};
	for (uint32_t g = 0; g < td_vernier_shape.groups && !error; g++)
		error = direct_group(vernier, g);
	return error;
}

/* The more rings there are, the smaller is the next. */
static uint32_t pages_for(unsigned others)
{
	uint32_t pages = PAGES_MOST;

	for (unsigned n = RINGS_WITH_MOST; n <= others && pages > 1; n *= 2)
		pages /= 2;
	return pages;
}

/* At the size that the others leave, or smaller if locked memory is short. */
static int open_ring(struct td_vernier *vernier)
{
	int error = -EPERM;

	for (uint32_t pages = pages_for(rings); pages; pages /= 2) {
		error = map_ring(vernier, pages);
		if (error != -EPERM)
			break;
	}
	return error;
}

static void unmap_ring(struct td_vernier *vernier)
{
	if (vernier->ring.page)
		munmap(vernier->ring.page, PAGE + vernier->ring.size);
	vernier->ring = (struct td_ring){.page = NULL};
}

/* Counts in a record at most. */
static uint32_t longest_record(void)
{
	uint32_t longest = 0;

	for (uint32_t g = 0; g < td_vernier_shape.groups; g++)
		if (td_vernier_shape.values[g] > longest)
			longest = td_vernier_shape.values[g];
	return longest;
}

/* How long half of the ring lasts at most. */
static uint64_t tick_of(const struct td_backend_choice *choice,
			const struct td_vernier *vernier)
{
	uint64_t record = (1 + 3 + 3 + longest_record()) * 8;
	uint64_t windows = vernier->ring.size / 2 / (2 * record);
	uint64_t tick = windows * choice->vernier_plan.long_ns;

	if (tick < TD_TASK_CLOCK_SHORTEST_NS)
		return TD_TASK_CLOCK_SHORTEST_NS;
	return tick < td_vernier_shape.tick_ns ? tick : td_vernier_shape.tick_ns;
}

static void reset(const struct td_backend_choice *choice, struct td_thread *thread)
{
	struct td_vernier *vernier = thread->vernier;

	vernier->tick_ns = tick_of(choice, vernier);
	vernier->ticked = false;
	vernier->asked_ns = 0;
	vernier->lateness = 0;
	vernier->waiting = false;
}

int td_vernier_open(const struct td_backend_choice *choice, struct td_thread *thread,
		    uint32_t tid)
{
	int error;

	if (atomic_load(&thread->vernier->claim) != TD_VERNIER_CLOSED)
		return -EBUSY; /* somebody was stopped in the middle of a drain */
	thread->fd = thread->timer = -1;
	thread->by_vernier = true;
	thread->plan = &choice->vernier_plan;
	error = open_groups(choice, thread->vernier, tid);
	if (!error)
		error = open_ring(thread->vernier);
	if (!error)
		error = td_interrupt_open_event(choice, thread, tid);
	if (error) {
		unmap_ring(thread->vernier);
		close_groups(thread->vernier);
		thread->by_vernier = false;
		return error;
	}
	rings++;
	reset(choice, thread);
	/* who takes what a killed program leaves knows pairs of events only */
	if (removes_on_exec() && !td_vernier_shape.alternates)
		td_collector_offer(thread, tid);
	return 0;
}

void td_vernier_close(struct td_thread *thread)
{
	rings -= rings > 0;
	thread->by_vernier = false;
	/* somebody was stopped in the middle of a drain: everything stays for him */
	if (atomic_load(&thread->vernier->claim) != TD_VERNIER_CLOSED)
		return;
	td_collector_withdraw(thread);
	unmap_ring(thread->vernier);
	close_groups(thread->vernier);
}

void td_vernier_renumber(struct td_vernier *vernier, int from, int to)
{
	for (uint32_t g = 0; g < td_vernier_shape.groups; g++)
		for (uint32_t i = 0; i < td_vernier_shape.values[g]; i++)
			if (vernier->fd[g][i] == from)
				vernier->fd[g][i] = to;
}

void td_vernier_leave_parent(struct td_vernier *vernier)
{
	close_groups(vernier);
}

void td_vernier_forget(void)
{
	rings = 0;
}

void td_vernier_drain_all(void)
{
	sigset_t saved;

	if (td_core.choice.windows != TD_WINDOWS_VERNIER || !td_core_is_here())
		return;
	td_core_lock(&saved);
	for (struct td_thread *t = atomic_load(&td_threads); t; t = t->next)
		if (atomic_load(&t->tid) && t->by_vernier)
			td_vernier_drain(t);
	td_core_unlock(&saved);
}

/* A, and B behind it. */
static void add_samplers(uint32_t g, uint32_t type, uint64_t config)
{
	td_vernier_shape.sampler = td_vernier_shape.values[g];
	add_event(g, type, config);
	if (td_vernier_samplers(&td_vernier_shape) > 1)
		add_event(g, type, config);
}

/* Counter 0 is the group's first; the others follow the samplers. */
static void map_counters(void)
{
	struct td_vernier_shape *shape = &td_vernier_shape;
	uint32_t next = shape->sampler + td_vernier_samplers(shape);

	shape->groups = 1;
	shape->shared = shape->values[0];
	shape->counter[0] = 0;
	counters = 1;
	while (next < shape->values[0])
		shape->counter[counters++] = (uint8_t)next++;
}

/* What the clock's group counts besides; each where the kernel lets us. */
static void list_clock(bool switches)
{
	uint32_t *n = td_vernier_shape.values;

	add_samplers(0, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK);
	add_event(0, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS);
	if (switches) {
		add_event(0, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES);
		group[0][*n - 1].kernel = true; /* they happen there */
	}
	td_vernier_shape.delay_ns = CLOCK_DELAY_NS;
	map_counters();
}

static void list_metrics(const struct td_metrics_machine *machine)
{
	uint32_t n = 1 + td_metrics_shape.nodes + td_metrics_shape.extras;

	add_event(0, machine->type, td_metrics_config(0));
	add_samplers(0, PERF_TYPE_HARDWARE, machine->cycles);
	for (uint32_t i = 1; i < n; i++)
		add_event(0, machine->type, td_metrics_config(i));
	td_vernier_shape.nodes = td_metrics_shape.nodes;
	td_vernier_shape.correction = td_metrics_shape.correction;
	td_vernier_shape.width = td_metrics_shape.width;
	map_counters();
}

/* One of the groups that the machine's events were cut to. */
static void list_events(uint32_t g)
{
	struct td_vernier_shape *shape = &td_vernier_shape;
	uint32_t own = td_events_own(g), members = td_groups_shapes->members[g];

	shape->values[g] = 0; /* of another trial */
	add_samplers(g, PERF_TYPE_HARDWARE, td_events_cycles(TD_CORES_LARGE));
	/* what all groups have comes first */
	shape->shared = shape->values[g] + members - own;
	for (uint32_t n = 0; n < members; n++) {
		uint32_t i = (own + n) % members;
		struct group_event event = {0};

		shape->counter[td_groups_shapes->value[g][i]] = (uint8_t)shape->values[g];
		td_events_member(g, i, &event.type, &event.config, &event.config1);
		add_event(g, event.type, event.config);
		group[g][shape->values[g] - 1].config1 = event.config1;
	}
	shape->groups = g + 1;
}

uint32_t td_vernier_counters(void)
{
	return td_vernier_shape.events ? td_events_counters() : counters;
}

static void make_plan(struct td_backend_choice *choice)
{
	struct td_strobe_plan *plan = &choice->vernier_plan;
	bool cycles = td_backend_has_cycles(choice);

	*plan = choice->plan;
	plan->shortest = cycles ? CYCLES_SHORTEST : CLOCK_SHORTEST_NS;
	if (cycles) /* what is longer is no late interrupt: the tick was late */
		plan->late = 0;
	plan->empty_every = 0; /* nothing of ours is in a window */
	if (td_vernier_shape.events)
		plan->leavings = td_events_leavings();
	if (cycles) /* of about a gigahertz; it only paces the ticks */
		plan->long_ns =
			plan->long_period * 1000 /
			(td_facts_cycles_per_us() ? td_facts_cycles_per_us() : 1000);
	else
		plan->long_ns = plan->long_period;
}

static void begin_shape(const struct td_backend_choice *choice)
{
	td_vernier_shape = (struct td_vernier_shape){
		.windows = choice->plan.short_period != 0,
		.alternates = alternates,
		.tick_ns = TICK_NS,
		.scale = 1,
	};
}

/* One event that alternates, for a moment: are there pairs? */
static int try_alternation(struct td_backend_choice *choice)
{
	static struct td_vernier trial;
	uint64_t period = ALTERNATION_LONG * choice->plan.short_period;
	int error;

	memset(&trial, 0, sizeof(trial));
	begin_shape(choice);
	add_samplers(0, PERF_TYPE_HARDWARE, choice->cycles[TD_CORES_LARGE]);
	map_counters();
	error = open_groups(choice, &trial, 0);
	if (!error)
		error = map_ring(&trial, PAGES_MOST / 4);
	if (!error && ioctl(trial.fd[0][0], PERF_EVENT_IOC_PERIOD, &period) != 0)
		error = -errno;
	if (!error)
		error = td_alternation_run(&trial.ring, trial.fd[0][0], period);
	unmap_ring(&trial);
	close_groups(&trial);
	return error;
}

/* A kernel that says so may yet not do it. */
static bool alternates_by_format(struct td_backend_choice *choice)
{
	int error;

	if (!td_alternation_find(choice->plan.short_period))
		return false;
	error = try_alternation(choice);
	if (error)
		td_core_note(
			"the kernel has a strobe_period, but periods do not alternate "
			"(%s): two events instead",
			strerror(-error));
	return !error;
}

/* Nothing says so, and hardly any kernel does it: not worth a note. */
static bool alternates_by_field(struct td_backend_choice *choice)
{
	int error;

	if (!td_alternation_use_field(choice->plan.short_period))
		return false;
	error = try_alternation(choice);
	td_debug(TD_DEBUG_CORE, "an event with two periods: %s",
		 error ? strerror(-error) : "they alternate");
	return !error;
}

static void look_for_alternation(struct td_backend_choice *choice)
{
	alternates = td_backend_has_cycles(choice) && choice->plan.short_period;
	if (alternates) /* the trials' events, too */
		alternates = alternates_by_format(choice) || alternates_by_field(choice);
}

bool td_vernier_alternates(void)
{
	return td_vernier_shape.alternates;
}

/* Does the group count from the first moment to the last? */
static int run_trial(const int *fds, uint32_t values)
{
	uint64_t count[3 + TD_COUNTERS_MAX] = {0};

	if (ioctl(fds[0], PERF_EVENT_IOC_ENABLE, 0) != 0)
		return -errno;
	for (volatile uint32_t i = 0; i < TRIAL_LOOP; i++)
		;
	ioctl(fds[0], PERF_EVENT_IOC_DISABLE, 0);
	if (read(fds[0], count, sizeof(count)) < (ssize_t)(3 + values) * 8)
		return -EIO;
	return count[2] && count[1] == count[2] && count[3 + td_vernier_shape.sampler]
		       ? 0
		       : -EBUSY;
}

static int try_groups(const struct td_backend_choice *choice)
{
	static struct td_vernier trial;
	int error;

	memset(&trial, 0, sizeof(trial));
	error = open_groups(choice, &trial, 0);
	if (!error)
		error = map_ring(&trial, 1);
	for (uint32_t g = 0; g < td_vernier_shape.groups && !error; g++)
		error = run_trial(trial.fd[g], td_vernier_shape.values[g]);
	unmap_ring(&trial);
	close_groups(&trial);
	return error;
}

/* Of groups that were just cut: can the kernel count this one and those before it? */
static int try_events(void *context, uint32_t g)
{
	list_events(g);
	return try_groups(context);
}

static int cut_events(struct td_backend_choice *choice)
{
	struct td_vernier_shape *shape = &td_vernier_shape;
	int error = td_events_cut_beside(&td_core.options, try_events, choice);

	shape->events = true;
	shape->level1 = td_groups_shapes->nodes;
	shape->scale = td_groups_shapes->width;
	shape->groups = td_groups_shapes->groups;
	if (shape->groups == 1)
		shape->shared = shape->values[0];
	else /* each has its turn, also in a short run */
		shape->tick_ns = TICK_NS / 2;
	return error;
}

static int try_clock(struct td_backend_choice *choice, bool switches)
{
	begin_shape(choice);
	list_clock(switches);
	return try_groups(choice);
}

static int try_backend(struct td_backend_choice *choice,
		       const struct td_metrics_machine *machine)
{
	begin_shape(choice);
	switch (choice->backend) {
	case TD_BACKEND_METRICS:
		list_metrics(machine);
		return try_groups(choice);
	case TD_BACKEND_EVENTS:
		return cut_events(choice);
	default:
		return try_clock(choice, true) ? try_clock(choice, false) : 0;
	}
}

/* A group counts on cores of its own type alone: the large ones, unless the program may
 * not run there. */
static bool visit_cores(const struct td_backend_choice *choice, cpu_set_t *before)
{
	struct td_cores cores[TD_CORE_TYPES];

	if (!td_backend_has_cycles(choice) || !td_cores_find(cores))
		return false;
	return td_cores_visit(&cores[TD_CORES_LARGE].cpus, before) == 0 ||
	       td_cores_visit(&cores[TD_CORES_SMALL].cpus, before) == 0;
}

int td_vernier_try(struct td_backend_choice *choice,
		   const struct td_metrics_machine *machine, char *why, size_t size)
{
	cpu_set_t before;
	bool away = visit_cores(choice, &before);
	int error;

	look_for_alternation(choice);
	error = try_backend(choice, machine);
	if (away)
		td_cores_leave(&before);
	if (error)
		snprintf(why, size,
			 "the kernel refuses the vernier's group or its ring (%s)",
			 strerror(-error));
	else
		make_plan(choice);
	return error;
}
