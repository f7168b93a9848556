#!/bin/sh
# SPDX-License-Identifier: MIT
# Under a tracer, which takes SIGTRAP for itself, perf's events come as SIGPROF.
. "$(dirname "$0")/lib.sh"

trace="strace -f -e trace=none -e signal=none -o /dev/null"
command -v strace >/dev/null || skip "strace is missing"
$trace true 2>"$work/strace.err" || skip "strace cannot trace here: $(head -n 1 "$work/strace.err")"

guest agent $trace $clean $preload "$prog/burn" --truth 1500
ended "exit 0" agent
expect "$(profile burn)" "$(truth agent)" <<'END'
check("SIGPROF" in report["run"]["reason"], "reason " + report["run"]["reason"])
check(report["run"]["trigger"] == "perf task-clock, SIGPROF", "trigger " + report["run"]["trigger"])
for true in truth:
    has_share(true["name"], true["share"], points=2.0)
windows = report["totals"]["windows"]
check(windows["valid"] > report["totals"]["samples"] / 2, "%d valid windows" % windows["valid"])
END

# No signal may be queued: an ordinary one is sent all the same, and no SIGIO for it.
if command -v prlimit >/dev/null; then
	rm -f "$work"/profiles/*
	plain "$prog/burn" 200
	guest agent prlimit --sigpending=0 $trace $clean $preload "$prog/burn" 200
	cmp -s "$work/plain.out" "$work/agent.out" || fail "sigpending=0: output differs"
	ended "exit 0" agent
	expect "$(profile burn)" <<'END'
check(report["totals"]["samples"] > 20, "%d samples" % report["totals"]["samples"])
END
fi

# While it blocks SIGPROF, the program's signal and the event's are one to the
# kernel: that one line may differ.
guest plain $trace $clean "$prog/sigs"
guest agent $trace $clean $preload "$prog/sigs"
sed -i '/^unblocked/d' "$work/plain.out" "$work/agent.out"
same "sigs, traced"
