// SPDX-License-Identifier: MIT
#include "agent/core/events.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "agent/core/core.h"
#include "agent/core/cores.h"
#include "agent/core/event_names.h"
#include "agent/core/events_asked.h"
#include "agent/core/events_describe.h"
#include "agent/core/events_open.h"
#include "agent/core/facts.h"
#include "agent/sigsafe/descriptors.h"
#include "agent/sigsafe/groups.h"
#include "agent/sigsafe/handler.h"
#include "decoder/events.h"

/* The self-test's loop, how often it may fail, and a period that it does not reach. */
#define LOOP 20000u
#define TRIES 3u
#define NEVER (1ull << 40)
#define PARTS_EVENTS 3u /* a judged group has so many at most */

/* General-purpose counters of small cores; large ones have more. */
#define COMMON 6u

/* By type of cores; constant afterwards.  In between `found` and `shape` are those that
 * are looked for. */
static struct td_events_found all_found[TD_CORE_TYPES], *found = all_found;
static struct td_groups_shape *shape = td_groups_shapes;

int td_events_open(struct td_group_counters *groups, struct td_thread *thread,
		   uint32_t tid, enum td_core_type cores)
{
	return td_events_open_all(&all_found[cores], &td_groups_shapes[cores], groups,
				  thread, tid);
}

static const char *const leavings[2] = {"near_returns", "near_calls"};

static bool can_judge(enum td_events_judged judged)
{
	if (judged == JUDGED_PARTS)
		return found->beside && found->family->judgeds &&
		       found->family->group[0].events > PARTS_EVENTS;
	if (judged == JUDGED_APART)
		return !found->beside && found->family->judgeds &&
		       td_events_find(found->family, leavings[0]) >= 0;
	return judged == JUDGED_NOT || (td_events_find(found->family, leavings[0]) >= 0 &&
					td_events_find(found->family, leavings[1]) >= 0);
}

static bool is_leaving(uint32_t value)
{
	return value >= TD_GROUP_VALUE_LEAVINGS && value < TD_GROUP_VALUE_FIFTH;
}

static void set_member(uint32_t group, uint32_t member, const char *name, uint32_t type,
		       uint64_t config, uint32_t value)
{
	struct td_events_member *to = &found->member[group][member];

	snprintf(to->name, sizeof(to->name), "%s", name);
	to->type = type;
	to->config = config;
	shape->value[group][member] = (uint8_t)value;
	shape->judged[group] = (uint8_t)(shape->judged[group] + is_leaving(value));
	shape->members[group] = member + 1;
}

/* How many of them a group with so many events of its own counts. */
static uint32_t leavings_beside(uint32_t events)
{
	uint32_t most = td_events_find(found->family, leavings[1]) < 0 ? 1 : 2;

	if (found->judged == JUDGED_ALL)
		return most;
	/* level 1 whole takes all counters */
	if (found->judged != JUDGED_APART || events >= found->counters)
		return 0;
	return found->counters - events < most ? found->counters - events : most;
}

/* Behind the events of its own. */
static void end_group(uint32_t group)
{
	uint32_t n = shape->members[group], beside = leavings_beside(n);

	set_member(group, n++, "inst", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS,
		   TD_GROUP_VALUE_INST);
	for (uint32_t i = 0; i < beside; i++) {
		int event = td_events_find(found->family, leavings[i]);

		set_member(group, n++, leavings[i], PERF_TYPE_RAW,
			   found->family->event[event].config,
			   TD_GROUP_VALUE_LEAVINGS + i);
	}
}

static void add_member(uint32_t group, const struct td_event *event)
{
	uint32_t n = shape->members[group];
	bool generic = event->config & TD_EVENT_GENERIC;

	set_member(group, n, event->name, generic ? PERF_TYPE_HARDWARE : PERF_TYPE_RAW,
		   event->config & ~TD_EVENT_GENERIC,
		   n < TD_GROUP_EVENTS ? 1 + n : TD_GROUP_VALUE_FIFTH);
}

static void begin_asked(uint32_t group, uint32_t first)
{
	shape->divides[group] = TD_GROUP_ALWAYS;
	shape->judged[group] = 0;
	found->first[group] = first;
}

