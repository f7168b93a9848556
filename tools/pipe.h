/* SPDX-License-Identifier: MIT */
/*
 * A command whose output is read line by line; it gets no input, and its errors go
 * where ours go.  Context: normal.
 */
#ifndef TD_TOOLS_PIPE_H
#define TD_TOOLS_PIPE_H

#include <stdio.h>
#include <sys/types.h>

struct td_pipe {
	pid_t pid;
	FILE *out;
	char *line;
	size_t room;
};

/* argv[0] is looked up in PATH.  Returns 0 or a negative errno. */
int td_pipe_open(struct td_pipe *pipe, const char *const *argv);

/* The next line without its newline, valid until the next call; NULL at the end. */
char *td_pipe_line(struct td_pipe *pipe);

/* Waits for the command's end.  Returns 0, or -EIO if it did not exit with 0. */
int td_pipe_close(struct td_pipe *pipe);

#endif
