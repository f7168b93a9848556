/* SPDX-License-Identifier: MIT */
/* A directory of the test's own, or a file; ends the test where there can be none. */
#ifndef TD_TESTS_SCRATCH_H
#define TD_TESTS_SCRATCH_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct scratch {
	char path[32];
};

static inline void scratch_template(struct scratch *scratch)
{
	strcpy(scratch->path, "/tmp/tdagent-test-XXXXXX");
}

/* An empty directory. */
static inline void scratch_directory(struct scratch *scratch)
{
	scratch_template(scratch);
	ck_assert_ptr_nonnull(mkdtemp(scratch->path));
}

/* An empty file. */
static inline void scratch_file(struct scratch *scratch)
{
	int fd;

	scratch_template(scratch);
	fd = mkstemp(scratch->path);
	ck_assert_int_ge(fd, 0);
	close(fd);
}

/* Either, with all that is in it. */
static inline void scratch_remove(const struct scratch *scratch)
{
	char command[64];

	snprintf(command, sizeof(command), "/bin/rm -rf %s", scratch->path);
	ck_assert_int_eq(system(command), 0);
}

#endif
