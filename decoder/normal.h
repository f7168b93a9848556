/* SPDX-License-Identifier: MIT */
/*
 * The normal equations of the rows, by connected groups: part of separate.c.
 *
 * Unknowns, for each node: a fraction for each function (column); for functions
 * whose behaviour varies also a twin, by how much they lean towards what they are in long
 * visits (window_stays.h); and TD_ROW_SHARED that all rows share.  Each key may have a
 * cost of its own beside the shared one (variance `between`).
 *
 * Context: any; no globals.
 */
#ifndef TD_DECODER_NORMAL_H
#define TD_DECODER_NORMAL_H

#include "decoder/window_lines.h"
#include "decoder/window_rows.h"

#define TD_NO_TWIN UINT32_MAX

typedef double td_sides[TD_SEPARATE_NODES];

/* A column is held to another one. */
struct td_tie {
	uint32_t to;
	double weight; /* precision of their difference; 0: it is not */
	double doubt; /* variance of its fractions by that: it may be another after all */
};

/* A solution, or a right-hand side. */
struct td_unknowns {
	td_sides *each; /* [unknowns] */
	td_sides shared[TD_ROW_SHARED];
};

struct td_group {
	uint32_t first, size; /* in normal.member */
	double *matrix;       /* [size][size]: below the diagonal factorised */
	double *noise;        /* [size][size], lower triangle: what chance adds to it */
	double *scale;        /* [size]: how much of it is taken off, 0..1 */
	double *diagonal;     /* [size]: before factorising */
};

struct td_normal {
	/* set by the caller before td_normal_build() */
	uint32_t columns;
	uint32_t unknowns; /* columns and twins */
	uint32_t *twin;    /* [columns]: its unknown, or TD_NO_TWIN */
	double *covered;   /* [columns]: part of its cycles that is in own windows */
	double *ridge;     /* [unknowns]: precision of the prior; raised where chance is
			      as large as what there is to be seen */
	td_sides *prior;   /* [unknowns] */
	double shared_ridge[TD_ROW_SHARED];
	td_sides shared_prior[TD_ROW_SHARED];
	double between;           /* cycles squared */
	const struct td_tie *tie; /* [columns]; NULL: none */
	/* weights may be lowered; NULL: none.  They tie a column's nodes together. */
	struct td_lines *lines;

	uint32_t *group_of; /* [unknowns] */
	uint32_t *place_of; /* [unknowns]: within its group */
	uint32_t *member;   /* [unknowns]: by group */
	struct td_group *group;
	size_t groups;
	double (*cross)[TD_ROW_SHARED];  /* [unknowns] */
	double (*solved)[TD_ROW_SHARED]; /* the groups' inverses times cross */
	double shared[TD_ROW_SHARED][TD_ROW_SHARED]; /* what is left: inverse */
	struct td_unknowns right;
	td_sides *right_noise; /* [unknowns]: what chance adds to right.each */
};

/* Memory of a normal for so many columns and twins; all zero, no twins.  0 or
 * -ENOMEM; td_normal_free() in either case. */
int td_normal_init(struct td_normal *normal, uint32_t columns, uint32_t unknowns);
void td_normal_free(struct td_normal *normal);

/* Adds the rows up and factorises.  0 or -ENOMEM. */
int td_normal_build(struct td_normal *normal, const struct td_rows *rows);

/* right becomes the solution.  0 or -ENOMEM. */
int td_normal_solve(const struct td_normal *normal, struct td_unknowns *right);

/*
 * What the rows and lines (NULL: none), filled without a batch, would pull the unknowns
 * to: the gradient at `at`, zero at the solution.  0 or -ENOMEM.
 */
int td_normal_pull(const struct td_normal *normal, const struct td_rows *rows,
		   const struct td_lines *lines, unsigned without,
		   const struct td_unknowns *at, struct td_unknowns *pull);

/* The fractions within their bounds: of all that are, those nearest to the data.
 * Starts from the solution.  0 or -ENOMEM. */
int td_normal_constrain(const struct td_normal *normal, struct td_unknowns *at,
			unsigned nodes);

/*
 * How far the solution `at` is off by the noise that was not taken off: what taking it
 * off would change, to second order.  0 or -ENOMEM.
 */
int td_normal_noise_left(const struct td_normal *normal, const struct td_unknowns *at,
			 struct td_unknowns *off);

/* prior's part in each unknown, 0..1.  0 or -ENOMEM. */
int td_normal_prior_part(const struct td_normal *normal, double *part);

#endif
