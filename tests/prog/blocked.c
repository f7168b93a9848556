// SPDX-License-Identifier: MIT
/*
 * Blocks every signal in every thread, by the system call itself, so that no
 * libc and nobody in between knows of it.  Prints what each function takes of the
 * CPU time, and how much that is.  With an argument the main thread blocks none.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/prog/spin.h"

static void block_all(void)
{
	uint64_t all = ~(uint64_t)0;

	syscall(SYS_rt_sigprocmask, 0 /* SIG_BLOCK */, &all, NULL, sizeof(all));
}

static SPIN_NOINLINE void blocked_left(void)
{
	spin_ms(300);
}

static SPIN_NOINLINE void blocked_right(void)
{
	spin_ms(600);
}

static SPIN_NOINLINE void blocked_main(void)
{
	spin_ms(900);
}

static void *left(void *unused)
{
	block_all();
	blocked_left();
	return unused;
}

static void *right(void *unused)
{
	block_all();
	blocked_right();
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];

	(void)argv;
	if (argc == 1)
		block_all();
	if (pthread_create(&threads[0], NULL, left, NULL) ||
	    pthread_create(&threads[1], NULL, right, NULL))
		return 1;
	blocked_main();
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	puts("{\"name\": \"blocked_left\", \"share\": 0.166667}\n"
	     "{\"name\": \"blocked_right\", \"share\": 0.333333}\n"
	     "{\"name\": \"blocked_main\", \"share\": 0.5}");
	return 0;
}
