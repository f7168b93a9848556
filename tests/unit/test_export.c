// SPDX-License-Identifier: MIT
/* What `tdagent export` writes, read again and compared with what was built. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "tests/unit/build_profile.h"
#include "tests/unit/json.h"
#include "tests/unit/unit.h"
#include "tools/export.h"
#include "tools/pprof.pb-c.h"

static const char *const counters[] = {BUILD_TOPDOWN, NULL};
static const char *const clock_counters[] = {"cpu_time", "faults", "switches", NULL};
static const uint64_t memory[] = {6000, 1200, 600, 600, 3600, 300, 540, 360, 2700};

static struct td_report *report;
static struct td_export export;

/*
 * 4000 samples, 6000 slots each.  Two threads run 0x1000, of which there are
 * windows; each of them another place of which there are none, one of them in
 * two chunks.
 */
static void build_topdown(struct build *build)
{
	uint32_t object, a, b;
	struct td_file_place *place;

	build_start(build, counters);
	build->header->backend = TD_BACKEND_METRICS;
	build->header->period_unit = TD_UNIT_CYCLES;
	strcpy(build->header->exe, "/nonexistent/a.out");
	strcpy(build->header->note[0], "note \"well\"");
	build->header->notes = 1;
	build_object(build, TD_OBJECT_ELF, "/nonexistent/other.so");
	object = build_object(build, TD_OBJECT_ELF, "/nonexistent/a.out");
	((struct td_file_object *)build_record(build, object))->build_id_size = 2;
	memcpy(((struct td_file_object *)build_record(build, object))->build_id,
	       "\x0a\xff", 2);
	((struct td_file_object *)build_record(build, object))->bias = 0x500000;
	a = build_thread(build, 10, "main");
	b = build_thread(build, 11, "w;\"\\");
	place = build_place(build, a, TD_PLACE_FUNCTION, object, 0x1000);
	place->samples = 2000;
	for (int i = 0; i < 30; i++)
		build_window(build, place, memory);
	for (uint64_t i = 0; i < 2; i++) {
		place = build_place(build, a, TD_PLACE_GAP, object, 0x3000 + 64 * i);
		place->region = 0x3000;
		place->samples = 250;
	}
	place = build_place(build, b, TD_PLACE_FUNCTION, object, 0x1000);
	place->samples = 1000;
	for (int i = 0; i < 10; i++)
		build_window(build, place, memory);
	build_place(build, b, TD_PLACE_FUNCTION, object, 0x4000)->samples = 500;
	((struct td_file_thread *)build_record(build, a))->windows = 30;
	((struct td_file_thread *)build_record(build, b))->windows = 10;
	/* where the slots were counted makes no difference inside a process */
	for (int c = 0; c < 9; c++) {
		((struct td_file_thread *)build_record(build, a))->total[c] =
			1000 * memory[c];
		((struct td_file_thread *)build_record(build, b))->total[c] =
			3000 * memory[c];
	}
}

static void build_clock(struct build *build)
{
	uint32_t object, thread;

	build_start(build, clock_counters);
	build->header->pid = 4321;
	object = build_object(build, TD_OBJECT_ELF, "/nonexistent/a.out");
	thread = build_thread(build, 10, "main");
	build_place(build, thread, TD_PLACE_FUNCTION, object, 0x1000)->samples = 7;
}

static void begin(void (*const *builder)(struct build *build),
		  const struct td_report_query *query)
{
	struct build build;

	report = td_report_new(query);
	ck_assert_ptr_nonnull(report);
	for (; *builder; builder++) {
		(*builder)(&build);
		build_add(&build, report);
		build_free(&build);
	}
	ck_assert_int_eq(td_report_finish(report), 0);
	ck_assert_int_eq(td_export_collect(&export, report), 0);
}

static void begin_topdown(void)
{
	static void (*const one[])(struct build *) = {build_topdown, NULL};

	begin(one, &(struct td_report_query){.parts = 1});
}

static void end(void)
{
	td_export_free(&export);
	td_report_free(report);
}

