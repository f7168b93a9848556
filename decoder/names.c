// SPDX-License-Identifier: MIT
#include "decoder/names.h"

#include <stddef.h>

struct words {
	const char *key;
	const char *text;
};

static const struct words rejects[TD_REJECT_MAX] = {
	[TD_REJECT_FUNCTION] = {"other_function", "closed in another function"},
	[TD_REJECT_UNKNOWN] = {"unknown_code", "in code without an identity"},
	[TD_REJECT_LATE] = {"late", "far longer than asked for"},
	[TD_REJECT_EARLY] = {"early", "closed before it was armed"},
	[TD_REJECT_BLOCKED] = {"blocked", "signal blocked, or on the way back"},
	[TD_REJECT_COUNTERS] = {"counters", "counters not readable"},
	[TD_REJECT_SWITCHED] = {"switched", "thread was switched out"},
	[TD_REJECT_NESTED] = {"nested", "with a call or return inside"},
	[TD_REJECT_CUT] = {"cut", "thread or process ended"},
	[TD_REJECT_STRAY] = {"stray", "counted far more than others"},
};

static const struct words losts[TD_LOST_MAX] = {
	[TD_LOST_FULL] = {"full", "no room in the profile"},
	[TD_LOST_GUARD] = {"guard", "signal inside our own handler"},
	[TD_LOST_REARM] = {"rearm", "the trigger could not be armed"},
	[TD_LOST_THROTTLED] = {"throttled", "throttled by the kernel"},
	[TD_LOST_CLOSED] = {"closed", "the program closed our descriptor"},
	[TD_LOST_BLOCKED] = {"blocked", "the signal was blocked"},
	[TD_LOST_RING] = {"ring", "the ring was full"},
	[TD_LOST_STACK] = {"stack", "near the end of a stack"},
};

static const char *const backends[] = {
	[TD_BACKEND_NONE] = "none",           [TD_BACKEND_CLOCK] = "clock",
	[TD_BACKEND_SIMULATED] = "simulated", [TD_BACKEND_METRICS] = "metrics",
	[TD_BACKEND_EVENTS] = "events",
};

static const char *const triggers[] = {
	[TD_TRIGGER_NONE] = "none",
	[TD_TRIGGER_SIGTRAP] = "perf task-clock, synchronous SIGTRAP",
	[TD_TRIGGER_SIGNAL] = "perf task-clock, SIGPROF",
	[TD_TRIGGER_TIMER] = "POSIX CPU timer, SIGPROF",
	[TD_TRIGGER_CYCLES_SIGTRAP] = "user-mode cycles, synchronous SIGTRAP",
	[TD_TRIGGER_CYCLES_SIGNAL] = "user-mode cycles, SIGPROF",
	[TD_TRIGGER_PERF] = "perf record",
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const char *or_unknown(const char *word)
{
	return word ? word : "unknown";
}

const char *td_reject_key(unsigned reject)
{
	return or_unknown(reject < COUNT(rejects) ? rejects[reject].key : NULL);
}

const char *td_reject_text(unsigned reject)
{
	return or_unknown(reject < COUNT(rejects) ? rejects[reject].text : NULL);
}

const char *td_lost_key(unsigned lost)
{
	return or_unknown(lost < COUNT(losts) ? losts[lost].key : NULL);
}

const char *td_lost_text(unsigned lost)
{
	return or_unknown(lost < COUNT(losts) ? losts[lost].text : NULL);
}

const char *td_backend_name(unsigned backend)
{
	return or_unknown(backend < COUNT(backends) ? backends[backend] : NULL);
}

static const char *const windows_names[] = {
	[TD_WINDOWS_RDPMC] = "rdpmc",
	[TD_WINDOWS_VERNIER] = "vernier",
};

const char *td_windows_name(unsigned windows)
{
	return or_unknown(windows < COUNT(windows_names) ? windows_names[windows] : NULL);
}

static const char *const core_types[] = {
	[TD_CORES_LARGE] = "large",
	[TD_CORES_SMALL] = "small",
};

const char *td_cores_name(unsigned cores)
{
	return or_unknown(cores < COUNT(core_types) ? core_types[cores] : NULL);
}

const char *td_trigger_name(unsigned trigger)
{
	return or_unknown(trigger < COUNT(triggers) ? triggers[trigger] : NULL);
}
