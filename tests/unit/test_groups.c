// SPDX-License-Identifier: MIT
/* Groups of counters in a window; RDPMC itself is tested in the lab. */
#include "agent/sigsafe/groups.h"

#include <check.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "agent/sigsafe/metrics.h"
#include "tests/unit/memory_store.h"
#include "tests/unit/unit.h"

#define GROUPS 4

static struct td_thread thread;
static struct td_group_counters groups;
static struct perf_event_mmap_page page, member;
static int pipes[2];

/* Skylake's level 1: issued, retired, not_delivered, recovery. */
static void setup(void)
{
	memory_store_open(6, 64);
	memset(&thread, 0, sizeof(thread));
	memset(&groups, 0, sizeof(groups));
	memory_store_add_thread(&thread.places);
	td_random_seed(&thread.random, 1, 0);
	thread.groups = &groups;
	groups.shape = td_groups_shapes;
	thread.fd_mark = SIGUSR1;
	ck_assert_int_eq(pipe(pipes), 0);
	ck_assert_int_eq(fcntl(pipes[0], F_SETSIG, SIGUSR1), 0);
	td_groups_shapes[0] = (struct td_groups_shape){
		.width = 4,
		.groups = GROUPS,
		.nodes = true,
		.rest = 3,
		.factor = {{0, 1}, {1, -1, 0, 4}, {0, 0, 1}},
		.divides = {0, 4, 8, 1},
		.percent = {70, 15, 15, 20},
	};
	groups.groups = GROUPS;
	groups.cycles = &page;
	for (uint32_t g = 0; g < GROUPS; g++) {
		td_groups_shapes->members[g] = 5;
		memcpy(td_groups_shapes->value[g], (uint8_t[]){1, 2, 3, 4, 5}, 5);
		groups.group[g].members = 5;
		groups.group[g].own = 4;
		for (uint32_t i = 0; i < 5; i++) {
			groups.group[g].fd[i] = pipes[0];
			groups.group[g].page[i] = &page;
		}
	}
}

static void teardown(void)
{
	close(pipes[0]);
	close(pipes[1]);
	memory_store_close();
}

/* Cycles and the active group's members. */
static void capture(const uint64_t *count)
{
	memcpy(groups.now.kept, count,
	       (1 + groups.group[groups.active].members) * sizeof(*count));
	groups.complete = groups.based = groups.fresh = true;
}

START_TEST(makes_level_1)
{
	struct td_reading now;

	memcpy(groups.base.kept, (uint64_t[]){100, 10, 20, 30, 40, 50}, 6 * 8);
	capture((uint64_t[]){1100, 1410, 1220, 830, 90, 1290});
	ck_assert(td_groups_ops.read(&thread, &now));
	ck_assert_uint_eq(now.elapsed, 1000);
	ck_assert_uint_eq(now.values[0], 4000);
	ck_assert_uint_eq(now.values[1], 1200);                 /* retired */
	ck_assert_uint_eq(now.values[2], 1400 - 1200 + 4 * 50); /* bad speculation */
	ck_assert_uint_eq(now.values[3], 800);
	ck_assert_uint_eq(now.values[4], 4000 - 1200 - 400 - 800);
	ck_assert_uint_eq(now.values[5], 1240);
	ck_assert(!groups.fresh);
}
END_TEST

/* Ice Lake's: retired, backend, not_delivered, dropping, clears_count. */
START_TEST(makes_level_1_with_another_rest)
{
	struct td_reading now;

	td_groups_shapes->rest = 1;
	memset(td_groups_shapes->factor, 0, sizeof(td_groups_shapes->factor));
	td_groups_shapes->factor[0][0] = td_groups_shapes->factor[2][2] =
		td_groups_shapes->factor[3][1] = 1;
	td_groups_shapes->factor[2][3] = -1;
	td_groups_shapes->factor[3][4] = 5;
	td_groups_shapes->members[0] = groups.group[0].members = 6;
	groups.group[0].own = 5;
	memcpy(td_groups_shapes->value[0],
	       (uint8_t[]){1, 2, 3, 4, TD_GROUP_VALUE_FIFTH, TD_GROUP_VALUE_INST}, 6);
	groups.group[0].page[5] = &page;
	capture((uint64_t[]){1000, 1200, 1600, 900, 100, 8, 7});
	ck_assert(td_groups_ops.read(&thread, &now));
	ck_assert_uint_eq(now.values[1], 1200);
	ck_assert_uint_eq(now.values[2], 360);
	ck_assert_uint_eq(now.values[3], 800);
	ck_assert_uint_eq(now.values[4], 1640);
	ck_assert_uint_eq(now.values[TD_GROUP_VALUE_INST], 7);
}
END_TEST

