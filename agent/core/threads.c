// SPDX-License-Identifier: MIT
#include "agent/core/threads.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "agent/core/backend.h"
#include "agent/core/callpaths.h"
#include "agent/core/facts.h"
#include "agent/core/fold.h"
#include "agent/core/latency.h"
#include "agent/core/log.h"
#include "agent/core/vernier.h"
#include "agent/sigsafe/groups.h"
#include "agent/sigsafe/clock.h"
#include "agent/sigsafe/descriptors.h"
#include "agent/sigsafe/engine.h"
#include "agent/sigsafe/handler.h"
#include "agent/sigsafe/latency.h"
#include "agent/sigsafe/proc.h"
#include "agent/sigsafe/store.h"
#include "agent/sigsafe/syscall.h"

#define KEEP_ENDED 64 /* ended threads that the report still shows one by one */

/* Block and slot for the next thread record; changed under the core lock. */
static uint32_t record_block, record_slot;
/* The sum of all ended threads beyond KEEP_ENDED, by type of cores. */
static struct td_thread *folded[TD_CORE_TYPES];

static uint32_t new_record(void)
{
	if (!record_block ||
	    record_slot == td_store_slots(sizeof(struct td_file_thread))) {
		record_block = td_store_take_block();
		record_slot = 0;
		if (!record_block)
			return 0;
		td_store_publish_block(record_block, TD_BLOCK_THREADS, 0);
	}
	return TD_REF(record_block, record_slot++);
}

/* Memory of our own: the program's malloc may be anything.  Never given back:
 * other threads look at all that were ever in the list. */
static struct td_thread *new_memory(void)
{
	static struct memory {
		struct td_thread thread;
		struct td_vernier vernier;
		struct td_group_counters groups;
	} * pool;
	static size_t left;

	if (!left) {
		size_t size = 64 * sizeof(*pool);
		void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (memory == MAP_FAILED)
			return NULL;
		pool = memory;
		left = 64;
	}
	left--;
	atomic_store(&pool->vernier.claim, TD_VERNIER_CLOSED);
	pool->thread.vernier = &pool->vernier;
	pool->thread.groups_room = &pool->groups;
	return &pool++->thread;
}

/* A thread with a record and room for places, in the list. */
static struct td_thread *new_thread(void)
{
	struct td_thread *thread = new_memory();
	uint32_t ref = thread ? new_record() : 0;

	if (!ref)
		return NULL;
	thread->fd = thread->timer = -1;
	atomic_store(&thread->stopped, true);
	if (!td_places_init(&thread->places,
			    td_store_record(ref, sizeof(struct td_file_thread)), ref))
		return NULL;
	thread->next = atomic_load(&td_threads);
	atomic_store(&td_threads, thread);
	return thread;
}

/* The thread that ended first, if more than `keep` have ended. */
static struct td_thread *oldest_ended(unsigned keep)
{
	struct td_thread *oldest = NULL;
	unsigned ended = 0;

	for (struct td_thread *t = atomic_load(&td_threads); t; t = t->next) {
		if (t->places.record->state != TD_THREAD_ENDED)
			continue;
		ended++;
		if (!oldest || t->places.record->end_ns < oldest->places.record->end_ns)
			oldest = t;
	}
	return ended > keep ? oldest : NULL;
}

static struct td_thread *take_thread(void)
{
	struct td_thread *thread = oldest_ended(KEEP_ENDED), **into;

	if (!thread) {
		thread = new_thread();
		if (thread)
			return thread;
		/* the profile is full: make room at the price of detail */
		thread = oldest_ended(0);
	}
	if (!thread)
		return NULL;
	into = &folded[thread->cores];
	if (!*into) {
		*into = new_thread();
		if (!*into)
			return NULL;
		(*into)->places.record->state = TD_THREAD_FOLDED;
		(*into)->places.record->cores = thread->cores;
	}
	td_fold(&(*into)->places, &thread->places);
	return thread;
}

static void describe(struct td_thread *thread, uint32_t tid, enum td_core_type cores)
{
	struct td_file_thread *record = thread->places.record;

	record->tid = tid;
	record->threads = 1;
	record->cores = cores;
	thread->cores = cores;
	thread->first_group = cores == TD_CORES_SMALL ? td_store.header->small_group : 0;
	thread->small = NULL;
	record->start_ns = td_clock_now(CLOCK_MONOTONIC);
	/* release: who sees it live sees the rest */
	__atomic_store_n(&record->state, TD_THREAD_LIVE, __ATOMIC_RELEASE);
	td_random_seed(&thread->random, td_core.seed, tid);
	memset(thread->known, 0, sizeof(thread->known));
	memset(&thread->release, 0, sizeof(thread->release));
	thread->until_cpu = 0;
	thread->in_window = false;
	thread->unblocked = false;
	thread->rests = false;
	atomic_store(&thread->inside, false);
	atomic_store(&thread->tid, tid);
}

