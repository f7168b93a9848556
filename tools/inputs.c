// SPDX-License-Identifier: MIT
#include "tools/inputs.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "decoder/profile.h"

/* Who wants the profiles. */
struct reader {
	td_inputs_take *take;
	void *context;
	int *failed;
	size_t taken;
};

static void say(int *failed, const char *path, const char *why)
{
	fprintf(stderr, "tdagent: %s: %s\n", path, why);
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

/* Returns 0, also after saying that the file is bad. */
static int read_file(struct reader *reader, const char *path)
{
	struct td_profile profile;
	char why[256];
	int err = td_profile_read(&profile, path, why, sizeof(why));

	if (err) {
		say(reader->failed, path, why);
		return 0;
	}
	reader->taken++;
	err = reader->take(reader->context, &profile, path);
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

/* Files that are no profiles may lie there too. */
static int read_directory(struct reader *reader, const char *directory)
{
	struct dirent **entry;
	int count = scandir(directory, &entry, visible, alphasort);
	size_t before = reader->taken;
	int err = 0;

	if (count < 0) {
		say(reader->failed, directory, strerror(errno));
		return 0;
	}
	for (int i = 0; i < count; i++) {
		char path[PATH_MAX];

		if (!err && join(path, directory, entry[i]->d_name) == 0 &&
		    td_profile_probe(path))
			err = read_file(reader, path);
		free(entry[i]);
	}
	free(entry);
	if (!err && reader->taken == before && !*reader->failed)
		say(reader->failed, directory, "no profile in this directory");
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
	return read_file(reader, newest.path);
}

int td_inputs_each(int count, char **path, td_inputs_take *take, void *context,
		   int *failed)
{
	struct reader reader = {.take = take, .context = context, .failed = failed};
	int err = 0;

	if (count == 0)
		return read_default(&reader);
	for (int i = 0; i < count && !err; i++) {
		struct stat st;

		if (stat(path[i], &st) == 0 && S_ISDIR(st.st_mode))
			err = read_directory(&reader, path[i]);
		else
			err = read_file(&reader, path[i]);
	}
	return err;
}

int td_inputs_add_one(void *report, const struct td_profile *profile, const char *path)
{
	return td_report_add(report, profile, path, fate_of(&profile->header));
}

int td_inputs_add(struct td_report *report, int count, char **path, int *failed)
{
	return td_inputs_each(count, path, td_inputs_add_one, report, failed);
}
