// SPDX-License-Identifier: MIT
#include "decoder/parallel.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>

#include "tests/unit/unit.h"

enum { PIECES = 100 };

struct piece {
	int number, runs, err;
};

static int run(void *arg)
{
	struct piece *piece = arg;

	piece->runs++;
	return piece->err;
}

static void set_up(struct piece *piece)
{
	for (int i = 0; i < PIECES; i++)
		piece[i] = (struct piece){.number = i};
}

static int run_all(struct piece *piece)
{
	int err = td_parallel_run(run, piece, sizeof(*piece), PIECES);

	for (int i = 0; i < PIECES; i++) {
		ck_assert_int_eq(piece[i].number, i);
		ck_assert_int_eq(piece[i].runs, 1);
	}
	return err;
}

START_TEST(each_once)
{
	struct piece piece[PIECES];

	set_up(piece);
	ck_assert_int_eq(run_all(piece), 0);
	ck_assert_int_eq(td_parallel_run(run, piece, sizeof(*piece), 0), 0);
	ck_assert_int_eq(piece[0].runs, 1);
}
END_TEST

/* Whoever fails first in time: the same error each time, and nobody is left out. */
START_TEST(first_error)
{
	struct piece piece[PIECES];

	for (int times = 0; times < 20; times++) {
		set_up(piece);
		piece[PIECES - 1].err = -EIO;
		piece[3].err = -ENOMEM;
		piece[40].err = -EINVAL;
		ck_assert_int_eq(run_all(piece), -ENOMEM);
	}
}
END_TEST

static pthread_barrier_t barrier;

static int meet(void *piece)
{
	(void)piece;
	pthread_barrier_wait(&barrier);
	return 0;
}

/* Two pieces meet, which none does that waits for the other one's end. */
START_TEST(at_once)
{
	struct piece piece[2];
	cpu_set_t set;

	ck_assert_int_eq(sched_getaffinity(0, sizeof(set), &set), 0);
	if (CPU_COUNT(&set) < 2)
		return;
	pthread_barrier_init(&barrier, NULL, 2);
	ck_assert_int_eq(td_parallel_run(meet, piece, sizeof(*piece), 2), 0);
	pthread_barrier_destroy(&barrier);
}
END_TEST

START_TEST(one_processor)
{
	struct piece piece[PIECES];
	cpu_set_t all, one;

	ck_assert_int_eq(sched_getaffinity(0, sizeof(all), &all), 0);
	CPU_ZERO(&one);
	for (size_t i = 0; i < CPU_SETSIZE && !CPU_COUNT(&one); i++)
		if (CPU_ISSET(i, &all))
			CPU_SET(i, &one);
	ck_assert_int_eq(sched_setaffinity(0, sizeof(one), &one), 0);
	set_up(piece);
	ck_assert_int_eq(run_all(piece), 0);
	ck_assert_int_eq(sched_setaffinity(0, sizeof(all), &all), 0);
}
END_TEST

int main(void)
{
	return unit_main("parallel",
			 (const TTest *const[]){each_once, first_error, at_once,
						one_processor, NULL});
}
