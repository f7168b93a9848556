// SPDX-License-Identifier: MIT
#include "agent/core/stacks.h"

#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <unistd.h>

#include "agent/sigsafe/arch.h"
#include "agent/sigsafe/handler.h"
#include "agent/sigsafe/syscall.h"

/* Two frames one on the other on the way to the program, a third one where a handler of
 * the program is between them; ours needs 2 KB itself. */
#define SIGNAL_FRAMES 3u
#define HANDLER_NEEDS 4096u
#define FRAME_BEFORE 4096u /* where the kernel does not say how large one is (5.14) */

#define FIRST_MOST (1ul << 30) /* where the limit is none */

size_t td_stacks_room(void)
{
	unsigned long frame = getauxval(AT_MINSIGSTKSZ);

	return SIGNAL_FRAMES * (frame ? frame : FRAME_BEFORE) + HANDLER_NEEDS;
}

/* All of it from which on there is room for our signals. */
static void know(uint64_t start, uint64_t size)
{
	uint64_t room = td_stacks_room();

	td_own_stack.end = start;
	td_own_stack.start = start + room;
	td_own_stack.size = size > room ? size - room : 0;
}

/* Where the first thread's begins, from which its limit counts: the kernel puts the name
 * of the program there, with a word of zeros behind it, and the environment below. */
static uint64_t first_begin(void)
{
	const char *name = (const char *)getauxval(AT_EXECFN);
	uint64_t page = getauxval(AT_PAGESZ);

	return name ? ((uint64_t)name + strlen(name) + 1 + sizeof(void *) + page - 1) &
			       -page
		    : 0;
}

void td_stacks_know_first(void)
{
	uint64_t size, begin = first_begin();
	struct rlimit limit;

	if (!begin || td_gettid() != (uint32_t)getpid() ||
	    getrlimit(RLIMIT_STACK, &limit) != 0)
		return;
	size = limit.rlim_cur < FIRST_MOST ? limit.rlim_cur : FIRST_MOST;
	know(begin - size, size);
}

/* On top of a stack is the thread's control block (2 KB), to which this is counted. */
void td_stacks_know(size_t size)
{
	know(td_arch_thread_pointer() - size, size);
}

/* USUAL_STACK is SIGSTKSZ of old: frames are larger only for who asks (AMX) */
#define HANDLER_ITSELF 2048u
#define USUAL_STACK 8192u

bool td_stacks_is_small(const stack_t *alternate)
{
	unsigned long frame = getauxval(AT_MINSIGSTKSZ);
	unsigned long least = (frame ? frame : FRAME_BEFORE) + HANDLER_ITSELF;

	if (least > USUAL_STACK)
		least = USUAL_STACK;
	return !(alternate->ss_flags & SS_DISABLE) && alternate->ss_size < least;
}

/* The thread's; empty: it has none. */
static __thread struct {
	uintptr_t start, end;
} alternate __attribute__((tls_model("initial-exec")));

void td_stacks_know_alternate(const stack_t *stack)
{
	bool none = stack->ss_flags & SS_DISABLE;

	alternate.start = none ? 0 : (uintptr_t)stack->ss_sp;
	alternate.end = none ? 0 : alternate.start + stack->ss_size;
}

bool td_stacks_alternate_is_in(const void *start, size_t size)
{
	return (uintptr_t)start < alternate.end &&
	       alternate.start < (uintptr_t)start + size;
}