static void read_name(uint32_t tid, char *name, size_t size)
{
	char path[48], text[32];

	snprintf(path, sizeof(path), "/proc/self/task/%u/comm", tid);
	if (td_proc_read(path, text, sizeof(text)) <= 0)
		return;
	text[strcspn(text, "\n")] = 0;
	snprintf(name, size, "%.15s", text);
}

/* CPU time that another thread has used, ns. */
static uint64_t read_cpu(uint32_t tid)
{
	char path[48], text[64];

	snprintf(path, sizeof(path), "/proc/self/task/%u/schedstat", tid);
	return td_proc_read(path, text, sizeof(text)) > 0 ? strtoull(text, NULL, 10) : 0;
}

static void give_up(struct td_thread *thread, uint32_t tid, int error)
{
	static bool said;

	atomic_store(&thread->tid, 0);
	td_latency_close(thread);
	td_backend_close(thread);
	thread->places.record->end_ns = td_clock_now(CLOCK_MONOTONIC);
	thread->places.record->state = TD_THREAD_ENDED;
	td_debug(TD_DEBUG_THREADS, "thread %u: %s", tid, strerror(-error));
	if (!said)
		td_core_note("some threads are not profiled%s: %s",
			     thread->cores == TD_CORES_SMALL ? " on small cores" : "",
			     strerror(-error));
	said = true;
}

/* The thread's part on small cores; without it they are not measured. */
static void open_small(struct td_thread *thread, uint32_t tid)
{
	struct td_thread *small = td_core.choice.both ? take_thread() : NULL;
	int error;

	if (!small)
		return;
	describe(small, tid, TD_CORES_SMALL);
	small->adopted = thread->adopted;
	td_callpaths_begin(small);
	error = td_backend_open(small, tid);
	if (error)
		give_up(small, tid, error);
	else
		thread->small = small;
}

/* Opens and arms.  Another thread's first signal may come at once. */
static void begin(struct td_thread *thread, uint32_t tid, bool adopted)
{
	int error;

	describe(thread, tid, TD_CORES_LARGE);
	thread->adopted = adopted;
	td_callpaths_begin(thread);
	error = td_backend_open(thread, tid);
	if (error) {
		give_up(thread, tid, error);
		return;
	}
	td_latency_open(thread, tid);
	open_small(thread, tid);
	if (!adopted)
		td_self = thread;
	atomic_store(&thread->stopped, false);
	error = adopted ? td_engine_start_other(thread) : td_engine_start(thread);
	if (!error)
		return;
	atomic_store(&thread->stopped, true);
	if (!adopted)
		td_self = NULL;
	give_up(thread, tid, error);
}

void td_threads_attach_self(void)
{
	struct td_thread *thread;
	sigset_t saved;

	if (td_self || !atomic_load(&td_core.running) || atomic_load(&td_core.down) ||
	    !td_core_is_here() /* nor is our memory, in the child of a bare fork */)
		return;
	td_core_lock(&saved);
	thread = take_thread();
	if (thread) {
		begin(thread, td_gettid(), false);
		prctl(PR_GET_NAME, thread->places.record->name);
		td_debug(TD_DEBUG_THREADS, "thread %u: profiled", td_gettid());
	} else {
		td_debug(TD_DEBUG_THREADS, "thread %u: no room in the profile",
			 td_gettid());
	}
	td_core_unlock(&saved);
}

void td_threads_named(const char *name)
{
	struct td_thread *thread = td_self;
	char *parts[2];

	if (!thread || !td_core_is_here() || atomic_load(&td_core.down))
		return;
	parts[0] = thread->places.record->name;
	parts[1] = thread->small ? thread->small->places.record->name : NULL;
	for (int i = 0; i < 2 && parts[i]; i++)
		snprintf(parts[i], sizeof(thread->places.record->name), "%.15s", name);
}

static bool is_known(uint32_t tid)
{
	for (struct td_thread *t = atomic_load(&td_threads); t; t = t->next)
		if (atomic_load(&t->tid) == tid)
			return true;
	return false;
}

/* Not where /proc is that of another PID namespace (unshare --pid mounts none): its
 * numbers are other threads here, or none. */
static bool is_listed(uint32_t tid)
{
	char path[48], text[32];

	snprintf(path, sizeof(path), "/proc/self/task/%u/comm", tid);
	return td_proc_read(path, text, sizeof(text)) > 0;
}

static void adopt(uint32_t tid)
{
	struct td_thread *thread;

	if (is_known(tid))
		return;
	td_store_settle(); /* only we have been started */
	thread = take_thread();
	if (!thread)
		return;
	begin(thread, tid, true);
	read_name(tid, thread->places.record->name, sizeof(thread->places.record->name));
	td_debug(TD_DEBUG_THREADS, "thread %u: was there before us", tid);
}