static int64_t total(const char *name)
{
	const struct td_export_type *type = td_export_find(&export, name);
	int64_t sum = 0;

	ck_assert_msg(type != NULL, "no type %s", name);
	for (size_t i = 0; i < export.samples; i++)
		sum += td_export_value(&export, type, &export.sample[i]);
	return sum;
}

START_TEST(values_add_up_to_the_run)
{
	begin_topdown();
	ck_assert_uint_eq(export.samples, 4);
	ck_assert_int_eq(total("samples"), 4000);
	ck_assert_int_eq(total("windows"), 40);
	ck_assert_int_eq(total("slots"), 24000000);
	ck_assert_int_eq(total("unmeasured"), 6000000);
	ck_assert_int_eq(total("retiring"), 18000000 / 5);
	ck_assert_int_eq(total("retiring") + total("bad_speculation") +
				 total("frontend_bound") + total("backend_bound") +
				 total("unmeasured"),
			 24000000);
	ck_assert_int_eq(total("memory_bound") + total("core_bound"),
			 total("backend_bound"));
	/* periods are cycles here */
	ck_assert_ptr_null(td_export_find(&export, "cpu"));
	ck_assert_ptr_null(td_export_find(&export, "near_returns"));
	end();
}
END_TEST

START_TEST(a_thread_has_its_samples)
{
	static void (*const one[])(struct build *) = {build_topdown, NULL};

	begin_topdown();
	for (size_t i = 0; i < export.samples; i++) {
		const struct td_export_sample *sample = &export.sample[i];
		const struct td_report_function *f =
			&report->function[export.frame[sample->frame]];
		int main = report->thread[sample->thread].record.tid == 10;

		ck_assert_uint_eq(sample->frames, 1);
		ck_assert_uint_eq(sample->samples, f->address != 0x1000 ? 500
						   : main               ? 2000
									: 1000);
	}
	end();
	begin(one, &(struct td_report_query){.parts = 1, .thread = "11"});
	ck_assert_uint_eq(export.samples, 2);
	ck_assert_int_eq(total("samples"), 1500);
	ck_assert_uint_eq(report->thread[export.sample[0].thread].record.tid, 11);
	end();
	begin(one, &(struct td_report_query){0});
	ck_assert_uint_eq(export.samples, 0);
	end();
}
END_TEST

/* A sample stands for its period of 1 ms and the window of 10 us. */
START_TEST(cpu_time_where_periods_are_times)
{
	static void (*const two[])(struct build *) = {build_clock, build_clock, NULL};

	begin(two, &(struct td_report_query){.parts = 1});
	ck_assert_int_eq(total("samples"), 14);
	ck_assert_int_eq(total("cpu"), 14 * 1010000);
	ck_assert_ptr_null(td_export_find(&export, "slots"));
	ck_assert_ptr_null(td_export_find(&export, "windows"));
	end();
}
END_TEST

/* A process without slots gives none of another's. */
START_TEST(processes_keep_their_own)
{
	static void (*const two[])(struct build *) = {build_topdown, build_clock, NULL};

	begin(two, &(struct td_report_query){.parts = 1});
	ck_assert_int_eq(total("samples"), 4007);
	ck_assert_int_eq(total("slots"), 24000000);
	for (size_t i = 0; i < export.samples; i++) {
		const struct td_export_sample *sample = &export.sample[i];

		if (report->thread[sample->thread].process == 1) {
			ck_assert_uint_eq(sample->samples, 7);
			ck_assert_int_eq((int64_t)sample->slots, 0);
		}
	}
	/* both are called main */
	ck_assert_uint_eq(export.root[0], export.root[2]);
	ck_assert_uint_ne(export.root[0], export.root[1]);
	end();
}
END_TEST

static char *written(int (*write)(FILE *out, const struct td_export *export),
		     size_t *size)
{
	char *bytes;
	FILE *out = open_memstream(&bytes, size);

	ck_assert_int_eq(write(out, &export), 0);
	ck_assert_int_eq(fclose(out), 0);
	return bytes;
}

static const char *folded_type;

static int write_folded(FILE *out, const struct td_export *what)
{
	return td_export_folded(out, what, td_export_find(what, folded_type));
}

static void folds(const char *type, const char *expected)
{
	size_t size;
	char *text;

	folded_type = type;
	text = written(write_folded, &size);
	ck_assert_str_eq(text, expected);
	free(text);
}

