// SPDX-License-Identifier: MIT
#include "decoder/report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decoder/jit_names.h"
#include "decoder/names.h"
#include "decoder/report_log.h"
#include "decoder/report_notes.h"
#include "decoder/text.h"

/* What adding one profile needs to know at each place. */
struct adding {
	struct td_report *report;
	const struct td_profile *profile;
	uint32_t process;
	int counter[TD_COUNTERS_MAX]; /* the report's index of the profile's counters, or
					 -1 */
	uint32_t *index;              /* of the profile's threads: the report's */
	int folded;                   /* its process is one with others */
	struct td_jit_names names;    /* of JIT code */
	struct td_own_cost own_cost;
	double sample_ns;                    /* CPU time that one sample stands for */
	const struct td_file_object *object; /* the last one looked up */
	uint32_t module;                     /* its index */
	const struct td_file_thread *thread; /* likewise, of the places' threads */
	uint32_t thread_index;
	struct td_own_cost group_cost[TD_GROUPS_MAX];
	int groups;  /* those behind the first can be added to the report's */
	size_t *row; /* of the profile's places: row ids; SIZE_MAX: not wanted */
};

/* Makes room for one more element.  Returns 0 or -ENOMEM. */
static int reserve(void *array, size_t used, size_t element)
{
	void **base = array;
	void *more;

	if (used & (used - 1) || (used != 0 && used < 16))
		return 0;
	more = reallocarray(*base, used ? 2 * used : 16, element);
	if (!more)
		return -ENOMEM;
	*base = more;
	return 0;
}

struct td_report *td_report_new(const struct td_report_query *query)
{
	struct td_report *report = calloc(1, sizeof(*report));

	if (!report)
		return NULL;
	report->query = *query;
	report->has_time = 1;
	return report;
}

void td_report_free(struct td_report *report)
{
	for (size_t i = 0; i < report->processes; i++)
		free(report->process[i].path);
	for (size_t i = 0; i < report->threads; i++) {
		free(report->thread[i].name);
		free(report->thread[i].history);
	}
	for (size_t i = 0; i < report->modules; i++)
		free(report->module[i].path);
	for (size_t i = 0; i < (report->rows ? report->rows : report->functions); i++) {
		free(report->function[i].name);
		free(report->function[i].groups);
		free(report->function[i].jit);
	}
	for (size_t i = 0; i < report->notes; i++)
		free(report->note[i]);
	free(report->process);
	free(report->thread);
	free(report->module);
	free(report->function);
	free(report->part);
	free(report->note);
	td_paths_free(&report->paths);
	td_report_log_free(report->log);
	td_hash_free(&report->by_place);
	td_hash_free(&report->by_module);
	free(report);
}

int td_report_note(struct td_report *report, char *note)
{
	if (!note)
		return -ENOMEM;
	for (size_t i = 0; i < report->notes; i++) {
		if (strcmp(report->note[i], note) == 0) {
			free(note);
			return 0;
		}
	}
	if (report->notes >= TD_REPORT_NOTES_MAX) {
		report->notes_left++;
		free(note);
		return 0;
	}
	if (reserve(&report->note, report->notes, sizeof(*report->note)) < 0) {
		free(note);
		return -ENOMEM;
	}
	report->note[report->notes++] = note;
	return 0;
}

int td_report_counter(const struct td_report *report, const char *name)
{
	for (unsigned i = 0; i < report->counters; i++) {
		if (strcmp(report->counter[i].name, name) == 0)
			return (int)i;
	}
	return -1;
}

const char *td_report_module(const struct td_report *report,
			     const struct td_report_function *function)
{
	if (function->module == TD_NO_MODULE)
		return "";
	return report->module[function->module].path;
}

/* "12" is thread 12 and every thread of that name. */
static int wanted(const struct td_report *report, const struct td_file_thread *thread)
{
	const char *asked = report->query.thread;
	char tid[16];

	if (!asked)
		return 1;
	snprintf(tid, sizeof(tid), "%u", thread->tid);
	return strcmp(asked, tid) == 0 || strcmp(asked, thread->name) == 0;
}

