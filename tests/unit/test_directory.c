// SPDX-License-Identifier: MIT
#include "tools/directory.h"

#include <check.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "decoder/format.h"
#include "tests/unit/scratch.h"
#include "tests/unit/unit.h"
#include "tools/found.h"

static struct scratch scratch;
static const char *const parent = scratch.path;
static char expected[PATH_MAX];
static char path[PATH_MAX];
static char why[512];

static void setup(void)
{
	scratch_directory(&scratch);
	ck_assert_int_eq(setenv("TMPDIR", parent, 1), 0);
	snprintf(expected, sizeof(expected), "%s/tdagent-%u", parent,
		 (unsigned)geteuid());
}

static void teardown(void)
{
	scratch_remove(&scratch);
}

static int directory_private(void)
{
	return td_directory_private(path, sizeof(path), why, sizeof(why));
}

static void assert_refused(const char *word)
{
	ck_assert_int_lt(directory_private(), 0);
	ck_assert_msg(strstr(why, word), "'%s' has no '%s'", why, word);
	ck_assert_ptr_nonnull(strstr(why, path));
}

START_TEST(test_made_and_used_again)
{
	struct stat status;

	ck_assert_int_eq(directory_private(), 0);
	ck_assert_str_eq(path, expected);
	ck_assert_int_eq(stat(path, &status), 0);
	ck_assert_uint_eq(status.st_mode & 07777, 0700);
	ck_assert_int_eq(directory_private(), 0);
}
END_TEST

START_TEST(test_refused)
{
	FILE *file;

	ck_assert_int_eq(symlink("/", expected), 0);
	assert_refused("symbolic link");
	ck_assert_int_eq(unlink(expected), 0);
	ck_assert_int_eq(mkdir(expected, 0700), 0);
	ck_assert_int_eq(chmod(expected, 0750), 0);
	assert_refused("open to others");
	ck_assert_int_eq(rmdir(expected), 0);
	file = fopen(expected, "w");
	ck_assert_ptr_nonnull(file);
	fclose(file);
	assert_refused("not a directory");
	ck_assert_int_eq(setenv("TMPDIR", "/nonexistent", 1), 0);
	assert_refused("No such file");
}
END_TEST

START_TEST(test_somebody_elses)
{
	if (geteuid()) /* only root can give a directory away */
		return;
	ck_assert_int_eq(mkdir(expected, 0700), 0);
	ck_assert_int_eq(chown(expected, 1, 1), 0);
	assert_refused("somebody else");
}
END_TEST

START_TEST(test_fresh)
{
	char first[PATH_MAX];

	ck_assert_int_eq(
		td_directory_fresh("/bin/xz", first, sizeof(first), why, sizeof(why)), 0);
	ck_assert_int_eq(td_directory_fresh("xz", path, sizeof(path), why, sizeof(why)),
			 0);
	ck_assert_str_ne(first, path);
	strcat(expected, "/xz-");
	ck_assert_int_eq(strncmp(first, expected, strlen(expected)), 0);
	ck_assert_int_eq(strncmp(path, expected, strlen(expected)), 0);
}
END_TEST

static void write_profile(const char *name, uint32_t pid, uint64_t start, size_t size)
{
	struct td_file_header header = {.pid = pid, .start_realtime_ns = start};
	char file[PATH_MAX];
	FILE *stream;

	memcpy(header.magic, TD_FILE_MAGIC, sizeof(header.magic));
	snprintf(file, sizeof(file), "%s/%s", parent, name);
	stream = fopen(file, "w");
	ck_assert_ptr_nonnull(stream);
	ck_assert_uint_eq(fwrite(&header, 1, size, stream), size);
	fclose(stream);
}

START_TEST(test_found)
{
	struct td_found found;
	char link[PATH_MAX];

	write_profile("late", 3, 3000, sizeof(struct td_file_header));
	write_profile("early", 2, 2000, sizeof(struct td_file_header));
	write_profile("before", 1, 1999, sizeof(struct td_file_header));
	write_profile("cut", 4, 4000, 100);
	snprintf(link, sizeof(link), "%s/link", parent);
	ck_assert_int_eq(symlink("late", link), 0);
	snprintf(link, sizeof(link), "%s/fifo", parent);
	ck_assert_int_eq(mkfifo(link, 0600), 0);
	ck_assert_int_eq(td_found_list(parent, 2000, &found), 0);
	ck_assert_uint_eq(found.count, 2);
	ck_assert_uint_eq(found.profiles[0].pid, 2);
	ck_assert_uint_eq(found.profiles[1].pid, 3);
	td_found_release(&found);
	ck_assert_int_eq(td_found_list("/nonexistent", 0, &found), -ENOENT);
	ck_assert_uint_eq(found.count, 0);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {test_made_and_used_again,
				      test_refused,
				      test_somebody_elses,
				      test_fresh,
				      test_found,
				      NULL};

	return unit_main_between("directory", tests, setup, teardown);
}
