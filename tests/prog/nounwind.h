/* SPDX-License-Identifier: MIT */
/* A function without unwind information.  Context: normal. */
#ifndef TESTS_PROG_NOUNWIND_H
#define TESTS_PROG_NOUNWIND_H

void bare_work(void);

#endif
