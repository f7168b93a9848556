/* SPDX-License-Identifier: MIT */
/*
 * An output file that is either complete or not there: it is written beside its
 * place and takes it when all went well.
 *
 *	if (td_outfile_open(&file, path) < 0) ...
 *	fprintf(file.stream, ...);
 *	if (td_outfile_close(&file, failed) < 0) ...
 *
 * Context: normal.
 */
#ifndef TD_TOOLS_OUTFILE_H
#define TD_TOOLS_OUTFILE_H

#include <limits.h>
#include <stdio.h>

struct td_outfile {
	FILE *stream;
	const char *path;      /* NULL: standard output */
	char beside[PATH_MAX]; /* "" when written in place */
};

/*
 * Opens `path`; NULL or "-" is standard output.  What is there and no regular file
 * (a device, a FIFO, a link that leads nowhere), or lies in a directory that we may not
 * write, is written in place.  Returns 0 or a negative errno.
 */
int td_outfile_open(struct td_outfile *file, const char *path);

/*
 * Ends the file: with `failed` it is dropped, and what was at `path` before is
 * still there.  Returns 0, or a negative errno if it could not be written, and
 * then it is dropped too.
 */
int td_outfile_close(struct td_outfile *file, int failed);

/* "standard output" or the path. */
const char *td_outfile_name(const struct td_outfile *file);

#endif
