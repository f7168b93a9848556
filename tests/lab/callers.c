// SPDX-License-Identifier: MIT
/*
 * Functions of some 30 instructions, far too short for a window of their own, by
 * turns below a few callers whose totals are known: prints the emulator's truth
 * about each caller with all that it calls, one line of JSON each.
 *
 * callers [-r ROUNDS] [-d DEPTH] [-e DEPTH] [-w WALKS]
 *
 * -d: all of it happens below so many calls of one function.  -e: what has no callees
 * happens below so many more.  -w: walks the frame pointers that often at the bottom
 * instead, and says what a walk costs.
 */
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "labpmu.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define KEEP_FRAME __asm__ volatile("" ::: "memory")
#ifdef __clang__
#define NOINLINE noinline
#else
#define NOINLINE noinline, noclone
#endif
#define RANGE(name)                                                                      \
	extern char __start_range_##name[], __stop_range_##name[];                       \
	__attribute__((NOINLINE, section("range_" #name)))

static inline __attribute__((always_inline)) void spin(unsigned turns)
{
	uint64_t a = 1;

	for (unsigned i = 0; i < turns; i++) {
		a = a * 6364136223846793005u + i;
		__asm__ volatile("" : "+r"(a));
	}
}

/* 5 instructions a turn, and some for the call */
#define MEMBER(name, turns)                                                              \
	RANGE(name) static void name(void)                                               \
	{                                                                                \
		spin(turns);                                                             \
	}

MEMBER(parse_token, 5)
MEMBER(look_up, 6)
MEMBER(push_node, 4)
MEMBER(hash_key, 5)
MEMBER(probe_slot, 3)
MEMBER(store_slot, 7)

#define TURNS_A_VISIT 600 /* of a caller: some 60,000 cycles */

RANGE(parser) static void parser(void)
{
	for (int i = 0; i < TURNS_A_VISIT; i++) {
		parse_token();
		look_up();
		push_node();
	}
}

RANGE(table) static void table(void)
{
	for (int i = 0; i < TURNS_A_VISIT; i++) {
		hash_key();
		probe_slot();
		store_slot();
	}
}

RANGE(alone) static void alone(void)
{
	spin(12000);
}

static struct range {
	const char *name;
	const char *total; /* whose it is part of */
	char *start, *stop;
	double cpi;
	struct labpmu_mix mix;
	int number;
} ranges[] = {
#define ENTRY(name, total, cpi, ...)                                                     \
	{                                                                                \
#name, total, __start_range_##name, __stop_range_##name, cpi,            \
			__VA_ARGS__, -1                                                  \
	}
	ENTRY(parser, "parser", 1.0, {5000, 500, 3500, 1000, 300, 300, 2500, 400}),
	ENTRY(parse_token, "parser", 0.7, {8000, 300, 1200, 500, 900, 200, 700, 200}),
	ENTRY(look_up, "parser", 2.0, {1200, 600, 700, 7500, 100, 500, 300, 6500}),
	ENTRY(push_node, "parser", 1.1, {3000, 4000, 2000, 1000, 200, 3500, 1000, 500}),
	ENTRY(table, "table", 1.0, {4500, 500, 3000, 2000, 300, 300, 2000, 900}),
	ENTRY(hash_key, "table", 0.5, {9000, 200, 500, 300, 1500, 100, 200, 100}),
	ENTRY(probe_slot, "table", 4.0, {600, 200, 200, 9000, 50, 100, 100, 8500}),
	ENTRY(store_slot, "table", 1.2, {3000, 500, 1500, 5000, 200, 300, 800, 3500}),
	ENTRY(alone, "alone", 0.8, {5500, 1000, 1500, 2000, 900, 600, 600, 1100}),
};

static const struct labpmu_mix rest_mix = {4000, 1000, 3000, 2000, 500, 700, 1500, 800};
static const struct labpmu_mix agent_mix = {1500, 500, 6000, 2000, 200, 300, 5000, 1200};

static uintptr_t bias;
static char *agent_start, *agent_stop;
static int agent_number = -1, walk_number = -1;
static unsigned rounds = 100, depth, extra, walks;
static unsigned frames_walked;

static int find_objects(struct dl_phdr_info *info, size_t size, void *unused)
{
	(void)size, (void)unused;
	if (!info->dlpi_name[0] && !bias)
		bias = info->dlpi_addr;
	if (!strstr(info->dlpi_name, "libtdagent"))
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];

		if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X))
			continue;
		agent_start = (char *)info->dlpi_addr + segment->p_vaddr;
		agent_stop = agent_start + segment->p_memsz;
	}
	return 0;
}

