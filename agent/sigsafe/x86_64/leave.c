// SPDX-License-Identifier: MIT
/*
 * Compiled for general registers only: from restore_vectors() on the others are the
 * program's.
 */
#include "agent/sigsafe/leave.h"

#include <cpuid.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <string.h>

#include "agent/sigsafe/groups.h"
#include "agent/sigsafe/handler.h"
#include "agent/sigsafe/metrics.h"
#include "agent/sigsafe/release.h"

#define KERNEL_SIGSET_SIZE 8
#define HAS_EXTENDED 1u        /* UC_FP_XSTATE */
#define AUTODISARM (1u << 31)  /* SS_AUTODISARM: sigreturn arms the stack anew */
#define FLAG_TRAP (1u << 8)    /* a debugger steps */
#define FLAG_NESTED (1u << 14) /* nothing that programs use, and POPF would set it */
#define EXTENDED_OFFSET 464    /* sw_reserved of the kernel's struct _fpstate_64 */
#define HEADER_OFFSET 512      /* of XSAVE's */
#define VECTORS_ALIGNED 64u
#define RED_ZONE 128u

#define KEYS 9                         /* PKRU among what XSAVE stores */
#define KEY_0 3u                       /* in PKRU: what all memory is of that has none */
#define SEGMENTS 0xffff00000000ffffull /* code and stack in REG_CSGSFS */

/* What the last instructions pop; the second one by RET, which takes off RED_ZONE too. */
struct way {
	uint64_t flags, ip;
};
#define WAY_BELOW                                                                        \
	(sizeof(struct way) + RED_ZONE) /* the stack pointer that it leads to            \
					 */

/* Downwards from here nothing is needed once the stack pointer is here. */
struct ending {
	const struct way *way;
	struct way empty;
	greg_t registers[NGREG];
};

/* Of this process, once it is set up.  Others are not given back by POPF and RET. */
static uint64_t segments;
bool td_leave_is_set_up;
static uint32_t keys_offset; /* of PKRU in vector state; 0: there is none */

static void find_keys(void)
{
	uint32_t a, b, c, d;

	if (__get_cpuid_count(13, KEYS, &a, &b, &c, &d) && a >= sizeof(uint32_t))
		keys_offset = b;
}

/* 0 where there is none: the instruction does nothing then. */
static inline uint64_t shadow_stack(void)
{
	uint64_t pointer = 0;

	__asm__ volatile("rdsspq %0" : "+r"(pointer));
	return pointer;
}

bool td_leave_can(void)
{
	uint32_t a, b, c, d;

	return __get_cpuid(1, &a, &b, &c, &d) && c & bit_OSXSAVE && !shadow_stack();
}

void td_leave_setup(void)
{
	uint16_t code, stack;

	__asm__("mov %%cs, %0\n\tmov %%ss, %1" : "=r"(code), "=r"(stack));
	segments = (uint64_t)stack << 48 | code;
	find_keys();
	td_leave_is_set_up = true;
}

/* What the kernel says of the vector state in the frame. */
static inline const struct _fpx_sw_bytes *extended_of(const ucontext_t *interrupted)
{
	return (const void *)((const char *)interrupted->uc_mcontext.fpregs +
			      EXTENDED_OFFSET);
}

/* On the program's own stack the frame begins, downwards, with vector state.  So what is
 * below the red zone there is the frame's, and not needed once this is restored.  With
 * an alternate stack nobody knows how much room the other one has. */
static inline bool is_below_program(const ucontext_t *interrupted)
{
	uint64_t top = (uint64_t)interrupted->uc_mcontext.gregs[REG_RSP] - RED_ZONE;
	uint64_t end = (uint64_t)interrupted->uc_mcontext.fpregs +
		       extended_of(interrupted)->extended_size;

	return top - end < VECTORS_ALIGNED;
}

/* May the program's rights to memory be given back before we are done with ours? */
static inline bool is_open_to_us(const ucontext_t *interrupted)
{
	const char *vectors = (const char *)interrupted->uc_mcontext.fpregs;
	uint64_t stored = *(const uint64_t *)(vectors + HEADER_OFFSET) &
			  extended_of(interrupted)->xstate_bv;

	return !keys_offset || !(stored >> KEYS & 1) ||
	       !(*(const uint32_t *)(vectors + keys_offset) & KEY_0);
}

