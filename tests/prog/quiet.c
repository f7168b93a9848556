// SPDX-License-Identifier: MIT
/*
 * Two threads that work, and as few system calls as a program can make: what
 * else is called, somebody else calls.  Prints one line and returns 3.
 *
 *     quiet MILLISECONDS
 */
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "spin.h"

static char stack[1 << 18] __attribute__((aligned(4096)));
static uint64_t milliseconds;

static void *work(void *unused)
{
	(void)unused;
	spin_ms(milliseconds);
	return NULL;
}

int main(int argc, char **argv)
{
	static const char done[] = "done\n";
	pthread_attr_t attributes;
	pthread_t thread;

	milliseconds = argc > 1 ? strtoull(argv[1], NULL, 10) : 20;
	pthread_attr_init(&attributes);
	pthread_attr_setstack(&attributes, stack, sizeof(stack));
	if (pthread_create(&thread, &attributes, work, NULL))
		return 1;
	work(NULL);
	pthread_join(thread, NULL);
	return write(1, done, sizeof(done) - 1) == sizeof(done) - 1 ? 3 : 2;
}
