#!/bin/sh
# SPDX-License-Identifier: MIT
# The vernier on SLOTS and PERF_METRICS: as accurate as the strobe, without RDPMC and
# without a signal for each window.  What libc does for the handler that empties the
# ring is in no window and no total, but in the program's truth: some 0.5 % of it.
. "$(dirname "$0")/lib.sh"

lab_windows=vernier
# Without counted time an interrupt takes long, and the kernel would throttle.
lab_setup='echo 0 >/proc/sys/kernel/perf_cpu_time_max_percent;'

# by_vernier LABEL: and nothing of ours is in a window.
by_vernier()
{
	holds "$1" <<'END'
check(report["run"]["windows_by"] == "vernier", "windows by " + report["run"]["windows_by"])
check("own_cost" not in report["run"], "a window of the kernel's has no own cost")
END
}

echo "== spr"
measure spr "-m spr" 100000 1000 "-r 2000"
accurate spr --brief --enough 12 --slots 1
by_vernier spr

echo "== icx"
measure icx "-m icx" 100000 1000 "-r 1000"
accurate icx --brief --enough 10 --slots 1
by_vernier icx

# Where one of the lab's two CPUs waits for the other, that one alone goes on for up to
# 0.1 s: the rare moment in which a thread's group is stopped from outside may cost so much
# of a short run.  The rest of them is complete.
echo "== eight threads on two CPUs"
measure threads "-s 2" 100000 1000 "-t 8 -r 300"
accurate threads --brief --windows 100 --enough 12 --slots 15
by_vernier threads

echo "== sleeps and migrations inside windows"
measure disturbed "-s 2" 50000 2000 "-t 2 -r 700 -x sleep -x migrate"
accurate disturbed --brief --windows 100 --enough 10 --slots 50
by_vernier disturbed
holds disturbed <<'END'
check(report["totals"]["windows"]["rejected"].get("switched", 0) > 10,
      "no window with a switch was rejected")
END

# Functions of 25 cycles and more, by 30,000 windows (doc/vernier.md).
echo "== short functions"
measure_program short "-S 2" 20000 300 "./awkward -r 3200 -s 2"
# split_cold, with 440 samples, may be 2 points off (doc/vernier.md)
truthful short --limit 25=1.2 --samples 500
by_vernier short

# Which of the shortest ones have an answer changes from run to run.
echo "== short functions, eight threads on two CPUs that sleep and migrate"
measure_program wander "-s 2" 20000 300 "./awkward -t 8 -r 400 -x sleep -x migrate"
truthful wander --limit 40=1.5
by_vernier wander

echo "== signals blocked inside windows"
measure blocked "" 50000 1000 "-r 700 -x block"
accurate blocked --brief --windows 100 --enough 10 --slots 1
by_vernier blocked

# by_groups LABEL GROUPS LEVEL TOTALS: windows of so many groups of events by the kernel
by_groups()
{
	by_vernier "$1"
	GROUPS_WANTED=$2 LEVEL=$3 TOTALS=$4 holds "$1" <<'END'
import os
run = report["run"]
check(run["backend"] == "events", "backend is %s: %s" % (run["backend"], run["reason"]))
check(run["reason"].startswith(os.environ["GROUPS_WANTED"] + " group") and
      "as the kernel reads them" in run["reason"], run["reason"])
check(run["level"] == int(os.environ["LEVEL"]), "level %d" % run["level"])
check(("topdown" in report["totals"]) == (os.environ["TOTALS"] == "yes"), "totals")
END
}

# The second cycle counter takes one of four: three are left, and level 1 has four events.
echo "== groups of events, level 1 in two of them"
measure skx "-m skx" 100000 1000 "-r 1000"
accurate skx --brief --enough 12 --functions-only
by_groups skx 2 1 no

echo "== groups of events, level 1 in one of them"
lab_setup="$lab_setup TDAGENT_PMU=events"
measure whole "-m icx" 100000 1000 "-r 600"
accurate whole --brief --windows 100 --enough 12 --slots 1
by_groups whole 1 1 yes

echo "== RDPMC off, an ordinary user"
lab_setup=
measure plain "-m spr -r 0 -u 1000 -p 2" 100000 1000 "-r 1000"
accurate plain --brief --enough 10 --slots 1
by_vernier plain
