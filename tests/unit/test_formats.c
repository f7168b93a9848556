// SPDX-License-Identifier: MIT
/* The tables of doc/formats.md say what decoder/format.h does. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/format.h"
#include "tests/unit/unit.h"

struct field {
	const char *section; /* what the heading of its table holds */
	const char *name;
	size_t offset;
	size_t size;
};

#define FIELD(type, name)                                                                \
	{                                                                                \
		"(`struct " #type "`", #name, offsetof(struct type, name),               \
			sizeof(((struct type *)0)->name)                                 \
	}
#define HEADER(name) FIELD(td_file_header, name)
#define BLOCK(name) FIELD(td_file_block, name)
#define OBJECT(name) FIELD(td_file_object, name)
#define THREAD(name) FIELD(td_file_thread, name)
#define PLACE(name) FIELD(td_file_place, name)
#define PATH(name) FIELD(td_file_path, name)
#define SUM(name) FIELD(td_file_sum, name)
#define WINDOW(name) FIELD(td_file_window, name)
#define END(name) FIELD(td_file_window_end, name)
#define TIMELINE(name) FIELD(td_file_timeline, name)

static const struct field fields[] = {
	HEADER(magic),
	HEADER(version),
	HEADER(byte_order),
	HEADER(block_size),
	HEADER(object_size),
	HEADER(thread_size),
	HEADER(place_size),
	HEADER(machine),
	HEADER(blocks),
	HEADER(blocks_max),
	HEADER(state),
	HEADER(pid),
	HEADER(ppid),
	HEADER(process_start),
	HEADER(start_realtime_ns),
	HEADER(start_ns),
	HEADER(end_ns),
	HEADER(backend),
	HEADER(trigger),
	HEADER(signal),
	HEADER(period_unit),
	HEADER(long_period),
	HEADER(short_period),
	HEADER(jitter_percent),
	HEADER(level),
	HEADER(seed),
	HEADER(resolution_ns),
	HEADER(simulated),
	HEADER(counters),
	HEADER(counter),
	HEADER(notes),
	HEADER(path_size),
	HEADER(note),
	HEADER(agent),
	HEADER(cpu),
	HEADER(kernel),
	HEADER(host),
	HEADER(reason),
	HEADER(exe),
	HEADER(command),
	HEADER(window_size),
	HEADER(windows_max),
	HEADER(windows_seen),
	HEADER(slots_a_cycle),
	HEADER(raw_totals),
	HEADER(windows),
	HEADER(groups),
	HEADER(family),
	HEADER(events),
	HEADER(labels),
	HEADER(drilled),
	HEADER(burst),
	HEADER(latencies_lost),
	HEADER(small_group),
	HEADER(small_width),
	HEADER(small_family),
	HEADER(event),
	HEADER(asked),
	BLOCK(kind),
	BLOCK(owner),
	BLOCK(next),
	BLOCK(reserved),
	OBJECT(kind),
	OBJECT(build_id_size),
	OBJECT(build_id),
	OBJECT(map_start),
	OBJECT(map_end),
	OBJECT(bias),
	OBJECT(fingerprint),
	OBJECT(path),
	THREAD(state),
	THREAD(tid),
	THREAD(name),
	THREAD(threads),
	THREAD(first_block),
	THREAD(root),
	THREAD(timeline),
	THREAD(start_ns),
	THREAD(last_ns),
	THREAD(end_ns),
	THREAD(cpu_ns),
	THREAD(samples),
	THREAD(windows),
	THREAD(rejected),
	THREAD(lost),
	THREAD(total),
	THREAD(empties),
	THREAD(empty),
	THREAD(unread),
	THREAD(cores),
	THREAD(reserved),
	PLACE(kind),
	PLACE(object),
	PLACE(address),
	PLACE(region),
	PLACE(size),
	PLACE(child),
	PLACE(group),
	PLACE(samples),
	PLACE(windows),
	PLACE(rejected),
	{"(`struct td_file_place`", "sum", offsetof(struct td_file_place, sum),
	 sizeof(struct td_file_sum)},
	PATH(kind),
	PATH(parent),
	PATH(place),
	PATH(child),
	PATH(group),
	PATH(samples),
	PATH(opened),
	PATH(windows),
	{"(`struct td_file_path`", "sum", offsetof(struct td_file_path, sum),
	 sizeof(struct td_file_sum)},
	SUM(sum),
	SUM(squares),
	SUM(cross),
	WINDOW(state),
	WINDOW(thread),
	WINDOW(requested),
	WINDOW(kind),
	WINDOW(reject),
	WINDOW(group),
	WINDOW(end),
	WINDOW(value),
	END(address),
	END(object),
	END(offset),
	TIMELINE(width_ns),
	TIMELINE(buckets),
	TIMELINE(busy),
	{"(`struct td_file_timeline`", "value", offsetof(struct td_file_timeline, value),
	 sizeof(uint64_t)},
};
#define FIELDS (sizeof(fields) / sizeof(fields[0]))

