/* SPDX-License-Identifier: MIT */
/*
 * The command line of a subcommand, by a table of its options.  What is wrong is
 * said on standard error in one line that names the word.
 *
 * Context: normal.
 */
#ifndef TD_TOOLS_ARGUMENTS_H
#define TD_TOOLS_ARGUMENTS_H

#include <stddef.h>
#include <stdint.h>

/* Takes the option's value, which stays argv's (NULL where there is none).
 * Returns 0, or -1 after saying what is wrong. */
typedef int td_argument_set(void *request, char *value);

struct td_argument {
	const char *name;     /* NULL ends a table; "" with an order of '-': operands */
	char letter;          /* the short form; 0: none */
	char value;           /* 1: it must have one */
	td_argument_set *set; /* NULL: td_arguments.set gets it */
};
#define TD_ARGUMENTS_MOST 32

struct td_arguments {
	const char *command; /* "report" */
	const char *usage;   /* all that --help prints */
	const struct td_argument *table;
	/* Where operands stand: 0 anywhere, '+' behind the options, '-' anywhere and
	 * handed to set() of the entry "" in their order. */
	char order;
	/* For entries that another table describes: their index goes along. */
	int (*set)(void *request, size_t entry, char *value);
};

/*
 * Reads the options.  Returns the index in argv of the first operand that was not
 * handed out, 0 when --help was printed, or -1 after saying what is wrong.
 */
int td_arguments_read(const struct td_arguments *arguments, void *request, int argc,
		      char **argv);

/* The command whose options were read last, for setters that several commands share. */
const char *td_arguments_command(void);

/* Says what would be right; returns -1. */
int td_arguments_wrong(const char *command, const char *option, const char *value,
		       const char *right);

/* A decimal number without sign.  0, or -1 after saying what would be `right`. */
int td_arguments_number(const char *command, const char *option, const char *value,
			const char *right, uint64_t *number);

/* 0 to 100, with or without a fraction, as 0..1.  0, or -1 after saying so. */
int td_arguments_percent(const char *command, const char *option, const char *value,
			 double *fraction);

/*
 * Which of the words the value is, of a list that ends with NULL; -1 after saying
 * which there are.
 */
int td_arguments_word(const char *command, const char *option, const char *value,
		      const char *const *words);

/* The path of something that is there; -1 after saying that it is not. */
int td_arguments_path(const char *command, const char *option, const char *value,
		      const char **path);

#endif
