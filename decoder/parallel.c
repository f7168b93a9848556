// SPDX-License-Identifier: MIT
#include "decoder/parallel.h"

#include <pthread.h>
#include <sched.h>

#define THREADS_MOST 16

struct work {
	td_parallel_fn *run;
	char *piece;
	size_t size, n;
	pthread_mutex_t lock; /* of all that follows */
	size_t next;          /* piece; whoever takes it runs it */
	size_t failed;        /* the first piece with an error; n: none */
	int err;              /* its error */
};

static size_t next_piece(struct work *work)
{
	size_t next;

	pthread_mutex_lock(&work->lock);
	next = work->next++;
	pthread_mutex_unlock(&work->lock);
	return next;
}

static void note_error(struct work *work, size_t piece, int err)
{
	pthread_mutex_lock(&work->lock);
	if (piece < work->failed) {
		work->failed = piece;
		work->err = err;
	}
	pthread_mutex_unlock(&work->lock);
}

static void *take_pieces(void *arg)
{
	struct work *work = arg;

	for (size_t i; (i = next_piece(work)) < work->n;) {
		int err = work->run(work->piece + i * work->size);

		if (err)
			note_error(work, i, err);
	}
	return NULL;
}

static size_t processors(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set) != 0)
		return 1;
	return (size_t)CPU_COUNT(&set);
}

int td_parallel_run(td_parallel_fn *run, void *piece, size_t size, size_t n)
{
	struct work work = {
		.run = run, .piece = piece, .size = size, .n = n, .failed = n};
	pthread_t thread[THREADS_MOST];
	size_t most = processors(), started = 0;

	if (most > THREADS_MOST + 1)
		most = THREADS_MOST + 1;
	pthread_mutex_init(&work.lock, NULL);
	/* this thread is one of them */
	while (started + 1 < most && started + 1 < n &&
	       pthread_create(&thread[started], NULL, take_pieces, &work) == 0)
		started++;
	take_pieces(&work);
	while (started)
		pthread_join(thread[--started], NULL);
	pthread_mutex_destroy(&work.lock);
	return work.err;
}
