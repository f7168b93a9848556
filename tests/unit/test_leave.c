// SPDX-License-Identifier: MIT
/* A handler that goes back to the program by itself, for real; windows are the lab's. */
#include "agent/sigsafe/leave.h"

#include <check.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <unwind.h>

#include "agent/sigsafe/handler.h"
#include "agent/sigsafe/metrics.h"
#include "agent/sigsafe/release.h"
#include "tests/unit/unit.h"

#ifdef __x86_64__
#include <cpuid.h>

static struct td_thread thread;
static const struct td_strobe_plan plan;

static int start_trigger(struct td_thread *of, uint64_t period)
{
	(void)of;
	(void)period;
	return 0;
}

static void stop_trigger(struct td_thread *of)
{
	(void)of;
}

static const struct td_trigger_ops trigger = {.start = start_trigger,
					      .stop = stop_trigger};
static char pages[TD_PAGES * TD_PAGE] __attribute__((aligned(TD_PAGE)));
static volatile unsigned opened, came_back, gave_up, ended, nested;
static volatile bool ended_on_the_way, may;
static int sent; /* in the middle of the handler */
static sigset_t mask_of_nested;
static bool nested_on_the_way;
static ucontext_t trapped;
static jmp_buf out;

#define WINDOW 100 /* cycles */

static unsigned steps;
static void (*at_step)(const ucontext_t *);

static void disturb_vectors(void)
{
	__asm__ volatile("pcmpeqd %%xmm0, %%xmm0\n\tpcmpeqd %%xmm7, %%xmm7\n\t"
			 "pcmpeqd %%xmm15, %%xmm15\n\tfninit" ::
				 : "xmm0", "xmm7", "xmm15");
	if (__builtin_cpu_supports("avx512f"))
		__asm__ volatile("vpternlogd $0xff, %zmm15, %zmm15, %zmm15\n\t"
				 "vpternlogd $0xff, %zmm31, %zmm31, %zmm31\n\t"
				 "kxnorw %k5, %k5, %k5");
}

#define FLAG_STEP 0x100

/* From here on each instruction sends a signal, until the program's flags are back. */
static inline void begin_to_step(void)
{
	__asm__ volatile("pushf\n\torl %0, (%%rsp)\n\tpopf" ::"i"(FLAG_STEP) : "cc");
}

/* As td_handler(): the first signal opens, that of an empty window ends it. */
static void handler(int number, siginfo_t *info, void *context)
{
	const ucontext_t *interrupted = context;

	(void)number;
	if (info->si_code == SI_QUEUE) {
		ended++;
		ended_on_the_way = td_leave_covers(td_arch_ip(interrupted));
		if (at_step)
			at_step(interrupted);
		return;
	}
	if (info->si_code == TRAP_TRACE) {
		steps++;
		at_step(interrupted);
		return;
	}
	trapped = *interrupted;
	may = td_leave_may(interrupted);
	if (!may)
		return;
	opened++;
	td_release_prepare(&thread, WINDOW, thread.window.empty);
	thread.in_window = true;
	disturb_vectors();
	if (sent)
		raise(sent);
	if (at_step)
		begin_to_step();
	if (td_leave(&thread, interrupted))
		came_back++;
	else
		gave_up++;
}

static void handle_by(void (*function)(int, siginfo_t *, void *), int flags, int blocked)
{
	struct sigaction action = {.sa_sigaction = function,
				   .sa_flags = SA_SIGINFO | SA_ONSTACK | flags};

	if (blocked)
		sigaddset(&action.sa_mask, blocked);
	else
		sigfillset(&action.sa_mask);
	ck_assert_int_eq(sigaction(SIGTRAP, &action, NULL), 0);
}

/* `function` at each instruction of the way back; `number` comes only behind it. */
static void step(void (*function)(const ucontext_t *), int number)
{
	at_step = function;
	handle_by(handler, SA_NODEFER, number);
}

