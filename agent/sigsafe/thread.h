/* SPDX-License-Identifier: MIT */
/*
 * What the agent knows of one profiled thread.  Written by core before the
 * thread's first signal and after its last one; in between by the thread's own
 * signal handler only.  Other threads read nothing but `tid`, `next` and `fd`.
 */
#ifndef TD_SIGSAFE_THREAD_H
#define TD_SIGSAFE_THREAD_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#include "agent/sigsafe/identity.h"
#include "agent/sigsafe/random.h"
#include "agent/sigsafe/ring.h"
#include "agent/sigsafe/simulation.h"
#include "agent/sigsafe/store.h"

struct td_callpath;
struct td_group_counters;
struct td_thread;
struct perf_event_mmap_page;
struct td_vernier;

/*
 * What interrupts the thread.  Periods are in the trigger's unit.
 * Context of all: signal, on the thread itself; start and stop also normal,
 * from any thread.
 */
struct td_trigger_ops {
	/* The first arming, also after stop() and behind a signal that waited: not
	 * before `period`, later where the trigger goes on by itself from then. */
	int (*start)(struct td_thread *thread, uint64_t period);
	/* The next signal comes after `period`, once or again and again: the
	 * handler arms anew each time.  Returns 0 or -errno; -EBADF: the
	 * program took our descriptor away. */
	int (*arm)(struct td_thread *thread, uint64_t period);
	/* The same for a period that still runs: it ends after `period` instead. */
	int (*change)(struct td_thread *thread, uint64_t period);
	/* Are the descriptors still ours? */
	bool (*usable)(const struct td_thread *thread);
	/* No more signals. */
	void (*stop)(struct td_thread *thread);
	bool echoes; /* a period goes on by itself until another one is armed */
};

/* What the counters said: since the last reset, as many values as the profile's
 * header has counters. */
struct td_reading {
	uint64_t values[TD_COUNTERS_MAX];
	uint64_t elapsed; /* since that reset, trigger's unit */
	bool readable;    /* what the function that read them returned */
};

/*
 * What is read at both ends of a window.
 * Context of all: signal, on the thread itself.
 */
struct td_counter_ops {
	/* False if the values cannot be trusted now; `elapsed` is set in any case. */
	bool (*read)(struct td_thread *thread, struct td_reading *now);
	/* The rest of the values, which a window needs only if it counts.  False as
	 * above.  NULL: they are there. */
	bool (*decode)(struct td_thread *thread, struct td_reading *now);
	/* The same for complete totals and the timeline, to which the values are
	 * added as they are: header.raw_totals.  May be the same function. */
	bool (*read_total)(struct td_thread *thread, struct td_reading *now);
	void (*reset)(struct td_thread *thread);
	/* Was the thread switched out since?  NULL: it does not matter. */
	bool (*switched)(const struct td_thread *thread);
};

/* A count as the window log has it. */
static inline uint32_t td_saturated(uint64_t value)
{
	return value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
}

#define TD_EXTRAS_MAX 5u
#define TD_LEAVINGS 2u /* near returns and near calls */

#define TD_PAGE 4096u
enum { TD_PAGE_SLOTS, TD_PAGE_METRICS, TD_PAGE_EXTRA };
#define TD_PAGES (TD_PAGE_EXTRA + TD_EXTRAS_MAX)

/* The extra counters as RDPMC gives them; what is not there is zero.  Halves apart: a
 * window needs the low ones alone. */
struct td_extras {
	uint32_t low[TD_EXTRAS_MAX];
	uint32_t high[TD_EXTRAS_MAX];
};

/* A thread's hardware counters, mapped for RDPMC. */
struct td_registers {
	bool mapped;                    /* RDPMC can be used; else read() on slots_fd */
	int slots_fd;                   /* the group's leader, -1 none */
	int member_fd[TD_COUNTERS_MAX]; /* the others, -1 none */
	uint32_t extras;
	/* The events' mapped pages (struct perf_event_mmap_page), one behind the other:
	 * what has no event has a page of zeros, which names no register. */
	const volatile char *pages;
	uint32_t lock;               /* of the slots page at the last reset */
	struct td_extras extra_base; /* the extra counters then */
	bool unbased; /* they had no register at the start, and no total is made of it */
	uint64_t not_running; /* read(): time without a counter, at the last reset */
};