/* The events that the user asks for, in groups of their own behind the family's. */
static void add_asked(void)
{
	uint32_t g = found->tables, n = 0;
	bool cut = false;

	found->no_room = 0;
	for (uint32_t i = 0; i < found->asked; i++) {
		const struct td_event_name *event = &found->ask[i];

		cut |= found->cut >> i & 1;
		if (found->refused[i])
			continue;
		if (n && (cut || n == td_events_asked_room(found))) {
			end_group(g++);
			n = 0;
		}
		cut = false;
		found->no_room += g == TD_GROUPS_MAX;
		if (g == TD_GROUPS_MAX)
			continue;
		if (!n)
			begin_asked(g, i);
		set_member(g, n, event->name, event->type, event->config, 1 + n);
		found->member[g][n++].config1 = event->config1;
	}
	if (n)
		end_group(g++);
	shape->groups = g;
}

static bool is_for_smt(const struct td_event_group *group)
{
	return strcmp(group->name, "smt") == 0;
}

/* Counts nothing that is asked for. */
static bool is_superfluous(const struct td_event_group *group,
			   const struct td_options *options)
{
	if (is_for_smt(group))
		return !found->shared;
	/* the vernier's groups take turns, each at the cost of the others */
	if (found->beside)
		return options->level != TD_LEVEL_2 && group != found->family->group;
	/* small cores without nodes have totals by several groups, never by one */
	return options->level == TD_LEVEL_1 && group->nodes && !found->raw;
}

static bool is_counted(const struct td_event *event, uint32_t groups)
{
	for (uint32_t g = 0; g < groups; g++)
		for (uint32_t i = 0; i < shape->members[g]; i++)
			if (!strcmp(found->member[g][i].name, event->name))
				return true;
	return false;
}

/* Can the event be opened?  Of the kernel's own ones each CPU has only some. */
static bool is_offered(const struct td_event *event)
{
	const struct td_events_member alone = {
		.type = PERF_TYPE_HARDWARE,
		.config = event->config & ~TD_EVENT_GENERIC,
	};
	int fd;

	if (!(event->config & TD_EVENT_GENERIC))
		return true;
	fd = td_events_open_event(found, &alone, 0, 0, -1);
	td_descriptor_close(fd);
	return fd >= 0;
}

/* Level 1 is made of its first group's events. */
static bool is_of_level1(uint32_t event)
{
	const struct td_event_group *group = &found->family->group[0];

	for (uint32_t k = 0; k < group->events; k++)
		if (group->event[k] == event)
			return true;
	return false;
}

static void add_group(uint32_t group, const struct td_event_group *from, bool level2)
{
	for (uint32_t k = 0; k < from->events; k++)
		if (level2 || is_of_level1(from->event[k]))
			add_member(group, &found->family->event[from->event[k]]);
	end_group(group);
	shape->divides[group] = (uint8_t)from->nodes;
}

/*
 * Level 1 whole, for totals and for what little the first windows say, and the judged
 * groups.  Where the core is shared there is no level 1 without formulas, so only
 * those and the events that tell how much of it is.
 */
static void take_judged(const struct td_options *options)
{
	const struct td_event_family *family = found->family;
	/* in parts the vernier's groups take turns: each costs the others */
	bool parts = found->judged == JUDGED_PARTS;
	bool level2 = parts ? options->level == TD_LEVEL_2 : options->level != TD_LEVEL_1;
	const struct td_event_group *group =
		parts && family->parts ? family->part : family->judged;
	uint32_t groups = parts && family->parts ? family->parts : family->judgeds;
	uint32_t g = 0;
	bool smt = false; /* the family has one of its own among these */

	if (shape->nodes)
		add_group(g++, &family->group[0], true);
	for (uint32_t i = 0; i < groups && g < TD_GROUPS_MAX; i++) {
		const struct td_event_group *from = &group[i];

		if (is_for_smt(from) ? !found->shared : from->nodes && !level2)
			continue;
		smt = smt || is_for_smt(from);
		add_group(g, from, level2 || !parts || is_for_smt(from));
		if (!from->nodes)
			shape->divides[g] = TD_GROUP_LEVEL1;
		g++;
	}
	for (uint32_t i = 0; i < family->groups && found->shared && !smt; i++)
		if (is_for_smt(&family->group[i]) && g < TD_GROUPS_MAX)
			add_group(g++, &family->group[i], true);
	shape->groups = g;
}