static int add_counter(struct td_report *report, const struct td_file_counter *counter)
{
	int known = td_report_counter(report, counter->name);

	if (known >= 0)
		return known;
	if (report->counters == TD_COUNTERS_MAX)
		return -1;
	report->counter[report->counters] = *counter;
	return (int)report->counters++;
}

/*
 * The variances are relative to a window's first counter, so only profiles with
 * the same one can be added up; of others the windows do not count.
 */
static int map_counters(struct adding *adding)
{
	struct td_report *report = adding->report;
	const struct td_file_header *header = &adding->profile->header;
	int compatible = !report->counters || !header->counters ||
			 strcmp(report->counter[0].name, header->counter[0].name) == 0;

	for (unsigned i = 0; i < TD_COUNTERS_MAX; i++) {
		adding->counter[i] = -1;
		if (i < header->counters && header->counter[i].name[0] && compatible)
			adding->counter[i] = add_counter(report, &header->counter[i]);
	}
	if (compatible)
		return 0;
	return td_report_note(
		report,
		td_text_format("pid %u measured against \"%s\" instead of \"%s\": "
			       "its counters are left out",
			       header->pid, header->counter[0].name,
			       report->counter[0].name));
}

/*
 * A sample stands for the long period before it and the window that it opens.
 * A POSIX timer is looked at once a tick: it comes half a tick late on average.
 */
static double sample_time(const struct td_profile *profile)
{
	const struct td_file_header *header = &profile->header;
	int cpu_time = td_profile_counter(profile, "cpu_time");
	double period = (double)header->long_period, sum = 0, windows = 0;

	if (header->trigger == TD_TRIGGER_PERF)
		return period; /* which is the window */
	if (header->trigger == TD_TRIGGER_TIMER)
		period += (double)header->resolution_ns / 2;
	for (size_t i = 0; cpu_time >= 0 && i < profile->places; i++) {
		sum += (double)profile->place[i].place->sum[cpu_time].sum;
		windows += (double)profile->place[i].place->windows;
	}
	if (windows > 0)
		return period + sum / windows;
	return period + (double)header->short_period;
}

struct module_key {
	const struct td_report *report;
	const struct td_file_object *object;
};

static int same_module(const void *context, size_t index)
{
	const struct module_key *key = context;
	const struct td_file_object *a = key->object,
				    *b = &key->report->module[index].object;

	return a->kind == b->kind && a->build_id_size == b->build_id_size &&
	       memcmp(a->build_id, b->build_id, a->build_id_size) == 0 &&
	       strcmp(a->path, b->path) == 0;
}

static int add_module(struct td_report *report, const struct td_file_object *object,
		      uint32_t *index)
{
	struct module_key key = {report, object};
	uint64_t hash = td_hash_bytes(0, object->path, strlen(object->path));
	struct td_report_module *module;
	size_t found;

	hash = td_hash_bytes(hash, object->build_id, object->build_id_size);
	found = td_hash_find(&report->by_module, hash, same_module, &key);
	if (found != SIZE_MAX) {
		*index = (uint32_t)found;
		return 0;
	}
	if (reserve(&report->module, report->modules, sizeof(*module)) < 0 ||
	    td_hash_add(&report->by_module, hash, report->modules) < 0)
		return -ENOMEM;
	*index = (uint32_t)report->modules;
	module = &report->module[report->modules++];
	module->object = *object;
	module->path = td_text_clean(object->path, sizeof(object->path));
	return module->path ? 0 : -ENOMEM;
}

static int find_module(struct adding *adding, const struct td_file_object *object,
		       uint32_t *index)
{
	int err = 0;

	if (!object) {
		*index = TD_NO_MODULE;
		return 0;
	}
	if (object != adding->object)
		err = add_module(adding->report, object, &adding->module);
	adding->object = object;
	*index = adding->module;
	return err;
}

struct place_key {
	const struct td_report *report;
	uint32_t module;
	uint32_t kind;
	uint64_t address;
	uint64_t region;
};

static int same_place(const void *context, size_t index)
{
	const struct place_key *key = context;
	const struct td_report_function *f = &key->report->function[index];

	return f->module == key->module && f->kind == key->kind &&
	       f->address == key->address && f->region == key->region;
}

