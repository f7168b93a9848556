// SPDX-License-Identifier: MIT
/* Whose stack a stack pointer is on. */
#include "agent/core/stacks.h"

#include <check.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <ucontext.h>
#include <unistd.h>

#include "agent/sigsafe/handler.h"
#include "tests/unit/unit.h"

#define SIZE 65536u

static bool on_coroutine;
static ucontext_t back, coroutine;

__attribute__((noinline)) static bool is_own(void)
{
	return td_own_stack_has_room((uint64_t)__builtin_frame_address(0));
}

START_TEST(knows_the_first_threads)
{
	struct rlimit limit;
	char *deep = __builtin_alloca(1 << 20);
	pthread_attr_t attr;
	size_t size;
	void *end;

	ck_assert(!is_own());
	td_stacks_know_first();
	ck_assert(is_own());
	ck_assert(td_own_stack_has_room((uint64_t)deep));
	ck_assert(!td_own_stack_has_no_room((uint64_t)deep));
	getrlimit(RLIMIT_STACK, &limit);
	/* libc knows it by the mapping; unlimited, by what is mapped next */
	pthread_getattr_np(pthread_self(), &attr);
	pthread_attr_getstack(&attr, &end, &size);
	pthread_attr_destroy(&attr);
	if (limit.rlim_cur != RLIM_INFINITY)
		ck_assert_uint_eq(td_own_stack.end & -4096ul, (uint64_t)end & -4096ul);
	ck_assert(td_own_stack_has_no_room(td_own_stack.end));
	ck_assert(td_own_stack_has_no_room(td_own_stack.end + td_stacks_room() - 1));
	ck_assert(!td_own_stack_has_no_room(td_own_stack.end - 1));
	ck_assert(!td_own_stack_has_no_room(td_own_stack.end + td_stacks_room()));
	ck_assert_uint_le(td_own_stack.size + td_stacks_room(), limit.rlim_cur);
}
END_TEST

static void run_coroutine(void)
{
	on_coroutine = is_own();
}

static void *in_a_thread(void *stack)
{
	size_t size, frame = (size_t)sysconf(_SC_MINSIGSTKSZ);
	pthread_attr_t attr;
	void *end;

	td_stacks_know_first();
	ck_assert(!is_own());
	td_stacks_know(td_stacks_room());
	ck_assert(!is_own());
	td_stacks_know(SIZE);
	ck_assert(is_own());
	pthread_getattr_np(pthread_self(), &attr);
	pthread_attr_getstack(&attr, &end, &size);
	pthread_attr_destroy(&attr);
	ck_assert_uint_ge(td_own_stack.start, (uint64_t)end + 2 * frame);
	getcontext(&coroutine);
	coroutine.uc_stack.ss_sp = stack;
	coroutine.uc_stack.ss_size = SIZE;
	coroutine.uc_link = &back;
	makecontext(&coroutine, run_coroutine, 0);
	on_coroutine = true;
	swapcontext(&back, &coroutine);
	ck_assert(!on_coroutine);
	td_stacks_know(0);
	ck_assert(!is_own());
	return NULL;
}

START_TEST(knows_a_threads_and_no_coroutines)
{
	static char stack[SIZE] __attribute__((aligned(64)));
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, SIZE);
	ck_assert_int_eq(pthread_create(&thread, &attr, in_a_thread, stack), 0);
	pthread_join(thread, NULL);
	pthread_attr_destroy(&attr);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		knows_the_first_threads,
		knows_a_threads_and_no_coroutines,
		NULL,
	};

	return unit_main("stacks", tests);
}