/* Uops that were issued before the window retire in it: below zero, and it must stay. */
START_TEST(keeps_the_sign)
{
	struct td_reading now;

	capture((uint64_t[]){10, 5, 9, 0, 0, 10});
	ck_assert(td_groups_ops.read(&thread, &now));
	ck_assert_int_eq((int64_t)now.values[2], -4);
	ck_assert_int_eq((int64_t)now.values[4], 40 - 9 + 4);
}
END_TEST

START_TEST(other_groups_give_raw_counts)
{
	struct td_reading now;

	groups.active = 2;
	capture((uint64_t[]){1000, 1, 2, 3, 4, 5});
	ck_assert(td_groups_ops.read(&thread, &now));
	ck_assert_uint_eq(now.values[0], 4000);
	for (unsigned i = 1; i <= 5; i++)
		ck_assert_uint_eq(now.values[i], i);
	ck_assert_uint_eq(now.values[6], 0);
	capture((uint64_t[]){1000, 1, 2, 3, 4, 5});
	ck_assert_msg(!td_groups_ops.read_total(&thread, &now), "no part of the totals");
}
END_TEST

START_TEST(without_a_counter)
{
	struct td_reading now;

	page.index = 0;
	ck_assert(!td_groups_ops.read(&thread, &now));
	td_groups_ops.reset(&thread);
	ck_assert(!groups.based);
	/* a switch moves the lock of the leader's page */
	page.lock = 2;
	td_groups_ops.reset(&thread);
	page.lock = 4;
	td_groups_capture(&thread);
	ck_assert(td_groups_ops.switched(&thread));
}
END_TEST

/* The handler has the registers before all else, once: 48 bits, with their sign. */
START_TEST(registers_come_first)
{
	struct td_reading now;

	groups.now.taken = groups.now.cycles = groups.started = groups.based = true;
	groups.now.kept[0] = 5000;
	groups.now.value[0] = (UINT64_C(1) << 48) - 100; /* up to zero */
	groups.now.value[5] = 70;
	page.offset = 30; /* of the members: later */
	ck_assert(td_groups_ops.read(&thread, &now));
	ck_assert_uint_eq(now.elapsed, 4900);
	ck_assert_uint_eq(now.values[5], 100);
	ck_assert_msg(!groups.started, "it is not another signal's");
	ck_assert(!td_groups_ops.switched(&thread));
	td_groups_begin_capture(&groups);
	ck_assert(groups.started && !groups.now.taken && !groups.now.cycles);
}
END_TEST

/* The period ended while slots and cycles were read: what has elapsed is read anew, here
 * of a page without a register. */
START_TEST(torn_windows)
{
	struct td_reading now;

	groups.now.taken = groups.now.cycles = groups.started = groups.based = true;
	groups.now.kept[0] = 5000;
	groups.now.torn = true;
	page.offset = 7000;
	td_groups_ops.read(&thread, &now);
	ck_assert_uint_eq(now.elapsed, 7000);
	ck_assert(td_groups_ops.switched(&thread));
}
END_TEST

/* The kernel had stopped them when the window opened; what comes next has been armed. */
START_TEST(stopped_cycles)
{
	struct td_reading now;

	groups.stood = true;
	groups.now.cycles =
		true; /* as far as the signal has read them: no register now */
	groups.started = groups.based = true;
	groups.now.taken = true;
	ck_assert(td_groups_ops.read(&thread, &now) == false);
	ck_assert_msg(!groups.stood, "of this signal");
	groups.stood = true;
	td_groups_close(&thread);
	ck_assert(!groups.stood);
}
END_TEST

/* What read() of the cycles and of the group's leader give next. */
static void counted(int cycles_pipe, uint64_t cycles, uint64_t running, uint64_t each)
{
	const uint64_t group[] = {5, 1000, running, each, 2 * each, 3 * each, 0, each};

	ck_assert_int_eq(write(cycles_pipe, &cycles, sizeof(cycles)), sizeof(cycles));
	ck_assert_int_eq(write(pipes[1], group, sizeof(group)), sizeof(group));
}

/* RDPMC is off: cycles come from a pipe of their own. */
static void read_from(int *cycles)
{
	ck_assert_int_eq(pipe(cycles), 0);
	ck_assert_int_eq(fcntl(cycles[0], F_SETSIG, SIGUSR1), 0);
	td_groups_shapes->by_read = true;
	thread.fd = cycles[0];
}

