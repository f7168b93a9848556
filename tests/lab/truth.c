// SPDX-License-Identifier: MIT
#include "truth.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "truth-agent.h"

#define RANGES_MAX 512

/* What is not declared: main() and libc.  One cycle an instruction, so that the log's
 * slots count instructions too. */
static const struct labpmu_mix rest_mix = {3000, 1000, 2000, 4000, 300, 800, 1200, 2500};

static struct lab_thread {
	pthread_t thread;
	int slot, tid;
	uint64_t seed;
} threads[LAB_THREADS_MAX + 1];
static unsigned threads_used, rounds;
static void (*thread_work)(unsigned, uint64_t);
static uint64_t elapsed_ns;
static bool of_cores;

/* `sign` times `spread` percent away from `mix`, which stays the mean of both signs. */
static struct labpmu_mix away(const struct labpmu_mix *mix, int sign, unsigned spread)
{
	int outer =
		sign *
		(int)(spread * (mix->retiring < mix->be ? mix->retiring : mix->be) / 100);
	int inner =
		sign * (int)(spread * (mix->bad < mix->fe ? mix->bad : mix->fe) / 100);
	struct labpmu_mix other = {mix->retiring + (unsigned)outer,
				   mix->bad + (unsigned)inner,
				   mix->fe - (unsigned)inner,
				   mix->be - (unsigned)outer,
				   mix->heavy,
				   mix->brmis,
				   mix->fetchlat,
				   mix->mem};

	other.heavy = mix->retiring ? mix->heavy * other.retiring / mix->retiring : 0;
	other.brmis = mix->bad ? mix->brmis * other.bad / mix->bad : 0;
	other.fetchlat = mix->fe ? mix->fetchlat * other.fe / mix->fe : 0;
	other.mem = mix->be ? mix->mem * other.be / mix->be : 0;
	return other;
}

static int add(const struct lab_range *range, const struct lab_noise *noise)
{
	struct labpmu_mix one, two;

	if (!noise->spread)
		return labpmu_add(range->start, range->stop, range->cpi, &range->mix);
	one = away(&range->mix, 1, noise->spread);
	two = away(&range->mix, -1, noise->spread);
	return labpmu_add2(range->start, range->stop,
			   range->cpi * (1 - noise->spread / 200.0), &one, noise->dwell,
			   range->cpi * (1 + noise->spread / 200.0), &two, noise->dwell);
}

static void drop_uops(const struct lab_range *range, int kind)
{
	const struct labpmu_mix *mix = &range->mix;

	if (kind == LABPMU_KIND_SPR)
		labpmu_param2((uint64_t)range->number, (mix->bad - mix->brmis) / 2, 0);
	else
		labpmu_param2((uint64_t)range->number, mix->bad / 2, mix->be / 10);
}

bool lab_declare(struct lab_range *ranges, size_t n, const struct lab_options *options)
{
	int kind, width;

	if (n > RANGES_MAX || !labpmu_probe(&kind, &width))
		return false;
	labpmu_clear();
	for (size_t i = 0; i < n; i++) {
		ranges[i].number = add(&ranges[i], &options->noise);
		if (ranges[i].number < 0)
			return false;
		if (options->drop)
			drop_uops(&ranges[i], kind);
	}
	for (size_t i = 0; i < n && options->cores; i++) {
		const struct lab_range *next = &ranges[(i + 1) % n];

		labpmu_small((uint64_t)ranges[i].number, 1.25 * ranges[i].cpi,
			     &next->mix);
	}
	of_cores = options->cores;
	lab_agent_declare(options->parts);
	labpmu_param(LABPMU_SELF, 1.0, &rest_mix);
	labpmu_commit();
	if (options->skid)
		labpmu_skid(options->skid, 1);
	return true;
}