/* The row for this place, a new one if need be; NULL without memory. */
static struct td_report_function *row_of(struct td_report *report,
					 const struct place_key *key)
{
	uint64_t words[4] = {key->module, key->kind, key->address, key->region};
	uint64_t hash = td_hash_bytes(0, words, sizeof(words));
	size_t found = td_hash_find(&report->by_place, hash, same_place, key);
	struct td_report_function *row;

	if (found != SIZE_MAX)
		return &report->function[found];
	if (reserve(&report->function, report->functions, sizeof(*row)) < 0 ||
	    td_hash_add(&report->by_place, hash, report->functions) < 0)
		return NULL;
	row = &report->function[report->functions];
	memset(row, 0, sizeof(*row));
	row->id = report->functions;
	row->number = (uint32_t)report->functions++;
	row->identifiability = -1;
	row->module = key->module;
	row->kind = key->kind;
	row->address = key->address;
	row->region = key->region;
	return row;
}

/* The register's nodes are 255ths of its slots. */
static int is_rounded(const struct adding *adding)
{
	return adding->profile->header.backend == TD_BACKEND_METRICS &&
	       adding->counter[0] == 0;
}

/* The windows of a place or node, less their own cost; returns the slots that are
 * rounded. */
static uint64_t add_sums(const struct adding *adding, const struct td_file_sum *from,
			 uint64_t windows, uint64_t counted[TD_COUNTERS_MAX],
			 struct td_file_sum into[TD_COUNTERS_MAX])
{
	for (unsigned i = 0; i < adding->profile->header.counters; i++) {
		int c = adding->counter[i];

		if (c < 0)
			continue;
		struct td_file_sum sum = td_own_cost_remove(
			&adding->own_cost, i, &from[i], windows, from[0].sum);

		counted[c] += windows;
		td_sum_add(&into[c], &sum);
	}
	return is_rounded(adding) ? from[0].sum : 0;
}

/* The index of a thread that the report asks for; its places lie together. */
static uint32_t thread_of(struct adding *adding, const struct td_file_thread *thread)
{
	if (thread != adding->thread) {
		size_t i = 0;

		while (adding->profile->thread[i] != thread)
			i++;
		adding->thread = thread;
		adding->thread_index = adding->index[i];
	}
	return adding->thread_index;
}

/* Puts it before the list that begins at *first. */
static int add_part(struct adding *adding, uint32_t *first,
		    const struct td_file_thread *thread, uint64_t samples,
		    uint64_t windows)
{
	struct td_report *report = adding->report;
	uint32_t of = thread_of(adding, thread);

	if (!report->query.parts || (!samples && !windows))
		return 0;
	/* a thread of many profiles has its parts together */
	for (uint32_t at = adding->folded ? *first : 0; at;
	     at = report->part[at - 1].next) {
		struct td_report_part *part = &report->part[at - 1];

		if (part->thread != of)
			continue;
		part->samples += samples;
		part->windows += windows;
		part->cpu_ns += (double)samples * adding->sample_ns;
		return 0;
	}
	if (reserve(&report->part, report->parts, sizeof(*report->part)) < 0)
		return -ENOMEM;
	report->part[report->parts] = (struct td_report_part){
		.thread = of,
		.next = *first,
		.samples = samples,
		.windows = windows,
		.cpu_ns = (double)samples * adding->sample_ns,
	};
	*first = (uint32_t)++report->parts;
	return 0;
}

/* Windows of another group than the first. */
static int add_group(struct adding *adding, struct td_report_function *row,
		     const struct td_file_place *place)
{
	if (!adding->groups)
		return 0;
	if (!row->groups)
		row->groups = calloc(1, sizeof(*row->groups));
	if (!row->groups)
		return -ENOMEM;
	td_groups_add(row->groups, place->group, place->sum,
		      adding->profile->header.counters, place->windows,
		      &adding->group_cost[place->group]);
	return 0;
}

/* The report's plan is that of its first profile with groups. */
static int map_groups(struct adding *adding)
{
	const struct td_profile *profile = adding->profile;
	struct td_groups_plan *all = &adding->report->plan, plan;

	td_groups_read(&plan, &profile->header);
	if (!plan.groups)
		return 0;
	td_groups_own_cost(profile, adding->group_cost);
	if (!all->groups)
		td_groups_adopt(all, &plan, adding->counter);
	adding->groups = td_groups_match(all, &plan);
	if (adding->groups)
		return 0;
	return td_report_note(
		adding->report,
		td_text_format("pid %u counted other groups of events: its level 2 is "
			       "left out",
			       profile->header.pid));
}