START_TEST(folded_lines)
{
	begin_topdown();
	folds("samples", "main;[a.out gap 0x3000] 500\n"
			 "main;a.out+0x1000 2000\n"
			 "w:\"\\;a.out+0x1000 1000\n"
			 "w:\"\\;a.out+0x4000 500\n");
	/* what is 0 has no line */
	folds("memory_bound", "main;a.out+0x1000 5400000\n"
			      "w:\"\\;a.out+0x1000 2700000\n");
	report->simulated = 1;
	folds("windows", "main;a.out+0x1000 30\nw:\"\\;a.out+0x1000 10\n");
	folds("slots", "SIMULATED;main;[a.out gap 0x3000] 3000000\n"
		       "SIMULATED;main;a.out+0x1000 12000000\n"
		       "SIMULATED;w:\"\\;a.out+0x1000 6000000\n"
		       "SIMULATED;w:\"\\;a.out+0x4000 3000000\n");
	end();
}
END_TEST

static void build_simulated(struct build *build)
{
	build_topdown(build);
	build->header->simulated = 1;
}

START_TEST(made_up_types_say_so)
{
	static void (*const one[])(struct build *) = {build_simulated, NULL};

	begin(one, &(struct td_report_query){.parts = 1});
	for (unsigned i = 0; i < export.types; i++) {
		const struct td_export_type *type = &export.type[i];

		ck_assert_int_eq(strncmp(type->name, "SIMULATED_", 10) == 0,
				 type->kind >= TD_EXPORT_SLOTS);
		ck_assert_ptr_eq(td_export_find(&export, type->name), type);
	}
	ck_assert_str_eq(td_export_find(&export, "slots")->name, "SIMULATED_slots");
	end();
}
END_TEST

static TdPprof__Profile *unpack(void)
{
	static unsigned char plain[1 << 16];
	size_t size;
	char *bytes = written(td_export_pprof, &size);
	z_stream stream = {.next_in = (unsigned char *)bytes,
			   .avail_in = (unsigned)size,
			   .next_out = plain,
			   .avail_out = sizeof(plain)};
	TdPprof__Profile *profile;

	ck_assert_int_eq(inflateInit2(&stream, 15 + 16), Z_OK);
	ck_assert_int_eq(inflate(&stream, Z_FINISH), Z_STREAM_END);
	ck_assert_uint_eq(stream.avail_in, 0);
	profile =
		td_pprof__profile__unpack(NULL, sizeof(plain) - stream.avail_out, plain);
	ck_assert_ptr_nonnull(profile);
	inflateEnd(&stream);
	free(bytes);
	return profile;
}

static const char *text_of(const TdPprof__Profile *profile, int64_t number)
{
	ck_assert_int_ge(number, 0);
	ck_assert_uint_lt((size_t)number, profile->n_strings);
	return profile->strings[number];
}

static const TdPprof__Label *label_of(const TdPprof__Profile *profile,
				      const TdPprof__Sample *sample, const char *key)
{
	for (size_t i = 0; i < sample->n_labels; i++) {
		if (strcmp(text_of(profile, sample->labels[i]->key), key) == 0)
			return sample->labels[i];
	}
	ck_abort_msg("no label %s", key);
	return NULL;
}

static void check_sample(const TdPprof__Profile *profile, const TdPprof__Sample *sample)
{
	const TdPprof__Location *location;
	int tid = (int)label_of(profile, sample, "tid")->number;
	int64_t expected;

	ck_assert_uint_eq(sample->n_location_ids, 1);
	ck_assert_uint_eq(sample->n_values, profile->n_sample_types);
	location = profile->locations[sample->location_ids[0] - 1];
	ck_assert_uint_eq(location->id, sample->location_ids[0]);
	ck_assert_uint_eq(location->n_lines, 1);
	expected = location->address != 0x501000 ? 500 : tid == 10 ? 2000 : 1000;
	ck_assert_int_eq(sample->values[0], expected);
	ck_assert_str_eq(text_of(profile, label_of(profile, sample, "thread")->text),
			 tid == 10 ? "main" : "w;\"\\");
	ck_assert_int_eq(label_of(profile, sample, "pid")->number, 1234);
	ck_assert_str_eq(text_of(profile, label_of(profile, sample, "rank")->text), "3");
}

