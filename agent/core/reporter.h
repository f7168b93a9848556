/* SPDX-License-Identifier: MIT */
/*
 * The report at exit.  `tdagent report` runs as a process of its own: its
 * libraries never come into the program, its failure is not the program's,
 * and the program gets no SIGCHLD and nothing to wait for.  Context: normal.
 */
#ifndef TD_CORE_REPORTER_H
#define TD_CORE_REPORTER_H

/* Prints the report of the finished profile where the options say; if there
 * is no way to, one line tells where the profile is. */
void td_reporter_run(void);

#endif