static inline bool may_leave(const ucontext_t *interrupted)
{
	const greg_t *registers = interrupted->uc_mcontext.gregs;

	return ((uint64_t)registers[REG_CSGSFS] & SEGMENTS) == segments &&
	       !(registers[REG_EFL] & (FLAG_NESTED | FLAG_TRAP)) &&
	       !((unsigned)interrupted->uc_stack.ss_flags & AUTODISARM) &&
	       interrupted->uc_flags & HAS_EXTENDED && interrupted->uc_mcontext.fpregs &&
	       extended_of(interrupted)->magic1 == FP_XSTATE_MAGIC1 &&
	       td_own_stack_has_room((uint64_t)registers[REG_RSP]) &&
	       is_below_program(interrupted) && is_open_to_us(interrupted) &&
	       !shadow_stack();
}

bool td_leave_may(const ucontext_t *interrupted)
{
	return may_leave(interrupted);
}

/* Does a signal wait to come with the program's mask?  A fault of the program that ours
 * was sent in the middle of, before Linux 6.11, waits like any other: its handler is to
 * find where the program was, not where we are.  True as well where the kernel does not
 * say (a filter of system calls). */
static inline bool is_awaited(const sigset_t *mask)
{
	uint64_t pending, blocked;

	memcpy(&blocked, mask, sizeof(blocked));
	return td_syscall2(SYS_rt_sigpending, &pending, sizeof(pending)) != 0 ||
	       pending & ~blocked;
}

/* The program's mask.  Its handlers may run here, and may leave for good.  False:
 * nothing has changed (a filter of system calls). */
static inline bool set_mask(const sigset_t *mask)
{
	return td_syscall4(SYS_rt_sigprocmask, SIG_SETMASK, mask, NULL,
			   KERNEL_SIGSET_SIZE) == 0;
}

/* Of all signals; go_back.S has it, too. */
extern const uint64_t td_leave_all __attribute__((visibility("hidden")));
const uint64_t td_leave_all = UINT64_MAX;

/* sigreturn's is to be the one of now: what ran in between may have blocked our signal,
 * as the program believes it is (was_blocked() in handler.c).  Nothing comes behind
 * this. */
static inline void keep_mask(const ucontext_t *interrupted)
{
	td_syscall4(SYS_rt_sigprocmask, SIG_SETMASK, &td_leave_all,
		    &interrupted->uc_sigmask, KERNEL_SIGSET_SIZE);
}

/* All that the kernel has stored in the frame, and what of it was in its initial state:
 * the header in the frame says which. */
static inline void restore_vectors(const ucontext_t *interrupted)
{
	uint64_t which = extended_of(interrupted)->xstate_bv;

	__asm__ volatile("xrstor64 %0"
			 :
			 : "m"(*interrupted->uc_mcontext.fpregs), "a"((uint32_t)which),
			   "d"((uint32_t)(which >> 32))
			 : "memory");
}

static inline void set_period(const struct td_thread *thread, struct td_release *release)
{
	release->error = td_syscall3(SYS_ioctl, thread->fd, PERF_EVENT_IOC_PERIOD,
				     &release->period);
}

/* A signal of ours that was faster has closed the window: then the long period runs on,
 * or each short one would be an echo for ever. */
static inline void arm(struct td_thread *thread)
{
	struct td_release *release = &thread->release;

	set_period(thread, release);
	if (__builtin_expect(thread->in_window, 1))
		return;
	release->period = thread->next_long;
	set_period(thread, release);
}

/* td_metrics_begin_again(), for general registers only. */
__attribute__((section(TD_LEAVE_SECTION), noinline, cold)) static void
begin_again(struct td_registers *registers)
{
	for (unsigned tries = 0; tries < 4 && !td_metrics_begin(registers); tries++)
		;
}

/* Both readings are between the same instructions: what is between them is what has
 * passed of the period. */
static inline void open_registers(struct td_thread *thread, bool exact)
{
	struct td_registers *registers = &thread->registers;
	struct td_release *release = &thread->release;
	const volatile struct perf_event_mmap_page *slots =
		td_metrics_page(registers->pages, TD_PAGE_SLOTS);

	if (__builtin_expect(!td_metrics_begin(registers), 0))
		begin_again(registers);
	td_metrics_read_halves(slots, &release->before.low, &release->before.high);
	arm(thread);
	release->exact = td_metrics_read_halves(slots, &release->behind.low,
						&release->behind.high) &&
			 exact;
}

