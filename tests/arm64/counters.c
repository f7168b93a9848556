// SPDX-License-Identifier: MIT
/*
 * counters [EVENT [CONFIG]]: what the kernel grants on aarch64, by the agent's own
 * reading of counters: user access, that it agrees with read(), and the interrupt.
 * CONFIG: a raw event of the PMU, 8 for instructions (cycles).  Prints a line of
 * figures; exits 1 with a reason if something is wrong.
 */
#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "agent/sigsafe/arch.h"
#include "agent/sigsafe/syscall.h"

#define WANT_USER_ACCESS 2 /* config1 of armv8_pmuv3 */
#define PERIOD 1000000u
#define TURNS 10000000u

static volatile sig_atomic_t interrupts;

static void on_trap(int number)
{
	(void)number;
	interrupts = interrupts + 1;
}

__attribute__((noreturn, format(printf, 1, 2))) static void die(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	putchar('\n');
	exit(1);
}

static uint32_t type_of_pmu(void)
{
	FILE *file = fopen("/sys/bus/event_source/devices/armv8_pmuv3/type", "r");
	unsigned type;

	if (!file || fscanf(file, "%u", &type) != 1)
		die("no armv8_pmuv3");
	fclose(file);
	return type;
}

static int open_event(uint64_t config, uint64_t period)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = type_of_pmu(),
		.config = config,
		.config1 = WANT_USER_ACCESS,
		.sample_period = period,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.sigtrap = period != 0,
		.remove_on_exec = period != 0,
	};
	long fd = td_syscall6(SYS_perf_event_open, (long)&attr, 0, -1, -1, 0, 0);

	if (fd < 0)
		die("event %#" PRIx64 ": %s", config, strerror((int)-fd));
	return (int)fd;
}

/* Two instructions a turn. */
__attribute__((noinline)) static void turn(uint64_t turns)
{
	__asm__ volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(turns)::"cc");
}

static uint64_t by_read(int fd)
{
	uint64_t value;

	if (read(fd, &value, sizeof(value)) != sizeof(value))
		die("read: %s", strerror(errno));
	return value;
}

/* False: the kernel lets nobody but itself read the register. */
static bool by_register(const volatile struct perf_event_mmap_page *page, uint64_t *value)
{
	uint32_t lock, index, low, high;
	uint64_t counter;

	do {
		lock = page->lock;
		__asm__ volatile("" ::: "memory");
		index = page->index;
		if (!page->cap_user_rdpmc || !index)
			return false;
		td_arch_read_counter(index - 1, &low, &high);
		counter = (uint64_t)high << 32 | low;
		counter <<= 64 - page->pmc_width;
		*value = (uint64_t)(page->offset +
				    ((int64_t)counter >> (64 - page->pmc_width)));
		__asm__ volatile("" ::: "memory");
	} while (lock != page->lock);
	return true;
}

static void compare(int fd, const volatile struct perf_event_mmap_page *page,
		    const char *name)
{
	uint64_t before, user, after;

	turn(TURNS);
	before = by_read(fd);
	if (!by_register(page, &user)) {
		printf("%s: no user access\n", name);
		return;
	}
	after = by_read(fd);
	if (user < before || user > after)
		die("%s: %" PRIu64 " by the register, read() says %" PRIu64
		    " before and %" PRIu64 " after",
		    name, user, before, after);
	turn(TURNS);
	before = user;
	by_register(page, &user);
	printf("%s: user access, %" PRIu64 " for %u instructions\n", name, user - before,
	       2 * TURNS);
}

static void interrupt(uint64_t config, const char *name)
{
	uint64_t counted;
	int fd;

	signal(SIGTRAP, on_trap);
	fd = open_event(config, PERIOD);
	for (int i = 0; i < 10; i++)
		turn(TURNS);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	counted = by_read(fd);
	printf("%s: %d interrupts for %" PRIu64 "\n", name, (int)interrupts, counted);
	if (interrupts < 10 || (uint64_t)interrupts > counted / PERIOD + 1)
		die("%s: these are not one for each %u", name, PERIOD);
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "cycles";
	uint64_t config = argc > 2 ? strtoull(argv[2], NULL, 0) : 0x11;
	int fd = open_event(config, 0);
	void *page =
		mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);

	if (page == MAP_FAILED)
		die("mmap: %s", strerror(errno));
	compare(fd, page, name);
	interrupt(config, name);
	return 0;
}
