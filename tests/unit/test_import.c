// SPDX-License-Identifier: MIT
/* perf's lines, and the profiles that are made of them. */
#include <stdlib.h>
#include <string.h>

#include "decoder/profile.h"
#include "tests/unit/unit.h"
#include "tools/import_build.h"
#include "tools/perf_script.h"

static struct td_perf_line parsed(const char *text)
{
	static char copy[1024];
	struct td_perf_line line;

	strcpy(copy, text);
	td_perf_parse(copy, &line);
	return line;
}

START_TEST(samples_are_read)
{
	struct td_perf_line line =
		parsed("            burn 22212/22213 15233.350316797:     995223       "
		       "task-clock:u:      5633f347a424 burn_sixty+0x84");

	ck_assert_int_eq(line.kind, TD_PERF_SAMPLE);
	ck_assert_str_eq(line.comm, "burn");
	ck_assert_int_eq(line.pid, 22212);
	ck_assert_int_eq(line.tid, 22213);
	ck_assert_int_eq(line.cpu, -1);
	ck_assert_uint_eq(line.time_ns, 15233350316797);
	ck_assert_uint_eq(line.period, 995223);
	ck_assert_str_eq(line.event, "task-clock:u");
	ck_assert_uint_eq(line.ip, 0x5633f347a424);
	ck_assert_int_eq(line.has_symbol, 1);
	ck_assert_uint_eq(line.offset, 0x84);

	/* blanks in names of threads and functions */
	line = parsed("    a 1/2 b 3/4: 1/2     [013]     1.000000001:          7 "
		      "cpu/slots/u:               10 operator+0x1(int, char)+0xf");
	ck_assert_int_eq(line.kind, TD_PERF_SAMPLE);
	ck_assert_str_eq(line.comm, "a 1/2 b 3/4:");
	ck_assert_int_eq(line.cpu, 13);
	ck_assert_uint_eq(line.offset, 15);
	ck_assert_str_eq(line.event, "cpu/slots/u");

	line = parsed("            burn 1/1     1.000000001:          7 "
		      "cycles:               10 [unknown]");
	ck_assert_int_eq(line.kind, TD_PERF_SAMPLE);
	ck_assert_int_eq(line.has_symbol, 0);
	/* an offset beyond the address is none */
	line = parsed("            burn 1/1     1.000000001:          7 "
		      "cycles:               10 name+0x11");
	ck_assert_int_eq(line.has_symbol, 0);
}
END_TEST

START_TEST(records_are_read)
{
	struct td_perf_line line = parsed(
		"            burn 22/23 15233.348346962: PERF_RECORD_MMAP2 22/23: "
		"[0x5633f347a000(0x1000) @ 0x2000 fe:00 11199489 2676057812]: r-xp /a b");

	ck_assert_int_eq(line.kind, TD_PERF_MMAP);
	ck_assert_uint_eq(line.start, 0x5633f347a000);
	ck_assert_uint_eq(line.length, 0x1000);
	ck_assert_uint_eq(line.file_offset, 0x2000);
	ck_assert_str_eq(line.path, "/a b");
	line = parsed("            burn 22/23 15233.348346962: PERF_RECORD_MMAP2 22/23: "
		      "[0x7000(0x1000) @ 0 00:00 0 0]: rw-p /data");
	ck_assert_int_eq(line.kind, TD_PERF_OTHER);
	line = parsed("             :-1 -1/0         0.000000000: PERF_RECORD_MMAP -1/0: "
		      "[0xffffffff81000000(0x1000) @ 0]: x [kernel.kallsyms]_text");
	ck_assert_int_eq(line.kind, TD_PERF_OTHER);
	line = parsed("            burn 22/22 1.348311339: PERF_RECORD_COMM exec: "
		      "burn:22/22");
	ck_assert_int_eq(line.kind, TD_PERF_EXEC);
	ck_assert_int_eq(line.pid, 22);
	line = parsed("        threads2 24/24 [001] 1.812497759: "
		      "PERF_RECORD_FORK(25:26):(24:24)");
	ck_assert_int_eq(line.kind, TD_PERF_FORK);
	ck_assert_int_eq(line.pid, 25);
	ck_assert_int_eq(line.parent, 24);
	line = parsed(
		"        threads2 24/24 [001] 1.812497759: PERF_RECORD_LOST lost 12");
	ck_assert_int_eq(line.kind, TD_PERF_LOST);
	ck_assert_uint_eq(line.lost, 12);
}
END_TEST

