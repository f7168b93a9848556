// SPDX-License-Identifier: MIT
#include "tools/pipe.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

int td_pipe_open(struct td_pipe *pipe, const char *const *argv)
{
	posix_spawn_file_actions_t actions;
	int end[2], err;

	memset(pipe, 0, sizeof(*pipe));
	if (pipe2(end, O_CLOEXEC) < 0)
		return -errno;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY,
					 0);
	posix_spawn_file_actions_adddup2(&actions, end[1], STDOUT_FILENO);
	err = posix_spawnp(&pipe->pid, argv[0], &actions, NULL, (char **)argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(end[1]);
	if (!err) {
		pipe->out = fdopen(end[0], "r");
		err = pipe->out ? 0 : errno;
	}
	if (!err)
		return 0;
	close(end[0]);
	return -err;
}

char *td_pipe_line(struct td_pipe *pipe)
{
	ssize_t length = getline(&pipe->line, &pipe->room, pipe->out);

	if (length <= 0)
		return NULL;
	if (pipe->line[length - 1] == '\n')
		pipe->line[length - 1] = '\0';
	return pipe->line;
}

int td_pipe_close(struct td_pipe *pipe)
{
	int status = -1;

	fclose(pipe->out);
	free(pipe->line);
	while (waitpid(pipe->pid, &status, 0) < 0 && errno == EINTR)
		continue;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	return -EIO;
}
