/* SPDX-License-Identifier: MIT */
/*
 * A finished report as compare.h needs it: one part for each name that another
 * build or run of the program can have as well, with its errors.  Functions of
 * the same name in modules of the same base name are one part; so is all JIT
 * code of a mapping, and, where the two sides have other builds of a module,
 * all of its code without a name.  With call paths on both sides a name has a
 * second part, the function with all that it calls.
 *
 * Context: normal; no globals, no output.
 */
#ifndef TD_DECODER_COMPARE_PARTS_H
#define TD_DECODER_COMPARE_PARTS_H

#include "decoder/report.h"

/* A value and its standard error; weight: what it is a mean over (windows, runs). */
struct td_measured {
	int present;
	double value;
	double error;
	double df; /* degrees of freedom of the error */
	double weight;
};

struct td_part {
	char *name;
	char *module;  /* base name, "" for none */
	int inclusive; /* with all that it calls */
	uint64_t samples;
	uint64_t self;    /* of these in the function itself */
	uint64_t windows; /* that the fractions are of; 0: not known for itself */
	double cost;      /* samples times the period: ns or cycles */
	struct td_measured node[TD_NODES];
	struct td_measured latency; /* of retirement, cycles; weight: records */
};

struct td_parts {
	struct td_part *part; /* in td_part_order() */
	size_t parts;
	struct td_part total; /* the whole; its strings are "" and not to be freed */
};

/* A report, and its renamed modules: a list of OLD=NEW, NULL at its end; or NULL. */
struct td_parts_source {
	const struct td_report *report;
	const char *const *renamed;
};

/*
 * `other` is the other side, which tells whose names without symbols can be
 * compared.  0 or -ENOMEM; free after success only.
 */
int td_parts_of(struct td_parts *parts, const struct td_parts_source *source,
		const struct td_parts_source *other);
void td_parts_free(struct td_parts *parts);

/* The part with the module, name and `inclusive` of `key`, or NULL. */
const struct td_part *td_parts_find(const struct td_parts *parts,
				    const struct td_part *key);

/* Their order: by module, then name, then the function itself first. */
int td_part_order(const struct td_part *a, const struct td_part *b);

#endif