/* What a profiler that knows of frame pointers would do, with the least of checks. */
RANGE(walk) static unsigned walk(void)
{
	static uintptr_t path[256];
	const uintptr_t *frame = __builtin_frame_address(0);
	uintptr_t low = (uintptr_t)frame;
	unsigned n = 0;

	while (n < COUNT(path) && (uintptr_t)frame >= low &&
	       (uintptr_t)frame < low + 65536 && ((uintptr_t)frame & 7) == 0) {
		low = (uintptr_t)frame + 16;
		path[n++] = frame[1];
		frame = (const uintptr_t *)frame[0];
	}
	return n;
}

static bool declare(void)
{
	int kind, width;

	if (!labpmu_probe(&kind, &width))
		return false;
	labpmu_clear();
	for (size_t i = 0; i < COUNT(ranges); i++)
		ranges[i].number = labpmu_add(ranges[i].start, ranges[i].stop,
					      ranges[i].cpi, &ranges[i].mix);
	walk_number = labpmu_add(__start_range_walk, __stop_range_walk, 1.0, &rest_mix);
	labpmu_param(LABPMU_SELF, 1.0, &rest_mix);
	if (agent_start)
		agent_number = labpmu_add(agent_start, agent_stop, 1.0, &agent_mix);
	labpmu_commit();
	return true;
}

static void add(struct labpmu_truth *sum, int number)
{
	struct labpmu_truth part;

	labpmu_read((uint64_t)number, &part);
	sum->insns += part.insns;
	sum->slots += part.slots;
	for (size_t i = 0; i < COUNT(sum->cat); i++)
		sum->cat[i] += part.cat[i];
}

static void print_total(const char *name, uintptr_t address,
			const struct labpmu_truth *truth)
{
	static const char *const names[] = {
		"retiring",      "bad_speculation",  "frontend_bound",
		"backend_bound", "heavy_operations", "branch_mispredicts",
		"fetch_latency", "memory_bound",
	};

	printf("{\"what\": \"total\", \"name\": \"%s\", \"address\": \"0x%lx\", \"insns\": %lu, "
	       "\"slots\": %lu, \"topdown\": {",
	       name, address, truth->insns, truth->slots);
	for (size_t i = 0; i < COUNT(names); i++)
		printf("%s\"%s\": %.6f", i ? ", " : "", names[i],
		       (double)truth->cat[i] / (double)(truth->slots ? truth->slots : 1));
	printf("}}\n");
}

static void print_insns(const char *what, uint64_t number)
{
	struct labpmu_truth truth;

	labpmu_read(number, &truth);
	printf("{\"what\": \"%s\", \"insns\": %lu}\n", what, truth.insns);
}

/* The caller of each group stands first. */
static void print_truth(void)
{
	for (size_t i = 0; i < COUNT(ranges); i++) {
		struct labpmu_truth total = {0};

		if (strcmp(ranges[i].name, ranges[i].total) != 0)
			continue;
		for (size_t k = 0; k < COUNT(ranges); k++)
			if (strcmp(ranges[k].total, ranges[i].total) == 0)
				add(&total, ranges[k].number);
		print_total(ranges[i].name, (uintptr_t)ranges[i].start - bias, &total);
	}
	if (agent_number >= 0)
		print_insns("agent", (uint64_t)agent_number);
	print_insns("rest", LABPMU_SELF);
	print_insns("walks", (uint64_t)walk_number);
	printf("{\"what\": \"walked\", \"frames\": %u, \"walks\": %u}\n", frames_walked,
	       walks);
}

__attribute__((NOINLINE)) static void go_down(unsigned left, void (*then)(void))
{
	if (left)
		go_down(left - 1, then);
	else
		then();
	KEEP_FRAME;
}

__attribute__((NOINLINE)) static void work(void)
{
	for (unsigned i = 0; i < walks; i++)
		frames_walked = walk();
	for (unsigned i = 0; i < rounds && !walks; i++) {
		parser();
		table();
		go_down(extra, alone);
	}
	KEEP_FRAME;
}

int main(int argc, char **argv)
{
	int option;
	bool lab;

	while ((option = getopt(argc, argv, "r:d:e:w:")) != -1) {
		if (option == 'r')
			rounds = (unsigned)strtoul(optarg, NULL, 10);
		else if (option == 'd')
			depth = (unsigned)strtoul(optarg, NULL, 10);
		else if (option == 'e')
			extra = (unsigned)strtoul(optarg, NULL, 10);
		else if (option == 'w')
			walks = (unsigned)strtoul(optarg, NULL, 10);
		else
			return 2;
	}
	dl_iterate_phdr(find_objects, NULL);
	lab = declare();
	if (!lab)
		puts("not in the lab");
	go_down(depth, work);
	if (!lab)
		return 0;
	print_truth();
	labpmu_clear();
	return 0;
}