void td_threads_attach_others(void)
{
	uint32_t self = td_gettid();
	DIR *tasks = is_listed(self) ? opendir("/proc/self/task") : NULL;
	struct dirent *entry;
	sigset_t saved;

	if (!tasks)
		return;
	td_core_lock(&saved);
	while ((entry = readdir(tasks)) != NULL) {
		uint32_t tid = (uint32_t)strtoul(entry->d_name, NULL, 10);

		if (tid && tid != self)
			adopt(tid);
	}
	td_core_unlock(&saved);
	closedir(tasks);
}

static void end(struct td_thread *thread, uint64_t cpu_ns)
{
	struct td_file_thread *record = thread->places.record;

	record->end_ns = td_clock_now(CLOCK_MONOTONIC);
	if (cpu_ns)
		record->cpu_ns = cpu_ns;
	__atomic_store_n(&record->state, TD_THREAD_ENDED, __ATOMIC_RELEASE);
	thread->adopted = false;
	atomic_store(&thread->tid, 0);
}

static void close_part(struct td_thread *thread)
{
	prctl(PR_GET_NAME, thread->places.record->name);
	td_backend_close(thread);
	end(thread, td_clock_thread_cpu());
}

void td_threads_detach_self(void)
{
	struct td_thread *thread = td_self;
	sigset_t saved;

	if (!thread || !td_core_is_here())
		return;
	td_core_lock(&saved);
	td_engine_stop(thread);
	td_latency_close(thread);
	close_part(thread);
	if (thread->small)
		close_part(thread->small);
	td_self = NULL;
	td_core_unlock(&saved);
}

void td_threads_finish(void)
{
	sigset_t saved;

	td_threads_detach_self();
	td_core_lock(&saved);
	for (struct td_thread *t = atomic_load(&td_threads); t; t = t->next)
		if (atomic_load(&t->tid))
			td_engine_stop_other(t);
	if (td_latency_is_on())
		td_threads_settle();
	for (struct td_thread *t = atomic_load(&td_threads); t; t = t->next) {
		uint32_t tid = atomic_load(&t->tid);

		if (!tid)
			continue;
		if (!t->by_vernier && !atomic_load(&t->inside))
			td_latency_take(t);
		read_name(tid, t->places.record->name, sizeof(t->places.record->name));
		/* not closed: the thread may be reading its counters just now */
		end(t, read_cpu(tid));
	}
	td_core_unlock(&saved);
}

#define SETTLE_TRIES 20 /* of a millisecond: a handler takes microseconds */

static bool is_any_inside(void)
{
	for (struct td_thread *t = atomic_load(&td_threads); t; t = t->next)
		if (atomic_load(&t->inside))
			return true;
	return false;
}

void td_threads_settle(void)
{
	struct timespec wait = {0, 1000000};

	/* at least once: some leave by a system call after they are outside */
	for (int i = 0; i < SETTLE_TRIES && (i == 0 || is_any_inside()); i++)
		td_syscall2(SYS_nanosleep, &wait, NULL);
}

void td_threads_say_rest(void)
{
	static atomic_bool said;

	if (!atomic_exchange(&said, true))
		td_core_note(
			"a thread is not sampled while its alternate signal stack is "
			"too small for our signal");
}

bool td_threads_rest(bool rest)
{
	struct td_thread *thread = td_self;
	sigset_t saved;

	if (!thread || thread->rests == rest || !td_core_is_here() ||
	    atomic_load(&thread->stopped) != !rest)
		return false;
	td_core_lock(&saved);
	thread->rests = rest;
	if (rest) {
		td_engine_stop(thread);
		td_handler_drain();
	} else if (atomic_load(&td_core.running) && !atomic_load(&td_core.down)) {
		atomic_store(&thread->stopped, td_engine_start(thread) != 0);
	}
	td_core_unlock(&saved);
	td_debug(TD_DEBUG_THREADS, "thread %u: %s", td_gettid(),
		 rest ? "has no stack for our signal" : "has one again");
	return true;
}

void td_threads_yield_descriptor(int fd)
{
	sigset_t saved;
	int other;

	if (td_core_is_elsewhere()) /* the number is another one there than here */
		return;
	td_core_lock(&saved);
	other = td_descriptor_yield(fd);
	if (td_store.fd == fd)
		td_store.fd = other;
	for (struct td_thread *t = atomic_load(&td_threads); t; t = t->next) {
		td_backend_renumber(t, fd, other);
		td_latency_renumber(t, fd, other);
	}
	td_core_unlock(&saved);
}

void td_threads_forget(void)
{
	for (struct td_thread *t = atomic_load(&td_threads); t; t = t->next) {
		td_backend_forget(t);
		td_latency_forget(t);
	}
	atomic_store(&td_threads, NULL);
	td_self = NULL;
	memset(folded, 0, sizeof(folded));
	record_block = record_slot = 0;
	td_vernier_forget();
}

bool td_threads_sampled(void)
{
	for (struct td_thread *t = atomic_load(&td_threads); t; t = t->next)
		if (t->places.record->samples)
			return true;
	return false;
}
