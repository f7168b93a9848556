#!/bin/sh
# SPDX-License-Identifier: MIT
# The vernier on SLOTS and PERF_METRICS: as accurate as the strobe, without RDPMC and
# without a signal for each window.  What libc does for the handler that empties the
# ring is in no window and no total, but in the program's truth: some 0.5 % of it.
# --long [CPUS THREADS]: 30,000 windows in every setting, three runs each, some 11 minutes
# (doc/vernier.md); or six of them, two minutes: those of so many CPUs (1, 2) and threads (1, 2, 8).
. "$(dirname "$0")/lib.sh"

lab_windows=vernier
# However many interrupts there are, the kernel is not to throttle.
lab_setup='echo 0 >/proc/sys/kernel/perf_cpu_time_max_percent;'

# by_vernier LABEL: and nothing of ours is in a window.
by_vernier()
{
	holds "$1" <<'END'
check(report["run"]["windows_by"] == "vernier", "windows by " + report["run"]["windows_by"])
check("own_cost" not in report["run"], "a window of the kernel's has no own cost")
END
}

# usable_of LABEL: by how many windows the last report has told functions apart
usable_of()
{
	python3 -c 'import json, sys
print(json.load(open(sys.argv[1]))["run"]["separation"]["windows"])' "$work/$1.json"
}

# short_functions CPUS THREADS DISTURBANCE ROUNDS: three seeds, of 30,000 windows.  Where too
# few are without a switch: with more rounds again.
# By chance less than one of a thousand --long fails: of 2,500 comparisons in 36 runs none took
# more than half of what truth.py allows.  phased has two halves that are met by chance, which its
# interval says (0.5 to 1.1 points; errors have a standard deviation of 0.34, the largest 0.73).
# One of 48 runs had one function without an answer.
short_functions()
{
	for seed in 11 12 13; do
		label=short-$1-$2-${3:+disturbed-}$seed
		echo
		echo "== $label"
		for rounds in $4 $((2 * $4)) $((4 * $4)); do
			rm -rf "${work:?}/$label"
			measure_program "$label" "-S $seed -s $1" 20000 300 \
				"./awkward -t $2 -r $rounds -s $seed $3"
			[ "$(usable_of "$label")" -lt 30000 ] || break
		done
		truthful "$label" --limit 25=1.0 --samples 200 --unanswered 2
		by_vernier "$label"
		[ "$(usable_of "$label")" -ge 30000 ] || fail "$label: $(usable_of "$label") windows"
	done
}

# long_runs CPUS THREADS: still, and with sleeps and migrations
long_runs()
{
	short_functions "$1" "$2" "" $((4600 / $2))
	short_functions "$1" "$2" "-x sleep -x migrate" $((5200 / $2))
}