static void setup(void)
{
	memset(&thread, 0, sizeof(thread));
	thread.fd = thread.registers.slots_fd = -1;
	thread.plan = &plan;
	thread.trigger = &trigger;
	thread.registers.pages = pages;
	td_metrics_shape.width = 6;
	td_signal.number = SIGTRAP;
	td_self = &thread;
	td_own_stack = (struct td_own_stack){.size = UINT64_MAX};
	atomic_store(&thread.tid, (uint32_t)gettid());
	opened = came_back = gave_up = ended = nested = steps = 0;
	sent = 0;
	at_step = NULL;
	handle_by(handler, 0, 0);
	td_leave_setup();
}

#define REGISTERS 15
/* All general registers but the stack's, three vectors, flags and MXCSR, with a signal
 * in between. */
__attribute__((naked, noinline)) static void trap_with(__attribute__((unused))
						       uint64_t *registers,
						       __attribute__((unused))
						       uint64_t *vectors)
{
	__asm__("push %rbp\n\tpush %rbx\n\tpush %r12\n\tpush %r13\n\tpush %r14\n\t"
		"push %r15\n\tpush %rdi\n\tpush %rsi\n\t"
		"movups (%rsi), %xmm0\n\tmovups 16(%rsi), %xmm7\n\t"
		"movups 32(%rsi), %xmm15\n\tfldl 48(%rsi)\n\t"
		"mov (%rdi), %r8\n\tmov 8(%rdi), %r9\n\tmov 16(%rdi), %r10\n\t"
		"mov 24(%rdi), %r11\n\tmov 32(%rdi), %r12\n\tmov 40(%rdi), %r13\n\t"
		"mov 48(%rdi), %r14\n\tmov 56(%rdi), %r15\n\tmov 64(%rdi), %rsi\n\t"
		"mov 72(%rdi), %rbp\n\tmov 80(%rdi), %rbx\n\tmov 88(%rdi), %rdx\n\t"
		"mov 96(%rdi), %rax\n\tmov 104(%rdi), %rcx\n\tmov 112(%rdi), %rdi\n\t"
		"stc\n\tstd\n\t"
		"movq $77, -128(%rsp)\n\t" /* the red zone's last word */
		"int3\n\t"
		"push %rdi\n\tmov 16(%rsp), %rdi\n\t"
		"mov %r8, (%rdi)\n\tmov %r9, 8(%rdi)\n\tmov %r10, 16(%rdi)\n\t"
		"mov %r11, 24(%rdi)\n\tmov %r12, 32(%rdi)\n\tmov %r13, 40(%rdi)\n\t"
		"mov %r14, 48(%rdi)\n\tmov %r15, 56(%rdi)\n\tmov %rsi, 64(%rdi)\n\t"
		"mov %rbp, 72(%rdi)\n\tmov %rbx, 80(%rdi)\n\tmov %rdx, 88(%rdi)\n\t"
		"mov %rax, 96(%rdi)\n\tmov %rcx, 104(%rdi)\n\tpop %rax\n\t"
		"mov %rax, 112(%rdi)\n\tpushf\n\tpop %rax\n\tcld\n\t"
		"mov %rax, 120(%rdi)\n\tmov -128(%rsp), %rax\n\tmov %rax, 128(%rdi)\n\t"
		"pop %rsi\n\t"
		"movups %xmm0, (%rsi)\n\tmovups %xmm7, 16(%rsi)\n\t"
		"movups %xmm15, 32(%rsi)\n\tfstpl 48(%rsi)\n\t"
		"pop %rdi\n\tpop %r15\n\tpop %r14\n\tpop %r13\n\tpop %r12\n\t"
		"pop %rbx\n\tpop %rbp\n\tret");
}

#define CARRY 1u
#define DIRECTION 0x400u

static uint64_t value_of(unsigned i)
{
	return 0x0123456789abcdefull * (i + 1);
}

static void trap_and_compare(void)
{
	uint64_t registers[REGISTERS + 2], vectors[7];
	double pi = 3.14159;

	for (unsigned i = 0; i < REGISTERS; i++)
		registers[i] = value_of(i);
	for (unsigned i = 0; i < 6; i++)
		vectors[i] = 0xfedcba9876543210ull * (i + 1);
	memcpy(&vectors[6], &pi, sizeof(pi));
	trap_with(registers, vectors);
	for (unsigned i = 0; i < REGISTERS; i++)
		ck_assert_uint_eq(registers[i], value_of(i));
	for (unsigned i = 0; i < 6; i++)
		ck_assert_uint_eq(vectors[i], 0xfedcba9876543210ull * (i + 1));
	memcpy(&pi, &vectors[6], sizeof(pi));
	ck_assert(pi == 3.14159);
	ck_assert_uint_eq(registers[REGISTERS] & (CARRY | DIRECTION), CARRY | DIRECTION);
	ck_assert_uint_eq(registers[REGISTERS + 1], 77);
}

