/* SPDX-License-Identifier: MIT */
/* Guest side of the lab PMU's hypercalls (CPUID, any privilege level). */
#ifndef GUEST_LABPMU_H
#define GUEST_LABPMU_H
#include <stdint.h>
#include <stddef.h>
#include <string.h>

#define LABPMU_LEAF 0x4f545000u
#define LABPMU_SELF 0x100000001ull  /* this process's code outside ranges */
#define LABPMU_EDGES 0x100000002ull /* cost of its returns to user mode (labpmu_edge) */

enum {
	LABPMU_KIND_NONE,
	LABPMU_KIND_SPR,
	LABPMU_KIND_ICX,
	LABPMU_KIND_SKX,
	LABPMU_KIND_IVB,
	LABPMU_KIND_GRT,
	LABPMU_KIND_ZEN4 /* a hybrid's cores are SPR and GRT */
};

enum {
	LP_PROBE,
	LP_CLEAR,
	LP_ADD,
	LP_READ,
	LP_COMMIT,
	LP_RESET,
	LP_PARAM,
	LP_CLEAR_ALL,
	LP_RDMSR,
	LP_SKID,
	LP_TRACK,
	LP_EDGE,
	LP_ADD2,
	LP_PARAM2,
	LP_SMALL,
	LP_EXIT = 0x10,
	LP_WRITE = 0x11
};

struct labpmu_truth {
	uint64_t insns, cycles, slots;
	uint64_t cat[8]; /* slots: retiring bad fe be heavy brmis fetchlat mem */
	uint64_t entries, calls, rets, branches, mispredicts, start, end;
	uint64_t pmis, pmis_masked; /* whole machine */
	uint64_t thread_pmis;       /* labpmu_read_thread() only */
	uint64_t clamped; /* declarations the events cannot express: LABPMU_CLAMP_* */
	uint64_t phase_b, insns_b,
		switches; /* two mixes: B's phase and part, changes of mix */
	uint64_t second;  /* of the cycles, those on small cores, or of a shared core */
};
#define LABPMU_CLAMP_L2 1    /* a level-2 share was more than its parent: cut to it */
#define LABPMU_CLAMP_HEAVY 2 /* skx: more than one light uop per instruction */
#define LABPMU_CLAMP_DROP 4  /* labpmu_param2: more than can be taken */

struct labpmu_mix { /* 1/10000 of the slots; l1 adds up to 10000 */
	unsigned retiring, bad, fe, be;
	unsigned heavy, brmis, fetchlat, mem;
};

static inline int64_t labpmu_call(unsigned op, uint64_t b, uint64_t c, uint64_t d,
				  uint64_t si, uint64_t di)
{
	uint64_t a = LABPMU_LEAF + op;

	__asm__ volatile("cpuid"
			 : "+a"(a), "+b"(b), "+c"(c), "+d"(d)
			 : "S"(si), "D"(di)
			 : "memory");
	return (int64_t)a;
}

static inline int labpmu_probe(int *kind, int *width)
{
	uint64_t a = LABPMU_LEAF, b = 0, c = 0, d = 0;

	__asm__ volatile("cpuid" : "+a"(a), "+b"(b), "+c"(c), "+d"(d));
	if (a != 0x4f54504d) {
		return 0;
	}
	*kind = (int)b;
	*width = (int)c;
	return 1;
}

static inline uint64_t labpmu_l1(const struct labpmu_mix *m)
{
	return m->retiring | (uint64_t)m->bad << 16 | (uint64_t)m->fe << 32 |
	       (uint64_t)m->be << 48;
}

static inline uint64_t labpmu_l2(const struct labpmu_mix *m)
{
	return m->heavy | (uint64_t)m->brmis << 16 | (uint64_t)m->fetchlat << 32 |
	       (uint64_t)m->mem << 48;
}

/* declare [start,end); returns the phase number, or < 0 */
static inline int labpmu_add(const void *start, const void *end, double cpi,
			     const struct labpmu_mix *m)
{
	return (int)labpmu_call(LP_ADD, (uint64_t)start, (uint64_t)end,
				(uint64_t)(cpi * 65536 + 0.5), labpmu_l1(m),
				labpmu_l2(m));
}

static inline int labpmu_param(uint64_t phase, double cpi, const struct labpmu_mix *m)
{
	return (int)labpmu_call(LP_PARAM, phase, 0, (uint64_t)(cpi * 65536 + 0.5),
				labpmu_l1(m), labpmu_l2(m));
}