if [ "${1:-}" = --long ] && [ $# -eq 3 ]; then
	long_runs "$2" "$3"
	exit
elif [ "${1:-}" = --long ]; then
	for long_cpus in 1 2; do
		for long_threads in 1 2 8; do
			long_runs $long_cpus $long_threads
		done
	done
	exit
fi

echo "== spr"
measure spr "-m spr" 100000 1000 "-r 2000"
accurate spr --brief --enough 12 --slots 1 --instructions 0.5
by_vernier spr

echo "== icx"
measure icx "-m icx" 100000 1000 "-r 1000"
accurate icx --brief --enough 10 --slots 1 --instructions 0.5
by_vernier icx

# What libc does, and the moments in which another thread empties a ring: 0.2 to 0.4 % of each.
echo "== eight threads on two CPUs"
measure threads "-s 2" 100000 1000 "-t 8 -r 600"
accurate threads --brief --windows 100 --enough 12 --slots 1
by_vernier threads

echo "== sleeps and migrations inside windows"
measure disturbed "-s 2" 50000 2000 "-t 2 -r 700 -x sleep -x migrate"
accurate disturbed --brief --windows 100 --enough 10 --slots 1
by_vernier disturbed
holds disturbed <<'END'
check(report["totals"]["windows"]["rejected"].get("switched", 0) > 10,
      "no window with a switch was rejected")
END

# Functions of 25 cycles and more, by 30,000 windows: 36 runs were 0.3 to 0.8 points off at
# most (doc/vernier.md).
echo "== short functions"
measure_program short "-S 2" 20000 300 "./awkward -r 3200 -s 2"
truthful short --limit 25=1.0 --samples 200 --unanswered 2
by_vernier short

# Each window has an edge before the program, and nothing empty says so: by blocks 14,000 windows
# are 0.8, 2.8 and 8.4 points off (seven runs; standard deviations of the worst function 0.6, 1.7
# and 5), 100,000 are 0.2, 0.9 and 2.2.  If nobody knew when windows were due, functions of 30 to 110
# cycles were 8 to 11 points off by 100,000, and half of the intervals held.
# behind_edges LABEL OPTION
behind_edges()
{
	measure_program "$1" "-S 2 $2 -e 50~50,0,500,5500,4000,0,300,4500,3000" 20000 300 \
		"./awkward -r 3700 -s 2"
	truthful "$1" --limit 1000=1.2 --limit 100=3.5 --limit 25=10 --samples 200 --unanswered 3 --inside 90
	by_vernier "$1"
	holds "$1" <<'END'
cost = report["run"]["separation"]["cost_cycles"]["value"]
check(45 < cost < 58, "an edge and what is read behind it are %.1f cycles" % cost)
END
}

echo "== short functions behind edges"
behind_edges edges ""
echo "== the same, interrupts at the end of blocks"
behind_edges blocks "-b 0"

# Which of the shortest ones have an answer changes from run to run.
echo "== short functions, eight threads on two CPUs that sleep and migrate"
measure_program wander "-s 2" 20000 300 "./awkward -t 8 -r 400 -x sleep -x migrate"
truthful wander --limit 40=1.5 --unanswered 2
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
# Without RDPMC this is what `auto` takes.
echo "== groups of events, level 1 in two of them"
lab_windows=auto
measure skx "-m skx -r 0" 100000 1000 "-r 1000"
lab_windows=vernier
accurate skx --brief --enough 12 --functions-only --points 5
by_groups skx 2 1 no

# Level 2 takes its turns from level 1.  Functions that hardly any window leaves are
# known by sums, without what others are: in twelve runs intervals of level 1 were 0.001 to
# 0.007 wide, of level 2 up to 0.033, where up to two of five functions were told apart.  When rates of
# all of them were, they were up to 0.025 and 0.15.
echo "== groups of events, level 2"
lab_setup="$lab_setup TDAGENT_LEVEL=2"
measure level2 "-m skx" 100000 1000 "-r 1200"
lab_setup=${lab_setup% *}
accurate level2 --brief --windows 100 --enough 12 --functions-only --points 5 --as-said
by_groups level2 5 2 no
holds level2 <<'END'
stayed = [f for f in report["functions"] if f["windows"]["valid"] > 100 and
          f["windows"]["rejected"].get("other_function", 0) < 0.05 * f["windows"]["valid"]]
LEVEL1 = ("retiring", "bad_speculation", "frontend_bound", "backend_bound")
check(len(stayed) >= 3, "%d functions that hardly any window leaves" % len(stayed))
check(any(f["evidence"] == "own" for f in stayed), "known by sums: %s" %
      [(f["name"], f["evidence"]) for f in stayed])
wide = set()
for f in stayed:
    for node, value in f["topdown"].items():
        if value["high"] - value["low"] >= (0.02 if node in LEVEL1 else 0.08):
            wide.add("%s: %s is between %.3f and %.3f" % (f["name"], node, value["low"], value["high"]))
check(len({what.split(":")[0] for what in wide}) <= 1, "; ".join(sorted(wide)))
END

# Nobody counts returns: what began and ended in a function may have been elsewhere.
echo "== groups of events, short functions"
measure_program parts "-m skx" 20000 300 "./awkward -r 1600"
truthful parts --limit 1000=2 --limit 100=12 --samples 400
cp "$work/parts.json" "$work/parts/report.json"
# 94 % of the pairs hold.  If a third of them are independent, less than 70 % are one run in two
# million (80: one in 1,600).
python3 "$lab_tests/matrix.py" --label parts --samples 1 --low 70 "$work/parts" ||
	fail "parts: intervals do not hold"
by_groups parts 2 1 no

# Windows would be as long as several functions, which nobody notices without returns: 200
# rounds have two dozen steps of length, of which those that are drawn long, or whose tick comes
# late for the time is the kernel's, make 0.2 to 12 % of the windows too long (twelve seeds: 3.3 %
# in the mean).  Steps twice as long make 13 %.  Ticks are in time here (1.04 of what was asked for): test_vernier_tick has that rule.
echo "== groups of events, late ticks"
measure late "-m skx -s 2" 50000 2000 "-t 2 -r 600 -x sleep -x migrate"
accurate late --brief --windows 50 --enough 10 --functions-only --points 5
holds late <<'END'
windows = report["totals"]["windows"]
check(windows["rejected"].get("late", 0) < 0.11 * report["totals"]["samples"], "late: %s" % windows)
END

echo "== groups of events, level 1 in one of them"
lab_setup="$lab_setup TDAGENT_PMU=events"
measure whole "-m icx" 100000 1000 "-r 600"
accurate whole --brief --windows 100 --enough 12 --slots 1
by_groups whole 1 1 yes

# The command outlives the program, and saves what is in its ring, here nearly all of
# 40 ms: samples, and totals of slots and metrics.
echo "== SIGKILL under tdagent run"
with_command
cp "$prog/exits" "$guest_dir/"
lab killed "-m spr" "cp libtdagent.so /lib/; export LD_LIBRARY_PATH=/in
	for way in return kill; do
		./tdagent run --windows=vernier --long=400000 --short=1000 --report=none \
			--output=/out/profile.\$way -- ./exits \$way
	done; true" >/dev/null 2>&1
ended "exit 0" killed
for way in return kill; do
	"$tdagent" report --top=0 --format=json "$work/killed/profile.$way" >"$work/killed.$way.json" ||
		fail "$way: no report"
done
python3 - "$work/killed.return.json" "$work/killed.kill.json" <<'END' || fail "killed: see above"
import json
import re
import sys

returned, killed = [json.load(open(name)) for name in sys.argv[1:]]
notes, totals = " ".join(killed["run"]["notes"]), killed["totals"]
saved = re.search(r"killed: thread \d+'s last (\d+) samples", notes)
assert saved, "no note: " + notes
assert int(saved.group(1)) > 0.7 * totals["samples"], "%s of %d samples" % (saved.group(1), totals["samples"])
assert abs(totals["samples"] - returned["totals"]["samples"]) < 0.1 * totals["samples"] + 2
off = totals["slots"] / returned["totals"]["slots"] - 1
assert abs(off) < 0.1, "%+.1f %% of the slots of the run that returned" % (100 * off)
for node, value in totals["topdown"].items():
    off = 100 * abs(value["value"] - returned["totals"]["topdown"][node]["value"])
    assert off < 1, "%s is %.1f points from the run that returned" % (node, off)
print("%d samples and %d slots, %s samples of them from the ring" % (totals["samples"], totals["slots"],
                                                                   saved.group(1)))
END

echo "== RDPMC off, an ordinary user"
lab_setup=
measure plain "-m spr -r 0 -u 1000 -p 2" 100000 1000 "-r 1000"
accurate plain --brief --enough 10 --slots 1
by_vernier plain
