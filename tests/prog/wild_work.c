// SPDX-License-Identifier: MIT
#include "tests/prog/wild_work.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "agent/sigsafe/arch.h"

#define STRANDS 3
#define STACK 65536
#define TURNS 2000
#define CHILDREN 3 /* of a thread */

/* What runs on a stack of its own, one of a thread at a time. */
struct strand {
	ucontext_t context;
	sigjmp_buf again;
	char *stack;
};

struct lane {
	struct wild *wild;
	ucontext_t back;
	struct strand strand[STRANDS];
	unsigned current, rounds, children;
	uint64_t random;
	timer_t timer;
	char *alternate;
};

static __thread struct lane *lane;
static __thread uintptr_t own_stack; /* where it begins, downwards */
static uint64_t expected;

static uint64_t draw(struct lane *of)
{
	of->random = of->random * 6364136223846793005u + 1442695040888963407u;
	return of->random >> 33;
}

/* Integers in many registers, carries, strings backwards and both kinds of fractions. */
static uint64_t compute(void)
{
	uint64_t a = 1, b = 2, c = 3, d = 5, low = 7, high = 11,
		 text[4] = {13, 17, 19, 23};
	double x = 0.5, y = 0.25;
	long double z = 0.125;

	for (uint64_t i = 0; i < TURNS; i++) {
		uint64_t word, *at = &text[i & 3];

		a = a * 6364136223846793005u + i;
		b = (b ^ a) * 3 + (b >> 7);
		c += a ^ b << 5;
		d ^= c + (d >> 3);
#ifdef __x86_64__
		__asm__ volatile("add %3, %0\n\tadc %4, %1\n\tstd\n\tlodsq\n\tcld"
				 : "+r"(low), "+r"(high), "=a"(word), "+r"(a), "+r"(b),
				   "+S"(at)
				 :
				 : "cc", "memory");
#else
		word = *at + i;
		high += low += a;
#endif
		text[i & 3] = word + high;
		x = x * 0.75 + (double)(d & 0xff);
		y = y / 3 + x;
		z = z * 0.5L + (long double)y;
	}
	memcpy(&a, &x, sizeof(a));
	memcpy(&b, &y, sizeof(b));
	return a ^ b ^ c ^ d ^ low ^ high ^ text[0] ^ text[3] ^ (uint64_t)z;
}

static void check(struct wild *wild)
{
	if (compute() != expected)
		wild->wrong++;
}

static void make_child(void)
{
	pid_t pid;
	int status;

	lane->children++;
	lane->wild->children++;
	pid = fork();
	if (pid == 0)
		_exit(compute() != expected);
	if (waitpid(pid, &status, 0) != pid || status)
		lane->wild->wrong++;
}

static void switch_strand(void)
{
	struct strand *from = &lane->strand[lane->current];

	lane->current = (lane->current + 1 + draw(lane) % (STRANDS - 1)) % STRANDS;
	lane->wild->switches++;
	swapcontext(&from->context, &lane->strand[lane->current].context);
}

/* Somewhere else than in this program: in the handler of who profiles it. */
static bool is_elsewhere(const ucontext_t *interrupted)
{
	extern const char __executable_start[], etext[];
	uint64_t ip = td_arch_ip(interrupted);

	return ip < (uintptr_t)__executable_start || ip >= (uintptr_t)etext;
}

static void on_signal(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)info;
	lane->wild->signals++;
	lane->wild->elsewhere += is_elsewhere(context);
	switch (draw(lane) % 16) {
	case 0:
	case 1:
		lane->wild->jumps++;
		siglongjmp(lane->strand[lane->current].again, 1);
	case 2:
	case 3:
		switch_strand();
		return;
	case 4:
		raise(SIGUSR2);
		return;
	case 5:
		if (lane->children < CHILDREN)
			make_child();
	}
}

static void on_signal_within(int number)
{
	(void)number;
	lane->wild->within++;
	check(lane->wild);
}

static void let_signals(int how)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(how, &set, NULL);
}

