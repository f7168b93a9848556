/* SPDX-License-Identifier: MIT */
/*
 * Reads a profile file (format.h) into checked records.
 *
 * A profile is untrusted input and may belong to a program that still runs or
 * was killed: every length, index, enumeration and terminator is checked here,
 * so that the code behind this header may trust what it gets.  What is damaged
 * is left out and counted.
 *
 * Memory is bounded by TD_BLOCKS_MAX * TD_BLOCK_SIZE plus one index of the
 * records.  Context: normal; no globals, no output.
 */
#ifndef TD_DECODER_PROFILE_H
#define TD_DECODER_PROFILE_H

#include <stddef.h>

#include "decoder/format.h"

/* A place with its owners looked up.  The pointers live as long as the profile. */
struct td_profile_place {
	const struct td_file_place *place;
	const struct td_file_thread *thread;
	const struct td_file_object *object; /* NULL: UNKNOWN and OTHER places */
};

/* A timeline that can be used: its width and buckets are right. */
struct td_profile_timeline {
	const struct td_file_timeline *timeline;
	const struct td_file_thread *thread;
};

/* A node of a thread's tree of call paths.  Parents stand before their children. */
struct td_profile_path {
	const struct td_file_path *path; /* kind ROOT, CUT or FRAME */
	const struct td_file_thread *thread;
	size_t parent; /* index in path[]; SIZE_MAX of a ROOT */
	size_t place;  /* index in place[], of the same thread; SIZE_MAX: no FRAME */
};

/* One window of the log. */
struct td_profile_window {
	const struct td_file_window *window;    /* state USED or EMPTY */
	const struct td_file_object *object[2]; /* of the ends; NULL as for places */
};

/* What could not be used; all zero for a sound file. */
struct td_profile_damage {
	uint32_t blocks;  /* blocks of an unknown kind or with an impossible owner */
	uint32_t records; /* records with impossible contents */
	uint32_t missing; /* blocks that the header promises and the file lacks */
	uint32_t cut;     /* 1: the file ends inside a block or its compression broke */
	uint32_t busy;    /* timelines that were being joined when the file was read */
};

struct td_profile {
	struct td_file_header header; /* strings terminated, counts in range,
				       the counters' names graphic ASCII, no raw
				       totals (they are slots here) */
	const struct td_file_thread **thread;
	size_t threads;
	struct td_profile_place *place;
	size_t places;
	struct td_profile_timeline *timeline; /* at most one a thread */
	size_t timelines;
	struct td_profile_path *path;
	size_t paths;
	struct td_profile_window *window; /* in no order */
	size_t windows;
	size_t strays; /* of them, rejected by the reader (window_strays.h), not the
			  agent: neither log nor sums count them as valid any more */
	enum td_core_type cores; /* of a hybrid: what all this is of (profile_cores.h) */
	uint64_t elsewhere;      /* samples on its other cores */
	struct td_profile_damage damage;
	unsigned char *bytes; /* the file; what the pointers above point into */
};

/*
 * Reads the file at `path`, plain or compressed by gzip; "-" is standard input,
 * which may be a pipe.  Returns 0, or a
 * negative errno with `why` holding one line without the file's name: -EINVAL
 * for a file that is no usable profile, otherwise the system's error.  Free
 * the profile with td_profile_free() after success only.
 */
int td_profile_read(struct td_profile *profile, const char *path, char *why, size_t size);

/* The same; of a hybrid processor what happened on cores of this type, enum td_core_type
 * or TD_CORES_ANY, as td_profile_read() has it. */
#define TD_CORES_ANY (-1)
int td_profile_read_cores(struct td_profile *profile, int cores, const char *path,
			  char *why, size_t size);

/*
 * The same for bytes in memory.  `bytes` comes from malloc() and belongs to the
 * profile after success, to the caller after a failure.
 */
int td_profile_parse(struct td_profile *profile, unsigned char *bytes, size_t length,
		     char *why, size_t size);

void td_profile_free(struct td_profile *profile);

/* 1 when the file at `path` is regular and starts like a profile, else 0. */
int td_profile_probe(const char *path);

/*
 * The counters of a logged window, value[i] that of header.counter[i], own cost
 * included; corrected ones may be below zero (two's complement).  Returns how
 * many counters it has, from the first on: less than header.counters if the
 * record has no room for all, 0 if what was logged is no possible reading.
 */
uint32_t td_profile_window_values(const struct td_profile *profile,
				  const struct td_file_window *window,
				  uint64_t value[TD_COUNTERS_MAX]);

/*
 * The same with parts of a slot: a short window has few, and windows that are alike lose
 * the same by whole ones.
 */
uint32_t td_profile_window_unrounded(const struct td_profile *profile,
				     const struct td_file_window *window,
				     double value[TD_COUNTERS_MAX]);

/* Windows of one sample that count: they are near each other, and may be alike. */
static inline uint32_t td_profile_together(const struct td_profile *profile)
{
	return profile->header.burst > 1 ? profile->header.burst - 1 : 1;
}

/*
 * By how many cycles the closing interrupt came late, at the median of the logged
 * windows, own cost taken out: the skid of the processor's interrupts.  Negative
 * where that is not known: no log, no own cost, not in cycles.
 */
double td_profile_skid(const struct td_profile *profile);

/*
 * 1: in some windows another thread of the core had a part of the slots: SLOTS are fewer
 * than a window of that length has.  *own: cycles of ours in a window, 0 without empty
 * ones.
 */
int td_profile_lacks_slots(const struct td_profile *profile, double *own);

/* The lab, which has no skid, shows some ten cycles: from here on it matters. */
#define TD_SKID_MUCH 200

/* The counter of that name: its index in sum[] and total[], or -1. */
int td_profile_counter(const struct td_profile *profile, const char *name);

/* 1 if the first counter is how long windows are: slots, or cycles where the CPU counts
 * no slots; slots_a_cycle has its unit. */
int td_profile_counts_lengths(const struct td_profile *profile);

#endif