/* Every prefix of a good line, and rubbish. */
START_TEST(broken_lines_are_nothing)
{
	static const char *const good[] = {
		"            burn 2/3 [001] 15.350316797:     995223 c:u:      56 b+0x4",
		("            burn 2/2 15.348346962: PERF_RECORD_MMAP2 2/2: [0x56(0x10) @ 0 "
		 "fe:00 1 2]: r-xp /a"),
		"            burn 2/2 15.348346962: PERF_RECORD_FORK(3:3):(2:2)",
	};
	static const char *const bad[] = {
		"",
		"perf: warning",
		"            burn x/3 15.350316797:     995223 c:u:      56 b+0x4",
		"            burn 2/3 15.9999999999:     995223 c:u:      56 b+0x4",
		"            burn 2/3 99999999999999999999.1:     995223 c:u:      56 b+0x4",
		("            burn 2/2 1.000000001: PERF_RECORD_MMAP2 2/2: "
		 "[0xffffffffffffffff(0x10) @ 0 fe:00 1 2]: r-xp /a"),
	};

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		char text[256];

		strcpy(text, good[i]);
		ck_assert_int_ne(parsed(text).kind, TD_PERF_OTHER);
		for (size_t cut = strlen(text); cut-- > 0;) {
			text[cut] = '\0';
			parsed(text);
		}
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ck_assert_int_eq(parsed(bad[i]).kind, TD_PERF_OTHER);
}
END_TEST

START_TEST(events_have_our_names)
{
	static const char *const names[][2] = {
		{"topdown-retiring:u", "retiring"},
		{"cpu/topdown-fe-bound/uk", "frontend_bound"},
		{"cpu_core/slots/", "slots"},
		{"task-clock", "cpu_time"},
		{"cycles:u", "cycles"},
		{"cpu-cycles", "cycles"},
		{"L1-dcache-load-misses:u", "L1-dcache-load-misses"},
		{"a-name-that-is-longer-than-fits", "a-name-that-is-longer-t"},
	};
	struct td_perf_event event;
	char name[24];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		td_perf_counter(names[i][0], name, sizeof(name));
		ck_assert_str_eq(name, names[i][1]);
	}
	ck_assert_int_eq(td_perf_parse_event("# cmdline : perf", &event), 0);
	ck_assert_int_eq(
		td_perf_parse_event(
			"# event : name = task-clock:u, , id = { 4, 5 }, type = 1, size = "
			"128, { sample_period, sample_freq } = 1000, sample_type = "
			"IP|TID|TIME|READ|ID|CPU, read_format = ID|GROUP, freq = 1",
			&event),
		1);
	ck_assert_str_eq(event.name, "task-clock:u");
	ck_assert_uint_eq(event.period, 1000);
	ck_assert_int_eq(event.has_cpu, 1);
	ck_assert_int_eq(event.has_read, 1);
	ck_assert_int_eq(event.is_frequency, 1);
	td_perf_parse_event("# event : name = faults, , id = 6, sample_type = IP|TID",
			    &event);
	ck_assert_uint_eq(event.period, 0);
	ck_assert_int_eq(event.has_cpu, 0);
	ck_assert_int_eq(event.has_read, 0);
}
END_TEST

static struct td_import *import;

static void start(void)
{
	import = td_import_new();
	ck_assert_ptr_nonnull(import);
	ck_assert_int_eq(td_import_counter(import, "slots", "slots"), 0);
	ck_assert_int_eq(td_import_counter(import, "cycles", "1"), 1);
	/* no ELF file: offsets are addresses */
	ck_assert_int_eq(td_import_map(import, 7, 0x10000, 0x1000, 0x2000, "/none/a"), 0);
	ck_assert_int_eq(td_import_map(import, 7, 0x50000, 0x1000, 0, "//anon"), 0);
}

/* A sample of thread 8, on CPU 1; a symbol that starts at `function`. */
static void sample_at(uint64_t ip, uint64_t function, uint64_t slots)
{
	static uint64_t time = 1000;
	struct td_import_sample sample = {
		.thread = "main",
		.pid = 7,
		.tid = 8,
		.cpu = 1,
		.time_ns = time++,
		.ip = ip,
		.has_symbol = function != 0,
		.offset = function ? ip - function : 0,
		.count = {slots, 100},
	};

	ck_assert_int_eq(td_import_sample(import, &sample), 0);
}

static struct td_profile finish(void)
{
	struct td_profile profile;
	unsigned char *bytes;
	char why[256];
	size_t size;

