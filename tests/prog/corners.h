/* SPDX-License-Identifier: MIT */
/* What the corners of corners.c share, and those that are not in that file. */
#ifndef TESTS_PROG_CORNERS_H
#define TESTS_PROG_CORNERS_H

#include <pthread.h>

/* A thread that must start. */
void corner_start(pthread_t *thread, const pthread_attr_t *attr, void *(*routine)(void *),
		  void *argument);

/* A function of ours at work. */
void corner_work(int ms);

void corner_waiting(void);
void corner_held(void);
void corner_left(void);
void corner_raised(void);
void corner_descriptor(void);

void corner_forks(void);
void corner_interrupted(void);
void corner_opened(void);
void corner_cancelled(void);
void corner_defaults(void);
void corner_followed(void);
void corner_overwritten(void);
void corner_unshared(void);
void corner_loading(void);
void corner_little(void);
void corner_unmapped(void);

#endif
