// SPDX-License-Identifier: MIT
/* What the agent itself chooses here: a part of facts.h. */
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "decoder/profile.h"
#include "tools/facts.h"

#define SETTINGS 4

/* The environment without settings of the user's; `setting` in front.  To be freed. */
static char **make_environment(char *const setting[SETTINGS])
{
	size_t n = 0, used = 0;
	char **all;

	while (environ[n])
		n++;
	all = calloc(SETTINGS + n + 1, sizeof(*all));
	if (!all)
		return NULL;
	for (size_t i = 0; i < SETTINGS; i++)
		all[used++] = setting[i];
	for (size_t i = 0; i < n; i++)
		if (strncmp(environ[i], "TDAGENT_", 8) != 0 &&
		    strncmp(environ[i], "LD_PRELOAD=", 11) != 0)
			all[used++] = environ[i];
	return all;
}

/* This program under the agent; a moment of CPU time that is long enough for a sample. */
static void run_it(char **environment)
{
	char *argv[] = {(char[]){"tdagent"}, (char[]){"list"}, NULL};
	posix_spawn_file_actions_t actions;
	pid_t pid;

	if (posix_spawn_file_actions_init(&actions) != 0)
		return;
	if (posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null",
					     O_WRONLY, 0) == 0 &&
	    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO) ==
		    0 &&
	    posix_spawn(&pid, "/proc/self/exe", &actions, NULL, argv, environment) == 0)
		waitpid(pid, NULL, 0);
	posix_spawn_file_actions_destroy(&actions);
}

static void read_choice(struct td_facts *facts, const char *path)
{
	struct td_profile profile;
	char why[256];

	if (td_profile_read(&profile, path, why, sizeof(why)))
		return;
	facts->agent_backend = profile.header.backend;
	facts->agent_trigger = profile.header.trigger;
	facts->agent_level = profile.header.simulated ? 0 : profile.header.level;
	facts->agent_windows = profile.header.short_period != 0;
	facts->agent_both = profile.header.small_group != 0;
	snprintf(facts->agent_reason, sizeof(facts->agent_reason), "%s",
		 profile.header.reason);
	td_profile_free(&profile);
}

void td_facts_agent(struct td_facts *facts)
{
	char output[TD_FACT_TEXT + 64], preload[TD_FACT_TEXT + 64];
	/* a run without a sample leaves no profile */
	char report[] = "TDAGENT_REPORT=none", period[] = "TDAGENT_LONG=100us";
	char **environment;
	int fd;

	if (*facts->library_fault || *facts->directory_fault)
		return;
	snprintf(preload, sizeof(preload), "LD_PRELOAD=%s", facts->library);
	snprintf(output, sizeof(output), "TDAGENT_OUTPUT=%s/probe-XXXXXX",
		 facts->directory);
	fd = mkstemp(strchr(output, '=') + 1);
	if (fd < 0)
		return;
	close(fd);
	environment =
		make_environment((char *[SETTINGS]){preload, output, report, period});
	if (environment)
		run_it(environment);
	free(environment);
	read_choice(facts, strchr(output, '=') + 1);
	unlink(strchr(output, '=') + 1);
}