	ck_assert_int_eq(td_import_finish(import, &bytes, &size), 0);
	ck_assert_msg(td_profile_parse(&profile, bytes, size, why, sizeof(why)) == 0,
		      "%s", why);
	ck_assert_uint_eq(profile.damage.blocks + profile.damage.records, 0);
	td_import_free(import);
	return profile;
}

static const struct td_file_place *place_at(const struct td_profile *profile,
					    uint32_t kind, uint64_t address)
{
	for (size_t i = 0; i < profile->places; i++) {
		const struct td_file_place *place = profile->place[i].place;

		if (place->kind == kind && place->address == address)
			return place;
	}
	ck_abort_msg("no place %#lx", (unsigned long)address);
	return NULL;
}

START_TEST(windows_are_of_one_function)
{
	const struct td_file_place *place;
	struct td_profile profile;

	start();
	sample_at(0x10110, 0x10100, 600); /* opens the first window */
	sample_at(0x10120, 0x10100, 500); /* its own */
	sample_at(0x10130, 0x10100, 300);
	sample_at(0x10210, 0x10200, 600); /* another function */
	sample_at(0x10310, 0, 600);       /* no name at one end */
	sample_at(0x10311, 0, 600);       /* at both */
	profile = finish();
	place = place_at(&profile, TD_PLACE_FUNCTION, 0x2100);
	ck_assert_uint_eq(place->samples, 3);
	ck_assert_uint_eq(place->windows, 2);
	ck_assert_uint_eq(place->sum[0].sum, 800);
	ck_assert_double_eq(place->sum[0].squares, 340000);
	ck_assert_double_eq(place->sum[1].cross, 80000);
	ck_assert_uint_eq(place->rejected[TD_REJECT_FUNCTION], 1);
	ck_assert_uint_eq(place->size, 0x31);
	place = place_at(&profile, TD_PLACE_FUNCTION, 0x2200);
	ck_assert_uint_eq(place->rejected[TD_REJECT_UNKNOWN], 1);
	place = place_at(&profile, TD_PLACE_GAP, 0x2300);
	ck_assert_uint_eq(place->samples, 2);
	ck_assert_uint_eq(place->windows, 0);
	ck_assert_uint_eq(profile.threads, 1);
	ck_assert_uint_eq(profile.thread[0]->total[0], 3200);
	ck_assert_uint_eq(profile.thread[0]->samples, 6);
	ck_assert_uint_eq(profile.thread[0]->windows, 2);
	ck_assert_uint_eq(profile.header.pid, 7);
	td_profile_free(&profile);
}
END_TEST

START_TEST(disturbed_windows_do_not_count)
{
	struct td_import_sample other = {.thread = "x",
					 .pid = 7,
					 .tid = 9,
					 .cpu = 1,
					 .ip = 0x10110,
					 .has_symbol = 1,
					 .offset = 0x10};
	const struct td_file_place *place;
	struct td_profile profile;

	start();
	td_import_period(import, 1, 100);
	sample_at(0x10110, 0x10100, 600);
	ck_assert_int_eq(td_import_sample(import, &other), 0);
	sample_at(0x10110, 0x10100, 600); /* somebody else had the CPU */
	other.tid = 8;
	other.cpu = 2;
	ck_assert_int_eq(td_import_sample(import, &other), 0); /* on another CPU */
	other.count[1] = 151;
	ck_assert_int_eq(td_import_sample(import, &other), 0); /* too long */
	td_import_gap(import);
	ck_assert_int_eq(td_import_sample(import, &other),
			 0); /* lost samples: no window */
	other.count[0] = 1000;
	other.count[1] = 100;
	ck_assert_int_eq(td_import_sample(import, &other), 0); /* 9 slots a cycle */
	profile = finish();
	place = NULL;
	for (size_t i = 0; i < profile.places; i++) {
		if (profile.place[i].thread->tid == 8)
			place = profile.place[i].place;
	}
	ck_assert_ptr_nonnull(place);
	ck_assert_uint_eq(place->windows, 0);
	ck_assert_uint_eq(place->rejected[TD_REJECT_SWITCHED], 2);
	ck_assert_uint_eq(place->rejected[TD_REJECT_LATE], 1);
	ck_assert_uint_eq(place->rejected[TD_REJECT_COUNTERS], 1);
	for (size_t i = 0; i < profile.threads; i++) {
		if (profile.thread[i]->tid == 8) {
			ck_assert_uint_eq(profile.thread[i]->unread, 1);
			ck_assert_uint_eq(profile.thread[i]->total[0], 1200);
		}
	}
	td_profile_free(&profile);
}
END_TEST