START_TEST(by_read)
{
	struct td_reading now;
	int cycles[2];

	read_from(cycles);
	page.lock = 6;
	counted(cycles[1], 5000, 900, 70);
	td_groups_ops.reset(&thread);
	counted(cycles[1], 6000, 900, 170);
	ck_assert(td_groups_ops.read(&thread, &now));
	ck_assert_uint_eq(now.elapsed, 1000);
	ck_assert_uint_eq(now.values[1], 200);               /* retired */
	ck_assert_int_eq((int64_t)now.values[2], 100 - 200); /* bad speculation */
	ck_assert_uint_eq(now.values[3], 300);               /* not delivered */
	ck_assert_uint_eq(now.values[TD_GROUP_VALUE_INST], 100);
	ck_assert(!td_groups_ops.switched(&thread));
	/* some of the time it had no counter */
	counted(cycles[1], 7000, 899, 270);
	ck_assert(!td_groups_ops.read(&thread, &now));
	/* a descriptor of the program's is not read */
	counted(cycles[1], 8000, 900, 370);
	thread.fd_mark = SIGUSR2;
	ck_assert(!td_groups_ops.read(&thread, &now));
	thread.fd_mark = SIGUSR1;
	ck_assert(td_groups_ops.read(&thread, &now));
	ck_assert_uint_eq(now.elapsed, 3000);
	close(cycles[0]);
	close(cycles[1]);
}
END_TEST

/* Ends the trigger's period when the group has been read and its cycles have not. */
static void *end_period(void *pipe_of_cycles)
{
	const uint64_t cycles = 6000;
	int unread;

	do {
		usleep(100);
		ioctl(pipes[0], FIONREAD, &unread);
	} while (unread);
	page.lock += 2;
	return write(*(int *)pipe_of_cycles, &cycles, sizeof(cycles)) == sizeof(cycles)
		       ? NULL
		       : "write";
}

/* At either end of a window: the one that is torn has counted other things than it says.
 */
static void read_torn(int *cycles, bool at_first)
{
	const uint64_t group[] = {5, 1000, 900, 70, 140, 210, 0, 70};
	struct td_reading now;
	pthread_t kernel;
	void *failed;

	if (!at_first) {
		counted(cycles[1], 5000, 900, 0);
		td_groups_ops.reset(&thread);
	}
	ck_assert_int_eq(write(pipes[1], group, sizeof(group)), sizeof(group));
	ck_assert_int_eq(pthread_create(&kernel, NULL, end_period, &cycles[1]), 0);
	if (at_first)
		td_groups_ops.reset(&thread);
	else
		ck_assert(td_groups_ops.read(&thread, &now));
	ck_assert_int_eq(pthread_join(kernel, &failed), 0);
	ck_assert_ptr_null(failed);
}

/* Slots and cycles come by two calls there. */
START_TEST(torn_by_read)
{
	struct td_reading now;
	int cycles[2];

	read_from(cycles);
	groups.group[0].page[0] = &member;
	read_torn(cycles, false);
	ck_assert(td_groups_ops.switched(&thread));
	read_torn(cycles, true);
	counted(cycles[1], 7000, 900, 170);
	ck_assert(!td_groups_ops.read(&thread, &now));
	close(cycles[0]);
	close(cycles[1]);
}
END_TEST

static const struct td_identity function = {
	.kind = TD_PLACE_FUNCTION, .address = 0x1000, .region = 0x1000, .size = 64};

/* How often each group is taken for a function with these percents in so many windows.
 * Returns for how many windows those stand that tell call paths something. */
static unsigned choose_of(uint64_t windows, const int *percent, unsigned *taken)
{
	unsigned stood_for = 0;

	struct td_file_place *place = td_places_get(&thread.places, &function);

	place->windows = windows;
	place->sum[0].sum = 100000;
	for (int i = 0; i < 4; i++)
		place->sum[1 + i].sum = (uint64_t)(percent[i] * 1000);
	memset(taken, 0, GROUPS * sizeof(*taken));
	for (int i = 0; i < 400; i++) {
		thread.window.place = place;
		td_groups_open(&thread, &function);
		taken[groups.active]++;
		stood_for += groups.stands_for;
		ck_assert_uint_eq(thread.window.place->group, groups.active);
		ck_assert((thread.window.place == place) == !groups.active);
		td_groups_close(&thread);
		ck_assert_uint_eq(groups.active, 0);
	}
	return stood_for;
}

static unsigned choose(const int *percent, unsigned *taken)
{
	return choose_of(20, percent, taken);
}

START_TEST(takes_all_groups_in_turn)
{
	unsigned taken[GROUPS];

	choose((const int[]){60, 5, 15, 20}, taken);
	for (int g = 0; g < GROUPS; g++)
		ck_assert_uint_gt(taken[g], 60);
}
END_TEST

