/* SPDX-License-Identifier: MIT */
/*
 * One run of td_separate() on simulated windows, against what is true of them.
 *
 * Context: tests only.
 */
#ifndef TD_TESTS_SEPARATED_H
#define TD_TESTS_SEPARATED_H

#include "decoder/separate.h"
#include "tests/unit/sim_windows.h"

/* A test's run: what was simulated, and what was made of it. */
extern struct sim sim;
extern struct td_separate result;

/* Both from the setup; done() frees them. */
void separate(const struct sim_setup *setup);
void done(void);

/* A function's fraction, of TD_NODES. */
double truth(unsigned function, int node);

/* Worst level 1 fraction, in points. */
double error_of(unsigned function);

/* True cycles of a visit, mean. */
double visit(unsigned function);

/* No function of so many cycles a visit, and of a percent of the time, is further off. */
void limit(double from, double to, double points);

/* Mean half width of level 1, in points, of functions of so many cycles a visit. */
double half_width(double from, double to);

/* Intervals of functions that are told apart, and those of them that hold the truth. */
struct held {
	double inside, all;
};

/* Adds the run, and is done with it. */
void count_held(struct held *held);

/* Between so many percent. */
void limit_held(const struct held *held, double least, double most);

#endif
