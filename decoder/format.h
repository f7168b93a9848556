/* SPDX-License-Identifier: MIT */
/*
 * The profile file: the contract between the agent, which updates it in place
 * while the program runs, and the tools, which read it at any moment, also
 * after SIGKILL.  doc/formats.md describes every byte.
 *
 * The file is an array of blocks of TD_BLOCK_SIZE bytes.  The first
 * TD_HEADER_BLOCKS are the header; each later block starts with a struct
 * td_file_block and holds records of one kind.  All integers are little-endian,
 * all sums raw: readers add profiles up and divide last.
 *
 * Context: any (declarations only).
 */
#ifndef TD_DECODER_FORMAT_H
#define TD_DECODER_FORMAT_H

#include <stdint.h>

#define TD_FILE_MAGIC "tdagent\n"
#define TD_FILE_VERSION 5u
#define TD_FILE_BYTE_ORDER 0x01020304u

#define TD_BLOCK_SIZE 8192u
#define TD_BLOCK_HEADER 64u
#define TD_HEADER_BLOCKS 2u    /* 1 up to version 4 */
#define TD_HEADER_OLDEST 6240u /* bytes of it that every version has */
#define TD_BLOCKS_MAX 8192u    /* 64 MiB: more hot code than that is "other" */

#define TD_COUNTERS_MAX 16u
#define TD_NOTES_MAX 16u
#define TD_BURST_MAX 16u

/* A record's number: block << 8 | slot; 0 is none (the header has no records). */
#define TD_REF(block, slot) ((uint32_t)(block) << 8 | (uint32_t)(slot))
#define TD_REF_BLOCK(ref) ((ref) >> 8)
#define TD_REF_SLOT(ref) ((ref)&0xffu)

enum td_block_kind {
	TD_BLOCK_FREE = 0, /* claimed, not yet published, or never used */
	TD_BLOCK_OBJECTS = 1,
	TD_BLOCK_THREADS = 2,
	TD_BLOCK_PLACES = 3,
	TD_BLOCK_TIMELINE = 4, /* one struct td_file_timeline */
	TD_BLOCK_WINDOWS = 5,  /* struct td_file_window, of all threads */
	TD_BLOCK_PATHS = 6,
};

/* Who measures: the counters read at both ends of a window. */
enum td_backend {
	TD_BACKEND_NONE = 0, /* samples only */
	TD_BACKEND_CLOCK = 1,
	TD_BACKEND_SIMULATED = 2,
	TD_BACKEND_METRICS = 3,
	TD_BACKEND_EVENTS = 4,
};

/* What interrupts: the overflow or timer that opens and closes windows. */
enum td_trigger {
	TD_TRIGGER_NONE = 0,
	TD_TRIGGER_SIGTRAP = 1,        /* perf event with sigtrap */
	TD_TRIGGER_SIGNAL = 2,         /* perf event with F_SETSIG */
	TD_TRIGGER_TIMER = 3,          /* POSIX CPU timer of the thread */
	TD_TRIGGER_CYCLES_SIGTRAP = 4, /* 1 and 2 on user-mode cycles */
	TD_TRIGGER_CYCLES_SIGNAL = 5,
	TD_TRIGGER_PERF = 6, /* imported from perf: windows go from sample to sample */
};

/* Who opens and closes windows. */
enum td_windows {
	TD_WINDOWS_RDPMC = 0,   /* our signal handler */
	TD_WINDOWS_VERNIER = 1, /* the kernel, by two sampling events */
};

enum td_unit {
	TD_UNIT_NS = 0,
	TD_UNIT_CYCLES = 1,
};

enum td_state {
	TD_STATE_RUNNING = 0, /* or killed: the file cannot tell, the pid can */
	TD_STATE_EXITED = 1,
	TD_STATE_EXEC = 2, /* the process went on as another program */
};