/* The family's groups, or where counters are missing their events one by one; one of
 * instructions alone, where nothing else is offered. */
static void cut_groups(const struct td_options *options)
{
	const struct td_event_family *family = found->family;
	bool whole = found->counters >= TD_GROUP_EVENTS &&
		     found->counters >= family->group[0].events;
	uint32_t g = 0, n = 0;

	for (uint32_t i = 0; i < family->groups && g < TD_GROUPS_MAX; i++) {
		const struct td_event_group *from = &family->group[i];

		if (is_superfluous(from, options))
			continue;
		for (uint32_t k = 0; k < from->events && g < TD_GROUPS_MAX; k++) {
			const struct td_event *event = &family->event[from->event[k]];

			if ((!whole && is_counted(event, g + 1)) || !is_offered(event))
				continue;
			add_member(g, event);
			if (++n == found->counters) {
				end_group(g++);
				n = 0;
			}
		}
		if (g || n)
			shape->divides[g - !n] = (uint8_t)from->nodes;
		if (whole && n) {
			end_group(g++);
			n = 0;
		}
	}
	if ((n || !g) && g < TD_GROUPS_MAX)
		end_group(g++);
	shape->groups = g;
}

/* Nothing is asked for but level 1: its nodes are complete only where no other group
 * takes its turn. */
static bool is_one_group(const struct td_options *options)
{
	return options->level != TD_LEVEL_2 && !options->events[0];
}

/* Are level 1's nodes sums of the first group's events? */
static bool makes_nodes(const struct td_options *options, uint32_t counters)
{
	return counters >= found->family->group[0].events && found->family->terms &&
	       !found->shared && !found->raw && (!found->beside || is_one_group(options));
}

/* More events than a window keeps are for level 1's group alone, and only while nodes are
 * made of them. */
static bool is_of_use(const struct td_options *options, uint32_t counters)
{
	return counters <= TD_GROUP_EVENTS ||
	       (found->family->group[0].events == counters &&
		makes_nodes(options, counters));
}

static void plan(const struct td_options *options, uint32_t counters,
		 enum td_events_judged judged)
{
	/* decoder/topdown.c: retiring, bad speculation, frontend, backend */
	static const uint8_t percent[TD_GROUP_NODES] = {70, 15, 15, 20};

	memset(shape, 0, sizeof(*shape));
	memset(found->member, 0, sizeof(found->member));
	found->counters = counters;
	found->judged = judged;
	shape->width = found->family->width;
	shape->by_read = found->by_read;
	shape->nodes = makes_nodes(options, counters);
	shape->drill = shape->nodes && options->level == TD_LEVEL_AUTO;
	for (uint32_t node = 0; node < TD_GROUP_NODES; node++)
		shape->percent[node] = found->family->over[node]
					       ? found->family->over[node]
					       : percent[node];
	td_events_set_factors(found->family, shape);
	if (judged == JUDGED_APART || judged == JUDGED_PARTS)
		take_judged(options);
	else
		cut_groups(options);
	found->tables = shape->groups;
	found->cut = 0;
	add_asked();
}

static void run_loop(void)
{
	for (volatile uint32_t i = 0; i < LOOP; i++)
		;
}

/* Is the group on its counters all the time, beside the cycles? */
static int try_group(struct td_thread *thread, uint32_t group)
{
	struct td_group_counters *groups = thread->groups;
	struct {
		uint64_t events, enabled, running, value[TD_GROUP_MEMBERS];
	} count = {0};
	struct td_reading now = {.elapsed = 0};
	int leader = groups->group[group].fd[0];

	groups->active = group;
	if (ioctl(leader, PERF_EVENT_IOC_ENABLE, 0) != 0)
		return -errno;
	td_groups_ops.reset(thread);
	run_loop();
	groups->fresh = false;
	now.readable = td_groups_ops.read(thread, &now);
	ioctl(leader, PERF_EVENT_IOC_DISABLE, 0);
	if (read(leader, &count, sizeof(count)) < 24 || !count.enabled ||
	    count.enabled != count.running)
		return -EBUSY;
	if (!now.readable)
		return -ENODATA;
	/* the loop's instructions, at least: a counter that counts nothing is none */
	return now.elapsed > LOOP / 4 && now.values[TD_GROUP_VALUE_INST] > LOOP ? 0
										: -EIO;
}

