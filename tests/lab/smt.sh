#!/bin/sh
# SPDX-License-Identifier: MIT
# Two hardware threads of a core: the program on one, the other one busy, idle or now and
# then: figures are of the slots that the thread had, and the report says how many.
. "$(dirname "$0")/lib.sh"

busy='taskset 2 sh -c "while :; do :; done" >/dev/null 2>&1 &'
now_and_then='taskset 2 sh -c "while :; do i=0; while [ \$i -lt 400 ]; do i=\$((i+1)); done; usleep 1000; done" >/dev/null 2>&1 &'

# Of 12 functions, with 4 nodes each.  What part of the core was shared is wrong for all of them
# alike, by up to 1.6 half widths.  Half a point is for what our own code and the rounding of events
# leave.
cat >"$work/within" <<'END_OF_STATEMENTS'
import os
told = {t["address"]: t for t in truth if t["what"] == "function"}
level1 = ("retiring", "bad_speculation", "frontend_bound", "backend_bound")
seen, wide = 0, []
widest = float(os.environ["WIDEST"]) / 100
for f in report["functions"]:
    t = told.get(f["address"])
    if not t or f["windows"]["valid"] < 80:
        continue
    seen += 1
    for node in level1:
        v, true = f["topdown"][node], t["topdown"][node] / t["slots"]
        half = (v["high"] - v["low"]) / 2
        told_as = "%s %s: %.2f +- %.2f %%, the truth is %.2f" % (
            t["name"], node, 100 * v["value"], 100 * half, 100 * true)
        check(abs(v["value"] - true) < 0.005 + 3 * half, told_as)
        if half >= widest:
            wide.append(told_as)
    # up to 7 % off in 17 runs; 94 where windows of our own code were taken for the program's
    if "inst" in f.get("events", {}):
        rate, true = f["events"]["inst"]["per_cycle"]["value"], t["insns"] / t["cycles"]
        check(abs(rate / true - 1) < 0.15, "%s: %.4f instructions a cycle, not %.4f" % (t["name"], rate, true))
check(seen == 12, "%d functions" % seen)
# few windows of a function may all have met one state of the other thread
check(len(wide) <= 2, "wider than %g points: %s" % (100 * widest, "; ".join(wide)))
END_OF_STATEMENTS

# How much of the time the other one ran as well: of the program, our code and all.  The part of the
# cycles was within 0.035 of that in 20 runs, 0.2 off where our code was taken out of short windows.
# On Zen it is taken out, and windows open some turns behind the end of a period, by when the other
# thread's state may be forgotten: turns are equally many instructions, so windows would meet shared
# ones as often as turns are, which take twice the cycles: S/(2 - S) of them if S of the cycles are.
cat >"$work/shared" <<'END_OF_STATEMENTS'
import os, re
run = report["run"]
parts = [t for t in truth if t["what"] in ("function", "rest", "agent")]
shared = sum(t["second"] for t in parts) / sum(t["cycles"] for t in parts)
low, high = [float(x) for x in os.environ["SHARED"].split()]
check(low <= shared <= high, "the lab's core was shared for %.3f of the time" % shared)
note = [re.search(r"([0-9.]+) % of (the cycles|its slots) \(([0-9.]+) to ([0-9.]+)\)", n) for n in run["notes"]]
note = [(m[2], [float(x) / 100 for x in m.group(1, 3, 4)]) for m in note if m]
if run["backend"] == "events":
    check(len(note) == 1, "%d notes say how much of the core was shared: %s" % (len(note), run["notes"]))
for of, (value, low, high) in note:
    least, most, slack = shared, shared, 0.05 + (high - low) / 2
    if of == "its slots": # while the other one ran it had half of them
        least, most, slack = shared / (2 - shared) / 2, shared / 2, 0.005 + 0.75 * (high - low)
    check(least - slack < value < most + slack, "%s: shared %.3f (%.3f to %.3f), not %.3f to %.3f" %
          (of, value, low, high, least, most))
END_OF_STATEMENTS

# shares LABEL SIBLING FROM-TO POINTS OPTIONS LEVEL ROUNDS: that part of the time shared, hardly
# an interval wider than that
shares()
{
	echo
	echo "== $1"
	# the first run tells the lab how our code behaves before the program says it: where a
	# core is shared the first windows, which are empty ones, may be as early as that
	lab "$1" "$5" "./phases -r 1 >/out/first; $2 TDAGENT_LEVEL=$6 $(with_agent 20000 1000) taskset 1 ./phases -r $7 >/out/truth 2>/out/said"
	ended "exit 0" "$1"
	[ "$(cat "$work/$1/said")" = "${said:-}" ] || { fail "$1: somebody said:"; head "$work/$1/said"; }
	report_on "$1"
	WIDEST=$4 holds "$1" <"$work/within"
	SHARED=$3 holds "$1" <"$work/shared"
}