/* The trigger's own register says what is left of the period: it counts up to zero. */
static inline void open_group(struct td_thread *thread, bool exact)
{
	struct td_group_counters *groups = thread->groups;

	groups->based = false;
	/* not behind the arming: lengths would be as random */
	td_groups_pass(thread->release.dither);
	arm(thread);
	td_groups_pass(TD_GROUPS_PASS);
	/* a signal of ours may have come, and changed the group */
	atomic_signal_fence(memory_order_seq_cst);
	td_groups_base(groups);
	thread->release.before.low = 0;
	thread->release.behind.low =
		(uint32_t)(thread->release.period + groups->base.value[0]);
	thread->release.exact = exact;
}

/* go_back.S has these as numbers. */
_Static_assert(WAY_BELOW == 144 && RED_ZONE == 128 && SYS_rt_sigreturn == 15, "numbers");
_Static_assert(offsetof(ucontext_t, uc_mcontext.gregs) == 40 && REG_RSP == 15, "numbers");
_Static_assert(SYS_rt_sigprocmask == 14 && SIG_SETMASK == 2 && KERNEL_SIGSET_SIZE == 8 &&
		       offsetof(ucontext_t, uc_sigmask) == 296,
	       "numbers");

extern const char td_leave_ends_empty[] __attribute__((visibility("hidden")));

__attribute__((always_inline, noreturn)) static inline void
go_back(const greg_t *to, const struct ending *ending, bool empty)
{
	__asm__ volatile("jmp td_leave_goes"
			 :
			 : "D"(to), "S"(ending), "d"((int)empty)
			 : "memory");
	__builtin_unreachable();
}

/* The registers that the end of an empty window needs. */
static inline void fill_empty(const struct td_thread *thread,
			      const ucontext_t *interrupted, greg_t *registers)
{
	const long *call = thread->release.call;

	registers[REG_RAX] = call[0];
	registers[REG_RDI] = call[1];
	registers[REG_RSI] = call[2];
	registers[REG_RDX] = call[3];
	registers[REG_R10] = call[4];
	registers[REG_RBX] = (greg_t)interrupted;
}

/* Of the program, or of an empty window's end. */
static inline const greg_t *prepare_way(const struct td_thread *thread,
					const ucontext_t *interrupted,
					struct ending *ending)
{
	const greg_t *to = interrupted->uc_mcontext.gregs;
	struct way *way = &ending->empty;

	if (thread->window.empty) {
		fill_empty(thread, interrupted, ending->registers);
		way->ip = (uint64_t)td_leave_ends_empty;
	} else {
		way = (struct way *)((uint64_t)to[REG_RSP] - WAY_BELOW);
		way->ip = (uint64_t)to[REG_RIP];
	}
	way->flags = (uint64_t)to[REG_EFL];
	ending->way = way;
	return thread->window.empty ? ending->registers : to;
}

/* A handler of the program's may have been gone for long, and back on another thread. */
static inline bool is_this_thread(const struct td_thread *thread)
{
	const struct td_thread *self = td_self;

	return self == thread || (self && self->small == thread);
}

__attribute__((section(TD_LEAVE_SECTION), noinline)) bool
td_leave(struct td_thread *thread, const ucontext_t *interrupted)
{
	bool empty = thread->window.empty, changed;
	struct ending ending;
	const greg_t *to;

	thread->release.exact = false;
	if (!may_leave(interrupted) || is_awaited(&interrupted->uc_sigmask))
		return true;
	/* a signal of ours that comes in here voids the window */
	atomic_store_explicit(&thread->inside, true, memory_order_relaxed);
	changed = set_mask(&interrupted->uc_sigmask);
	if (!is_this_thread(thread))
		return false;
	if (!thread->release.wanted) {
		keep_mask(interrupted);
		return false;
	}
	/* first: a signal of ours would leave in our place, and come back here */
	thread->release.wanted = !changed;
	atomic_signal_fence(memory_order_seq_cst);
	atomic_store_explicit(&thread->inside, false, memory_order_relaxed);
	if (!changed)
		return true;
	restore_vectors(interrupted);
	to = prepare_way(thread, interrupted, &ending);
	if (thread->groups)
		open_group(thread, !empty);
	else /* where threads of a core share its slots, these say less of its time */
		open_registers(thread, !empty && thread->plan->threads <= 1);
	go_back(to, &ending, empty);
}
