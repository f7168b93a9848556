// SPDX-License-Identifier: MIT
/*
 * Is the lab what it says it is?  Compares counters and PERF_METRICS with the
 * emulator's truth over four declared ranges: plain, with a cost of every return
 * to user mode, with dropped uops.  Flags are the processor's, too.  Prints what
 * differs; exits 1 if something does.
 */
#include <linux/perf_event.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "labpmu.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define TURNS 500000
#define SYSTEM_CALLS 1000

#define PMC_METRICS 0x20000000u
#define PMC_SLOTS 0x40000003u

/* What the readings themselves execute, in cycles, also for a few returns to user
 * mode; and the rounding of 8-bit fields. */
#define SLACK 3000
#define FIELD_SLACK 0.5

#define RANGE(name)                                                                      \
	extern char __start_range_##name[], __stop_range_##name[];                       \
	__attribute__((noinline, section("range_" #name))) static void name(             \
		uint64_t turns)                                                          \
	{                                                                                \
		for (uint64_t i = 0; i < turns; i++)                                     \
			__asm__ volatile("" ::: "memory");                               \
	}

RANGE(retire)
RANGE(memory)
RANGE(mispredict)
RANGE(fetch)

static struct range {
	void (*run)(uint64_t);
	char *start, *stop;
	double cpi;
	struct labpmu_mix mix; /* all models can express these */
	int number;
} ranges[] = {
#define ENTRY(name, ...)                                                                 \
	{                                                                                \
		name, __start_range_##name, __stop_range_##name, __VA_ARGS__, 0          \
	}
	ENTRY(retire, 0.35, {7000, 500, 1500, 1000, 1200, 400, 900, 600}),
	ENTRY(memory, 2.5, {1000, 500, 1000, 7500, 200, 300, 500, 6000}),
	ENTRY(mispredict, 1.2, {2300, 4000, 2500, 1200, 300, 3800, 1500, 400}),
	ENTRY(fetch, 0.9, {2600, 300, 5700, 1400, 100, 200, 4200, 500}),
};

/* Cycles, instructions, retired slots, slots not delivered; where there are
 * metrics a group of two: SLOTS, and one metric for the register. */
static const uint64_t plain[] = {0x3c, 0xc0, 0x02c2, 0x019c};
static const uint64_t plain_of_gracemont[] = {0x3c, 0xc0, 0x00c2, 0x0071};
static const uint64_t plain_of_zen4[] = {0x76, 0xc0, 0x00c1, 0x1000001a0};
static const uint64_t registers[] = {0x400, 0x8000};

struct group {
	size_t n;
	int fd[4];
	const volatile struct perf_event_mmap_page *page[4];
	uint64_t before[4];
};

static int kind, width, mismatches;

static uint64_t rdpmc(uint32_t counter)
{
	uint32_t low, high;

	__asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(counter) : "memory");
	return (uint64_t)high << 32 | low;
}

static void compare(const char *what, double found, double expected, double slack)
{
	if (fabs(found - expected) <= slack)
		return;
	printf("MISMATCH %s: %.2f, the truth is %.2f\n", what, found, expected);
	mismatches++;
}

/* Of the small cores, if the program runs on one: their events have a type of their own.
 */
static uint32_t event_type(void)
{
	FILE *file = kind == LABPMU_KIND_GRT
			     ? fopen("/sys/bus/event_source/devices/cpu_atom/type", "r")
			     : NULL;
	unsigned type = PERF_TYPE_RAW;

	if (file && fscanf(file, "%u", &type) != 1)
		type = PERF_TYPE_RAW;
	if (file)
		fclose(file);
	return type;
}

static void open_group(struct group *group, const uint64_t *config, size_t n)
{
	*group = (struct group){.n = n};
	for (size_t i = 0; i < n; i++) {
		struct perf_event_attr attr = {
			.size = sizeof(attr),
			.type = event_type(),
			.config = config[i],
			.exclude_kernel = 1,
			.disabled = i == 0,
		};
		long fd = syscall(SYS_perf_event_open, &attr, 0, -1,
				  i ? group->fd[0] : -1, 0);

		if (fd < 0) {
			perror("perf_event_open");
			exit(1);
		}
		group->fd[i] = (int)fd;
		group->page[i] = mmap(NULL, 4096, PROT_READ, MAP_SHARED, group->fd[i], 0);
	}
	ioctl(group->fd[0], PERF_EVENT_IOC_ENABLE, 0);
}

static void close_group(struct group *group)
{
	for (size_t i = group->n; i-- > 0;) {
		munmap((void *)group->page[i], 4096);
		close(group->fd[i]);
	}
}

static void begin(struct group *group)
{
	for (size_t i = 0; i < group->n; i++)
		group->before[i] = rdpmc(group->page[i]->index - 1);
}

static double counted(const struct group *group, size_t i)
{
	return (double)((rdpmc(group->page[i]->index - 1) - group->before[i]) &
			0xffffffffffffu);
}

static bool has_metrics(void)
{
	return kind == LABPMU_KIND_SPR || kind == LABPMU_KIND_ICX;
}

/* Of a range, the rest of the process and its edges, from one reading to the next. */
static struct labpmu_truth read_truth(const struct range *range)
{
	const uint64_t numbers[] = {(uint64_t)range->number, LABPMU_SELF, LABPMU_EDGES};
	struct labpmu_truth sum = {0}, part;

	for (size_t i = 0; i < COUNT(numbers); i++) {
		labpmu_read(numbers[i], &part);
		sum.insns += part.insns;
		sum.cycles += part.cycles;
		sum.slots += part.slots;
		for (size_t k = 0; k < COUNT(sum.cat); k++)
			sum.cat[k] += part.cat[k];
	}
	return sum;
}

static void run(const struct range *range, unsigned system_calls)
{
	for (unsigned i = 0; i < system_calls; i++)
		syscall(SYS_getppid);
	range->run(TURNS);
}

static const uint64_t *plain_events(void)
{
	switch (kind) {
	case LABPMU_KIND_GRT:
		return plain_of_gracemont;
	case LABPMU_KIND_ZEN4:
		return plain_of_zen4;
	default:
		return plain;
	}
}

static void check_counters(const struct range *range, unsigned system_calls)
{
	struct labpmu_truth a, b;
	struct group group;
	double found[4];

	open_group(&group, plain_events(), COUNT(plain));
	a = read_truth(range);
	begin(&group);
	run(range, system_calls);
	for (size_t i = 0; i < group.n; i++)
		found[i] = counted(&group, i);
	b = read_truth(range);
	close_group(&group);
	compare("cycles", found[0], (double)(b.cycles - a.cycles), SLACK);
	compare("instructions", found[1], (double)(b.insns - a.insns), SLACK);
	compare("retired slots", found[2], (double)(b.cat[0] - a.cat[0]), SLACK * width);
	compare("not delivered", found[3], (double)(b.cat[2] - a.cat[2]), SLACK * width);
}

/* `dropped`: points that the register has under frontend bound and not under bad
 * speculation. */
static void check_metrics(const struct range *range, unsigned system_calls,
			  double dropped)
{
	static const char *const names[8] = {
		"retiring", "bad speculation", "frontend bound", "backend bound",
		"heavy",    "mispredicts",     "fetch latency",  "memory bound"};
	const double moved[8] = {[1] = -dropped, [2] = dropped, [6] = dropped};
	struct labpmu_truth a, b;
	struct group group;
	uint64_t metrics;
	double slots;

	open_group(&group, registers, COUNT(registers));
	a = read_truth(range);
	ioctl(group.fd[0], PERF_EVENT_IOC_RESET, 0);
	run(range, system_calls);
	slots = (double)rdpmc(PMC_SLOTS);
	metrics = rdpmc(PMC_METRICS);
	b = read_truth(range);
	close_group(&group);
	compare("slots", slots, (double)(b.slots - a.slots), SLACK * width);
	for (unsigned k = 0; k < (kind == LABPMU_KIND_SPR ? 8u : 4u); k++)
		compare(names[k], (double)(metrics >> 8 * k & 255) / 2.55,
			100.0 * (double)(b.cat[k] - a.cat[k]) /
					(double)(b.slots - a.slots) +
				moved[k],
			FIELD_SLACK);
}

static void check_all(const char *how, unsigned system_calls)
{
	int before = mismatches;

	for (size_t i = 0; i < COUNT(ranges); i++) {
		check_counters(&ranges[i], system_calls);
		if (has_metrics())
			check_metrics(&ranges[i], system_calls, 0);
	}
	printf("%s: %d mismatches\n", how, mismatches - before);
}

static void check_dropped(void)
{
	int before = mismatches;

	for (size_t i = 0; i < COUNT(ranges); i++) {
		labpmu_param2((uint64_t)ranges[i].number, 100, 0);
		check_metrics(&ranges[i], 0, 1);
		labpmu_param2((uint64_t)ranges[i].number, 0, 0);
	}
	printf("dropped uops: %d mismatches\n", mismatches - before);
}

/* Flags behind two instructions of which QEMU 7.2 loses them, the trap flag with them at
 * times (the patch mends that). */
static void check_flags(void)
{
	int before = mismatches;
	_Alignas(16) uint64_t pair[2] = {1, 2};
	uint64_t flags, low = 1, high = 2;
	unsigned char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	/* 5 - 4: of these flags only the zero flag is the exchange's */
	__asm__ volatile("pushfq\n\tpopfq\n\tjmp 1f\n"
			 "1:\tcmpq %[four], %[five]\n\t"
			 "lock cmpxchg16b %[pair]\n\tpushfq\n\tpopq %[flags]"
			 : [flags] "=&r"(flags), [pair] "+m"(pair), "+a"(low), "+d"(high)
			 : [four] "r"((uint64_t)4), [five] "r"((uint64_t)5),
			   "b"((uint64_t)3), "c"((uint64_t)4)
			 : "cc", "memory");
	compare("flags of cmpxchg16b", (double)(flags & 0x8d5), 0x40, 0);
	/* the first write to the page faults; nothing overflows */
	__asm__ volatile("movl $0x80000000, %%eax\n\taddl $0, %%eax\n\tsetg %[page]"
			 : [page] "=m"(*page)
			 :
			 : "eax", "cc");
	compare("setg behind a fault", *page, 0, 0);
	munmap(page, 4096);
	printf("flags: %d mismatches\n", mismatches - before);
}

int main(void)
{
	static const struct labpmu_mix edge = {0, 500, 5500, 4000, 0, 300, 4500, 3000};

	if (!labpmu_probe(&kind, &width)) {
		puts("not in the lab");
		return 0;
	}
	labpmu_clear();
	for (size_t i = 0; i < COUNT(ranges); i++)
		ranges[i].number = labpmu_add(ranges[i].start, ranges[i].stop,
					      ranges[i].cpi, &ranges[i].mix);
	labpmu_commit();
	check_all("plain", 0);
	labpmu_edge(400, 50, &edge);
	check_all("with edges", SYSTEM_CALLS);
	labpmu_edge(0, 0, &edge);
	if (has_metrics())
		check_dropped();
	labpmu_clear();
	check_flags();
	printf("%d mismatches\n", mismatches);
	return mismatches != 0;
}
