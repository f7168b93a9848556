// SPDX-License-Identifier: MIT
/*
 * The kernel's topdown example grown up: functions with a declared behaviour,
 * called in an order that changes each round.  Prints the emulator's exact truth
 * about itself, one line of JSON each: the machine, functions, rest, our own
 * code (agent), edges, then every thread without our own code, and
 * that.  Outside the lab it runs too, and says so.
 *
 * phases [-r ROUNDS] [-t THREADS] [-d] [-k SKID] [-a FILE] [-x sleep|migrate|block]...
 *
 * -a: counts the agent's functions one by one; a line of FILE is one's address in
 * the library, its size and its name.  -d: dropped uops and clears (labpmu_param2), -k:
 * interrupts come that many instructions late, -x: what the functions do half-way, now
 * and then.
 */
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "labpmu.h"

#define THREADS_MAX 64
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* One of so many calls is disturbed half-way. */
#define DISTURB_EVERY 16
#define SLEEP_NS 50000
#define INSNS_A_TURN 5 /* of the loop below */

enum disturbance { SLEEP = 1, MIGRATE = 2, BLOCK = 4 };

static unsigned disturbances;
static __thread uint64_t random_state;

static uint32_t random_below(uint32_t n)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((random_state >> 32) * n >> 32);
}

/* Without libc, whose return would end the window. */
static inline __attribute__((always_inline)) long
raw_syscall(long number, const volatile void *a, const volatile void *b,
	    const volatile void *c, long d)
{
	long result;
	register long fourth __asm__("r10") = d;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "0"(number), "D"(a), "S"(b), "d"(c), "r"(fourth)
			 : "rcx", "r11", "memory");
	return result;
}

static inline __attribute__((always_inline)) void spin(uint64_t turns)
{
	uint64_t a = 1;

	for (uint64_t i = 0; i < turns; i++) {
		a = a * 6364136223846793005u + i;
		__asm__ volatile("" : "+r"(a));
	}
}

static inline __attribute__((always_inline)) void disturb(uint64_t turns)
{
	static const struct timespec nap = {0, SLEEP_NS};
	static const unsigned long all = ~0ul, none;
	static const unsigned long cpus[2] = {1, 2};
	static unsigned turn;

	if (disturbances & SLEEP)
		raw_syscall(SYS_nanosleep, &nap, NULL, NULL, 0);
	if (disturbances & MIGRATE)
		raw_syscall(SYS_sched_setaffinity, NULL, (void *)sizeof(cpus[0]),
			    &cpus[turn++ & 1], 0);
	if (disturbances & BLOCK) {
		raw_syscall(SYS_rt_sigprocmask, (void *)SIG_SETMASK, &all, NULL, 8);
		spin(turns);
		raw_syscall(SYS_rt_sigprocmask, (void *)SIG_SETMASK, &none, NULL, 8);
	}
}