START_TEST(restores_what_was_interrupted)
{
	sigset_t before, after;

	sigprocmask(SIG_SETMASK, NULL, &before);
	sigaddset(&before, SIGUSR2);
	sigprocmask(SIG_SETMASK, &before, NULL);
	trap_and_compare();
	ck_assert_uint_eq(opened, 1);
	ck_assert_uint_eq(came_back, 0);
	ck_assert(!thread.release.wanted);
	ck_assert(!atomic_load(&thread.inside));
	sigprocmask(SIG_SETMASK, NULL, &after);
	for (int number = 1; number < 32; number++)
		ck_assert_int_eq(sigismember(&before, number),
				 sigismember(&after, number));
}
END_TEST

/* The thread's part on small cores is the thread, too; another one is not. */
START_TEST(knows_whose_window_it_is)
{
	static struct td_thread other;

	other.small = &thread;
	td_self = &other;
	trap_and_compare();
	ck_assert_uint_eq(opened, 1);
	ck_assert_uint_eq(gave_up, 0);
	other.small = NULL;
	trap_and_compare();
	ck_assert_uint_eq(gave_up, 1);
}
END_TEST

START_TEST(ends_an_empty_window_on_the_way)
{
	thread.window.empty = true;
	trap_and_compare();
	ck_assert_uint_eq(opened, 1);
	ck_assert_uint_eq(came_back, 0);
	ck_assert_uint_eq(ended, 1);
	ck_assert(ended_on_the_way);
	ck_assert(!td_leave_covers((uint64_t)trap_and_compare));
}
END_TEST

/* Vectors that are in their initial state are so behind it. */
START_TEST(restores_what_was_initial)
{
	uint64_t low[4] = {1, 1, 1, 1}, high[8] = {1, 1, 1, 1, 1, 1, 1, 1};
	uint32_t mask = 1;

	if (!__builtin_cpu_supports("avx512f"))
		return;
	__asm__ volatile("vzeroall\n\tvpxord %%zmm31, %%zmm31, %%zmm31\n\t"
			 "kxorw %%k5, %%k5, %%k5\n\tint3\n\t"
			 "vmovdqu %%ymm15, %0\n\tvmovdqu64 %%zmm31, %1\n\t"
			 "kmovw %%k5, %2"
			 : "=m"(low), "=m"(high), "=r"(mask)
			 :
			 : "memory", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5",
			   "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12",
			   "xmm13", "xmm14", "xmm15");
	ck_assert_uint_eq(opened, 1);
	ck_assert_uint_eq(came_back, 0);
	for (unsigned i = 0; i < 8; i++)
		ck_assert_uint_eq(high[i], 0);
	for (unsigned i = 0; i < 4; i++)
		ck_assert_uint_eq(low[i], 0);
	ck_assert_uint_eq(mask, 0);
}
END_TEST

/* By DWARF's numbers, as trap_with() has them. */
static const int numbers[REGISTERS] = {8, 9, 10, 11, 12, 13, 14, 15, 4, 6, 3, 1, 0, 2, 5};

/* Until it comes to where the program was interrupted. */
static _Unwind_Reason_Code look(struct _Unwind_Context *context, void *found)
{
	if (_Unwind_GetIP(context) != td_arch_ip(&trapped))
		return _URC_NO_REASON;
	*(bool *)found = true;
	ck_assert_uint_eq(_Unwind_GetCFA(context),
			  (uint64_t)trapped.uc_mcontext.gregs[REG_RSP]);
	for (unsigned i = 0; i < REGISTERS; i++)
		ck_assert_uint_eq(_Unwind_GetGR(context, numbers[i]), value_of(i));
	return _URC_END_OF_STACK;
}