START_TEST(pprof_can_be_read)
{
	static const struct td_export_label label = {"rank", "3"};
	TdPprof__Profile *profile;
	int noted = 0;

	begin_topdown();
	export.label = &label;
	export.labels = 1;
	profile = unpack();
	ck_assert_str_eq(profile->strings[0], "");
	ck_assert_uint_eq(profile->n_sample_types, export.types);
	for (unsigned i = 0; i < export.types; i++)
		ck_assert_str_eq(text_of(profile, profile->sample_types[i]->type),
				 export.type[i].name);
	ck_assert_uint_eq(profile->n_samples, 4);
	for (size_t i = 0; i < 4; i++)
		check_sample(profile, profile->samples[i]);
	ck_assert_uint_eq(profile->n_functions, 3);
	ck_assert_uint_eq(profile->n_locations, 3);
	/* the program is the first mapping */
	ck_assert_str_eq(text_of(profile, profile->mappings[0]->file),
			 "/nonexistent/a.out");
	ck_assert_str_eq(text_of(profile, profile->mappings[0]->build_id), "0aff");
	for (size_t i = 0; i < 3; i++)
		ck_assert_uint_eq(profile->locations[i]->mapping_id,
				  profile->mappings[0]->id);
	ck_assert_int_eq(profile->time_nanos, 1700000000000000000);
	ck_assert_int_eq(profile->duration_nanos, 2000000000);
	ck_assert_str_eq(text_of(profile, profile->period_type->type), "cycles");
	ck_assert_int_eq(profile->period, 1000000);
	ck_assert_str_eq(text_of(profile, profile->default_sample_type), "samples");
	for (size_t i = 0; i < profile->n_comments; i++)
		noted |= strstr(text_of(profile, profile->comments[i]),
				"note \"well\"") != NULL;
	ck_assert_int_eq(noted, 1);
	td_pprof__profile__free_unpacked(profile, NULL);
	end();
}
END_TEST

static void build_ranked(struct build *build)
{
	build_clock(build);
	strcpy(build->header->labels, "rank=7,version=\303\251,pid=1,9=x,,rank=8,empty=");
}

static void build_other(struct build *build)
{
	build_clock(build);
	build->header->pid = 4322;
	/* damaged: no NUL */
	memset(build->header->labels, 'x', sizeof(build->header->labels));
	memcpy(build->header->labels, "rank=2,", 7);
}

static const char *value_of(const TdPprof__Profile *profile, size_t sample,
			    const char *key)
{
	return text_of(profile, label_of(profile, profile->samples[sample], key)->text);
}

/* In one export each has its own; a label of the command line is on all. */
START_TEST(profiles_keep_their_labels)
{
	static void (*const two[])(struct build *) = {build_ranked, build_other, NULL};
	static const struct td_export_label label = {"version", "all"};
	TdPprof__Profile *profile;

	for (int given = 0; given < 2; given++) {
		begin(two, &(struct td_report_query){.parts = 1});
		export.label = given ? &label : NULL;
		export.labels = (size_t)given;
		profile = unpack();
		ck_assert_uint_eq(profile->n_samples, 2);
		for (size_t i = 0; i < 2; i++) {
			const TdPprof__Sample *sample = profile->samples[i];
			int first = label_of(profile, sample, "pid")->number == 4321;

			/* thread, tid, pid; rank, version, empty or rank */
			ck_assert_uint_eq(sample->n_labels,
					  first ? 6 : 4 + (size_t)given);
			ck_assert_str_eq(value_of(profile, i, "rank"), first ? "7" : "2");
			if (first || given)
				ck_assert_str_eq(value_of(profile, i, "version"),
						 given ? "all" : "\303\251");
		}
		td_pprof__profile__free_unpacked(profile, NULL);
		end();
	}
}
END_TEST

static void has(const char *text, const char *words)
{
	ck_assert_msg(strstr(text, words) != NULL, "no \"%s\" in:\n%s", words, text);
}