/* A loop that retires must show it. */
static bool level1_makes_sense(struct td_thread *thread)
{
	struct td_reading now = {.elapsed = 0};

	if (!shape->nodes)
		return true;
	thread->groups->active = 0;
	ioctl(thread->groups->group[0].fd[0], PERF_EVENT_IOC_ENABLE, 0);
	td_groups_ops.reset(thread);
	run_loop();
	thread->groups->fresh = false;
	/* where bad speculation is the rest, an event that counts nothing ends there, and
	 * the loop's branch is always the same */
	if (!td_groups_ops.read(thread, &now) ||
	    (shape->rest == 1 && now.values[2] > now.values[0] / 4))
		return false;
	return now.values[1] && now.values[1] <= now.values[0] + now.values[0] / 8 &&
	       now.values[3] <= now.values[0];
}

/* Takes away a group that this machine does not count; the user's are made anew. */
static void drop_group(uint32_t group, int error)
{
	if (group >= found->tables) {
		td_events_asked_part(found, found->first[group], td_events_own(group),
				     error);
	} else {
		found->tables--;
		found->dropped++;
	}
	for (uint32_t g = group; g < found->tables; g++) {
		memcpy(found->member[g], found->member[g + 1], sizeof(found->member[g]));
		memcpy(shape->value[g], shape->value[g + 1], sizeof(shape->value[g]));
		shape->members[g] = shape->members[g + 1];
		shape->divides[g] = shape->divides[g + 1];
		shape->judged[g] = shape->judged[g + 1];
	}
	add_asked();
}

static int try_one(void *context, uint32_t g)
{
	struct td_thread *thread = context;
	struct td_group_pages *group = &thread->groups->group[g];
	int error = td_events_open_group(found, shape, group, g, 0);
	bool open = !error;

	/* being switched out on the way spoils a try */
	for (unsigned n = 0; open && n < TRIES; n++) {
		error = try_group(thread, g);
		if (!error && g == 0 && !level1_makes_sense(thread))
			error = -EIO;
		if (!error)
			break;
	}
	td_events_close_group(group);
	return error;
}

static int try_groups(int (*trial)(void *, uint32_t), void *context)
{
	uint32_t g = 0;

	found->dropped = 0;
	while (g < shape->groups) {
		int error = trial(context, g);

		if (error && g == 0)
			return error;
		if (error)
			drop_group(g, error);
		else
			g++;
	}
	return 0;
}

/* What a window's groups have beside them: cycles that interrupt. */
static int open_cycles(struct td_thread *thread)
{
	const struct td_events_member cycles = {.type = PERF_TYPE_HARDWARE,
						.config = PERF_COUNT_HW_CPU_CYCLES};

	thread->fd = td_events_open_event(found, &cycles, NEVER, 0, -1);
	if (thread->fd < 0)
		return thread->fd;
	thread->fd_mark = td_signal.number;
	if (fcntl(thread->fd, F_SETSIG, thread->fd_mark) != 0)
		return -errno;
	thread->groups->cycles = td_events_map(thread->fd);
	if (!thread->groups->cycles)
		return -ENOMEM;
	return ioctl(thread->fd, PERF_EVENT_IOC_ENABLE, 0) != 0 ? -errno : 0;
}

/* The most that works: near returns and calls where there is room for them, then
 * fewer and fewer events a group. */
static int try_sizes(const struct td_options *options, int (*trial)(void *, uint32_t),
		     void *context)
{
	static const struct {
		uint32_t counters;
		enum td_events_judged judged;
	} size[] = {{5, JUDGED_ALL},   {5, JUDGED_NOT}, {4, JUDGED_ALL},
		    {4, JUDGED_APART}, {4, JUDGED_NOT}, {PARTS_EVENTS, JUDGED_PARTS},
		    {3, JUDGED_NOT},   {2, JUDGED_NOT}};
	int error = -ENOENT;

	for (size_t i = 0; i < sizeof(size) / sizeof(size[0]); i++) {
		if (!can_judge(size[i].judged) || !is_of_use(options, size[i].counters))
			continue;
		plan(options, size[i].counters, size[i].judged);
		error = try_groups(trial, context);
		if (error == -ENODATA && !found->by_read && !found->beside) {
			found->by_read = true;
			plan(options, size[i].counters, size[i].judged);
			error = try_groups(trial, context);
		}
		if (!error || error == -ENODATA || error == -EIO)
			break;
	}
	return error;
}