/*
 * The row of a place.  JIT code that the compiler has named is one row for each name,
 * wherever it was and in whatever process.  NULL without memory.
 */
static struct td_report_function *row_at(struct adding *adding, struct place_key *key)
{
	const char *name =
		key->kind == TD_PLACE_JIT
			? td_jit_names_find(&adding->names, key->address, TD_PLACE_CHUNK)
			: NULL;
	struct td_report_function *row;

	if (name)
		key->address = key->region = td_hash_bytes(0, name, strlen(name));
	row = row_of(adding->report, key);
	if (row && name && !row->jit) {
		row->jit = strdup(name);
		if (!row->jit)
			return NULL;
	}
	return row;
}

static int add_place(struct adding *adding, const struct td_profile_place *at)
{
	const struct td_file_place *place = at->place;
	struct place_key key = {.report = adding->report,
				.kind = place->kind,
				.address = place->address,
				.region = place->region};
	struct td_report_function *row;

	adding->row[at - adding->profile->place] = SIZE_MAX;
	if (!wanted(adding->report, at->thread))
		return 0;
	if (find_module(adding, at->object, &key.module) < 0)
		return -ENOMEM;
	row = row_at(adding, &key);
	if (!row)
		return -ENOMEM;
	adding->row[at - adding->profile->place] = row->id;
	row->samples += place->samples;
	row->windows += place->windows;
	for (unsigned i = 0; i < TD_REJECT_MAX; i++)
		row->rejected[i] += place->rejected[i];
	row->cpu_ns += (double)place->samples * adding->sample_ns;
	if (!place->group)
		row->rounded += add_sums(adding, place->sum, place->windows, row->counted,
					 row->sum);
	else if (add_group(adding, row, place) < 0)
		return -ENOMEM;
	adding->report->samples += place->samples;
	adding->report->process[adding->process].samples += place->samples;
	return add_part(adding, &row->part, at->thread, place->samples, place->windows);
}

/* `node`: where the nodes before this one have gone, by their index. */
static int add_path(struct adding *adding, size_t index, size_t *node)
{
	const struct td_profile_path *at = &adding->profile->path[index];
	struct td_paths *paths = &adding->report->paths;
	size_t parent = at->parent == SIZE_MAX ? SIZE_MAX : node[at->parent];
	size_t row = at->place == SIZE_MAX ? SIZE_MAX : adding->row[at->place];
	struct td_path_sums *sums;

	if (!wanted(adding->report, at->thread))
		return 0;
	node[index] = td_paths_node(paths, parent, at->path->kind, row);
	if (node[index] == SIZE_MAX)
		return -ENOMEM;
	paths->node[node[index]].samples += at->path->samples;
	paths->node[node[index]].opened += at->path->opened;
	paths->node[node[index]].windows += at->path->windows;
	if (add_part(adding, &paths->node[node[index]].part, at->thread,
		     at->path->samples, 0) < 0)
		return -ENOMEM;
	if (!at->path->windows)
		return 0;
	sums = td_paths_sums(&paths->node[node[index]]);
	if (!sums)
		return -ENOMEM;
	sums->rounded += add_sums(adding, at->path->sum, at->path->windows, sums->counted,
				  sums->sum);
	return 0;
}

static int add_paths(struct adding *adding)
{
	const struct td_profile *profile = adding->profile;
	struct td_report *report = adding->report;
	size_t *node = calloc(profile->paths + 1, sizeof(*node));
	int err = node ? 0 : -ENOMEM;

	for (size_t i = 0; i < profile->paths && !err; i++)
		err = add_path(adding, i, node);
	free(node);
	report->has_paths |= profile->header.path_size != 0;
	if (!err && !profile->header.path_size && profile->places)
		report->without_paths++;
	return err;
}

/* Complete totals: of the thread, its process and all that is reported. */
static void add_complete(struct adding *adding, const struct td_file_thread *thread,
			 struct td_report_thread *copy)
{
	struct td_report *report = adding->report;
	struct td_report_process *process = &report->process[adding->process];