static const struct {
	const char *heading;
	size_t size;
} sizes[] = {
	{"td_file_header`, ", sizeof(struct td_file_header)},
	{"td_file_block`, ", sizeof(struct td_file_block)},
	{"td_file_object`, ", sizeof(struct td_file_object)},
	{"td_file_thread`, ", sizeof(struct td_file_thread)},
	{"td_file_place`, ", sizeof(struct td_file_place)},
	{"td_file_path`, ", sizeof(struct td_file_path)},
	{"td_file_sum`, ", sizeof(struct td_file_sum)},
	{"td_file_window`, ", sizeof(struct td_file_window)},
	{"td_file_window_end`, ", sizeof(struct td_file_window_end)},
	{"td_file_timeline`, ", sizeof(struct td_file_timeline)},
};

static FILE *open_page(void)
{
	const char *top = getenv("srcdir");
	char path[4096];
	FILE *page;

	snprintf(path, sizeof(path), "%s/doc/formats.md", top ? top : ".");
	page = fopen(path, "r");
	ck_assert_msg(page != NULL, "cannot open %s", path);
	return page;
}

/* The index in fields[] of the row's field in this section, or -1. */
static int find(const char *section, const char *name)
{
	for (size_t i = 0; i < FIELDS; i++) {
		if (strstr(section, fields[i].section) && !strcmp(name, fields[i].name))
			return (int)i;
	}
	return -1;
}

START_TEST(offsets_are_documented)
{
	char line[1024], section[1024] = "", name[64];
	int seen[FIELDS] = {0};
	FILE *page = open_page();
	size_t offset, size;

	while (fgets(line, sizeof(line), page)) {
		int at;

		if (line[0] == '#')
			strcpy(section, line);
		if (sscanf(line, "| %zu | %zu | %63s |", &offset, &size, name) != 3)
			continue;
		at = find(section, name);
		ck_assert_msg(at >= 0, "no such field: %s", line);
		ck_assert_msg(offset == fields[at].offset && size == fields[at].size,
			      "%s is at %zu with %zu bytes", name, fields[at].offset,
			      fields[at].size);
		seen[at]++;
	}
	fclose(page);
	for (size_t i = 0; i < FIELDS; i++)
		ck_assert_msg(seen[i] == 1, "%s of %s: %d rows", fields[i].name,
			      fields[i].section, seen[i]);
}
END_TEST

START_TEST(sizes_are_documented)
{
	char line[1024];
	size_t found = 0;
	FILE *page = open_page();

	while (fgets(line, sizeof(line), page)) {
		for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
			const char *at = strstr(line, sizes[i].heading);

			if (line[0] != '#' || !at)
				continue;
			ck_assert_uint_eq(
				strtoul(at + strlen(sizes[i].heading), NULL, 10),
				sizes[i].size);
			found++;
		}
	}
	fclose(page);
	ck_assert_uint_eq(found, sizeof(sizes) / sizeof(sizes[0]));
}
END_TEST

int main(void)
{
	return unit_main("formats", (const TTest *const[]){offsets_are_documented,
							   sizes_are_documented, NULL});
}