static int try_all(const struct td_options *options)
{
	static struct td_thread thread; /* too large for a small stack */
	static struct td_group_counters groups;
	int error;

	memset(&thread, 0, sizeof(thread));
	td_events_clear(&groups);
	thread.groups = &groups;
	groups.shape = shape;
	error = open_cycles(&thread);
	if (!error)
		error = try_sizes(options, try_one, &thread);
	if (groups.cycles)
		munmap((void *)groups.cycles, TD_PAGE);
	td_descriptor_close(thread.fd);
	return error;
}

/* The rung below: instructions, and branch misses where the CPU counts them. */
static int try_without_topdown(const struct td_options *options, char *why, size_t size)
{
	size_t used = strlen(why);
	int error;

	found->family = td_events_named("architectural");
	error = try_all(options);
	if (!error)
		snprintf(found->why, sizeof(found->why), "%s", why);
	else if (used < size)
		snprintf(why + used, size - used, "%s%s",
			 td_events_is_absent(error)
				 ? "; no hardware event is offered at all"
				 : "; no events at all: ",
			 td_events_is_absent(error) ? "" : strerror(-error));
	return error;
}

/* The tables and groups of the cores that `found` is about. */
static int detect(const struct td_options *options, enum td_vendor vendor,
		  uint32_t family, uint32_t model, char *why, size_t size)
{
	int error = -ENOENT;

	found->family = options->level == TD_LEVEL_0
				? NULL
				: td_events_of_cpu(vendor, family, model);
	if (found->family) {
		error = try_all(options);
		if (error)
			td_events_explain(found, error, why, size);
		else if (!found->family->formulas)
			snprintf(found->why, sizeof(found->why),
				 "%s has no events of slots", found->family->name);
	} else if (options->level == TD_LEVEL_0) {
		snprintf(why, size, "TDAGENT_LEVEL=0");
	} else {
		snprintf(why, size, "no event tables for this CPU (family %u, model %u)",
			 family, model);
	}
	return error;
}

/* The same on a core of this type, whose PMU is the one to open events of. */
static int detect_there(const struct td_options *options, const struct td_cores *there,
			enum td_vendor vendor, char *why, size_t size)
{
	const struct td_event_source source = {
		.pmu = vendor == TD_VENDOR_ATOM ? "cpu_atom" : "cpu_core",
		.vendor = vendor};
	uint32_t family = 0, model = 0;
	cpu_set_t before;
	int error = td_cores_visit(&there->cpus, &before);

	if (error)
		return error;
	td_events_this_cpu(&family, &model);
	found->pmu = there->type;
	/* smt/active is of large cores: small ones have one thread */
	found->shared = found->shared && vendor != TD_VENDOR_ATOM;
	td_events_asked_find(found, options->events, &source);
	error = detect(options, vendor, family, model, why, size);
	if (error)
		error = try_without_topdown(options, why, size);
	td_cores_leave(&before);
	return error;
}

/* Do the windows of both have the same values, and the profile room for both?  A family
 * without top-down says of neither type what the other's events are. */
static bool go_together(void)
{
	const struct td_groups_shape *large = &td_groups_shapes[TD_CORES_LARGE],
				     *small = &td_groups_shapes[TD_CORES_SMALL];
	const struct td_events_found *of_large = &all_found[TD_CORES_LARGE],
				     *of_small = &all_found[TD_CORES_SMALL];

	return large->nodes == small->nodes && !large->by_read && !small->by_read &&
	       !of_large->why[0] && !of_small->why[0] &&
	       of_large->judged == of_small->judged &&
	       large->groups + small->groups <= TD_GROUPS_MAX;
}

static void look_at(enum td_core_type cores)
{
	found = &all_found[cores];
	shape = &td_groups_shapes[cores];
}

