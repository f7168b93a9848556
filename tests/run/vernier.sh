#!/bin/sh
# SPDX-License-Identifier: MIT
# Windows that the kernel cuts: TDAGENT_WINDOWS=vernier.
. "$(dirname "$0")/lib.sh"

preload="TDAGENT_WINDOWS=vernier $preload"

agent "$prog/burn" --truth 1500
ended "exit 0" agent
expect "$(profile burn)" "$(truth agent)" <<'END'
if report["run"]["trigger"].startswith("POSIX"):
    sys.exit("no perf events here: " + report["run"]["reason"])
check(report["run"]["windows_by"] == "vernier", "windows by " + report["run"]["windows_by"])
for true in truth:
    has_share(true["name"], true["share"], "burn", 2.0)
totals = report["totals"]
check(totals["samples"] > 0.75 * 1500, "%d samples of 1.5 s" % totals["samples"])
not_twice(1e-3)
windows = totals["windows"]
# by a clock whose interrupts come late on a busy host most are too long
check(windows["valid"] > totals["samples"] / 200, "%d valid windows" % windows["valid"])
check(windows["valid"] + sum(windows["rejected"].values()) <= totals["samples"], "more windows than samples")
check(not totals.get("lost"), "lost: %s" % totals.get("lost"))
END
rm "$(profile burn)"

# The default is the other engine.
agent TDAGENT_WINDOWS=auto "$prog/burn" 300
expect "$(profile burn)" <<'END'
check(report["run"]["windows_by"] == "rdpmc", "windows by " + report["run"]["windows_by"])
END
rm "$(profile burn)"

# No signal reaches any thread; nothing is missing.
agent TDAGENT_LONG=5ms "$prog/blocked"
ended "exit 0" agent
expect "$(profile blocked)" "$(truth agent)" <<'END'
for true in truth:
    has_share(true["name"], true["share"], "blocked", 2.0)
totals = report["totals"]
check(totals["samples"] > 0.75 * 360, "%d samples of 1.8 s" % totals["samples"])
check(not totals.get("lost"), "lost: %s" % totals.get("lost"))
END
rm "$(profile blocked)"

# A ring holds 370 ms of these: the thread that blocks no signal empties the others'.
# On one CPU, so that all get on alike.
agent TDAGENT_LONG=500us taskset -c "$(taskset -cp $$ | sed 's/.*[:,-] *//')" "$prog/blocked" workers
ended "exit 0" agent
expect "$(profile blocked)" "$(truth agent)" <<'END'
for true in truth:
    has_share(true["name"], true["share"], "blocked", 2.0)
# on a busy machine who helps comes late now and then
totals = report["totals"]
lost = totals.get("lost", {}).get("ring", 0)
check(lost < 0.2 * totals["samples"], "%d lost of %d" % (lost, totals["samples"]))
END
rm "$(profile blocked)"

# A ring that nobody can empty loses records, which are counted: 132 KiB hold less
# than 600 ms of a window each 100 us.
agent TDAGENT_LONG=100us "$prog/blocked"
ended "exit 0" agent
expect "$(profile blocked)" <<'END'
totals = report["totals"]
lost = totals.get("lost", {}).get("ring", 0)
check(lost > 1000, "only %d lost" % lost)
check(totals["samples"] + lost > 0.75 * 18000,
      "%d samples and %d lost of 1.8 s" % (totals["samples"], lost))
END
rm "$(profile blocked)"

# A child without our fork handlers has copies of everything but the rings.
for windows in rdpmc vernier; do
	compare TDAGENT_WINDOWS=$windows "$prog/rawfork"
	rm -f $(profiles rawfork)
done

# abort() takes the records along, 40 ms of work after the first tick.
agent "$prog/exits" abort
ended "signal 6" agent
expect "$(profile exits)" <<'END'
check(report["totals"]["samples"] > 25, "%d samples of 40 ms" % report["totals"]["samples"])
END

# What threads have opened is closed with them.
agent "$prog/leftovers"
ended "exit 0" agent
[ "$(sort -u "$work/agent.out" | wc -l)" -eq 1 ] || { fail "threads leave something:"; cat "$work/agent.out"; }
grep -q '"mappings": 1' "$work/agent.out" || { fail "one ring, of the main thread:"; cat "$work/agent.out"; }

# Four signals for a second of CPU time, and one at the start of each thread.
trace="strace -f -e trace=none -e signal=all -o $work/signals"
if $trace true 2>/dev/null; then
	guest agent $trace $clean $preload "$prog/threads2"
	ended "exit 0" agent
	signals=$(grep -c -e '--- SIG' "$work/signals")
	[ "$signals" -le 14 ] || fail "$signals signals in 0.9 s of two threads"
fi