static void toggle_alternate(void)
{
	stack_t stack = {.ss_sp = lane->alternate, .ss_size = STACK};

	if (draw(lane) & 1)
		stack.ss_flags = SS_DISABLE;
	sigaltstack(&stack, NULL);
}

static void strand_work(void)
{
	while (lane->rounds > 0) {
		sigsetjmp(lane->strand[lane->current].again, 1);
		toggle_alternate();
		let_signals(SIG_UNBLOCK);
		check(lane->wild);
		let_signals(SIG_BLOCK);
		if (lane->rounds)
			lane->rounds--;
	}
	setcontext(&lane->back);
}

bool wild_has_room(void)
{
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);

	for (unsigned i = 0; lane && i < STRANDS; i++) {
		size_t left = here - (uintptr_t)lane->strand[i].stack;

		if (left < STACK)
			return left > STACK / 2;
	}
	return own_stack - here < STACK / 2;
}

static void make_strands(void)
{
	lane->alternate = malloc(STACK);
	for (unsigned i = 0; i < STRANDS; i++) {
		struct strand *strand = &lane->strand[i];

		strand->stack = malloc(STACK);
		getcontext(&strand->context);
		strand->context.uc_stack.ss_sp = strand->stack;
		strand->context.uc_stack.ss_size = STACK;
		makecontext(&strand->context, strand_work, 0);
	}
}

static void start_timer(void)
{
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR1};
	struct itimerspec often = {
		.it_interval.tv_nsec = lane->wild->interval_ns,
		.it_value.tv_nsec = lane->wild->interval_ns,
	};

	event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
	if (timer_create(CLOCK_MONOTONIC, &event, &lane->timer) ||
	    timer_settime(lane->timer, 0, &often, NULL))
		exit(3);
}

static void begin_thread(const struct wild *wild)
{
	own_stack = (uintptr_t)__builtin_frame_address(0);
	let_signals(SIG_BLOCK);
	if (wild->begin)
		wild->begin();
}

static void *lane_work(void *argument)
{
	stack_t none = {.ss_flags = SS_DISABLE};

	lane = argument;
	begin_thread(lane->wild);
	make_strands();
	start_timer();
	swapcontext(&lane->back, &lane->strand[0].context);
	timer_delete(lane->timer);
	sigaltstack(&none, NULL);
	for (unsigned i = 0; i < STRANDS; i++)
		free(lane->strand[i].stack);
	free(lane->alternate);
	return NULL;
}

static void *endless(void *argument)
{
	struct wild *wild = argument;

	begin_thread(wild);
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	for (;;)
		check(wild);
	return NULL;
}

static void cancel_some(struct wild *wild)
{
	struct timespec nap = {0, 0};
	pthread_t thread;
	void *result;

	for (unsigned i = 0; i < wild->cancelled; i++) {
		nap.tv_nsec = 20000 + i * 7919 % 400000;
		if (pthread_create(&thread, NULL, endless, wild))
			exit(3);
		nanosleep(&nap, NULL);
		pthread_cancel(thread);
		pthread_join(thread, &result);
		if (result != PTHREAD_CANCELED)
			wild->wrong++;
	}
}

void wild_run(struct wild *wild)
{
	struct sigaction action = {.sa_sigaction = on_signal,
				   .sa_flags = SA_RESTART | SA_SIGINFO};
	struct lane *lanes = calloc(wild->threads, sizeof(*lanes));
	pthread_t *threads = calloc(wild->threads, sizeof(*threads));

	expected = compute();
	sigaction(SIGUSR1, &action, NULL);
	action = (struct sigaction){.sa_handler = on_signal_within};
	sigaction(SIGUSR2, &action, NULL);
	for (unsigned i = 0; i < wild->threads; i++) {
		lanes[i].wild = wild;
		lanes[i].rounds = wild->rounds;
		lanes[i].random = i;
		if (pthread_create(&threads[i], NULL, lane_work, &lanes[i]))
			exit(3);
	}
	cancel_some(wild);
	for (unsigned i = 0; i < wild->threads; i++)
		pthread_join(threads[i], NULL);
	free(threads);
	free(lanes);
}
