// SPDX-License-Identifier: MIT
/*
 * Functions of which it is known how long they stay with themselves: `alternate`
 * calls `helper` after every few instructions, `steady` is one long loop, `copy`
 * repeats one instruction many times, `caller` asks the kernel again and again.
 *
 *     visits [-s SIGNALS] [ROUNDS [THREADS]]
 *
 * Prints a checksum.  -s: a timer's signals of that many a second, SIGTRAP, blocked and
 * pending now and then, its handler counted; more lines say what became of them.
 */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#ifdef __clang__
#define NOINLINE __attribute__((noinline))
#else
#define NOINLINE __attribute__((noinline, noclone))
#endif
#define TURNS 200000

static unsigned rounds = 20;
static volatile sig_atomic_t alarms, traps;

static NOINLINE uint64_t helper(uint64_t x)
{
	for (int i = 0; i < 4; i++) {
		x = x * 6364136223846793005u + 1442695040888963407u;
		__asm__ volatile("" : "+r"(x));
	}
	return x;
}

static NOINLINE uint64_t alternate(uint64_t x)
{
	for (int i = 0; i < TURNS; i++) {
		x += helper(x);
		__asm__ volatile("" : "+r"(x));
	}
	return x;
}

static NOINLINE uint64_t steady(uint64_t x)
{
	for (int i = 0; i < 8 * TURNS; i++) {
		x = x * 6364136223846793005u + (uint64_t)i;
		__asm__ volatile("" : "+r"(x));
	}
	return x;
}

#if defined(__x86_64__)
/* PUSHF saves the flags, which hold no trap flag of anybody's. */
static NOINLINE uint64_t copy(uint64_t x)
{
	static char from[1 << 20], to[1 << 20];
	uint64_t flags = 0;

	for (int i = 0; i < 8; i++) {
		const char *source = from;
		char *target = to;
		size_t size = sizeof(to);

		__asm__ volatile("rep movsb"
				 : "+S"(source), "+D"(target), "+c"(size)
				 :
				 : "memory");
		for (int j = 0; j < 1000; j++) {
			uint64_t saved;

			__asm__ volatile("lea -128(%%rsp), %%rsp\n\tpushfq\n\tpop %0\n\t"
					 "lea 128(%%rsp), %%rsp"
					 : "=r"(saved)
					 :
					 : "cc", "memory");
			flags |= saved;
		}
	}
	if (flags & 0x100)
		puts("a trap flag was seen");
	return x + (uint64_t)(unsigned char)to[x % sizeof(to)];
}
#elif defined(__aarch64__)
/* Stepped one by one, the two never meet: such a loop would not end. */
static NOINLINE uint64_t copy(uint64_t x)
{
	static uint64_t cell;

	for (int i = 0; i < TURNS / 10; i++) {
		uint64_t value;
		uint32_t failed;

		__asm__ volatile("1: ldaxr %0, [%2]\n\t"
				 "add %0, %0, #1\n\t"
				 "stlxr %w1, %0, [%2]\n\t"
				 "cbnz %w1, 1b"
				 : "=&r"(value), "=&r"(failed)
				 : "r"(&cell)
				 : "memory");
	}
	return x;
}
#endif

static NOINLINE uint64_t caller(uint64_t x)
{
	for (int i = 0; i < TURNS / 100; i++)
		x += (uint64_t)syscall(SYS_getppid) == 0;
	return x;
}

static void on_alarm(int signal)
{
	(void)signal;
	alarms = alarms + 1;
}

static void on_trap(int signal)
{
	(void)signal;
	traps = traps + 1;
}

static sigset_t only(int signal)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, signal);
	return set;
}

/* Blocked it stays pending, and unblocked it comes once, to the handler. */
static void trap_check(void)
{
	sigset_t set = only(SIGTRAP), now, pending;
	sig_atomic_t before = traps;
	struct sigaction action;
	uint64_t x;

	sigprocmask(SIG_BLOCK, &set, NULL);
	raise(SIGTRAP);
	x = steady(1);
	__asm__ volatile("" : : "r"(x));
	sigprocmask(SIG_SETMASK, NULL, &now);
	sigpending(&pending);
	sigaction(SIGTRAP, NULL, &action);
	if (traps != before)
		puts("a blocked SIGTRAP came");
	if (!sigismember(&now, SIGTRAP))
		puts("SIGTRAP is not blocked any more");
	if (!sigismember(&pending, SIGTRAP))
		puts("SIGTRAP is not pending any more");
	if (action.sa_handler != on_trap)
		puts("the handler of SIGTRAP is gone");
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	if (traps != before + 1)
		puts("SIGTRAP did not come when it was unblocked");
}

static void *work(void *argument)
{
	uint64_t x = *(uint64_t *)argument;

	for (unsigned i = 0; i < rounds; i++)
		x = caller(copy(steady(alternate(x))));
	*(uint64_t *)argument = x;
	return NULL;
}

static void signals_start(unsigned a_second)
{
	struct itimerval timer = {.it_interval.tv_usec = 1000000 / a_second,
				  .it_value.tv_usec = 1000000 / a_second};
	struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};

	sigaction(SIGALRM, &action, NULL);
	action.sa_handler = on_trap;
	sigaction(SIGTRAP, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
}

int main(int argc, char **argv)
{
	uint64_t sum[16];
	pthread_t thread[16];
	unsigned threads = 1, a_second = 0;

	if (argc > 2 && !strcmp(argv[1], "-s")) {
		a_second = (unsigned)atoi(argv[2]);
		argc -= 2;
		argv += 2;
	}
	if (argc > 1)
		rounds = (unsigned)atoi(argv[1]);
	if (argc > 2)
		threads = (unsigned)atoi(argv[2]);
	if (!threads || threads > 16 || (a_second && a_second > 1000))
		return 2;
	if (a_second)
		signals_start(a_second);
	for (unsigned i = 0; i < threads; i++) {
		sum[i] = i;
		if (i)
			pthread_create(&thread[i], NULL, work, &sum[i]);
	}
	for (unsigned i = 0; a_second && i < rounds; i++)
		trap_check();
	work(&sum[0]);
	for (unsigned i = 1; i < threads; i++) {
		pthread_join(thread[i], NULL);
		sum[0] ^= sum[i];
	}
	printf("%016lx\n", sum[0]);
	if (a_second && !alarms)
		puts("no signal of the timer came");
	return 0;
}