/* A function that the thread was found in; kind FREE: none yet.  As large as a chunk
 * of code: TD_KNOWN_OFFSET. */
struct td_known {
	struct td_identity identity;
	struct td_file_place *place; /* NULL: not looked up yet */
	uint64_t reserved;
};
#define TD_KNOWN_MAX 64u
#define TD_KNOWN_OFFSET(ip) ((ip) & (TD_KNOWN_MAX - 1) * TD_PLACE_CHUNK)
_Static_assert(sizeof(struct td_known) == TD_PLACE_CHUNK, "no division");

/*
 * What opens a window of mapped registers, on the handler's way out: a reset,
 * then one system call, which arms the trigger or, for an empty window, sends
 * its signal at once.  Prepared before, so that both kinds of window hold the
 * same instructions of ours.
 */
struct td_release {
	bool wanted;
	bool empty;      /* what call[] is for */
	uint64_t period; /* that the call points to */
	long call[5];    /* number, arguments */
	long error;      /* of the latest */
	/* Of an exact window: SLOTS before the arming and behind it, or `behind` alone,
	 * in cycles: what had passed of the period when it opened. */
	struct td_halves {
		uint32_t low, high;
	} before, behind;
	uint32_t usual;  /* what mostly passes, cycles */
	uint64_t missed; /* number of the sample behind the latest window that was over
			    before the program was reached */
	bool exact;      /* the length asked for begins where the window did: set last */
	unsigned dither; /* rounds of td_groups_pass() beyond the usual */
	siginfo_t to_myself; /* of the empty window's signal */
};

/* The registers as the handler found them. */
struct td_capture {
	uint64_t slots;
	uint64_t metrics;
	uint64_t slots_after; /* read behind metrics */
	struct td_extras extra;
	uint32_t lock;
	bool complete; /* all were on a counter, no switch in between */
};

/* How a run strobes; constant after the start. */
struct td_strobe_plan {
	uint64_t long_period;  /* mean, in the trigger's unit */
	uint64_t short_period; /* mean; 0: no windows */
	bool shorter;          /* of two windows' lengths the smaller one is taken */
	uint64_t long_ns;      /* VERNIER: the long period as CPU time, about */
	uint64_t shortest;     /* what the trigger grants */
	uint64_t spare;        /* of it, where the length begins behind what arms it */
	uint64_t late;         /* a window longer than twice the mean + this is late */
	uint32_t jitter_percent;
	uint64_t spread; /* half of the range of long periods: jitter_percent of the mean
			  */
	unsigned leavings;    /* which value counts near returns, then calls; 0 none */
	uint32_t empty_every; /* one window of so many is an empty one; 0 none */
	uint32_t cpu_every;   /* CPU time is read once in so many samples; 0 as 1 */
	uint32_t burst;       /* windows a sample, the first of several dropped; 0 as 1 */
	uint32_t threads;     /* of a core: where slots tell time, it may have been as
				 many times as long; 0 as 1 */
};

struct td_window {
	bool empty;   /* opened to be closed at once: what measuring itself costs */
	bool dropped; /* the first of a burst: does not count */
	struct td_identity opened_in;
	uint64_t opened_at;          /* the interrupted IP */
	struct td_file_place *place; /* of opened_in */
	uint64_t requested;          /* length, trigger's unit */
};

/* A block of the window log that exists: no look for it while windows go there. */
struct td_windows_near {
	uint64_t first; /* number of its first record */
	char *records;  /* NULL: none yet */
};