/* Each in a section of its own, which is the range that is declared. */
#define PHASE(name)                                                                      \
	extern char __start_phase_##name[], __stop_phase_##name[];                       \
	__attribute__((noinline, section("phase_" #name))) static void name(             \
		uint64_t turns, bool disturbed)                                          \
	{                                                                                \
		spin(turns / 2);                                                         \
		if (disturbed)                                                           \
			disturb(turns);                                                  \
		spin(turns / 2);                                                         \
	}

PHASE(retire)
PHASE(heavy)
PHASE(mispredict)
PHASE(clears)
PHASE(fetch_latency)
PHASE(fetch_bandwidth)
PHASE(memory)
PHASE(core)
PHASE(divide)
PHASE(stores)
PHASE(blend)
PHASE(steady)

static struct phase {
	const char *name;
	void (*run)(uint64_t, bool);
	char *start, *stop;
	double cpi;
	unsigned cycles; /* of a call; each has about the same share of the time */
	struct labpmu_mix mix;
	int number;
} phases[] = {
#define ENTRY(name, cpi, cycles, ...)                                                    \
	{                                                                                \
#name, name, __start_phase_##name, __stop_phase_##name, cpi, cycles,     \
			__VA_ARGS__, -1                                                  \
	}
	ENTRY(retire, 0.3, 2000, {8500, 200, 800, 500, 600, 100, 300, 200}),
	ENTRY(heavy, 0.6, 4000, {6000, 300, 1200, 2500, 4000, 200, 500, 1000}),
	ENTRY(mispredict, 1.2, 3000, {2500, 4500, 2000, 1000, 300, 4300, 1200, 400}),
	ENTRY(clears, 1.8, 2500, {2000, 3500, 1500, 3000, 400, 500, 900, 1500}),
	ENTRY(fetch_latency, 1.5, 6000, {2500, 500, 5500, 1500, 200, 400, 4800, 600}),
	ENTRY(fetch_bandwidth, 0.7, 2200, {4500, 300, 4200, 1000, 500, 200, 700, 500}),
	ENTRY(memory, 4.0, 20000, {800, 200, 500, 8500, 100, 100, 300, 7800}),
	ENTRY(core, 1.0, 12000, {3500, 200, 300, 6000, 800, 100, 200, 700}),
	ENTRY(divide, 3.0, 15000, {1200, 100, 200, 8500, 200, 50, 100, 300}),
	ENTRY(stores, 2.2, 5000, {1800, 400, 1300, 6500, 300, 200, 700, 5000}),
	ENTRY(blend, 0.9, 60000, {4000, 1500, 2000, 2500, 1000, 1200, 1000, 1500}),
	ENTRY(steady, 0.5, 30000, {5500, 1000, 1500, 2000, 900, 600, 600, 1100}),
};
#define CYCLES_A_ROUND 60000 /* for each function */

/* What is not declared: main() and libc, then the agent.  One cycle an
 * instruction, so that the log's slots count instructions too. */
static const struct labpmu_mix rest_mix = {4000, 1000, 3000, 2000, 500, 700, 1500, 800};
static const struct labpmu_mix agent_mix = {1500, 500, 6000, 2000, 200, 300, 5000, 1200};

static struct agent {
	char *base;
	char *start, *stop; /* its code, NULL: there is no agent */
	int number;
} agent = {NULL, NULL, NULL, -1};

/* -a: its functions instead */
static struct part {
	char name[64];
	uint64_t start, size;
	int number;
} parts[512];
static size_t parts_used;

static uintptr_t bias;
static unsigned rounds = 100, threads_wanted;
static struct thread_truth {
	pthread_t thread;
	int slot, tid;
} threads[THREADS_MAX + 1];

static int find_agent(struct dl_phdr_info *info, size_t size, void *unused)
{
	(void)size;
	(void)unused;
	if (!info->dlpi_name[0] && !bias)
		bias = info->dlpi_addr;
	if (!strstr(info->dlpi_name, "libtdagent"))
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];

		if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X))
			continue;
		agent.base = (char *)info->dlpi_addr;
		agent.start = (char *)info->dlpi_addr + segment->p_vaddr;
		agent.stop = agent.start + segment->p_memsz;
	}
	return 0;
}

/* As much as the mix has room for. */
static void drop_uops(const struct phase *phase, int kind)
{
	const struct labpmu_mix *mix = &phase->mix;

	if (kind == LABPMU_KIND_SPR)
		labpmu_param2((uint64_t)phase->number, (mix->bad - mix->brmis) / 2, 0);
	else
		labpmu_param2((uint64_t)phase->number, mix->bad / 2, mix->be / 10);
}

static void read_parts(const char *path)
{
	FILE *file = fopen(path, "r");
	struct part part = {.number = -1};

	while (file && parts_used < COUNT(parts) &&
	       fscanf(file, "%lx %lx %63s", &part.start, &part.size, part.name) == 3)
		parts[parts_used++] = part;
	if (file)
		fclose(file);
}

static void declare_agent(void)
{
	if (!agent.start)
		return;
	for (size_t i = 0; i < parts_used; i++) {
		char *start = agent.base + parts[i].start;

		parts[i].number =
			labpmu_add(start, start + parts[i].size, 1.0, &agent_mix);
	}
	if (!parts_used)
		agent.number = labpmu_add(agent.start, agent.stop, 1.0, &agent_mix);
}