START_TEST(speedscope_is_json)
{
	size_t size;
	char *text;

	begin_topdown();
	text = written(td_export_speedscope, &size);
	ck_assert(is_json(text));
	has(text, "{\"name\": \"w;\\\"\\\\\"}");
	has(text, "\"name\": \"slots\", \"unit\": \"none\", \"startValue\": 0,\n");
	has(text, "\"endValue\": 24000000}");
	has(text, "\"weights\": [5400000,2700000],\n\"endValue\": 8100000}");
	free(text);
	end();
}
END_TEST

START_TEST(openmetrics_has_the_totals)
{
	static const struct td_export_label label = {"version", "a\"b\\"};
	size_t size;
	char *text;

	begin_topdown();
	export.label = &label;
	export.labels = 1;
	text = written(td_export_openmetrics, &size);
	has(text, "\ntdagent_samples_total{version=\"a\\\"b\\\\\"} 4000\n");
	has(text, "\ntdagent_slots_total{version=\"a\\\"b\\\\\"} 24000000\n");
	has(text, "\",node=\"memory_bound\",level=\"2\"} 0.45\n");
	has(text, "\",pid=\"1234\",program=\"/nonexistent/a.out\"} 24000000\n");
	has(text, "\ntdagent_process_start_time_seconds{");
	has(text, "\"} 1700000000.000000000\n");
	ck_assert_str_eq(text + size - 7, "\n# EOF\n");
	free(text);
	end();
}
END_TEST

/* The same program with the same id, later: it went on as itself (exec). */
static void build_clock_again(struct build *build)
{
	build_clock(build);
	build->header->start_realtime_ns += 1000000000u;
}

/* A sample's labels are its name: no two of a family may be alike. */
START_TEST(openmetrics_has_no_sample_twice)
{
	static void (*const twice[])(struct build *) = {build_clock_again, build_clock,
							NULL};
	static void (*many[TD_REPORT_PROCESSES_APART + 2])(struct build *);
	size_t size;
	char *text;

	begin(twice, &(struct td_report_query){.parts = 1});
	text = written(td_export_openmetrics, &size);
	has(text,
	    "\ntdagent_process_samples_total{host=\"\",pid=\"4321\",program=\"/bin/program\"} 14\n"
	    "# EOF\n");
	has(text, "program=\"/bin/program\"} 1700000000.000000000\n# TYPE ");
	free(text);
	end();
	for (size_t i = 0; i < TD_REPORT_PROCESSES_APART + 1; i++)
		many[i] = build_clock;
	begin((void (*const *)(struct build *))many,
	      &(struct td_report_query){.parts = 1});
	text = written(td_export_openmetrics, &size);
	has(text,
	    "\ntdagent_process_samples_total{host=\"\",program=\"/bin/program\"} 455\n");
	free(text);
	end();
}
END_TEST

static void build_nothing(struct build *build)
{
	build_start(build, counters);
}

/* A program that ended before its first sample. */
START_TEST(nothing_is_a_file_too)
{
	static void (*const one[])(struct build *) = {build_nothing, NULL};
	TdPprof__Profile *profile;
	size_t size;
	char *text;

	begin(one, &(struct td_report_query){.parts = 1});
	folds("samples", "");
	text = written(td_export_speedscope, &size);
	ck_assert(is_json(text));
	free(text);
	profile = unpack();
	ck_assert_uint_eq(profile->n_samples, 0);
	ck_assert_uint_eq(profile->n_sample_types, 2); /* periods are times */
	td_pprof__profile__free_unpacked(profile, NULL);
	text = written(td_export_openmetrics, &size);
	has(text, "\ntdagent_samples_total 0\n");
	free(text);
	end();
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		values_add_up_to_the_run,
		a_thread_has_its_samples,
		cpu_time_where_periods_are_times,
		processes_keep_their_own,
		folded_lines,
		made_up_types_say_so,
		pprof_can_be_read,
		profiles_keep_their_labels,
		speedscope_is_json,
		openmetrics_has_the_totals,
		openmetrics_has_no_sample_twice,
		nothing_is_a_file_too,
		NULL,
	};

	return unit_main("export", tests);
}
