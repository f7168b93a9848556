#!/bin/sh
# SPDX-License-Identifier: MIT
# events.sh: in the guest: the rung of instructions and events, by real interrupts of the
# PMU.  One instruction is one cycle there, and events but these count nothing.
. "$(dirname "$0")/../../run/lib.sh"
here=$(cd "$(dirname "$0")/../../run" && pwd)

# counted ACCESS WORDS...: with kernel.perf_user_access so, by the strobe, the report's
# reason has these (vernier.sh: by the other engine)
counted()
{
	echo "$1" >/proc/sys/kernel/perf_user_access
	shift
	rm -f "$work"/profiles/*
	agent TDAGENT_WINDOWS=rdpmc TDAGENT_LONG=100000 TDAGENT_SHORT=2000 "$prog/burn" --truth 200
	ended "exit 0" agent
	WORDS=$* expect "$(profile burn)" "$(truth agent)" <<'END'
import os
run = report["run"]
check(run["backend"] == "events" and run["level"] == 0, "%s, level %s" % (run["backend"], run["level"]))
check(os.environ["WORDS"] in run["reason"], "the reason is '%s'" % run["reason"])
check("cycles" in run["trigger"], "the trigger is " + run["trigger"])
check("topdown" not in report["totals"], "there is top-down")
for true in truth:
    has_share(true["name"], true["share"])
burns = [f for f in report["functions"] if f["name"].startswith("burn_")]
check(len(burns) == 3, "%d functions" % len(burns))
for f in burns:
    check(f["windows"]["valid"] > 0.8 * f["samples"], "%s: %s" % (f["name"], f["windows"]))
    rate = f["events"]["inst"]["per_cycle"]["value"]
    check(abs(rate - 1) < 0.03, "%s: %g instructions a cycle" % (f["name"], rate))
END
}

case $(sed -n 's/^CPU part[^:]*: *//p' /proc/cpuinfo | head -n 1) in
0xd0c) why="no top-down: neoverse-n1 has no events of slots" ;;
*) why="no top-down: no event tables for this CPU" ;;
esac
counted 1 "by MRS; $why"
counted 0 "by read(), for user access is off (kernel.perf_user_access); $why"

# Events that are asked for: the kernel's, raw and the PMU's by name, each one a cycle there; of
# one that there is none of, and of cycles, which would take the trigger's counter, somebody says so.
rm -f "$work"/profiles/*
echo 1 >/proc/sys/kernel/perf_user_access
agent TDAGENT_WINDOWS=rdpmc TDAGENT_LONG=100000 TDAGENT_SHORT=2000 \
	TDAGENT_EVENTS=instructions,raw=r8,cycles,inst_retired,more=r11,no-such-event "$prog/burn" --truth 200
ended "exit 0" agent
grep -q "no event 'no-such-event'" "$work/agent.err" || fail "asked: $(cat "$work/agent.err")"
expect "$(profile burn)" <<'END'
check(any("no event 'no-such-event'" in note for note in report["run"]["notes"]), "notes: %s" % report["run"]["notes"])
for name in ("cycles", "more"):
    check(any("%s is not counted" % name in note for note in report["run"]["notes"]), "notes: %s" % report["run"]["notes"])
check(report["totals"]["windows"]["valid"] > 800, "windows: %s" % report["totals"]["windows"])
burns = [f for f in report["functions"] if f["name"].startswith("burn_")]
check(len(burns) == 3, "%d functions" % len(burns))
for f in burns:
    for name in ("instructions", "raw", "inst_retired"):
        check(name in f["events"], "%s: no %s: %s" % (f["name"], name, f["events"]))
        rate = f["events"][name]["per_cycle"]["value"]
        check(abs(rate - 1) < 0.03, "%s: %g %s a cycle" % (f["name"], rate, name))
END
guest list $clean "$tdagent" list
ended "exit 0" list
for name in instructions inst_retired; do
	grep -q "^  $name\( \|$\)" "$work/list.out" || fail "tdagent list has no $name: $(cat "$work/list.out")"
done

echo 0 >/proc/sys/kernel/perf_user_access
guest probe $clean "$tdagent" probe
ended "exit 0" probe
grep -q '^--pmu=auto  *events$' "$work/probe.out" || fail "probe: $(head -n 3 "$work/probe.out")"
grep -q 'sysctl kernel.perf_user_access=1' "$work/probe.out" || fail "probe: no word of user access"
