// SPDX-License-Identifier: MIT
#include "tools/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Through symbolic links: the name stays one, the file behind it is replaced. */
static int name_beside(struct td_outfile *file)
{
	char *real = realpath(file->path, NULL);
	const char *path = real ? real : file->path;
	int length = snprintf(file->beside, sizeof(file->beside), "%s.XXXXXX", path);

	free(real);
	return length < 0 || (size_t)length >= sizeof(file->beside) ? -ENAMETOOLONG : 0;
}

/* The rights that fopen() would give a new file, or those of the old one. */
static void set_mode(int fd, const struct stat *old)
{
	mode_t mask = umask(0);

	umask(mask);
	/* without success it has the rights of mkstemp(), the owner's */
	if (fchmod(fd, old ? old->st_mode & 0777 : 0666 & ~mask) < 0)
		return;
}

static int open_beside(struct td_outfile *file, const struct stat *old)
{
	int err = name_beside(file), fd;

	if (err)
		return err;
	fd = mkostemp(file->beside, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	set_mode(fd, old);
	file->stream = fdopen(fd, "w");
	if (file->stream)
		return 0;
	err = -errno;
	close(fd);
	unlink(file->beside);
	return err;
}

int td_outfile_open(struct td_outfile *file, const char *path)
{
	struct stat st, link;
	int exists, err;

	memset(file, 0, sizeof(*file));
	if (!path || strcmp(path, "-") == 0) {
		file->stream = stdout;
		return 0;
	}
	file->path = path;
	exists = stat(path, &st) == 0;
	if (exists ? S_ISREG(st.st_mode) : lstat(path, &link) < 0) {
		err = open_beside(file, exists ? &st : NULL);
		if (!exists || err != -EACCES)
			return err;
		file->beside[0] = '\0'; /* the file is ours to write, its directory not */
	}
	file->stream = fopen(path, "we");
	return file->stream ? 0 : -errno;
}

/* Takes the place of what was there, through a link if it is one. */
static int take_place(struct td_outfile *file)
{
	size_t length = strlen(file->beside) - strlen(".XXXXXX");
	char place[PATH_MAX];

	memcpy(place, file->beside, length);
	place[length] = '\0';
	return rename(file->beside, place) < 0 ? -errno : 0;
}

int td_outfile_close(struct td_outfile *file, int failed)
{
	int err = 0;

	if (fflush(file->stream) != 0 || ferror(file->stream))
		err = errno ? -errno : -EIO;
	if (!file->path) {
		if (err) { /* the caller says it, and nobody once more at the end */
			__fpurge(file->stream);
			clearerr(file->stream);
		}
		return err;
	}
	if (fclose(file->stream) != 0 && !err)
		err = -errno;
	if (file->beside[0] && !err && !failed)
		err = take_place(file);
	if (file->beside[0] && (err || failed))
		unlink(file->beside);
	return err;
}

const char *td_outfile_name(const struct td_outfile *file)
{
	return file->path ? file->path : "standard output";
}
