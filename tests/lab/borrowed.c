// SPDX-License-Identifier: MIT
/*
 * A program of others in the lab: preloaded, it declares functions of that program, each
 * with a mix and cycles an instruction by chance, and leaves the truth when it ends.
 *
 *     LAB_FUNCTIONS=FILE   a line each: address in the program, size (hexadecimal), name
 *     LAB_TRUTH=FILE       what lab_measure() would have printed
 *     LAB_SEED=N           of the mixes
 *     LAB_NOISE=PERCENT,CYCLES   two mixes, as truth.h's options have it
 *
 * Without LAB_FUNCTIONS it does nothing, as in the program's children.
 */
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "draw.h"
#include "truth.h"

#define FUNCTIONS_MAX 400

static struct lab_range ranges[FUNCTIONS_MAX];
static char names[FUNCTIONS_MAX][64];
static size_t used;
static pid_t declared; /* the process */

/* The program is the first one. */
static int find_program(struct dl_phdr_info *info, size_t size, void *base)
{
	(void)size;
	*(const char **)base = (const char *)info->dlpi_addr;
	return 1;
}

static void read_functions(const char *path, uint64_t seed)
{
	FILE *file = fopen(path, "r");
	const char *base = NULL;
	uint64_t start, size;

	if (!file)
		return;
	dl_iterate_phdr(find_program, &base);
	while (used < FUNCTIONS_MAX &&
	       fscanf(file, "%lx %lx %63s", &start, &size, names[used]) == 3) {
		struct lab_range *range = &ranges[used];
		uint64_t state = seed * 1000003 + start;

		/* states that follow each other begin alike */
		lab_draw_unit(&state);
		lab_draw_unit(&state);
		range->name = names[used++];
		range->start = base + start;
		range->stop = range->start + size;
		range->cpi = lab_draw_between(&state, 0.3, 3);
		lab_draw_mix(&state, &range->mix);
	}
	fclose(file);
}

__attribute__((constructor)) static void begin(void)
{
	const char *path = getenv("LAB_FUNCTIONS"), *seed = getenv("LAB_SEED"),
		   *noise = getenv("LAB_NOISE");
	struct lab_options options = {0};

	if (!path)
		return;
	if (noise)
		sscanf(noise, "%u,%lu", &options.noise.spread, &options.noise.dwell);
	read_functions(path, seed ? strtoul(seed, NULL, 10) : 1);
	unsetenv("LAB_FUNCTIONS");
	if (lab_declare(ranges, used, &options))
		declared = getpid();
}

__attribute__((destructor)) static void end(void)
{
	const char *path = getenv("LAB_TRUTH");

	if (declared == getpid() && path && freopen(path, "w", stdout))
		lab_print(ranges, used);
}
