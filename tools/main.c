// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <string.h>

#include "tools/commands.h"

struct command {
	const char *name;
	const char *help;
	int (*run)(int argc, char **argv);
};

static const struct command commands[] = {
	{"report", "show a profile", td_cmd_report},
};
#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

int main(int argc, char **argv)
{
	for (size_t i = 0; argc > 1 && i < COMMANDS; i++) {
		if (strcmp(argv[1], commands[i].name) == 0)
			return commands[i].run(argc - 1, argv + 1);
	}
	fputs("usage: tdagent COMMAND [arguments]\n\n", stderr);
	for (size_t i = 0; i < COMMANDS; i++)
		fprintf(stderr, "  %-8s  %s\n", commands[i].name, commands[i].help);
	return 2;
}