/* the same on a hybrid's small cores alone, or while the core is shared, after
 * labpmu_add() or labpmu_param() */
static inline int labpmu_small(uint64_t phase, double cpi, const struct labpmu_mix *m)
{
	return (int)labpmu_call(LP_SMALL, phase, 0, (uint64_t)(cpi * 65536 + 0.5),
				labpmu_l1(m), labpmu_l2(m));
}

/*
 * Two mixes: stays in A for a geometric number of instructions of mean dwell_a
 * (switching at block ends), then in B, and so on; a process of its own on
 * each CPU.  Truth is A + B; labpmu_read(t.phase_b) is B alone.
 */
static inline int labpmu_add2(const void *start, const void *end, double cpi_a,
			      const struct labpmu_mix *a, uint64_t dwell_a, double cpi_b,
			      const struct labpmu_mix *b, uint64_t dwell_b)
{
	volatile uint64_t v[10] = {(uint64_t)start,
				   (uint64_t)end,
				   (uint64_t)(cpi_a * 65536 + 0.5),
				   labpmu_l1(a),
				   labpmu_l2(a),
				   dwell_a,
				   (uint64_t)(cpi_b * 65536 + 0.5),
				   labpmu_l1(b),
				   labpmu_l2(b),
				   dwell_b};

	return (int)labpmu_call(LP_ADD2, (uint64_t)v, 0, 0, 0, 0);
}

/*
 * Every return of this process to user mode costs this many cycles +- jitter %
 * (uniform), of this mix, before its first instruction.  Counted by the
 * hardware counters, not part of any range: see LABPMU_EDGES (entries = number
 * of returns).  0 cycles: off.
 */
static inline int labpmu_edge(uint64_t cycles, unsigned jitter,
			      const struct labpmu_mix *m)
{
	return (int)labpmu_call(LP_EDGE, cycles, jitter, 0, labpmu_l1(m), labpmu_l2(m));
}
/* the same for processes that have no table (yet) */
static inline int labpmu_edge_others(uint64_t cycles, unsigned jitter,
				     const struct labpmu_mix *m)
{
	return (int)labpmu_call(LP_EDGE, cycles, jitter, 1, labpmu_l1(m), labpmu_l2(m));
}

/* spr, icx: dropped uops (and icx: clears) in 1/10000 of the slots; returns clamped */
static inline int labpmu_param2(uint64_t phase, unsigned drop, unsigned clears)
{
	return (int)labpmu_call(LP_PARAM2, phase, drop, clears, 0, 0);
}

static inline void labpmu_commit(void)
{
	labpmu_call(LP_COMMIT, 0, 0, 0, 0, 0);
}
static inline void labpmu_clear(void)
{
	labpmu_call(LP_CLEAR, 0, 0, 0, 0, 0);
}
static inline void labpmu_reset(void)
{
	labpmu_call(LP_RESET, 0, 0, 0, 0, 0);
}

static inline int labpmu_read(uint64_t phase, struct labpmu_truth *t)
{
	memset(t, 0, sizeof(*t)); /* touch the pages */
	return (int)labpmu_call(LP_READ, phase, (uint64_t)t, sizeof(*t) / 8, 0, 0);
}

/* The same of what ran on a hybrid's cores of one type, or while the core was so. */
enum labpmu_cores { LABPMU_LARGE = 1, LABPMU_SMALL, LABPMU_ALONE = 1, LABPMU_SHARED };
static inline int labpmu_read_cores(uint64_t phase, enum labpmu_cores cores,
				    struct labpmu_truth *t)
{
	memset(t, 0, sizeof(*t));
	return (int)labpmu_call(LP_READ, phase, (uint64_t)t, sizeof(*t) / 8,
				(uint64_t)cores << 32, 0);
}

/* truth per thread: slot = labpmu_track() in the thread */
static inline int labpmu_track(void)
{
	return (int)labpmu_call(LP_TRACK, 0, 0, 0, 0, 0);
}
static inline int labpmu_read_thread(uint64_t phase, int slot, struct labpmu_truth *t)
{
	memset(t, 0, sizeof(*t));
	return (int)labpmu_call(LP_READ, phase, (uint64_t)t, sizeof(*t) / 8, slot + 1, 0);
}
/* deliver PMIs INSNS + [0, JITTER) instructions late */
static inline void labpmu_skid(uint64_t insns, uint64_t jitter)
{
	labpmu_call(LP_SKID, insns, jitter, 0, 0, 0);
}
#endif