	for (unsigned i = 0; i < adding->profile->header.counters; i++) {
		int c = adding->counter[i];

		if (c < 0)
			continue;
		copy->total[c] += thread->total[i];
		process->total[c] += thread->total[i];
		report->total[c] += thread->total[i];
	}
	if (is_rounded(adding))
		report->total_rounded += thread->total[0];
}

static const struct td_file_timeline *timeline_of(const struct td_profile *profile,
						  const struct td_file_thread *thread)
{
	for (size_t i = 0; i < profile->timelines; i++) {
		if (profile->timeline[i].thread == thread)
			return profile->timeline[i].timeline;
	}
	return NULL;
}

static int add_history(struct adding *adding, const struct td_file_thread *thread,
		       struct td_report_thread *copy)
{
	const struct td_file_timeline *timeline = timeline_of(adding->profile, thread);
	struct td_history history;

	if (!timeline)
		return 0;
	td_history_read(&history, timeline, adding->profile->header.counters,
			adding->counter);
	td_history_add(&adding->report->process[adding->process].history, &history);
	if (!copy->history)
		copy->history = calloc(1, sizeof(*copy->history));
	if (!copy->history)
		return -ENOMEM;
	td_history_add(copy->history, &history);
	return 0;
}

static void add_thread_totals(struct adding *adding, const struct td_file_thread *thread)
{
	struct td_report *report = adding->report;
	struct td_report_process *process = &report->process[adding->process];

	process->threads += thread->threads;
	report->threads_all += thread->threads;
	process->cpu_ns += thread->cpu_ns;
	if (thread->last_ns > process->end_ns && !process->header.end_ns &&
	    process->profiles == 1)
		process->end_ns = thread->last_ns;
	report->cpu_ns += thread->cpu_ns;
	report->windows += thread->windows;
	for (unsigned i = 0; i < TD_REJECT_MAX; i++)
		report->rejected[i] += thread->rejected[i];
	for (unsigned i = 0; i < TD_LOST_MAX; i++)
		report->lost[i] += thread->lost[i];
	report->unread += thread->unread;
}

/* Another thread of the process that stands for many, in the record of its name. */
static struct td_report_thread *folded_thread(struct adding *adding, const char *name)
{
	struct td_report *report = adding->report;
	size_t count = 0;

	for (size_t i = report->threads; adding->folded && i-- > 0;) {
		struct td_report_thread *thread = &report->thread[i];

		if (thread->process != adding->process)
			break;
		if (strcmp(thread->name, name) == 0 ||
		    ++count == TD_REPORT_THREADS_FOLDED)
			return thread;
	}
	return NULL;
}

static void fold_thread(struct td_file_thread *into, const struct td_file_thread *from)
{
	into->state = TD_THREAD_FOLDED;
	into->threads += from->threads;
	into->cpu_ns += from->cpu_ns;
	into->samples += from->samples;
	into->windows += from->windows;
	into->unread += from->unread;
	for (unsigned i = 0; i < TD_REJECT_MAX; i++)
		into->rejected[i] += from->rejected[i];
	for (unsigned i = 0; i < TD_LOST_MAX; i++)
		into->lost[i] += from->lost[i];
}

/* Takes `name`; NULL without memory. */
static struct td_report_thread *
copy_thread(struct adding *adding, const struct td_file_thread *thread, char *name)
{
	struct td_report *report = adding->report;
	struct td_report_thread *copy = name ? folded_thread(adding, name) : NULL;

	if (copy) {
		fold_thread(&copy->record, thread);
		free(name);
		return copy;
	}
	if (!name || reserve(&report->thread, report->threads, sizeof(*copy)) < 0) {
		free(name);
		return NULL;
	}
	copy = &report->thread[report->threads++];
	*copy = (struct td_report_thread){
		.record = *thread, .process = adding->process, .name = name};
	return copy;
}

static int add_thread(struct adding *adding, size_t index)
{
	const struct td_file_thread *thread = adding->profile->thread[index];
	struct td_report *report = adding->report;
	struct td_report_thread *copy;

	if (!wanted(report, thread))
		return 0;
	copy = copy_thread(adding, thread,
			   td_text_clean(thread->name, sizeof(thread->name)));
	if (!copy)
		return -ENOMEM;
	adding->index[index] = (uint32_t)(copy - report->thread);
	add_thread_totals(adding, thread);
	add_complete(adding, thread, copy);
	return add_history(adding, thread, copy);
}

