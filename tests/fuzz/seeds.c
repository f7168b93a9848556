// SPDX-License-Identifier: MIT
/* Writes small profiles of each kind that is logged, for the fuzzer to begin with:
 * seeds DIRECTORY. */
#include <stdio.h>

#include "tests/unit/log_windows.h"
#include "tests/unit/unit.h"

static const char *directory;

static const struct sim_setup setups[] = {
	{.kind = SIM_AWKWARD, .windows = 60, .shortest = 2, .most = 600},
	{.kind = SIM_AWKWARD,
	 .windows = 200,
	 .shortest = 2,
	 .most = 600,
	 .edge = 40,
	 .edge_spread = 1,
	 .noise = 0.5},
	{.kind = SIM_CHAIN, .windows = 200, .shortest = 56, .most = 600},
};

static void write_profile(const struct build *build, int kind, size_t setup)
{
	char path[4096];
	FILE *out;

	snprintf(path, sizeof(path), "%s/%d-%zu", directory, kind, setup);
	out = fopen(path, "w");
	ck_assert_ptr_nonnull(out);
	ck_assert_uint_eq(fwrite(build->bytes, build_size(build), 1, out), 1);
	ck_assert_int_eq(fclose(out), 0);
}

START_TEST(each_kind)
{
	for (int kind = LOG_METRICS; kind <= LOG_UNSURE; kind++) {
		for (size_t i = 0; i < sizeof(setups) / sizeof(setups[0]); i++) {
			struct sim_setup setup = setups[i];
			struct build build;
			struct sim sim;

			setup.seed = 4;
			setup.clock = kind >= LOG_CLOCK;
			setup.calls = kind == LOG_PAIRED || kind > LOG_CLOCK;
			sim_run(&sim, &setup);
			log_windows(&build, &sim, (enum log_kind)kind);
			write_profile(&build, kind, i);
			build_free(&build);
			sim_free(&sim);
		}
	}
}
END_TEST

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	directory = argv[1];
	return unit_main("seeds", (const TTest *const[]){each_kind, NULL});
}
