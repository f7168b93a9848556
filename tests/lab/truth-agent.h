/* SPDX-License-Identifier: MIT */
/* libtdagent's code in a program of the lab: declared apart, whole or function by
 * function. */
#ifndef LAB_TRUTH_AGENT_H
#define LAB_TRUTH_AGENT_H

#include "labpmu.h"

/*
 * Declares the agent's code, if the agent is here: as one range, or, with `parts`, each
 * function that this file has a line of: address in the library, size, name (both
 * hexadecimal). Context: normal, before lab_declare() is through.
 */
void lab_agent_declare(const char *parts);

/* The whole agent's account; `slot` as labpmu_read_thread(), negative: of all threads.
 * Zeros when there is none, or it was declared by functions. */
void lab_agent_read(int slot, struct labpmu_truth *truth);

/* Calls `print` for each function that was declared.  Context: normal. */
void lab_agent_print_parts(void (*print)(const char *name,
					 const struct labpmu_truth *truth));

#endif