static void unwind(const ucontext_t *interrupted)
{
	volatile char below[8192];
	bool found = false;

	memset((char *)below, 0xff, sizeof(below));
	if (!td_leave_covers(td_arch_ip(interrupted)))
		return;
	_Unwind_Backtrace(look, &found);
	ck_assert_msg(found, "at %lx",
		      (long)(td_arch_ip(interrupted) - (uint64_t)td_leave_begin));
	nested++;
}

START_TEST(can_be_interrupted_and_unwound_at_each_instruction)
{
	step(unwind, SIGUSR1);
	trap_and_compare();
	ck_assert_uint_eq(opened, 1);
	ck_assert_uint_eq(came_back, 0);
	ck_assert_uint_ge(nested, 100);
	thread.window.empty = true;
	nested = 0;
	trap_and_compare();
	ck_assert_uint_eq(ended, 1);
	ck_assert_uint_ge(nested, 100);
}
END_TEST

static bool was_inside;

/* A signal of ours, once it is one: it would leave in our place. */
static void find_nothing_wanted(const ucontext_t *interrupted)
{
	(void)interrupted;
	if (atomic_load(&thread.inside)) {
		was_inside = true;
	} else if (was_inside) {
		nested++;
		ck_assert(!thread.release.wanted);
	}
}

START_TEST(is_left_by_one_handler_alone)
{
	step(find_nothing_wanted, SIGUSR1);
	was_inside = false;
	trap_and_compare();
	ck_assert_uint_ge(nested, 50);
}
END_TEST

/* A signal of the program's, which it has blocked, on a handler's way: that handler goes
 * on, and its window is still wanted. */
static void raise_on_the_way(bool mapped)
{
	sigset_t after;

	handle_by(td_handler, 0, 0);
	thread.registers.mapped = mapped;
	thread.brief.width = td_metrics_shape.width;
	thread.unblocked = true;
	thread.release.wanted = true;
	atomic_store(&thread.inside, true);
	raise(SIGTRAP);
	ck_assert(thread.release.wanted);
	ck_assert(atomic_load(&thread.inside));
	ck_assert(thread.unblocked); /* the next one, too */
	sigprocmask(SIG_SETMASK, NULL, &after);
	ck_assert(sigismember(&after, SIGTRAP));
}

START_TEST(is_not_left_by_a_signal_of_the_programs)
{
	raise_on_the_way(false);
}
END_TEST

START_TEST(is_not_left_by_one_where_registers_are_mapped)
{
	raise_on_the_way(true);
}
END_TEST

static unsigned blocks_at;

/* What was_blocked() does, by another number: steps need theirs. */
static void block_one(const ucontext_t *interrupted)
{
	if (!sigismember(&interrupted->uc_sigmask, SIGUSR1) && ++nested == blocks_at)
		sigaddset((sigset_t *)&interrupted->uc_sigmask, SIGUSR2);
}

static void keep_what_is_blocked(bool empty)
{
	sigset_t none, after;
	unsigned all;

	sigemptyset(&none);
	thread.window.empty = empty;
	step(block_one, SIGUSR1);
	blocks_at = nested = 0;
	trap_and_compare();
	all = nested;
	ck_assert_uint_ge(all, 50);
	for (blocks_at = 1; blocks_at <= all; blocks_at++) {
		nested = 0;
		trap_and_compare();
		ck_assert_uint_eq(nested, all);
		sigprocmask(SIG_SETMASK, &none, &after);
		ck_assert_msg(sigismember(&after, SIGUSR2), "step %u of %u", blocks_at,
			      all);
	}
}

/* Once the program's mask is back, a handler may block something more in it. */
START_TEST(keeps_what_is_blocked_on_the_way)
{
	keep_what_is_blocked(false);
}
END_TEST

START_TEST(keeps_what_is_blocked_in_an_empty_window)
{
	keep_what_is_blocked(true);
}
END_TEST

static unsigned last_step;

/* What was measured of a window is not taken for this one's. */
static void leave_for_good(const ucontext_t *interrupted)
{
	(void)interrupted;
	ck_assert(!thread.release.exact || thread.release.error);
	if (steps == last_step)
		siglongjmp(out, 1);
}

