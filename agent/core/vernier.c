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

#include "agent/core/collector.h"
#include "agent/core/facts.h"
#include "agent/core/interrupt.h"
#include "agent/core/log.h"
#include "agent/sigsafe/clock.h"
#include "agent/sigsafe/descriptors.h"
#include "agent/sigsafe/handler.h"
#include "agent/sigsafe/metrics.h"
#include "agent/sigsafe/syscall.h"
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

#define KERNEL_REMOVES_ON_EXEC 5013

struct group_event {
	uint32_t type;
	uint64_t config;
	bool kernel; /* counted there, too */
};

/* The group, in the order of its counts.  Written by td_vernier_try(). */
static struct group_event group[TD_COUNTERS_MAX];
static unsigned rings; /* that are mapped; under the core lock */

static void add_event(uint32_t type, uint64_t config)
{
	group[td_vernier_shape.values++] = (struct group_event){type, config, false};
}

static bool is_sampler(uint32_t place)
{
	return place - td_vernier_shape.sampler < (td_vernier_shape.windows ? 2u : 1u);
}

static bool removes_on_exec(void)
{
	return td_facts_kernel() >= KERNEL_REMOVES_ON_EXEC;
}

static void fill_attr(const struct td_backend_choice *choice, uint32_t place,
		      struct perf_event_attr *attr)
{
	*attr = (struct perf_event_attr){
		.size = sizeof(*attr),
		.type = group[place].type,
		.config = group[place].config,
		.exclude_kernel = !group[place].kernel,
		.exclude_hv = 1,
		.disabled = place == 0,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
			       PERF_FORMAT_TOTAL_TIME_RUNNING,
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

static int open_event(const struct td_backend_choice *choice, uint32_t place,
		      uint32_t tid, int leader)
{
	struct perf_event_attr attr;
	long fd;

	fill_attr(choice, place, &attr);
	fd = td_syscall6(SYS_perf_event_open, (long)&attr, (long)tid, -1, leader,
			 PERF_FLAG_FD_CLOEXEC, 0);
	return fd < 0 ? (int)fd : td_descriptor_hide((int)fd);
}

static int *member(struct td_thread *thread, uint32_t place)
{
	return place ? &thread->registers.member_fd[place - 1]
		     : &thread->registers.slots_fd;
}

static int open_group(const struct td_backend_choice *choice, struct td_thread *thread,
		      uint32_t tid)
{
	struct td_registers *registers = &thread->registers;

	memset(registers, 0, sizeof(*registers));
	registers->slots_fd = -1;
	for (uint32_t i = 0; i < TD_COUNTERS_MAX; i++)
		registers->member_fd[i] = -1;
	for (uint32_t i = 0; i < td_vernier_shape.values; i++) {
		int fd = open_event(choice, i, tid, registers->slots_fd);

		if (fd < 0)
			return fd;
		*member(thread, i) = fd;
		/* a group takes many: what is left is for the program, and for
		 * threads that make do with the strobe's few */
		if (td_descriptor_is_scarce(fd, 6))
			return -EMFILE;
		/* only the mark by which we know it again */
		if (is_sampler(i) || i == 0)
			if (fcntl(fd, F_SETSIG, td_signal.number) != 0)
				return -errno;
	}
	return 0;
}

static int map_ring(struct td_thread *thread, uint32_t pages)
{
	struct td_vernier *vernier = thread->vernier;
	uint32_t a = td_vernier_shape.sampler;
	int fd = *member(thread, a);
	void *memory =
		mmap(NULL, (pages + 1) * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (memory == MAP_FAILED)
		return -errno;
	vernier->ring = (struct td_ring){
		.page = memory,
		.data = (const uint8_t *)memory + PAGE,
		.size = (uint64_t)pages * PAGE,
	};
	if (ioctl(fd, PERF_EVENT_IOC_ID, &vernier->id[0]) != 0)
		return -errno;
	if (!td_vernier_shape.windows)
		return 0;
	if (ioctl(*member(thread, a + 1), PERF_EVENT_IOC_ID, &vernier->id[1]) != 0 ||
	    ioctl(*member(thread, a + 1), PERF_EVENT_IOC_SET_OUTPUT, fd) != 0)
		return -errno;
	return 0;
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
static int open_ring(struct td_thread *thread)
{
	int error = -EPERM;

	for (uint32_t pages = pages_for(rings); pages; pages /= 2) {
		error = map_ring(thread, pages);
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

/* How long half of the ring lasts at most. */
static uint64_t tick_of(const struct td_backend_choice *choice,
			const struct td_vernier *vernier)
{
	uint64_t record = (1 + 3 + 3 + td_vernier_shape.values) * 8;
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
	error = open_group(choice, thread, tid);
	if (!error)
		error = open_ring(thread);
	if (!error)
		error = td_interrupt_open_event(choice, thread, tid);
	if (error) {
		unmap_ring(thread->vernier);
		td_metrics_close(thread);
		thread->by_vernier = false;
		return error;
	}
	rings++;
	reset(choice, thread);
	if (removes_on_exec())
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
	td_metrics_close(thread);
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

/* What the clock's group counts besides; each where the kernel lets us. */
static void list_clock(bool windows, bool switches)
{
	add_event(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK);
	if (windows)
		add_event(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK);
	add_event(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS);
	if (!switches)
		return;
	add_event(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES);
	group[td_vernier_shape.values - 1].kernel = true; /* they happen there */
}

static void list_metrics(bool windows, const struct td_metrics_machine *machine)
{
	uint32_t counters = 1 + td_metrics_shape.nodes + td_metrics_shape.extras;

	add_event(machine->type, td_metrics_config(0));
	add_event(PERF_TYPE_HARDWARE, machine->cycles);
	if (windows)
		add_event(PERF_TYPE_HARDWARE, machine->cycles);
	for (uint32_t i = 1; i < counters; i++)
		add_event(machine->type, td_metrics_config(i));
	td_vernier_shape.sampler = 1;
	td_vernier_shape.nodes = td_metrics_shape.nodes;
	td_vernier_shape.correction = td_metrics_shape.correction;
	td_vernier_shape.width = td_metrics_shape.width;
}

/* Counter 0 is the group's first; the others follow the samplers. */
static void map_counters(void)
{
	struct td_vernier_shape *shape = &td_vernier_shape;
	uint32_t next = shape->sampler + (shape->windows ? 2 : 1);

	shape->counter[0] = 0;
	for (uint32_t i = 1; next < shape->values; i++)
		shape->counter[i] = (uint8_t)next++;
}

uint32_t td_vernier_counters(void)
{
	const struct td_vernier_shape *shape = &td_vernier_shape;

	return 1 + shape->values - shape->sampler - (shape->windows ? 2 : 1);
}

static void make_plan(struct td_backend_choice *choice)
{
	struct td_strobe_plan *plan = &choice->vernier_plan;
	bool cycles = choice->backend == TD_BACKEND_METRICS;

	*plan = choice->plan;
	plan->shortest = cycles ? CYCLES_SHORTEST : CLOCK_SHORTEST_NS;
	plan->empty_every = 0; /* nothing of ours is in a window */
	if (cycles)            /* of about a gigahertz; it only paces the ticks */
		plan->long_ns =
			plan->long_period * 1000 /
			(td_facts_cycles_per_us() ? td_facts_cycles_per_us() : 1000);
	else
		plan->long_ns = plan->long_period;
}

static void make_group(struct td_backend_choice *choice,
		       const struct td_metrics_machine *machine, bool switches)
{
	bool windows = choice->plan.short_period != 0;

	td_vernier_shape =
		(struct td_vernier_shape){.windows = windows, .tick_ns = TICK_NS};
	if (choice->backend == TD_BACKEND_METRICS) {
		list_metrics(windows, machine);
	} else {
		list_clock(windows, switches);
		td_vernier_shape.delay_ns = CLOCK_DELAY_NS;
	}
	map_counters();
}

/* Does the group count from the first moment to the last? */
static int run_trial(const struct td_thread *thread)
{
	uint64_t count[3 + TD_COUNTERS_MAX] = {0};
	int fd = thread->registers.slots_fd;

	if (ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) != 0)
		return -errno;
	for (volatile uint32_t i = 0; i < TRIAL_LOOP; i++)
		;
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	if (read(fd, count, sizeof(count)) < 0)
		return -errno;
	return count[2] && count[1] == count[2] && count[3 + td_vernier_shape.sampler]
		       ? 0
		       : -EBUSY;
}

static int try_group(struct td_backend_choice *choice)
{
	static struct td_vernier vernier;
	static struct td_thread trial;
	int error;

	memset(&trial, 0, sizeof(trial));
	trial.vernier = &vernier;
	error = open_group(choice, &trial, 0);
	if (!error)
		error = map_ring(&trial, 1);
	if (!error)
		error = run_trial(&trial);
	unmap_ring(&vernier);
	td_metrics_close(&trial);
	return error;
}

int td_vernier_try(struct td_backend_choice *choice,
		   const struct td_metrics_machine *machine, char *why, size_t size)
{
	int error;

	make_group(choice, machine, true);
	error = try_group(choice);
	if (error && choice->backend == TD_BACKEND_CLOCK) {
		make_group(choice, machine, false);
		error = try_group(choice);
	}
	if (error)
		snprintf(why, size,
			 "the kernel refuses the vernier's group or its ring (%s)",
			 strerror(-error));
	else
		make_plan(choice);
	return error;
}