/* What the strobe in brief (brief.h) knows beforehand, in slots where it has a unit. */
struct td_brief {
	uint64_t armed_at;     /* as in td_thread */
	uint64_t armed_period; /* 0 in a window */
	uint64_t width;        /* slots a cycle */
	unsigned halved;       /* 1: it may have half of them, for the core is shared */
	uint64_t late;         /* a window of so many is late */
	uint64_t throttled;    /* so much later than twice its period, one was skipped */
	uint64_t short_range, long_range; /* cycles, as the periods are drawn */
	uint64_t long_least;
	uint32_t counters; /* of the profile */
	uint32_t nodes;    /* of the register */
	uint32_t quiet;    /* samples until until_cpu or until_empty matters */
};

/* The event of TDAGENT_LATENCY and its records. */
struct td_latency {
	struct td_ring ring; /* without a page: none */
	int fd;
	int mark;               /* its F_SETSIG value, by which we know it again */
	uint64_t period;        /* mean, events */
	uint32_t taken;         /* records since it was drawn */
	struct td_identity met; /* of the latest record */
};

struct td_thread {
	struct td_thread *next; /* all threads ever, see core/threads.c */
	_Atomic uint32_t tid;   /* 0: free for another thread */
	bool adopted; /* ran before the agent: finds itself at its first signal */
	/* A hybrid's small cores count by events of their own, which stand still
	 * elsewhere: the same thread once more, for what it does there; NULL none. */
	struct td_thread *small;
	enum td_core_type cores; /* that this is about */
	uint32_t first_group;    /* of the profile, of their groups */

	bool unblocked; /* our signal, which the program believes blocked: core/masks.h */
	bool rests;     /* td_threads_rest() */
	/* The first three are one word for who wants none of them (TD_GATE). */
	union {
		struct {
			atomic_bool inside;  /* a handler of ours is running */
			atomic_bool stopped; /* take no more samples */
			bool unusual;        /* nothing for the strobe in brief */
			bool in_window;
		};
		uint32_t gate;
	};
#define TD_GATE 0x00ffffffu
	struct td_window window;
	uint32_t burst;        /* windows that follow the open one at once */
	uint64_t next_long;    /* the period that follows the open window */
	uint64_t armed_period; /* what the trigger was last set to */
	uint64_t armed_at;     /* the elapsed counter then, since the last reset */
#define TD_ARMED_UNKNOWN UINT64_MAX
	struct td_brief brief;
	struct td_known *opened; /* by the strobe in brief, for window.opened_in */
	const struct td_identity *closed; /* likewise, if in other code than opened */
	struct td_windows_near near;

	const struct td_trigger_ops *trigger;
	const struct td_counter_ops *counters;
	const struct td_strobe_plan *plan;
	int fd;         /* perf event, -1 none */
	int fd_mark;    /* its F_SETSIG value, by which we know it again */
	bool refreshed; /* it was asked for a signal of its own before */
	int timer;      /* POSIX timer, -1 none */
	struct td_registers registers;
	struct td_capture capture;
	struct td_release release;
	struct td_vernier *vernier;       /* always there, but for unit tests of others */
	bool by_vernier;                  /* it cuts the windows, not the strobe */
	struct td_group_counters *groups; /* event groups; NULL: other counters */
	struct td_group_counters *groups_room; /* for them; NULL in some unit tests */
	/* In an empty window of each group, which read different numbers of counters;
	 * without groups the first.  Bits: of which groups one was seen. */
	uint64_t own_leavings[TD_GROUPS_MAX][TD_LEAVINGS];
	uint32_t own_seen;
	uint32_t until_empty; /* windows until the next empty one */
	uint32_t until_cpu;   /* samples until the CPU time is read again */

	struct td_latency latency;

	struct td_callpath *callpath;  /* NULL: no call paths */
	const ucontext_t *interrupted; /* by the handler that is running */

	struct td_random random;
	struct td_places places;
	uint64_t counter_base[TD_COUNTERS_MAX]; /* counters without a hardware reset */
	struct td_known known[TD_KNOWN_MAX];    /* by address; of these places only */
};

/* The thread that is running; NULL until core or its first signal sets it.
 * Initial-exec TLS: no allocation on first use in a handler. */
extern __thread struct td_thread *td_self __attribute__((tls_model("initial-exec")));

#endif