START_TEST(can_be_left_at_each_instruction)
{
	unsigned all;

	step(leave_for_good, SIGUSR1);
	last_step = 0;
	trap_and_compare();
	all = steps;
	ck_assert_uint_ge(all, 100);
	for (last_step = 1; last_step <= all; last_step++) {
		steps = 0;
		thread.release.error = 0;
		thread.release.exact = true;
		if (!sigsetjmp(out, 1))
			trap_and_compare();
		ck_assert_uint_eq(steps, last_step);
	}
	steps = 0;
	trap_and_compare();
	ck_assert_uint_eq(steps, all);
	ck_assert_uint_eq(came_back, 0);
}
END_TEST

/* The program's: in it the mask is the program's, and the window not open yet. */
static void program_handler(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)info;
	nested++;
	nested_on_the_way = td_leave_covers(td_arch_ip(context));
	sigprocmask(SIG_SETMASK, NULL, &mask_of_nested);
	ck_assert(thread.release.wanted == nested_on_the_way);
}

/* And blocks a signal from then on. */
static void gives_the_window_up(int number, siginfo_t *info, void *context)
{
	ucontext_t *interrupted = context;

	program_handler(number, info, context);
	sigaddset(&interrupted->uc_sigmask, SIGUSR2);
	/* no steps: their signal will be blocked */
	interrupted->uc_mcontext.gregs[REG_EFL] &= ~FLAG_STEP;
	thread.release.wanted = false;
}

static void leaves_for_good(int number, siginfo_t *info, void *context)
{
	program_handler(number, info, context);
	siglongjmp(out, 1);
}

static void set_handler(void (*of_program)(int, siginfo_t *, void *))
{
	struct sigaction action = {.sa_sigaction = of_program, .sa_flags = SA_SIGINFO};

	ck_assert_int_eq(sigaction(SIGUSR1, &action, NULL), 0);
}

/* Before the system call that lets them through. */
static void send_in_time(const ucontext_t *interrupted)
{
	static const unsigned char call[2] = {0x0f, 0x05};

	if (!memcmp((void *)td_arch_ip(interrupted), call, sizeof(call)) &&
	    interrupted->uc_mcontext.gregs[REG_RAX] == SYS_rt_sigprocmask &&
	    !interrupted->uc_mcontext.gregs[REG_RDX] /* nobody asks for the old one */)
		raise(SIGUSR1);
}

START_TEST(runs_a_handler_before_the_window)
{
	set_handler(program_handler);
	step(send_in_time, SIGUSR1);
	trap_and_compare();
	ck_assert_uint_eq(nested, 1);
	ck_assert(nested_on_the_way);
	ck_assert_uint_eq(came_back, 0);
	ck_assert_uint_eq(gave_up, 0);
	ck_assert(!sigismember(&mask_of_nested, SIGTRAP));
	ck_assert(sigismember(&mask_of_nested, SIGUSR1));
}
END_TEST

START_TEST(leaves_as_any_other_if_the_window_is_void)
{
	sigset_t after;

	set_handler(gives_the_window_up);
	step(send_in_time, SIGUSR1);
	trap_and_compare();
	ck_assert_uint_eq(nested, 1);
	ck_assert_uint_eq(gave_up, 1);
	sigprocmask(SIG_SETMASK, NULL, &after);
	ck_assert(sigismember(&after, SIGUSR2));
	ck_assert(!sigismember(&after, SIGTRAP));
}
END_TEST

START_TEST(bears_a_handler_that_does_not_return)
{
	set_handler(leaves_for_good);
	step(send_in_time, SIGUSR1);
	if (!sigsetjmp(out, 1))
		trap_and_compare();
	ck_assert_uint_eq(nested, 1);
	ck_assert(thread.release.wanted); /* td_handler() gives it up by and by */
	ck_assert(atomic_load(&thread.inside));
	set_handler(program_handler);
	trap_and_compare();
	ck_assert_uint_eq(gave_up, 0);
}
END_TEST

static void find_the_program(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)info;
	nested++;
	ck_assert_uint_eq(td_arch_ip(context), td_arch_ip(&trapped));
}