static void *run_thread(void *argument)
{
	struct lab_thread *thread = argument;

	thread->tid = (int)syscall(SYS_gettid);
	thread->slot = labpmu_track();
	thread_work(rounds, thread->seed);
	return NULL;
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void run(const struct lab_options *options, void (*work)(unsigned, uint64_t))
{
	uint64_t before = now_ns();

	thread_work = work;
	rounds = options->rounds;
	threads_used = options->threads;
	for (unsigned i = 0; i <= threads_used; i++)
		threads[i].seed = options->seed * 1000003 + i;
	threads[0].tid = getpid();
	threads[0].slot = labpmu_track();
	if (!threads_used)
		run_thread(&threads[0]);
	for (unsigned i = 1; i <= threads_used; i++)
		pthread_create(&threads[i].thread, NULL, run_thread, &threads[i]);
	for (unsigned i = 1; i <= threads_used; i++)
		pthread_join(threads[i].thread, NULL);
	elapsed_ns = now_ns() - before;
}

static void add_up(struct labpmu_truth *sum, const struct labpmu_truth *part)
{
	sum->insns += part->insns;
	sum->cycles += part->cycles;
	sum->slots += part->slots;
	sum->second += part->second;
	sum->rets += part->rets;
	sum->branches += part->branches;
	sum->mispredicts += part->mispredicts;
	for (size_t i = 0; i < sizeof(sum->cat) / sizeof(sum->cat[0]); i++)
		sum->cat[i] += part->cat[i];
}

static void print_sums(const struct labpmu_truth *truth)
{
	static const char *const names[] = {
		"retiring",      "bad_speculation",  "frontend_bound",
		"backend_bound", "heavy_operations", "branch_mispredicts",
		"fetch_latency", "memory_bound",
	};

	printf("\"insns\": %lu, \"cycles\": %lu, \"slots\": %lu, \"calls\": %lu, "
	       "\"entries\": %lu, \"rets\": %lu, \"branches\": %lu, \"mispredicts\": %lu, "
	       "\"clamped\": %lu, \"second\": %lu, \"topdown\": {",
	       truth->insns, truth->cycles, truth->slots, truth->calls, truth->entries,
	       truth->rets, truth->branches, truth->mispredicts, truth->clamped,
	       truth->second);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		printf("%s\"%s\": %lu", i ? ", " : "", names[i], truth->cat[i]);
	printf("}}\n");
}

/* Of which cores a line is; NULL: of all. */
static void print_cores(const char *cores)
{
	if (cores)
		printf("\"cores\": \"%s\", ", cores);
}

static void print_line(const char *what, const char *cores,
		       const struct labpmu_truth *truth)
{
	printf("{\"what\": \"%s\", ", what);
	print_cores(cores);
	print_sums(truth);
}

static void print_part(const char *name, const struct labpmu_truth *truth)
{
	printf("{\"what\": \"part\", \"name\": \"%s\", ", name);
	print_sums(truth);
}

/* Where the object that `code` is in was loaded. */
static uintptr_t base_of(const char *code, const char **object)
{
	Dl_info found;
	const struct link_map *map;

	*object = "";
	if (!dladdr1(code, &found, (void **)&map, RTLD_DL_LINKMAP))
		return 0;
	if (strrchr(map->l_name, '/'))
		*object = strrchr(map->l_name, '/') + 1;
	return map->l_addr;
}

/* `visit`: cycles for each arrival from other code, or each call where that is longer. */
static void print_function(const struct lab_range *range, const char *cores,
			   const struct labpmu_truth *truth)
{
	const char *object;
	uintptr_t address = (uintptr_t)range->start - base_of(range->start, &object);
	uint64_t visits = truth->entries > truth->calls ? truth->entries : truth->calls;

	printf("{\"what\": \"function\", \"name\": \"%s\", \"address\": \"0x%lx\", \"object\": \"%s\", ",
	       range->name, address, object);
	print_cores(cores);
	if (range->caller)
		printf("\"caller\": \"%s\", ", range->caller);
	printf("\"visit\": %.1f, ",
	       (double)truth->cycles / (double)(visits ? visits : 1));
	print_sums(truth);
}

/* The ranges of one name together; the first one's calls and arrivals stand. */
static void print_functions(const struct lab_range *ranges, size_t n, const char *cores,
			    const struct labpmu_truth *truth)
{
	for (size_t i = 0; i < n;) {
		struct labpmu_truth sum = truth[i];
		const struct lab_range *first = &ranges[i];

		for (i++; i < n && strcmp(ranges[i].name, first->name) == 0; i++)
			add_up(&sum, &truth[i]);
		print_function(first, cores, &sum);
	}
}

/* Of the program; our own code apart. */
static void read_thread(const struct lab_range *ranges, size_t n, int slot,
			struct labpmu_truth *sum, struct labpmu_truth *ours)
{
	struct labpmu_truth part;

	memset(sum, 0, sizeof(*sum));
	for (size_t i = 0; i < n; i++) {
		labpmu_read_thread((uint64_t)ranges[i].number, slot, &part);
		add_up(sum, &part);
	}
	labpmu_read_thread(LABPMU_SELF, slot, &part);
	add_up(sum, &part);
	labpmu_read_thread(LABPMU_EDGES, slot, &part);
	add_up(sum, &part);
	lab_agent_read(slot, ours);
}

/* The ranges, and behind them the rest. */
static void read_cores(const struct lab_range *ranges, size_t n, enum labpmu_cores cores,
		       struct labpmu_truth *truth)
{
	for (size_t i = 0; i < n; i++)
		labpmu_read_cores((uint64_t)ranges[i].number, cores, &truth[i]);
	labpmu_read_cores(LABPMU_SELF, cores, &truth[n]);
}

/* Reads everything first: printing is work, too. */
void lab_print(const struct lab_range *ranges, size_t n)
{
	static struct labpmu_truth function[RANGES_MAX], by_cores[2][RANGES_MAX + 1],
		thread[LAB_THREADS_MAX + 1], thread_ours[LAB_THREADS_MAX + 1];
	struct labpmu_truth rest, ours, edges;

	for (unsigned i = 0; i <= threads_used; i++)
		read_thread(ranges, n, threads[i].slot, &thread[i], &thread_ours[i]);
	for (size_t i = 0; i < n; i++)
		labpmu_read((uint64_t)ranges[i].number, &function[i]);
	if (of_cores) {
		read_cores(ranges, n, LABPMU_LARGE, by_cores[0]);
		read_cores(ranges, n, LABPMU_SMALL, by_cores[1]);
	}
	lab_agent_read(-1, &ours);
	labpmu_read(LABPMU_SELF, &rest);
	labpmu_read(LABPMU_EDGES, &edges);
	printf("{\"what\": \"machine\", \"interrupts\": %lu, \"elapsed_ns\": %lu}\n",
	       rest.pmis, elapsed_ns);
	if (!of_cores) {
		print_functions(ranges, n, NULL, function);
		print_line("rest", NULL, &rest);
	} else {
		print_functions(ranges, n, "large", by_cores[0]);
		print_line("rest", "large", &by_cores[0][n]);
		print_functions(ranges, n, "small", by_cores[1]);
		print_line("rest", "small", &by_cores[1][n]);
	}
	print_line("agent", NULL, &ours);
	print_line("edges", NULL, &edges);
	for (unsigned i = 0; i <= threads_used; i++) {
		printf("{\"what\": \"thread\", \"tid\": %d, ", threads[i].tid);
		print_sums(&thread[i]);
		printf("{\"what\": \"thread_agent\", \"tid\": %d, ", threads[i].tid);
		print_sums(&thread_ours[i]);
	}
	lab_agent_print_parts(print_part);
	labpmu_skid(0, 1);
	labpmu_clear();
}

static unsigned number(const char *text)
{
	return (unsigned)strtoul(text, NULL, 10);
}

static bool read_noise(struct lab_noise *noise)
{
	return sscanf(optarg, "%u,%lu", &noise->spread, &noise->dwell) == 2 &&
	       noise->spread <= 100 && noise->dwell;
}

static bool read_option(int option, struct lab_options *options,
			bool (*own)(const char *))
{
	switch (option) {
	case 'r':
		options->rounds = number(optarg);
		return true;
	case 't':
		options->threads = number(optarg);
		return options->threads <= LAB_THREADS_MAX;
	case 's':
		options->seed = number(optarg);
		return true;
	case 'n':
		return read_noise(&options->noise);
	case 'd':
		options->drop = true;
		return true;
	case 'c':
		options->cores = true;
		return true;
	case 'k':
		options->skid = number(optarg);
		return true;
	case 'a':
		options->parts = optarg;
		return true;
	case 'x':
		return own && own(optarg);
	default:
		return false;
	}
}

bool lab_options(int argc, char **argv, struct lab_options *options,
		 bool (*own)(const char *))
{
	int option;

	while ((option = getopt(argc, argv, "r:t:s:n:dck:a:x:")) != -1) {
		if (read_option(option, options, own))
			continue;
		fprintf(stderr, "%s " LAB_USAGE "%s\n", argv[0],
			own ? " [-x WHAT]..." : "");
		return false;
	}
	return true;
}

int lab_measure(struct lab_range *ranges, size_t n, const struct lab_options *options,
		void (*work)(unsigned, uint64_t))
{
	bool lab = lab_declare(ranges, n, options);

	if (!lab)
		puts("not in the lab");
	run(options, work);
	if (lab)
		lab_print(ranges, n);
	return 0;
}
