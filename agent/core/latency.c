// SPDX-License-Identifier: MIT
#include "agent/core/latency.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "agent/core/core.h"
#include "agent/core/event_names.h"
#include "agent/core/facts.h"
#include "agent/core/log.h"
#include "agent/core/perf_open.h"
#include "agent/sigsafe/descriptors.h"
#include "agent/sigsafe/handler.h"
#include "agent/sigsafe/latency.h"
#include "agent/sigsafe/proc.h"
#include "agent/sigsafe/vernier.h"

#define PAGE 4096u
#define PAGES 8u /* 1,300 records */

/* The instruction itself, not the one behind it. */
#define PRECISE 2u

#define KERNEL_WEIGHT_STRUCT 5012

static struct {
	bool is_on;
	struct td_event_name event;
	uint64_t period;
} found; /* constant after td_latency_detect() */

bool td_latency_is_on(void)
{
	return found.is_on;
}

static int open_event(uint32_t tid)
{
	struct perf_event_attr attr = {
		.type = found.event.type,
		.config = found.event.config,
		.config1 = found.event.config1,
		.sample_period = found.period,
		/* the order of words in agent/sigsafe/latency.c */
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_WEIGHT_STRUCT,
		.precise_ip = PRECISE,
		.exclude_kernel = 1,
		.watermark = 1,
		.wakeup_watermark = UINT32_MAX, /* nobody waits for it */
	};

	return td_perf_open(&attr, tid, -1);
}

static int map_ring(struct td_latency *latency)
{
	for (uint32_t pages = PAGES; pages; pages /= 2) {
		void *memory = mmap(NULL, (pages + 1) * PAGE, PROT_READ | PROT_WRITE,
				    MAP_SHARED, latency->fd, 0);

		if (memory != MAP_FAILED) {
			latency->ring = (struct td_ring){
				.page = memory,
				.data = (const uint8_t *)memory + PAGE,
				.size = (uint64_t)pages * PAGE,
			};
			return 0;
		}
		if (errno != EPERM)
			break;
	}
	return -errno;
}

static void close_event(struct td_latency *latency)
{
	if (latency->ring.page)
		munmap(latency->ring.page, PAGE + latency->ring.size);
	td_descriptor_close(latency->fd);
	*latency = (struct td_latency){.fd = -1};
}

/* The event that was found and its ring, which is smaller where locked memory is short.
 * 0 or -errno. */
static int open_ring(struct td_latency *latency, uint32_t tid)
{
	int error;

	*latency = (struct td_latency){.period = found.period, .mark = td_signal.number};
	latency->fd = open_event(tid);
	if (latency->fd < 0)
		return latency->fd;
	error = td_descriptor_is_scarce(latency->fd, 6) ? -EMFILE : map_ring(latency);
	/* only the mark by which we know it again */
	if (!error && (fcntl(latency->fd, F_SETSIG, latency->mark) != 0 ||
		       ioctl(latency->fd, PERF_EVENT_IOC_ENABLE, 0) != 0))
		error = -errno;
	if (error)
		close_event(latency);
	return error;
}

void td_latency_open(struct td_thread *thread, uint32_t tid)
{
	int error;

	if (!found.is_on)
		return;
	error = open_ring(&thread->latency, tid);
	if (error)
		td_debug(TD_DEBUG_THREADS, "thread %u: no retire latencies: %s", tid,
			 strerror(-error));
	else
		td_latency_vary(thread); /* threads that do the same are not in step */
}

void td_latency_close(struct td_thread *thread)
{
	/* somebody was stopped in the middle of a drain: everything stays for him */
	if (!thread->latency.ring.page ||
	    (thread->by_vernier &&
	     atomic_load(&thread->vernier->claim) != TD_VERNIER_CLOSED))
		return;
	ioctl(thread->latency.fd, PERF_EVENT_IOC_DISABLE, 0);
	td_latency_take(thread);
	close_event(&thread->latency);
}

void td_latency_take_own(void)
{
	sigset_t saved;

	if (!found.is_on || !td_self || td_self->by_vernier || !td_core_is_here())
		return;
	td_core_lock(&saved); /* our handler waits */
	td_latency_take(td_self);
	td_core_unlock(&saved);
}

void td_latency_renumber(struct td_thread *thread, int from, int to)
{
	if (thread->latency.ring.page && thread->latency.fd == from)
		thread->latency.fd = to;
}

void td_latency_forget(struct td_thread *thread)
{
	if (thread->latency.ring.page)
		td_descriptor_close(thread->latency.fd);
	thread->latency.ring.page = NULL;
}

/* How precise the PMU is at most; 0: not at all, -1: it does not say. */
static int most_precise(void)
{
	static const char *const path[] = {
		"/sys/bus/event_source/devices/cpu/caps/max_precise",
		"/sys/bus/event_source/devices/cpu_core/caps/max_precise"};
	char text[16];

	for (size_t i = 0; i < sizeof(path) / sizeof(path[0]); i++)
		if (td_proc_read(path[i], text, sizeof(text)) > 0)
			return atoi(text);
	return -1;
}

static void explain(int error, char *why, size_t size)
{
	int most = most_precise();

	if (td_facts_kernel() < KERNEL_WEIGHT_STRUCT)
		snprintf(why, size, "it takes Linux 5.12");
	else if (most >= 0 && most < (int)PRECISE)
		snprintf(why, size,
			 "the PMU samples no instruction precisely (max_precise is %d): "
			 "no PEBS here",
			 most);
	else if (error == -ENOENT || error == -ENODEV)
		snprintf(why, size, "there is no PMU that counts it");
	else
		snprintf(why, size, "the kernel does not sample '%s' precisely (%s)",
			 found.event.name, strerror(-error));
}

/* EVENT or EVENT@PERIOD, as td_options_set() has let through. */
static int read_option(const char *text, char *why, size_t size)
{
	char name[sizeof(td_core.options.latency)], *at;
	const struct td_event_source source = td_event_names_source();

	snprintf(name, sizeof(name), "%s", text);
	at = strchr(name, '@');
	found.period = at ? strtoull(at + 1, NULL, 10) : TD_LATENCY_PERIOD;
	if (at)
		*at = '\0';
	return td_event_names_find_one(&source, name, &found.event, why, size);
}

static int try_event(char *why, size_t size)
{
	struct td_latency trial;
	int error;

#ifndef __x86_64__
	snprintf(why, size, "only x86 has them");
	return -ENOSYS;
#endif
	if (td_core.confinement == TD_CONFINED_NO_PERF) {
		snprintf(why, size, "a seccomp filter ends who opens perf events");
		return -EPERM;
	}
	error = open_ring(&trial, 0);
	if (error)
		explain(error, why, size);
	else
		close_event(&trial);
	return error;
}

static void describe(struct td_file_header *header)
{
	struct td_file_event *event = &header->event[header->events++];

	*event = (struct td_file_event){
		.group = TD_GROUP_LATENCY,
		.config = found.event.config,
		.config1 = found.event.config1,
	};
	snprintf(event->name, sizeof(event->name), "%s", found.event.name);
}

void td_latency_detect(const struct td_options *options, struct td_file_header *header)
{
	char why[192] = "the profile has no room for them";

	if (!options->latency[0])
		return;
	found.is_on = header->counters && header->events < TD_EVENTS_MAX &&
		      read_option(options->latency, why, sizeof(why)) == 0 &&
		      try_event(why, sizeof(why)) == 0;
	if (found.is_on)
		describe(header);
	else
		td_core_note("no retire latencies: %s", why);
}