/* Faults do, that a signal of ours is sent in the middle of. */
START_TEST(leaves_what_waits_to_the_kernel)
{
	struct timespec none = {0};
	sigset_t mask;

	set_handler(find_the_program);
	sent = SIGUSR1;
	trap_and_compare();
	ck_assert_uint_eq(nested, 1);
	ck_assert_uint_eq(came_back, 1);
	ck_assert(thread.release.wanted); /* and the window is still to be opened */
	sigemptyset(&mask);
	sigaddset(&mask, SIGUSR1);
	sigprocmask(SIG_BLOCK, &mask, NULL);
	trap_and_compare(); /* the program has it blocked */
	ck_assert_uint_eq(nested, 1);
	ck_assert_uint_eq(came_back, 1);
	ck_assert_int_eq(sigtimedwait(&mask, NULL, &none), SIGUSR1);
}
END_TEST

/* The system call fails from now on. */
static void forbid(unsigned call)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = {sizeof(code) / sizeof(code[0]), code};

	ck_assert_int_eq(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	ck_assert_int_eq(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter), 0);
}

START_TEST(restores_the_mask_where_it_may_not_set_it)
{
	set_handler(program_handler);
	forbid(SYS_rt_sigprocmask);
	trap_and_compare();
	ck_assert_uint_eq(came_back, 1);
	ck_assert(!atomic_load(&thread.inside));
	ck_assert(thread.release.wanted);
	thread.release.wanted = false;
	raise(SIGUSR1);
	ck_assert_uint_eq(nested, 1); /* so it is not blocked */
}
END_TEST

START_TEST(leaves_to_the_kernel_what_it_may_not_ask_for)
{
	forbid(SYS_rt_sigpending);
	trap_and_compare();
	ck_assert_uint_eq(opened, 1);
	ck_assert_uint_eq(came_back, 1);
	ck_assert(thread.release.wanted);
}
END_TEST

static ucontext_t context_now(void)
{
	static ucontext_t of;

	getcontext(&of);
	return of;
}

START_TEST(leaves_what_it_does_not_know_to_the_kernel)
{
	stack_t stack = {.ss_sp = malloc(1 << 16), .ss_size = 1 << 16},
		none = {.ss_flags = SS_DISABLE};
	ucontext_t not_a_frame = context_now();

	ck_assert(!td_leave_may(&not_a_frame));
	ck_assert_int_eq(sigaltstack(&stack, NULL), 0);
	trap_and_compare();
	ck_assert(!may);
	ck_assert_uint_eq(opened, 0);
	stack.ss_flags = (int)(1u << 31); /* SS_AUTODISARM */
	ck_assert_int_eq(sigaltstack(&stack, NULL), 0);
	trap_and_compare();
	ck_assert(!may);
	ck_assert_int_eq(sigaltstack(&none, NULL), 0);
	free(stack.ss_sp);
}
END_TEST

#define XSAVE_HEADER 512
#define PKRU 9
#define SEGMENT_STACK (1ull << 48) /* in REG_CSGSFS */

/* What the kernel stored of the rights to memory; NULL: there are none. */
static uint32_t *keys_of(const ucontext_t *frame)
{
	uint64_t *header = (uint64_t *)((char *)frame->uc_mcontext.fpregs + XSAVE_HEADER);
	uint32_t a, b, c, d;

	if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || !(c & bit_OSPKE))
		return NULL;
	__cpuid_count(13, PKRU, a, b, c, d);
	*header |= 1u << PKRU;
	return (uint32_t *)((char *)frame->uc_mcontext.fpregs + b);
}