/* Why a window did not count; td_reject_name() has the report's words. */
enum td_reject {
	TD_REJECT_FUNCTION = 0, /* closed in another function */
	TD_REJECT_UNKNOWN = 1,  /* an end in code that has no identity */
	TD_REJECT_LATE = 2,     /* far longer than asked for */
	TD_REJECT_EARLY = 3,    /* the close came before the window was armed */
	TD_REJECT_BLOCKED = 4,  /* its signal was blocked and came later, or before there
				   was any of the program */
	TD_REJECT_COUNTERS = 5, /* counters unreadable or inconsistent */
	TD_REJECT_SWITCHED = 6, /* thread switched out inside the window */
	TD_REJECT_NESTED = 7,   /* left and came back (returns counted) */
	TD_REJECT_CUT = 8,      /* thread or process ended inside the window */
	TD_REJECT_STRAY = 9,    /* readers: counted far more than others (profile.h) */
	TD_REJECT_MAX = 12,
};

/* Why a sample is missing; td_lost_name() has the report's words. */
enum td_lost {
	TD_LOST_FULL = 0,      /* no room for a new place: in "other" */
	TD_LOST_GUARD = 1,     /* signal while a handler of ours was running */
	TD_LOST_REARM = 2,     /* the trigger could not be armed again */
	TD_LOST_THROTTLED = 3, /* periods the kernel skipped */
	TD_LOST_CLOSED = 4,    /* the program closed our descriptor */
	TD_LOST_BLOCKED = 5,   /* the signal was blocked: the place is not known */
	TD_LOST_RING = 6,      /* the kernel's ring had no room */
	TD_LOST_STACK = 7,     /* the thread's stack had no room for our handler */
	TD_LOST_MAX = 8,
};

/*
 * EVENTS: who counts what.  Group 0 is counted all the time and is what counter[] and
 * all totals are about; another one in single windows, instead of group 0.  A window's
 * values are those of its group: value 0 is slots, the others are told below.
 */
#define TD_GROUPS_MAX 8u
/* Not a group of windows: retire latencies (TDAGENT_LATENCY), with any backend.  A place
 * of it has a record's cycles in sum[0] (no cross), and as windows how many records;
 * the event that they are of is in event[]. */
#define TD_GROUP_LATENCY TD_GROUPS_MAX
#define TD_EVENTS_MAX 40u
#define TD_EVENT_NAME 48u /* bytes, with the NUL */

struct td_file_event {
	char name[TD_EVENT_NAME]; /* as in the family's table, or as it was asked for */
	uint16_t group;           /* below header.groups, or TD_GROUP_LATENCY */
	uint16_t value;           /* index of its count among the group's values */
	uint32_t reserved;
	uint64_t config; /* perf_event_attr.config */
	uint64_t config1;
};

struct td_file_counter {
	char name[24]; /* "slots", "retiring", ..., "cpu_time", "faults", "switches" */
	char unit[8];  /* "slots", "ns", "1" */
};

struct td_file_header {
	char magic[8]; /* TD_FILE_MAGIC, no NUL */
	uint32_t version;
	uint32_t byte_order; /* TD_FILE_BYTE_ORDER as the writer stores it */
	uint32_t block_size;
	uint32_t object_size; /* bytes of a record */
	uint32_t thread_size;
	uint32_t place_size;
	uint32_t machine; /* ELF e_machine */
	uint32_t blocks;  /* blocks handed out, this one included */
	uint32_t blocks_max;
	uint32_t state; /* enum td_state */

	uint32_t pid;
	uint32_t ppid;
	uint64_t process_start; /* /proc/PID/stat field 22: pid + this = process */
	uint64_t start_realtime_ns;
	uint64_t start_ns; /* CLOCK_MONOTONIC, as are all later times */
	uint64_t end_ns;   /* 0 while running or after a kill */

	uint32_t backend;      /* enum td_backend */
	uint32_t trigger;      /* enum td_trigger */
	uint32_t signal;       /* number the trigger sends */
	uint32_t period_unit;  /* enum td_unit, of the two periods */
	uint64_t long_period;  /* mean */
	uint64_t short_period; /* half of what lengths are below; 0: no windows */
	uint32_t jitter_percent;
	uint32_t level; /* top-down depth measured: 0 none, 1, 2 */
	uint64_t seed;
	uint64_t resolution_ns; /* shortest period the trigger grants; 0 unknown */
	uint32_t simulated;     /* 1: every counter below is made up */
	uint32_t counters;      /* used entries of counter[] */
	struct td_file_counter counter[TD_COUNTERS_MAX];

