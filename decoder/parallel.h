/* SPDX-License-Identifier: MIT */
/*
 * Independent pieces of one computation, on as many processors as this thread may use.
 *
 * Context: normal.  What `run` is given must not be shared with other pieces, or only be
 * read.
 */
#ifndef TD_DECODER_PARALLEL_H
#define TD_DECODER_PARALLEL_H

#include <stddef.h>

/* 0 or -errno */
typedef int td_parallel_fn(void *piece);

/* run() of each of piece[n], `size` bytes each; all of them, whatever the others return.
 * Where no thread can be had the caller's does them all.  The first piece's error that
 * has one, or 0. */
int td_parallel_run(td_parallel_fn *run, void *piece, size_t size, size_t n);

#endif