/* False: not in the lab. */
static bool declare(bool drop)
{
	int kind, width;

	if (!labpmu_probe(&kind, &width))
		return false;
	labpmu_clear();
	for (size_t i = 0; i < COUNT(phases); i++) {
		phases[i].number = labpmu_add(phases[i].start, phases[i].stop,
					      phases[i].cpi, &phases[i].mix);
		if (phases[i].number < 0)
			return false;
		if (drop)
			drop_uops(&phases[i], kind);
	}
	labpmu_param(LABPMU_SELF, 1.0, &rest_mix);
	declare_agent();
	labpmu_commit();
	return true;
}

static void shuffle(uint8_t *order, uint32_t n)
{
	while (n > 1) {
		uint32_t other = random_below(n--);
		uint8_t swapped = order[n];

		order[n] = order[other];
		order[other] = swapped;
	}
}

/* Every function as often as makes CYCLES_A_ROUND. */
static uint32_t fill(uint8_t *order)
{
	uint32_t n = 0;

	for (size_t i = 0; i < COUNT(phases); i++)
		for (unsigned k = 0; k < CYCLES_A_ROUND / phases[i].cycles; k++)
			order[n++] = (uint8_t)i;
	return n;
}

static void work(uint64_t seed)
{
	uint8_t order[256];
	uint32_t n = fill(order);

	random_state = seed;
	for (unsigned r = 0; r < rounds; r++) {
		shuffle(order, n);
		for (uint32_t i = 0; i < n; i++) {
			const struct phase *phase = &phases[order[i]];

			phase->run((uint64_t)(phase->cycles / phase->cpi / INSNS_A_TURN),
				   disturbances && random_below(DISTURB_EVERY) == 0);
		}
	}
}

static void *run_thread(void *argument)
{
	struct thread_truth *thread = argument;

	thread->tid = (int)syscall(SYS_gettid);
	thread->slot = labpmu_track();
	work((uint64_t)(thread - threads) + 1);
	return NULL;
}

static void print_sums(const struct labpmu_truth *truth)
{
	static const char *const names[] = {
		"retiring",      "bad_speculation",  "frontend_bound",
		"backend_bound", "heavy_operations", "branch_mispredicts",
		"fetch_latency", "memory_bound",
	};

	printf("\"insns\": %lu, \"cycles\": %lu, \"slots\": %lu, \"calls\": %lu, "
	       "\"entries\": %lu, \"clamped\": %lu, \"topdown\": {",
	       truth->insns, truth->cycles, truth->slots, truth->calls, truth->entries,
	       truth->clamped);
	for (size_t i = 0; i < COUNT(names); i++)
		printf("%s\"%s\": %lu", i ? ", " : "", names[i], truth->cat[i]);
	printf("}}\n");
}

static void add(struct labpmu_truth *sum, uint64_t number, int slot)
{
	struct labpmu_truth part;

	labpmu_read_thread(number, slot, &part);
	sum->insns += part.insns;
	sum->cycles += part.cycles;
	sum->slots += part.slots;
	for (size_t i = 0; i < COUNT(sum->cat); i++)
		sum->cat[i] += part.cat[i];
}

/* Of the program; our own code apart. */
static void read_thread(const struct thread_truth *thread, struct labpmu_truth *sum,
			struct labpmu_truth *ours)
{
	memset(sum, 0, sizeof(*sum));
	memset(ours, 0, sizeof(*ours));
	for (size_t i = 0; i < COUNT(phases); i++)
		add(sum, (uint64_t)phases[i].number, thread->slot);
	add(sum, LABPMU_SELF, thread->slot);
	add(sum, LABPMU_EDGES, thread->slot);
	if (agent.number >= 0)
		add(ours, (uint64_t)agent.number, thread->slot);
}

