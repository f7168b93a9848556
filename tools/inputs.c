// SPDX-License-Identifier: MIT
#include "tools/inputs.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "decoder/names.h"
#include "decoder/profile.h"
#include "decoder/text.h"
#include "tools/arguments.h"

#define GIVE_BACK ((size_t)1 << 20) /* bytes that go back to the kernel when freed */

static int cores_wanted = TD_CORES_ANY;

/* Who wants the profiles. */
struct reader {
	td_inputs_take *take;
	void *context;
	int *failed;
	size_t taken;
	size_t left; /* arguments */
	int cores;   /* as td_profile_read_cores() wants it */
};

/* Without `failed`: somebody else will say it. */
static void say(int *failed, const char *path, const char *why)
{
	char *clean;

	if (!failed)
		return;
	clean = td_text_clean(path, strlen(path)); /* a directory has names of anybody */
	fprintf(stderr, "tdagent: %s: %s\n", clean ? clean : "", why);
	free(clean);
	*failed = 1;
}

/* Field 22 of /proc/PID/stat, or 0 for no such process and for a dead one. */
static uint64_t start_of_process(uint32_t pid)
{
	char path[40], text[1024];
	uint64_t start = 0;
	const char *at;
	size_t size;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%u/stat", pid);
	file = fopen(path, "re");
	if (!file)
		return 0;
	size = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	text[size] = '\0';
	/* the program's name, field 2, may hold blanks and brackets */
	at = strrchr(text, ')');
	if (at && strncmp(at, ") Z", 3) == 0)
		return 0;
	for (int field = 2; at && field < 22; field++)
		at = strchr(at + 1, ' ');
	if (at)
		start = strtoull(at, NULL, 10);
	return start;
}

static enum td_fate fate_of(const struct td_file_header *header)
{
	char host[sizeof(header->host)] = "";

	if (header->state == TD_STATE_EXITED)
		return TD_FATE_EXITED;
	if (header->state == TD_STATE_EXEC)
		return TD_FATE_EXEC;
	gethostname(host, sizeof(host) - 1);
	if (header->host[0] && strcmp(host, header->host) != 0)
		return TD_FATE_UNKNOWN;
	if (header->pid && start_of_process(header->pid) == header->process_start)
		return TD_FATE_RUNNING;
	return TD_FATE_KILLED;
}

int td_inputs_of_cores(int cores)
{
	int before = cores_wanted;

	cores_wanted = cores;
	return before;
}

int td_inputs_set_cores(void *request, char *value)
{
	const char *const words[] = {td_cores_name(TD_CORES_LARGE),
				     td_cores_name(TD_CORES_SMALL), NULL};
	int word = td_arguments_word(td_arguments_command(), "cores", value, words);

	(void)request;
	if (word < 0)
		return -1;
	cores_wanted = word;
	return 0;
}

void td_inputs_say_cores(const char *command, enum td_core_type cores, uint64_t elsewhere)
{
	const char *others = td_cores_name(!cores);

	if (elsewhere)
		fprintf(stderr,
			"tdagent %s: this is what ran on the %s cores; %" PRIu64
			" samples are of the %s ones: --cores=%s\n",
			command, td_cores_name(cores), elsewhere, others, others);
}

/* Returns 0, also after saying that the file is bad.  `left`: in its directory. */
static int read_file(struct reader *reader, const char *path, size_t left)
{
	struct td_profile profile;
	char why[256];
	int err = td_profile_read_cores(&profile, reader->cores, path, why, sizeof(why));

	if (err) {
		say(reader->failed, path, why);
		return 0;
	}
	reader->taken++;
	err = reader->take(reader->context, &profile, path, left + reader->left);
	td_profile_free(&profile);
	return err;
}

/* Returns 0, or -1 for a path that is too long. */
static int join(char path[PATH_MAX], const char *directory, const char *name)
{
	int length = snprintf(path, PATH_MAX, "%s/%s", directory, name);

	return length < 0 || length >= PATH_MAX ? -1 : 0;
}

static int visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* A directory's names: of many thousands, scandir()'s would take more memory than all
 * that is kept of the profiles. */
struct names {
	char *text; /* one behind the other, each with its NUL */
	uint32_t *at;
	size_t used, room, count, slots;
};

static int by_name(const void *a, const void *b, void *text)
{
	return strcmp((char *)text + *(const uint32_t *)a,
		      (char *)text + *(const uint32_t *)b);
}

/* Returns 0 or -ENOMEM. */
static int add_name(struct names *names, const char *name)
{
	size_t size = strlen(name) + 1;

	if (names->used + size > names->room) {
		size_t room = names->room ? 2 * names->room : GIVE_BACK;
		char *text = room <= UINT32_MAX ? realloc(names->text, room) : NULL;

		if (!text)
			return -ENOMEM;
		names->text = text;
		names->room = room;
	}
	if (names->count == names->slots) {
		size_t slots =
			names->slots ? 2 * names->slots : GIVE_BACK / sizeof(*names->at);
		uint32_t *at = reallocarray(names->at, slots, sizeof(*at));

		if (!at)
			return -ENOMEM;
		names->at = at;
		names->slots = slots;
	}
	names->at[names->count++] = (uint32_t)names->used;
	memcpy(names->text + names->used, name, size);
	names->used += size;
	return 0;
}

/* The visible names in their order; 0 or -errno. */
static int list_names(struct names *names, const char *directory)
{
	DIR *dir = opendir(directory);
	struct dirent *entry;
	int err = 0;

	if (!dir)
		return -errno;
	errno = 0;
	while (!err && (entry = readdir(dir)))
		err = visible(entry) ? add_name(names, entry->d_name) : 0;
	if (!err)
		err = -errno;
	closedir(dir);
	if (names->count)
		qsort_r(names->at, names->count, sizeof(*names->at), by_name,
			names->text);
	return err;
}