	uint32_t notes;     /* used entries of note[], in order */
	uint32_t path_size; /* bytes of a record; 0: no call paths were taken */
	char note[TD_NOTES_MAX][160];

	char agent[32]; /* version that wrote the file */
	char cpu[64];   /* model name */
	char kernel[96];
	char host[64];
	char reason[192];   /* why this backend and trigger */
	char exe[1024];     /* path of the program */
	char command[1536]; /* arguments, NUL between them, cut if too long */

	/* from version 2 on; all 0 in files of version 1 */
	uint32_t window_size;   /* bytes of a record */
	uint32_t windows_max;   /* records that the window log has room for */
	uint64_t windows_seen;  /* offered to it; above windows_max it is a sample */
	uint32_t slots_a_cycle; /* METRICS: width of the core, else 0 */
	/* 1: the nodes in td_file_thread.total and in timelines are in units of 256/255
	 * slots and not corrected (decoder/registers.h). */
	uint32_t raw_totals;
	uint32_t windows; /* enum td_windows */
	uint32_t groups;  /* of events; 0 as 1 */
	char family[24];  /* EVENTS: of the tables in data/events, "" none */
	uint64_t events;  /* used entries of event[] */
	char labels[512]; /* "rank=3,version=1.2", see label_list.h */
	/* EVENTS, 1: which group a window had depends on the function that it opened in
	 */
	uint32_t drilled;
	uint32_t burst; /* windows a sample; of several the first is dropped; 0 as 1 */
	uint64_t latencies_lost; /* records that found no room */
	/* EVENTS: from this group on those of a hybrid's small cores, 0: no such cores;
	 * the first of them is to their threads what group 0 is to the others. */
	uint32_t small_group;
	uint32_t small_width;  /* slots a cycle there */
	char small_family[24]; /* as family */

	/* up to version 4 this was before the labels, with shorter names */
	struct td_file_event event[TD_EVENTS_MAX];
	/* EVENTS: bit i, event[i] is one of TDAGENT_EVENTS.  Whatever its name is, it is
	 * none of the family's.  0 in files of versions that did not tell. */
	uint64_t asked;
};

struct td_file_block {
	uint32_t kind;  /* enum td_block_kind, stored last (release) */
	uint32_t owner; /* PLACES, PATHS: ref of the thread record */
	uint32_t next;  /* next block of the same owner or kind, 0 none */
	uint32_t reserved[13];
};

enum td_object_kind {
	TD_OBJECT_FREE = 0,
	TD_OBJECT_ELF = 1,
	TD_OBJECT_VDSO = 2,
	TD_OBJECT_JIT = 3,     /* executable memory that no ELF file explains */
	TD_OBJECT_CLAIMED = 4, /* being written */
};

struct td_file_object {
	uint32_t kind; /* enum td_object_kind, stored last (release) */
	uint32_t build_id_size;
	uint8_t build_id[32];
	uint64_t map_start; /* run-time addresses */
	uint64_t map_end;
	uint64_t bias;        /* run-time address - ELF address */
	uint64_t fingerprint; /* tells a reload of another file at this place */
	char path[936];       /* as mapped; "[vdso]", "[anon]" and the like */
};

/* Of a hybrid processor; all cores of another one are large. */
enum td_core_type { TD_CORES_LARGE, TD_CORES_SMALL };
#define TD_CORE_TYPES 2u

enum td_thread_state {
	TD_THREAD_FREE = 0,
	TD_THREAD_LIVE = 1,
	TD_THREAD_ENDED = 2,
	TD_THREAD_FOLDED = 3, /* the sum of ended threads whose records were reused */
};