/* Reads everything first: printing is work, too. */
static void print_truth(uint64_t elapsed_ns)
{
	static struct labpmu_truth function[COUNT(phases)], thread[THREADS_MAX + 1],
		thread_ours[THREADS_MAX + 1];
	struct labpmu_truth rest, ours = {0}, edges;

	for (unsigned i = 0; i <= threads_wanted; i++)
		read_thread(&threads[i], &thread[i], &thread_ours[i]);
	for (size_t i = 0; i < COUNT(phases); i++)
		labpmu_read((uint64_t)phases[i].number, &function[i]);
	if (agent.number >= 0)
		labpmu_read((uint64_t)agent.number, &ours);
	labpmu_read(LABPMU_SELF, &rest);
	labpmu_read(LABPMU_EDGES, &edges);
	printf("{\"what\": \"machine\", \"interrupts\": %lu, \"elapsed_ns\": %lu}\n",
	       rest.pmis, elapsed_ns);
	for (size_t i = 0; i < COUNT(phases); i++) {
		printf("{\"what\": \"function\", \"name\": \"%s\", \"address\": \"0x%lx\", ",
		       phases[i].name, (uintptr_t)phases[i].start - bias);
		print_sums(&function[i]);
	}
	printf("{\"what\": \"agent\", ");
	print_sums(&ours);
	printf("{\"what\": \"rest\", ");
	print_sums(&rest);
	printf("{\"what\": \"edges\", ");
	print_sums(&edges);
	for (unsigned i = 0; i <= threads_wanted; i++) {
		printf("{\"what\": \"thread\", \"tid\": %d, ", threads[i].tid);
		print_sums(&thread[i]);
		printf("{\"what\": \"thread_agent\", \"tid\": %d, ", threads[i].tid);
		print_sums(&thread_ours[i]);
	}
}

static void print_parts(void)
{
	static struct labpmu_truth truth[COUNT(parts)];

	for (size_t i = 0; i < parts_used; i++)
		labpmu_read((uint64_t)parts[i].number, &truth[i]);
	for (size_t i = 0; i < parts_used; i++) {
		printf("{\"what\": \"part\", \"name\": \"%s\", ", parts[i].name);
		print_sums(&truth[i]);
	}
}

static void run_all(void)
{
	threads[0].tid = getpid();
	threads[0].slot = labpmu_track();
	if (!threads_wanted)
		run_thread(&threads[0]);
	for (unsigned i = 1; i <= threads_wanted; i++)
		pthread_create(&threads[i].thread, NULL, run_thread, &threads[i]);
	for (unsigned i = 1; i <= threads_wanted; i++)
		pthread_join(threads[i].thread, NULL);
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static int usage(void)
{
	fprintf(stderr, "phases [-r ROUNDS] [-t THREADS] [-d] [-k SKID] [-a FILE] "
			"[-x sleep|migrate|block]...\n");
	return 2;
}

static unsigned disturbance(const char *name)
{
	return strcmp(name, "sleep") == 0     ? SLEEP
	       : strcmp(name, "migrate") == 0 ? MIGRATE
	       : strcmp(name, "block") == 0   ? BLOCK
					      : 0;
}

int main(int argc, char **argv)
{
	bool drop = false, lab;
	uint64_t skid = 0, before, elapsed;
	int option;

	while ((option = getopt(argc, argv, "r:t:dk:x:a:")) != -1) {
		switch (option) {
		case 'r':
			rounds = (unsigned)strtoul(optarg, NULL, 10);
			break;
		case 't':
			threads_wanted = (unsigned)strtoul(optarg, NULL, 10);
			break;
		case 'd':
			drop = true;
			break;
		case 'k':
			skid = strtoul(optarg, NULL, 10);
			break;
		case 'a':
			read_parts(optarg);
			break;
		case 'x':
			disturbances |= disturbance(optarg);
			break;
		default:
			return usage();
		}
	}
	if (threads_wanted > THREADS_MAX)
		return usage();
	dl_iterate_phdr(find_agent, NULL);
	lab = declare(drop);
	if (!lab)
		puts("not in the lab");
	if (lab && skid)
		labpmu_skid(skid, 1);
	before = now_ns();
	run_all();
	elapsed = now_ns() - before;
	if (!lab)
		return 0;
	print_truth(elapsed);
	print_parts();
	labpmu_skid(0, 1);
	labpmu_clear();
	return 0;
}