/* Files that are no profiles may lie there too. */
static int read_directory(struct reader *reader, const char *directory)
{
	struct names names = {.text = NULL};
	int listed = list_names(&names, directory), err = 0;
	size_t before = reader->taken;

	for (size_t i = 0; i < names.count && !err && !listed; i++) {
		char path[PATH_MAX];

		if (join(path, directory, names.text + names.at[i]) == 0 &&
		    td_profile_probe(path))
			err = read_file(reader, path, names.count - i - 1);
	}
	free(names.text);
	free(names.at);
	if (listed)
		say(reader->failed, directory, strerror(-listed));
	else if (!err && reader->taken == before && reader->failed && !*reader->failed)
		say(reader->failed, directory,
		    "no profile in this directory (those below it are not "
		    "searched)");
	return err;
}

/* Others may have made the directory first: what they left there is not ours. */
static int owned(const char *path, mode_t type, struct stat *st)
{
	return lstat(path, st) == 0 && (st->st_mode & S_IFMT) == type &&
	       st->st_uid == geteuid();
}

static int later(const struct stat *a, const struct stat *b)
{
	if (a->st_mtim.tv_sec != b->st_mtim.tv_sec)
		return a->st_mtim.tv_sec > b->st_mtim.tv_sec;
	return a->st_mtim.tv_nsec > b->st_mtim.tv_nsec;
}

struct newest {
	char path[PATH_MAX];
	struct stat st;
	int found;
};

static void consider(struct newest *newest, const char *path)
{
	struct stat st;

	if (!owned(path, S_IFREG, &st) || (newest->found && !later(&st, &newest->st)) ||
	    !td_profile_probe(path))
		return;
	newest->found = 1;
	newest->st = st;
	strcpy(newest->path, path);
}

/* Looks at our profiles in `directory`; `tdagent run` makes one more in it. */
static void find_newest(const char *directory, int depth, struct newest *newest)
{
	struct stat st;
	struct dirent **entry;
	int count = owned(directory, S_IFDIR, &st)
			    ? scandir(directory, &entry, visible, alphasort)
			    : -1;

	for (int i = 0; i < count; i++) {
		char path[PATH_MAX];

		if (!join(path, directory, entry[i]->d_name)) {
			consider(newest, path);
			if (depth)
				find_newest(path, depth - 1, newest);
		}
		free(entry[i]);
	}
	if (count >= 0)
		free(entry);
}

static int read_default(struct reader *reader)
{
	const char *base = getenv("TMPDIR");
	char directory[PATH_MAX], name[32];
	struct newest newest = {.found = 0};

	if (!base || !base[0])
		base = "/tmp";
	snprintf(name, sizeof(name), "tdagent-%u", geteuid());
	if (!join(directory, base, name))
		find_newest(directory, 1, &newest);
	if (!newest.found) {
		say(reader->failed, directory, "no profile of yours here: name a FILE");
		return 0;
	}
	return read_file(reader, newest.path, 0);
}

static int is_directory(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static int read_each(struct reader *reader, int count, char **path)
{
	int err = 0;

	for (int i = 0; i < count && !err; i++) {
		reader->left = (size_t)(count - i - 1);
		if (is_directory(path[i]))
			err = read_directory(reader, path[i]);
		else
			err = read_file(reader, path[i], 0);
	}
	return err;
}

/* A td_inputs_take: ends with the first profile that tells; *cores becomes the type. */
static int look_at_cores(void *cores, const struct td_profile *profile, const char *path,
			 size_t left)
{
	uint64_t samples = 0;

	(void)path;
	(void)left;
	for (size_t i = 0; i < profile->threads; i++)
		samples += profile->thread[i]->samples;
	if (!profile->header.small_group)
		return 1;
	if (samples)
		*(int *)cores = (int)profile->cores;
	return samples && profile->cores == TD_CORES_LARGE;
}

/* Of one profile by itself, of several the same for all.  What cannot be read again
 * is not looked at. */
static int choose_cores(int count, char **path)
{
	int cores = TD_CORES_ANY;
	struct reader reader = {
		.take = look_at_cores, .context = &cores, .cores = TD_CORES_ANY};

	if (cores_wanted != TD_CORES_ANY)
		return cores_wanted;
	if (count == 1 && !is_directory(path[0]))
		return TD_CORES_ANY;
	for (int i = 0; i < count; i++)
		if (strcmp(path[i], "-") == 0)
			return TD_CORES_LARGE;
	read_each(&reader, count, path);
	return cores;
}

int td_inputs_each(int count, char **path, td_inputs_take *take, void *context,
		   int *failed)
{
	struct reader reader = {.take = take,
				.context = context,
				.failed = failed,
				.cores = cores_wanted};
	int err;

	/* a profile's memory is the next one's: back to the kernel with it at the end */
	mallopt(M_TRIM_THRESHOLD, (int)GIVE_BACK);
	mallopt(M_MMAP_THRESHOLD, (int)GIVE_BACK);
	if (count == 0)
		return read_default(&reader);
	reader.cores = choose_cores(count, path);
	err = read_each(&reader, count, path);
	malloc_trim(0);
	return err;
}

int td_inputs_add_one(void *report, const struct td_profile *profile, const char *path,
		      size_t left)
{
	int err = td_report_expect(report, left + 1);

	return err ? err
		   : td_report_add(report, profile, path, fate_of(&profile->header));
}

int td_inputs_add(struct td_report *report, int count, char **path, int *failed)
{
	return td_inputs_each(count, path, td_inputs_add_one, report, failed);
}