/* Each thing by itself, and all as it was at the end. */
static void spoil(int number, siginfo_t *info, void *context)
{
	ucontext_t *frame = context;
	uint32_t *keys = keys_of(frame), saved = keys ? *keys : 0;
	uint64_t stack = (uint64_t)frame->uc_mcontext.gregs[REG_RSP];

	(void)number;
	(void)info;
	ck_assert(td_leave_may(frame));
	frame->uc_flags ^= 1; /* UC_FP_XSTATE: the processor has no XSAVE */
	ck_assert(!td_leave_may(frame));
	frame->uc_flags ^= 1;
	frame->uc_mcontext.gregs[REG_CSGSFS] ^= SEGMENT_STACK;
	ck_assert(!td_leave_may(frame));
	frame->uc_mcontext.gregs[REG_CSGSFS] ^= SEGMENT_STACK | 1;
	ck_assert(!td_leave_may(frame));
	frame->uc_mcontext.gregs[REG_CSGSFS] ^= 1;
	frame->uc_mcontext.gregs[REG_EFL] ^= FLAG_STEP;
	ck_assert(!td_leave_may(frame));
	frame->uc_mcontext.gregs[REG_EFL] ^= FLAG_STEP;
	td_own_stack = (struct td_own_stack){.start = stack - 1, .size = 1};
	ck_assert(!td_leave_may(frame));
	td_own_stack =
		(struct td_own_stack){.start = stack + 1, .size = UINT64_MAX - stack};
	ck_assert(!td_leave_may(frame));
	td_own_stack = (struct td_own_stack){.start = stack, .size = 1};
	ck_assert(td_leave_may(frame));
	for (unsigned denied = 1; keys && denied < 0x10; denied <<= 1) {
		*keys = denied;
		ck_assert(td_leave_may(frame) == (denied > 2)); /* of key 0 or 1 */
	}
	if (keys)
		*keys = saved;
	ck_assert(td_leave_may(frame));
	nested++;
}

START_TEST(leaves_frames_that_are_unusual_to_the_kernel)
{
	handle_by(spoil, 0, 0);
	trap_and_compare();
	ck_assert_uint_eq(nested, 1);
}
END_TEST

/* What a window is asked for in the mean of some hundred, of whose periods some 130
 * cycles pass before it opens. */
static uint64_t asked_of(const struct td_strobe_plan *by)
{
	uint64_t asked = 0;

	thread.groups = (void *)&thread; /* what has passed is in cycles */
	thread.plan = by;
	for (unsigned i = 0; i < 200; i++) {
		td_release_prepare(&thread, WINDOW, false);
		thread.release.behind.low = thread.release.before.low + 120 + i % 20;
		thread.release.exact = true;
		asked = td_release_asked(&thread);
		td_release_learn(&thread, asked);
	}
	return asked;
}

START_TEST(asks_for_what_has_passed_but_for_what_is_spare)
{
	struct td_strobe_plan sparing = plan;

	sparing.spare = 42;
	ck_assert_uint_ge(asked_of(&plan), WINDOW - 20);
	ck_assert_uint_le(asked_of(&plan), WINDOW + 20);
	ck_assert_uint_ge(asked_of(&sparing), WINDOW - 42 - 20);
	ck_assert_uint_le(asked_of(&sparing), WINDOW - 42 + 20);
	/* less has passed than there is to spare: nothing is asked for beyond it */
	sparing.spare = 200;
	thread.release.usual = 0;
	ck_assert_uint_lt(asked_of(&sparing), WINDOW);
	ck_assert_uint_eq(thread.release.usual, 0);
}
END_TEST
#endif

int main(void)
{
	const TTest *const tests[] = {
#ifdef __x86_64__
		restores_what_was_interrupted,
		knows_whose_window_it_is,
		ends_an_empty_window_on_the_way,
		restores_what_was_initial,
		can_be_interrupted_and_unwound_at_each_instruction,
		is_left_by_one_handler_alone,
		is_not_left_by_a_signal_of_the_programs,
		is_not_left_by_one_where_registers_are_mapped,
		keeps_what_is_blocked_on_the_way,
		keeps_what_is_blocked_in_an_empty_window,
		can_be_left_at_each_instruction,
		runs_a_handler_before_the_window,
		leaves_as_any_other_if_the_window_is_void,
		bears_a_handler_that_does_not_return,
		leaves_what_waits_to_the_kernel,
		restores_the_mask_where_it_may_not_set_it,
		leaves_to_the_kernel_what_it_may_not_ask_for,
		leaves_what_it_does_not_know_to_the_kernel,
		leaves_frames_that_are_unusual_to_the_kernel,
		asks_for_what_has_passed_but_for_what_is_spare,
#endif
		NULL};

#ifdef __x86_64__
	return unit_main_between("leave", tests, setup, NULL);
#else
	return unit_main("leave", tests);
#endif
}