# The thread's slots by ONE_THREAD_ACTIVE.  AnyThread, for who may: cycles of the core, which
# while the thread itself runs are its own.
shares skx-busy "$busy TDAGENT_EVENTS=any=r20003c" "0.98 1" 1 "-m skx-smt" 1 60
holds skx-busy <<'END_OF_STATEMENTS'
rates = [f["events"]["any"]["per_cycle"]["value"] for f in report["functions"] if f["windows"]["valid"] >= 80]
check(len(rates) == 12 and all(abs(rate - 1) < 0.01 for rate in rates), "THREAD_ANY a cycle: %s" % rates)
END_OF_STATEMENTS
# How sure that is depends on how often the other one comes and goes meanwhile: half widths were
# up to 16 points in eight runs, seldom of more than one function.
shares skx-both "$now_and_then" "0.05 0.98" 20 "-m skx-smt" 1 150

# Who may not: that event alone is missing.
said="tdagent: TDAGENT_EVENTS: any is not counted: Permission denied"
shares ivb-both "$now_and_then TDAGENT_EVENTS=any=r20003c" "0.05 0.98" 20 "-m ivb-smt -u 1000 -p 2" 1 150
said=
holds ivb-both <<'END_OF_STATEMENTS'
check(not any("any" in f.get("events", {}) for f in report["functions"]), "there is THREAD_ANY")
END_OF_STATEMENTS

# Zen: the slots that the other one had are counted, beside the backend's.
# Half widths were up to 0.1 points in three runs while it was always there, else up to 13 in nine.
shares zen4-busy "$busy" "0.98 1" 1 "-m zen4-smt" 1 60
shares zen4-both "$now_and_then" "0.05 0.98" 20 "-m zen4-smt" 1 150

# SLOTS are distributed by the hardware, functions are shorter than windows.
echo
echo "== spr-short"
alone="LD_LIBRARY_PATH=/in ./awkward -r 1 >/out/first"
lab spr-short "-m spr-smt" "$alone; $now_and_then TDAGENT_LEVEL=1 $(with_agent 20000 300) LD_LIBRARY_PATH=/in taskset 1 ./awkward -r 500 >/out/truth"
ended "exit 0" spr-short
report_on spr-short
# of 1,000 cycles a visit there is one that behaves in two ways for long: 180 windows of it are
# off by 1 point, more or less (1.3 at most in 20 runs, 8.1 where it was cut in a loop).  One of 53
# seemed to be less than 25, by two windows of its own.
truthful spr-short --samples 150 --limit 1000=4 --limit 100=1.5 --limit 60=4
holds spr-short <<'END_OF_STATEMENTS'
check(report["run"]["backend"] == "metrics", "backend is %s: %s" % (report["run"]["backend"], report["run"]["reason"]))
END_OF_STATEMENTS
SHARED="0.05 0.98" holds spr-short <"$work/shared"

# Windows so short that what they hold of the program hangs on whether the other thread is there,
# which four counters do not know of each: intervals say it, and a note (doc/accuracy.md).  Of four
# runs 91 to 100 % of the intervals hold; without that 65 to 87.  Limits are of the largest errors,
# 16 and 35 points.
echo
echo "== skx-short"
lab skx-short "-m skx-smt" "$alone; $now_and_then TDAGENT_LEVEL=1 $(with_agent 20000 300) LD_LIBRARY_PATH=/in taskset 1 ./awkward -r 1600 >/out/truth"
ended "exit 0" skx-short
report_on skx-short
truthful skx-short --limit 1000=25 --limit 25=50 --samples 250 --unanswered 3 --inside 85
holds skx-short <<'END_OF_STATEMENTS'
check(any("longer windows (TDAGENT_SHORT)" in note for note in report["run"]["notes"]), "no note says that windows are short: %s" % report["run"]["notes"])
END_OF_STATEMENTS
SHARED="0.05 0.98" holds skx-short <"$work/shared"

# How many instructions a cycle functions have that vary: all windows know it, and a group's
# own say 2 to 6 % too few (of 34 intervals 13, 23 and 24 held in three runs).
echo
echo "== zen4-short"
lab zen4-short "-m zen4-smt" "$alone; $busy TDAGENT_LEVEL=1 $(with_agent 20000 300) LD_LIBRARY_PATH=/in taskset 1 ./awkward -r 1600 -n 40,400 >/out/truth"
ended "exit 0" zen4-short
report_on zen4-short
# wide: visits of 17 to 34 cycles; 0 to 4 in three runs
intervals zen4-short inst

# Windows that the kernel cuts, and nothing counts returns: by the windows that begin and end in a
# function two that take turns had the mean of both, 33 points off.  They end some ten cycles late there:
# sorted by how long they are, not by when they were due, the two were 5 points off and 81 % of the
# intervals held; in 31 runs 95 to 99 % do.  `phased` was up to 4.6 points off, +- 1, and functions of
# 122 and 408 cycles 13.8 and 13.4, which their intervals say.
echo
echo "== skx-vernier"
lab_windows=vernier
lab skx-vernier "-m skx-smt" "$alone; $busy TDAGENT_LEVEL=1 $(with_agent 20000 300) LD_LIBRARY_PATH=/in taskset 1 ./awkward -r 3200 >/out/truth"
lab_windows=
ended "exit 0" skx-vernier
report_on skx-vernier
truthful skx-vernier --limit 2000=1.5 --limit 1000=6 --limit 100=12 --samples 250 --inside 90
