// SPDX-License-Identifier: MIT
/* Threads: each starts in a function of ours that has it profiled. */
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <threads.h>

#include "agent/core/lifecycle.h"
#include "agent/core/masks.h"
#include "agent/core/real.h"
#include "agent/core/threads.h"
#include "agent/hook/hook.h"

struct start {
	void *(*routine)(void *);
	thrd_start_t c11_routine;
	void *argument;
	size_t stack; /* its size, if libc allocates it; otherwise 0 */
	bool hidden;  /* who makes the thread was td_masks_hidden() */
};

static struct start *new_start(struct start values)
{
	struct start *start = malloc(sizeof(*start));

	if (start) {
		*start = values;
		start->hidden = td_masks_hidden();
	}
	return start;
}

static struct start take_start(void *pointer)
{
	struct start start = *(struct start *)pointer;

	free(pointer);
	return start;
}

static void *thread_main(void *pointer)
{
	struct start start = take_start(pointer);

	td_lifecycle_thread_begin(start.hidden, start.stack);
	return start.routine(start.argument);
}

static int c11_thread_main(void *pointer)
{
	struct start start = take_start(pointer);

	td_lifecycle_thread_begin(start.hidden, start.stack);
	return start.c11_routine(start.argument);
}

static size_t stack_of(const pthread_attr_t *attr)
{
	size_t given, size;
	void *stack;

	if (pthread_attr_getstack(attr, &stack, &given) != 0 ||
	    (uintptr_t)stack + given != 0 /* the program's own: it ends somewhere */ ||
	    pthread_attr_getstacksize(attr, &size) != 0)
		return 0;
	return size;
}

#define LARGE_STACK (1u << 20) /* whoever needs all of that does not count bytes */

/* A small stack that libc allocates gets as much more as our signals take of it: the
 * program may use what it asked for to the last.  `ours` is a copy: without `attr` of the
 * default, which the caller destroys, otherwise one that owns nothing. */
static const pthread_attr_t *with_room(const pthread_attr_t *attr, pthread_attr_t *ours,
				       size_t *stack)
{
	size_t room = td_lifecycle_stack_room();

	if (attr)
		*ours = *attr;
	else if (pthread_getattr_default_np(ours) != 0)
		pthread_attr_init(ours);
	*stack = stack_of(ours);
	if (!*stack || *stack >= LARGE_STACK || !room ||
	    pthread_attr_setstacksize(ours, *stack + room) != 0)
		return attr;
	*stack += room;
	return ours;
}

TD_EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attr,
			     void *(*routine)(void *), void *argument)
{
	struct start *start =
		new_start((struct start){.routine = routine, .argument = argument});
	pthread_attr_t ours;
	const pthread_attr_t *larger;
	int error;

	td_lifecycle_settle();
	if (!start)
		return td_real()->pthread_create(thread, attr, routine, argument);
	larger = with_room(attr, &ours, &start->stack);
	error = td_real()->pthread_create(thread, larger, thread_main, start);
	if (!attr)
		pthread_attr_destroy(&ours);
	if (error)
		free(start);
	return error;
}

TD_EXPORT int thrd_create(thrd_t *thread, thrd_start_t routine, void *argument)
{
	struct start *start =
		new_start((struct start){.c11_routine = routine, .argument = argument});
	pthread_attr_t usual;
	int result;

	td_lifecycle_settle();
	if (!start)
		return td_real()->thrd_create(thread, routine, argument);
	pthread_attr_init(&usual);
	start->stack = stack_of(&usual);
	result = td_real()->thrd_create(thread, c11_thread_main, start);
	if (result != thrd_success)
		free(start);
	return result;
}

TD_EXPORT int pthread_setname_np(pthread_t thread, const char *name)
{
	int error = td_real()->pthread_setname_np(thread, name);

	if (!error && pthread_equal(thread, pthread_self()))
		td_threads_named(name);
	return error;
}
