// SPDX-License-Identifier: MIT
#include "tools/arguments.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/text.h"

#define FIRST 256 /* getopt_long's value of the table's first entry */

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

static int refuse(const struct td_arguments *arguments, const char *word, int option)
{
	const char *why = option == ':'     ? "needs a value"
			  : optopt >= FIRST ? "takes no value"
					    : "unknown option";

	fprintf(stderr, "tdagent %s: %s: %s (see tdagent %s --help)\n",
		arguments->command, word, why, arguments->command);
	return -1;
}

int td_arguments_read(const struct td_arguments *arguments, void *request, int argc,
		      char **argv)
{
	struct option options[TD_ARGUMENTS_MOST + 2];
	char letters[3 * TD_ARGUMENTS_MOST + 4];
	int option;

	translate(arguments, options, letters);
	opterr = 0;
	optind = 0; /* the caller may have scanned its own options */
	while ((option = getopt_long(argc, argv, letters, options, NULL)) != -1) {
		if (option == 'h')
			return fputs(arguments->usage, stdout), 0;
		if (option == ':' || option == '?')
			return refuse(arguments, argv[optind - 1], option);
		if (entry_of(arguments, option)->set(request, optarg) < 0)
			return -1;
	}
	return optind;
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
	char *end;

	errno = 0;
	*number = strtoull(value, &end, 10);
	if (errno || *end || value[0] < '0' || value[0] > '9')
		return td_arguments_wrong(command, option, value, right);
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
