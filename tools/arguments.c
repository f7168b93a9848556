// SPDX-License-Identifier: MIT
#include "tools/arguments.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decoder/text.h"
#include "decoder/values.h"

#define FIRST 256 /* getopt_long's value of the table's first entry */

static const char *command_read = "";

/* getopt's tables of ours; `letters` holds three characters an entry. */
static void translate(const struct td_arguments *arguments, struct option *options,
		      char *letters)
{
	size_t i, kept = 0;

	if (arguments->order)
		*letters++ = arguments->order;
	*letters++ = ':';
	*letters++ = 'h';
	for (i = 0; arguments->table[i].name && i < TD_ARGUMENTS_MOST; i++) {
		const struct td_argument *entry = &arguments->table[i];

		if (entry->name[0])
			options[kept++] = (struct option){entry->name,
							  entry->value ? required_argument
								       : no_argument,
							  NULL, FIRST + (int)i};
		if (!entry->letter)
			continue;
		*letters++ = entry->letter;
		if (entry->value)
			*letters++ = ':';
	}
	options[kept++] = (struct option){"help", no_argument, NULL, 'h'};
	options[kept] = (struct option){NULL, 0, NULL, 0};
	*letters = '\0';
}

static const struct td_argument *entry_of(const struct td_arguments *arguments,
					  int option)
{
	const struct td_argument *entry = arguments->table;

	if (option >= FIRST)
		return entry + (option - FIRST);
	while (entry->name &&
	       (option == 1 ? entry->name[0] != '\0' : entry->letter != (char)option))
		entry++;
	return entry;
}

/* The option that "--word" or "--word=value" was probably meant to be, or NULL. */
static const char *nearest(const struct td_arguments *arguments, const char *word)
{
	const char *found = NULL;
	char name[32];

	if (strncmp(word, "--", 2) != 0)
		return NULL;
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(word + 2, "="), word + 2);
	for (size_t i = 0, least = TD_SLIPS_MOST + 1; arguments->table[i].name; i++) {
		size_t slips = td_slips(name, arguments->table[i].name);

		if (slips < least && slips < strlen(name)) {
			least = slips;
			found = arguments->table[i].name;
		}
	}
	return found;
}

static int refuse(const struct td_arguments *arguments, const char *word, int option)
{
	const char *why = option == ':'     ? "needs a value"
			  : optopt >= FIRST ? "takes no value"
					    : "unknown option";
	const char *meant = option == '?' && !optopt ? nearest(arguments, word) : NULL;
	char *clean = td_text_clean(word, strlen(word));

	fprintf(stderr, "tdagent %s: %s: %s", arguments->command, clean ? clean : "",
		why);
	if (meant)
		fprintf(stderr, "; did you mean --%s?\n", meant);
	else
		fprintf(stderr, " (see tdagent %s --help)\n", arguments->command);
	free(clean);
	return -1;
}

static int set(const struct td_arguments *arguments, void *request, int option)
{
	const struct td_argument *entry = entry_of(arguments, option);

	if (entry->set)
		return entry->set(request, optarg);
	return arguments->set(request, (size_t)(entry - arguments->table), optarg);
}

int td_arguments_read(const struct td_arguments *arguments, void *request, int argc,
		      char **argv)
{
	struct option options[TD_ARGUMENTS_MOST + 2];
	char letters[3 * TD_ARGUMENTS_MOST + 4];
	int option;

	command_read = arguments->command;
	translate(arguments, options, letters);
	opterr = 0;
	optind = 0; /* the caller may have scanned its own options */
	while ((option = getopt_long(argc, argv, letters, options, NULL)) != -1) {
		if (option == 'h')
			return fputs(arguments->usage, stdout), 0;
		if (option == ':' || option == '?')
			return refuse(arguments, argv[optind - 1], option);
		if (set(arguments, request, option) < 0)
			return -1;
	}
	return optind;
}

const char *td_arguments_command(void)
{
	return command_read;
}

int td_arguments_wrong(const char *command, const char *option, const char *value,
		       const char *right)
{
	char *clean = td_text_clean(value, strlen(value));

	fprintf(stderr, "tdagent %s: --%s=%s: give %s\n", command, option,
		clean ? clean : "", right);
	free(clean);
	return -1;
}

int td_arguments_number(const char *command, const char *option, const char *value,
			const char *right, uint64_t *number)
{
	if (td_number_parse(value, number))
		return td_arguments_wrong(command, option, value, right);
	return 0;
}

int td_arguments_percent(const char *command, const char *option, const char *value,
			 double *fraction)
{
	char *end;
	double percent = strtod(value, &end);

	if (end == value || *end || !(percent >= 0 && percent <= 100))
		return td_arguments_wrong(command, option, value, "percent, 0 to 100");
	*fraction = percent / 100;
	return 0;
}

int td_arguments_word(const char *command, const char *option, const char *value,
		      const char *const *words)
{
	char list[256] = "";
	size_t used = 0;

	for (int i = 0; words[i]; i++)
		if (strcmp(words[i], value) == 0)
			return i;
	for (int i = 0; words[i] && used < sizeof(list); i++)
		used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s",
					 i == 0         ? ""
					 : words[i + 1] ? ", "
							: " or ",
					 words[i]);
	return td_arguments_wrong(command, option, value, list);
}

int td_arguments_path(const char *command, const char *option, const char *value,
		      const char **path)
{
	char *clean;

	*path = value;
	if (access(value, F_OK) == 0)
		return 0;
	clean = td_text_clean(value, strlen(value));
	fprintf(stderr, "tdagent %s: --%s=%s: %s\n", command, option, clean ? clean : "",
		strerror(errno));
	free(clean);
	return -1;
}