struct td_file_thread {
	uint32_t state; /* enum td_thread_state */
	uint32_t tid;
	char name[16];
	uint32_t threads;     /* threads in this record: 1, or more when folded */
	uint32_t first_block; /* its PLACES blocks, chained by next */
	uint32_t root;        /* ref of the place index's root */
	uint32_t timeline;    /* its TIMELINE block, 0 none */
	uint64_t start_ns;
	uint64_t last_ns; /* of the latest sample */
	uint64_t end_ns;  /* 0 while live */
	uint64_t cpu_ns;  /* CPU time up to last_ns (cycles: up to 16 samples before), or
			     to  the end */
	uint64_t samples;
	uint64_t windows; /* valid ones */
	uint64_t rejected[TD_REJECT_MAX];
	uint64_t lost[TD_LOST_MAX];
	uint64_t total[TD_COUNTERS_MAX]; /* complete coverage: long and short windows */
	/* Windows that held nothing of the program: what each of the others holds
	 * of ours, to be taken out by the reader. */
	uint64_t empties;
	uint64_t empty[TD_COUNTERS_MAX];
	uint64_t unread; /* periods whose counts could not be read: not in total[] */
	/* Only where header.small_group is not 0; a thread that was on both has two
	 * records. */
	uint32_t cores; /* enum td_core_type that all this is of */
	uint32_t reserved;
};

/*
 * What a thread's samples and complete totals were over time.  Bucket i covers
 * header.start_ns + [i, i + 1) * width_ns; when the last one is passed, buckets
 * are joined in pairs and the width doubles, so the size never grows.  All
 * widths are TD_TIMELINE_WIDTH_NS times a power of two: threads can be added up.
 */
#define TD_TIMELINE_BUCKETS 48u
#define TD_TIMELINE_WIDTH_NS 10000000u
struct td_file_timeline {
	uint64_t width_ns;
	uint32_t buckets; /* TD_TIMELINE_BUCKETS */
	uint32_t busy;    /* nonzero while buckets are joined: not to be used */
	uint64_t value[]; /* each bucket: samples, then header.counters totals */
};

enum td_place_kind {
	TD_PLACE_FREE = 0,
	TD_PLACE_FUNCTION = 1, /* [address, +size) has unwind information */
	TD_PLACE_GAP = 2,      /* 64 bytes of code between two such functions */
	TD_PLACE_JIT = 3,      /* 64 bytes of a JIT mapping */
	TD_PLACE_UNKNOWN = 4,  /* no object, no mapping */
	TD_PLACE_OTHER = 5,    /* the rest, after the profile was full */
};
#define TD_PLACE_CHUNK 64u /* bytes of a GAP or JIT place */

/* One counter over the valid windows opened at a place; what a ratio
 * estimator with its variance needs. */
struct td_file_sum {
	uint64_t sum;   /* of x */
	double squares; /* of x * x */
	double cross;   /* of x * d, d the window's first counter */
};

struct td_file_place {
	uint32_t kind;     /* enum td_place_kind, stored last (release) */
	uint32_t object;   /* ref of the object record, 0 none */
	uint64_t address;  /* ELF address (JIT, UNKNOWN: run-time address) of its start */
	uint64_t region;   /* start of the function, gap or mapping that a window must not
			      leave */
	uint32_t size;     /* bytes */
	uint32_t child[4]; /* hash trie: only the agent follows it */
	uint32_t group;    /* of events that the windows are of, from the first of these
			      cores on; samples are at group 0 */
	uint64_t samples;
	uint64_t windows; /* valid ones */
	uint32_t rejected[TD_REJECT_MAX];
	struct td_file_sum sum[]; /* header.counters entries */
};

/*
 * The window log: single windows, for estimators that need more than sums.  All
 * of the process while they fit, afterwards a uniform random sample of them
 * (reservoir).  Valid windows are in it, and those that nothing but the rule of
 * the same function refuses (TD_REJECT_FUNCTION, TD_REJECT_NESTED); no others.
 */
enum td_window_state {
	TD_WINDOW_FREE = 0,
	TD_WINDOW_BUSY = 1, /* being written, or its thread was killed then */
	TD_WINDOW_USED = 2,
	TD_WINDOW_EMPTY = 3, /* calibration: nothing of the program is in it */
	TD_WINDOW_EXACT = 4, /* as used; the length asked for begins where it opened */
};

