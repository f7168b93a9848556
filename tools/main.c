// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/text.h"
#include "decoder/values.h"
#include "tools/commands.h"

struct command {
	const char *name;
	const char *help;
	int (*run)(int argc, char **argv);
};

static int cmd_help(int argc, char **argv);
static int cmd_version(int argc, char **argv);

static const struct command commands[] = {
	{"run", "profile a program and print its report", td_cmd_run},
	{"report", "print the report of profiles", td_cmd_report},
	{"annotate", "show a function by lines and instructions", td_cmd_annotate},
	{"export", "turn profiles into files of other tools", td_cmd_export},
	{"push", "send profiles to Pyroscope or Parca", td_cmd_push},
	{"import", "make a profile of what perf recorded", td_cmd_import},
	{"diff", "tell what changed between runs", td_cmd_diff},
	{"audit", "step a program's windows: which are of one function?", td_cmd_audit},
	{"probe", "tell what this machine can measure", td_cmd_probe},
	{"list", "list the events that --events takes here", td_cmd_list},
	{"help", "explain a command: tdagent help run", cmd_help},
	{"version", "print the version", cmd_version},
};

static const struct command *find(const char *name)
{
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	return NULL;
}

static void usage(FILE *stream)
{
	fputs("usage: tdagent COMMAND [ARG...]\n\n", stream);
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		fprintf(stream, "  %-8s  %s\n", commands[i].name, commands[i].help);
	fputs("\nWithout tdagent: LD_PRELOAD=libtdagent.so PROGRAM; see libtdagent(7).\n",
	      stream);
}

/* The command that was probably meant, or NULL. */
static const char *nearest(const char *name)
{
	const char *found = NULL;

	for (size_t i = 0, least = TD_SLIPS_MOST + 1;
	     i < sizeof(commands) / sizeof(commands[0]); i++) {
		size_t slips = td_slips(name, commands[i].name);

		if (slips < least && slips < strlen(name)) {
			least = slips;
			found = commands[i].name;
		}
	}
	return found;
}

static int unknown(const char *name)
{
	const char *meant = nearest(name);
	char *clean = td_text_clean(name, strlen(name));

	fprintf(stderr, "tdagent: %s: no such command; ", clean ? clean : "");
	if (meant)
		fprintf(stderr, "did you mean %s?\n", meant);
	else
		fputs("`tdagent help` lists them\n", stderr);
	free(clean);
	return 2;
}

static int cmd_help(int argc, char **argv)
{
	const struct command *command;
	char *help[] = {NULL, (char[]){"--help"}, NULL};

	if (argc < 2 || !strcmp(argv[1], "--help") || !strcmp(argv[1], "help")) {
		usage(stdout);
		return 0;
	}
	command = find(argv[1]);
	if (!command)
		return unknown(argv[1]);
	help[0] = argv[1];
	return command->run(2, help);
}

static int cmd_version(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	puts(PACKAGE_STRING);
	return 0;
}

int main(int argc, char **argv)
{
	const char *name = argc < 2 ? "" : argv[1];
	const struct command *command;
	int status;

	if (!*name) {
		usage(stderr);
		return 2;
	}
	if (!strcmp(name, "--help") || !strcmp(name, "-h"))
		name = "help";
	if (!strcmp(name, "--version") || !strcmp(name, "-V"))
		name = "version";
	command = find(name);
	if (!command)
		return unknown(name);
	status = command->run(argc - 1, argv + 1);
	if (fflush(stdout) || ferror(stdout)) {
		perror("tdagent: standard output");
		return status ? status : 1;
	}
	return status;
}