START_TEST(mappings_come_and_go)
{
	struct td_profile profile;

	start();
	sample_at(0x50123, 0x50100, 1); /* JIT */
	sample_at(0xffffffff81000123, 0xffffffff81000100, 1);
	ck_assert_int_eq(td_import_fork(import, 77, 7), 0);
	td_import_map(import, 7, 0x10000, 0x1000, 0x7000, "/none/b"); /* on top of a */
	sample_at(0x10110, 0x10100, 1);
	td_import_exec(import, 7);
	sample_at(0x10110, 0x10100, 1); /* nothing there any more */
	td_import_build_id(import, "/none/b", (const unsigned char *)"\x01\x02", 2);
	/* the child still has what its parent had */
	ck_assert_int_eq(
		td_import_sample(import, &(struct td_import_sample){.thread = "child",
								    .pid = 77,
								    .tid = 77,
								    .cpu = -1,
								    .ip = 0x10110,
								    .has_symbol = 1,
								    .offset = 0x10}),
		0);
	profile = finish();
	ck_assert_uint_eq(place_at(&profile, TD_PLACE_JIT, 0x50100)->region, 0x50000);
	ck_assert_uint_eq(place_at(&profile, TD_PLACE_UNKNOWN, 0)->samples, 2);
	place_at(&profile, TD_PLACE_FUNCTION, 0x7100);
	place_at(&profile, TD_PLACE_FUNCTION, 0x2100);
	for (size_t i = 0; i < profile.places; i++) {
		const struct td_file_object *object = profile.place[i].object;

		if (object && strcmp(object->path, "/none/b") == 0)
			ck_assert_uint_eq(object->build_id_size, 2);
	}
	ck_assert_uint_eq(profile.header.notes, 1);
	td_profile_free(&profile);
}
END_TEST

/* A build is thousands of short processes: what each has of its parent costs nothing. */
START_TEST(forks_share_their_mappings)
{
	struct td_import_sample sample = {.thread = "child",
					  .cpu = -1,
					  .ip = 0x10110,
					  .has_symbol = 1,
					  .offset = 0x10};
	struct td_profile profile;

	start();
	for (uint64_t i = 0; i < 2000; i++)
		td_import_map(import, 7, 0x1000000 + i * 0x1000, 0x1000, 0, "/none/more");
	for (int32_t pid = 1000; pid < 40000; pid++) {
		ck_assert_int_eq(td_import_fork(import, pid, 7), 0);
		ck_assert_int_eq(td_import_exec(import, pid), 0);
	}
	ck_assert_int_eq(td_import_fork(import, 40000, 7), 0);
	td_import_map(import, 40000, 0x10000, 0x1000, 0x7000, "/none/b");
	sample_at(0x10110, 0x10100, 1);
	sample.pid = sample.tid = 40000;
	ck_assert_int_eq(td_import_sample(import, &sample), 0);
	sample.pid = sample.tid = 39999;
	ck_assert_int_eq(td_import_sample(import, &sample), 0);
	profile = finish();
	place_at(&profile, TD_PLACE_FUNCTION, 0x2100);
	place_at(&profile, TD_PLACE_FUNCTION, 0x7100);
	place_at(&profile, TD_PLACE_UNKNOWN, 0);
	td_profile_free(&profile);
}
END_TEST

/* More than a block of each kind. */
START_TEST(large_profiles)
{
	struct td_profile profile;
	uint64_t samples = 0;

	start();
	for (int i = 0; i < 40; i++) {
		for (uint64_t function = 0; function < 50; function++) {
			struct td_import_sample sample = {
				.thread = "t",
				.pid = 7,
				.tid = 100 + i,
				.cpu = -1,
				.ip = 0x10000 + 16 * function,
				.has_symbol = 1,
			};

			ck_assert_int_eq(td_import_sample(import, &sample), 0);
		}
	}
	profile = finish();
	ck_assert_uint_eq(profile.threads, 40);
	ck_assert_uint_eq(profile.places, 2000);
	for (size_t i = 0; i < profile.places; i++)
		samples += profile.place[i].place->samples;
	ck_assert_uint_eq(samples, 2000);
	td_profile_free(&profile);
}
END_TEST

int main(void)
{
	return unit_main("import",
			 (const TTest *const[]){
				 samples_are_read, records_are_read,
				 broken_lines_are_nothing, events_have_our_names,
				 windows_are_of_one_function,
				 disturbed_windows_do_not_count, mappings_come_and_go,
				 forks_share_their_mappings, large_profiles, NULL});
}