/* Where a window was opened or closed. */
struct td_file_window_end {
	uint64_t address; /* as td_file_place.address of the function or chunk */
	uint32_t object;  /* as td_file_place.object */
	uint32_t offset;  /* interrupted IP - address, bytes */
};

#define TD_WINDOW_VALUES 10u
struct td_file_window {
	uint32_t state;     /* enum td_window_state, stored last (release) */
	uint32_t thread;    /* tid */
	uint32_t requested; /* length asked for, header.period_unit; EMPTY: 0 */
	uint8_t kind[2];    /* enum td_place_kind at open and close */
	uint8_t reject;     /* enum td_reject; TD_REJECT_MAX: valid */
	uint8_t group;      /* of events that value[] is of */
	struct td_file_window_end end[2]; /* open, close */
	/* As read, own cost included, UINT32_MAX for more.  METRICS: slots, the low
	 * and the high half of PERF_METRICS, then the counters behind the nodes; EVENTS:
	 * the first values of the group, signed; other backends: the first counters. */
	uint32_t value[TD_WINDOW_VALUES];
};

static inline int td_window_is_used(const struct td_file_window *window)
{
	return window->state == TD_WINDOW_USED || window->state == TD_WINDOW_EXACT;
}

enum td_path_kind {
	TD_PATH_FREE = 0,
	TD_PATH_ROOT = 1,  /* complete paths begin below it */
	TD_PATH_CUT = 2,   /* callers are missing: too deep, or not to be found */
	TD_PATH_FRAME = 3, /* a function, called by its parent's */
};

/*
 * A node of a thread's tree of call paths.  Parents stand before their children
 * in the order of the thread's blocks.
 */
struct td_file_path {
	uint32_t kind;     /* enum td_path_kind, stored last (release) */
	uint32_t parent;   /* ref of the caller's node; ROOT 0, CUT: that of ROOT */
	uint32_t place;    /* FRAME: ref of the thread's place, else 0 */
	uint32_t child[4]; /* hash trie: only the agent follows it */
	uint32_t group;   /* as of a place: another one than 0 has a node of its own, with
			     windows and sums only, beside that of its parent and place */
	uint64_t samples; /* paths that end here */
	uint64_t opened;  /* windows that were opened here and count somewhere */
	/* Windows of which this is the last frame that both ends have in common; sums
	 * as in the place. */
	uint64_t windows;
	struct td_file_sum sum[]; /* header.counters entries */
};

#define TD_PATH_SIZE(counters)                                                           \
	(sizeof(struct td_file_path) + (counters) * sizeof(struct td_file_sum))
#define TD_PLACE_SIZE(counters)                                                          \
	(sizeof(struct td_file_place) + (counters) * sizeof(struct td_file_sum))

_Static_assert(sizeof(struct td_file_header) <= TD_HEADER_BLOCKS * TD_BLOCK_SIZE,
	       "the header fits into its blocks");
_Static_assert(TD_EVENTS_MAX <= 64, "a bit for each in td_file_header.asked");
_Static_assert(sizeof(struct td_file_block) == TD_BLOCK_HEADER, "block header");
_Static_assert(sizeof(struct td_file_timeline) +
			       TD_TIMELINE_BUCKETS * (1 + TD_COUNTERS_MAX) * 8 <=
		       TD_BLOCK_SIZE - TD_BLOCK_HEADER,
	       "a timeline is one block");
_Static_assert(sizeof(struct td_file_object) % 8 == 0, "object alignment");
_Static_assert(sizeof(struct td_file_thread) % 8 == 0, "thread alignment");
_Static_assert(sizeof(struct td_file_place) % 8 == 0, "place alignment");
_Static_assert(sizeof(struct td_file_place) == 112, "doc/formats.md");
_Static_assert(sizeof(struct td_file_window) == 88, "doc/formats.md");
_Static_assert(sizeof(struct td_file_path) == 56, "doc/formats.md");

#endif