/* Only where level 1 points: frontend bound, or backend and retiring. */
START_TEST(drills_down)
{
	unsigned taken[GROUPS];

	td_groups_shapes->drill = true;
	choose((const int[]){30, 5, 60, 5}, taken);
	ck_assert_uint_gt(taken[0], 150);
	ck_assert_uint_gt(taken[1], 150);
	ck_assert_uint_eq(taken[2] + taken[3], 0);
	choose((const int[]){75, 0, 0, 25}, taken);
	ck_assert_uint_eq(taken[1], 0);
	ck_assert_uint_gt(taken[2], 50);
	ck_assert_uint_gt(taken[3], 50);
	choose((const int[]){65, 12, 12, 11}, taken);
	ck_assert_uint_eq(taken[0], 400);
	/* half of what looks like frontend is what measuring costs */
	thread.places.record->empties = 10;
	thread.places.record->empty[0] = 5000;
	thread.places.record->empty[3] = 5000;
	choose((const int[]){55, 12, 20, 13}, taken);
	ck_assert_uint_eq(taken[0], 400);
}
END_TEST

/* A drilled function's windows of level 1 stand for the others, so that it weighs in its
 * callers' totals what one without any weighs. */
START_TEST(drilled_windows_are_stood_for)
{
	static char some[1];
	unsigned taken[GROUPS], all;

	ck_assert_uint_eq(choose((const int[]){30, 5, 60, 5}, taken), 400);
	thread.callpath = (struct td_callpath *)(void *)some;
	td_groups_shapes->drill = true;
	all = choose((const int[]){30, 5, 60, 5}, taken);
	ck_assert_uint_eq(all, 2 * taken[0]);
	ck_assert(all > 320 && all < 480);
	ck_assert_uint_eq(choose((const int[]){65, 12, 12, 11}, taken), 400);
}
END_TEST

/* Groups 1 and 2 are parts of level 1: they have most of group 0's half, and nothing has
 * to want them. */
START_TEST(level_1_in_parts)
{
	unsigned taken[GROUPS];

	td_groups_shapes->drill = true;
	td_groups_shapes->divides[1] = td_groups_shapes->divides[2] = TD_GROUP_LEVEL1;
	choose((const int[]){90, 0, 5, 5}, taken);
	ck_assert(taken[0] > 20 && taken[0] < 90);
	ck_assert(taken[1] > 40 && taken[1] < 120 && taken[2] > 40 && taken[2] < 120);
	ck_assert_uint_gt(taken[3], 150);
	choose((const int[]){50, 5, 5, 5}, taken);
	ck_assert(taken[0] > 55 && taken[0] < 150);
	ck_assert(taken[1] > 100 && taken[2] > 100);
	ck_assert_uint_eq(taken[3], 0);
	/* of a function that few windows are known of, all are whole */
	choose_of(7, (const int[]){90, 0, 5, 5}, taken);
	ck_assert_uint_eq(taken[0], 400);
	/* whatever it is */
	td_groups_shapes->drill = false;
	choose((const int[]){90, 0, 5, 5}, taken);
	ck_assert(taken[0] > 5 && taken[0] < 60);
	ck_assert(taken[1] > 50 && taken[1] < 150 && taken[2] > 50 && taken[2] < 150);
	ck_assert_uint_gt(taken[3], 140);
}
END_TEST

/* Somebody else's file has our number: it is left alone. */
START_TEST(descriptors_that_are_not_ours)
{
	unsigned taken[GROUPS];

	thread.fd_mark = SIGUSR2;
	choose((const int[]){25, 25, 25, 25}, taken);
	ck_assert_uint_eq(taken[0], 400);
}
END_TEST

/* What runs was armed before the other group's base was taken. */
START_TEST(the_armed_period_stays)
{
	groups.active = 1;
	groups.base.kept[0] = 5000;
	thread.armed_at = 300;
	td_groups_close(&thread); /* the page says: 0 cycles */
	ck_assert_uint_eq(thread.armed_at, 5300);
	thread.armed_at = TD_ARMED_UNKNOWN;
	groups.active = 1;
	td_groups_close(&thread);
	ck_assert_uint_eq(thread.armed_at, TD_ARMED_UNKNOWN);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {makes_level_1,
				      makes_level_1_with_another_rest,
				      keeps_the_sign,
				      other_groups_give_raw_counts,
				      without_a_counter,
				      registers_come_first,
				      torn_windows,
				      stopped_cycles,
				      by_read,
				      torn_by_read,
				      takes_all_groups_in_turn,
				      drills_down,
				      drilled_windows_are_stood_for,
				      level_1_in_parts,
				      descriptors_that_are_not_ours,
				      the_armed_period_stays,
				      NULL};

	return unit_main_between("groups", tests, setup, teardown);
}