static int add_process(struct adding *adding, const char *path, enum td_fate fate)
{
	struct td_report *report = adding->report;
	const struct td_file_header *header = &adding->profile->header;
	struct td_report_process *process;

	report->profiles++;
	report->simulated |= header->simulated != 0;
	report->has_time &= header->period_unit == TD_UNIT_NS && header->long_period;
	if (report->processes == TD_REPORT_PROCESSES_MAX) {
		adding->process = TD_REPORT_PROCESSES_MAX - 1;
		adding->folded = 1;
		report->process[adding->process].profiles++;
		return 0;
	}
	if (reserve(&report->process, report->processes, sizeof(*process)) < 0)
		return -ENOMEM;
	adding->process = (uint32_t)report->processes;
	process = &report->process[report->processes++];
	*process = (struct td_report_process){
		.header = *header, .profiles = 1, .fate = fate};
	process->end_ns = header->end_ns ? header->end_ns : header->start_ns;
	process->path = td_text_clean(path, strlen(path));
	return process->path ? 0 : -ENOMEM;
}

/* For the reader; each profile's windows have lost their own. */
static void add_own_cost(const struct adding *adding)
{
	struct td_own_cost *all = &adding->report->own_cost;
	const struct td_own_cost *one = &adding->own_cost;
	uint64_t windows = all->windows + one->windows;

	if (!one->windows)
		return;
	for (unsigned i = 0; i < adding->profile->header.counters; i++) {
		int c = adding->counter[i];

		if (c >= 0)
			all->mean[c] = (all->mean[c] * (double)all->windows +
					one->mean[i] * (double)one->windows) /
				       (double)windows;
	}
	all->windows = windows;
}

/* The row of a window's end; perhaps no sample was ever taken there. */
static uint32_t row_number(void *context, const struct td_file_object *object,
			   uint32_t kind, uint64_t address, uint64_t region)
{
	struct adding *adding = context;
	struct place_key key = {.report = adding->report,
				.kind = kind,
				.address = address,
				.region = region};
	struct td_report_function *row;

	if (find_module(adding, object, &key.module) < 0)
		return UINT32_MAX;
	row = row_at(adding, &key);
	return row ? row->number : UINT32_MAX;
}

/* A thread whose record is used for another one belongs to nobody in particular. */
static int thread_wanted(void *context, uint32_t tid)
{
	const struct adding *adding = context;
	const struct td_profile *profile = adding->profile;

	if (!adding->report->query.thread)
		return 1;
	for (size_t i = 0; i < profile->threads; i++) {
		if (profile->thread[i]->tid == tid &&
		    wanted(adding->report, profile->thread[i]))
			return 1;
	}
	return 0;
}

int td_report_add(struct td_report *report, const struct td_profile *profile,
		  const char *path, enum td_fate fate)
{
	struct adding adding = {.report = report, .profile = profile};
	int err = add_process(&adding, path, fate);

	if (!err)
		err = map_counters(&adding);
	if (!err)
		err = map_groups(&adding);
	if (!err)
		err = td_report_notes(report, profile);
	td_own_cost_of(profile, &adding.own_cost);
	adding.sample_ns = sample_time(profile);
	add_own_cost(&adding);
	adding.index = calloc(profile->threads + 1, sizeof(*adding.index));
	adding.row = calloc(profile->places + 1, sizeof(*adding.row));
	if (!adding.row || !adding.index)
		err = -ENOMEM;
	for (size_t i = 0; i < profile->threads && !err; i++)
		err = add_thread(&adding, i);
	if (!err)
		err = td_jit_names_read(&adding.names, profile, path,
					report->query.jitdump);
	for (size_t i = 0; i < profile->places && !err; i++)
		err = add_place(&adding, &profile->place[i]);
	if (!err)
		err = add_paths(&adding);
	free(adding.row);
	free(adding.index);
	if (!err)
		err = td_report_log_add(report, profile, row_number, thread_wanted,
					&adding);
	td_jit_names_free(&adding.names);
	return err;
}