/* Where the program may run on small cores only, they are all there is. */
static int detect_hybrid(const struct td_options *options,
			 const struct td_cores cores[TD_CORE_TYPES], char *why,
			 size_t size)
{
	const struct td_cores *large = &cores[TD_CORES_LARGE],
			      *small = &cores[TD_CORES_SMALL];
	char unused[1];
	int error;

	if (!CPU_COUNT(&large->cpus))
		return detect_there(options, small, TD_VENDOR_ATOM, why, size);
	error = detect_there(options, large, TD_VENDOR_INTEL, why, size);
	if (error || !CPU_COUNT(&small->cpus))
		return error;
	look_at(TD_CORES_SMALL);
	/* the header names the values of both */
	found->raw = !td_groups_shapes[TD_CORES_LARGE].nodes;
	all_found[TD_CORES_SMALL].both = detect_there(options, small, TD_VENDOR_ATOM,
						      unused, sizeof(unused)) == 0 &&
					 go_together();
	look_at(TD_CORES_LARGE);
	if (!td_events_on_both() && options->events[0] &&
	    td_groups_shapes[TD_CORES_LARGE].groups +
			    td_groups_shapes[TD_CORES_SMALL].groups >
		    TD_GROUPS_MAX)
		td_core_note("TDAGENT_EVENTS leaves no room for the small cores: fewer "
			     "events, or TDAGENT_LEVEL=1, would");
	return 0;
}

int td_events_detect(const struct td_options *options, char *why, size_t size)
{
	static bool works; /* a forked child runs on the same machine */
	struct td_cores cores[TD_CORE_TYPES];
	uint32_t family = 0, model = 0;
	enum td_vendor vendor = td_events_this_cpu(&family, &model);
	struct td_event_source source;
	int error;

	if (works)
		return 0;
	found->shared = td_cores_are_shared();
	if (td_cores_find(cores)) {
		error = detect_hybrid(options, cores, why, size);
	} else {
		source = td_event_names_source();
		td_events_asked_find(found, options->events, &source);
		error = detect(options, vendor, family, model, why, size);
		if (error)
			error = try_without_topdown(options, why, size);
	}
	works = !error;
	/* measured or not, small cores may be where counters are read */
	if (works && td_cores_may_leave_large())
		td_groups_common = COMMON;
	return error;
}

bool td_events_on_both(void)
{
	return all_found[TD_CORES_SMALL].both;
}

uint64_t td_events_cycles(enum td_core_type cores)
{
	return td_cores_hardware(all_found[cores].pmu, PERF_COUNT_HW_CPU_CYCLES);
}

void td_events_note_asked(const struct td_options *options)
{
	td_events_asked_note(found, options->level != TD_LEVEL_1);
	if (td_events_on_both())
		td_events_asked_note(&all_found[TD_CORES_SMALL],
				     options->level != TD_LEVEL_1);
}

int td_events_cut_beside(const struct td_options *options, int (*trial)(void *, uint32_t),
			 void *context)
{
	static struct td_events_found before; /* too large for a small stack */
	struct td_groups_shape shape_before = *shape;
	int error;

	before = *found;
	found->beside = true;
	error = try_sizes(options, trial, context);
	if (error) {
		*found = before;
		*shape = shape_before;
	}
	return error;
}

uint32_t td_events_own(uint32_t group)
{
	uint32_t own = 0;

	while (own < shape->members[group] &&
	       (shape->value[group][own] < TD_GROUP_VALUE_INST ||
		shape->value[group][own] == TD_GROUP_VALUE_FIFTH))
		own++;
	return own;
}

void td_events_member(uint32_t group, uint32_t i, uint32_t *type, uint64_t *config,
		      uint64_t *config1)
{
	*config1 = found->member[group][i].config1;
	td_events_of_pmu(found, &found->member[group][i], type, config);
}

void td_events_reason(char *text, size_t size)
{
	td_events_say(found, shape, text, size);
}

unsigned td_events_leavings(void)
{
	return found->judged == JUDGED_APART || found->judged == JUDGED_ALL
		       ? TD_GROUP_VALUE_LEAVINGS
		       : 0;
}

bool td_events_in_parts(void)
{
	return found->judged == JUDGED_APART;
}

uint32_t td_events_counters(void)
{
	uint32_t most = 0;

	for (uint32_t g = 0; g < shape->groups; g++)
		most = shape->judged[g] > most ? shape->judged[g] : most;
	return TD_GROUP_VALUE_LEAVINGS + most;
}

void td_events_describe(struct td_file_header *header, bool both)
{
	td_events_write(&all_found[TD_CORES_LARGE], header);
	if (both)
		td_events_write_small(&all_found[TD_CORES_SMALL], header);
}
