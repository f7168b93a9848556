#!/bin/sh
# SPDX-License-Identifier: MIT
# Bursts, several windows after each sample: as right as single ones, and all of them in
# the profile.  --long [BURST-PERIOD...]: what they are worth where each return to user
# mode costs something; a table, nothing is asserted.
. "$(dirname "$0")/lib.sh"

edges="-e 50~50,0,500,5500,4000,0,300,4500,3000"

# bursts LABEL OPTIONS BURST PERIOD COMMAND: BURST 0: without the agent.
bursts()
{
	environment="$(with_agent "$4" 300) TDAGENT_BURST=$3"
	[ "$3" -gt 0 ] || environment=
	lab "$1" "$2" "cut -d' ' -f1 /proc/uptime >/out/begin
		$environment LD_LIBRARY_PATH=/in $5 >/out/truth
		cut -d' ' -f1 /proc/uptime >/out/end"
	ended "exit 0" "$1"
	[ ! -s "$work/$1.out" ] || { fail "$1: somebody said something:"; head "$work/$1.out"; }
	[ "$3" -eq 0 ] || report_on "$1"
}

# row LABEL: a line of the table.
row()
{
	PYTHONPATH=$lab_tests python3 - "$work/$1.json" "$work/$1" "$work/base" "$1" <<'END'
import json, sys
from truth import LEVEL1, functions, read_truth
def seconds(directory):
    return float(open(directory + "/end").read()) - float(open(directory + "/begin").read())
report, truth = json.load(open(sys.argv[1])), read_truth(sys.argv[2] + "/truth")
told, windows = report["run"]["separation"], report["totals"]["windows"]
cost = told["cost_cycles"]
cells = ["%-10s %6d %7d" % (sys.argv[4], report["totals"]["samples"], told["windows"]),
         "%6.2f" % (1e6 * (seconds(sys.argv[2]) - seconds(sys.argv[3])) / told["windows"]),
         "%6.1f +-%4.1f" % (cost["value"], (cost["high"] - cost["low"]) / 2),
         "%6.1f %5.1f" % (told["start_cycles"], told["start_spread_cycles"])]
for least, most in (1000, 1e9), (100, 1000), (25, 100):
    worst, errors, halves = 0, [], []
    for f in functions(report, truth):
        if not least <= f.visit < most or f.samples < 100 or f.evidence in ("callers", "none"):
            continue
        worst = max(worst, f.worst(1)[0])
        for node, value, low, high, true in f.pairs():
            if node in LEVEL1:
                errors.append(100 * abs(value - true))
                halves.append(50 * (high - low))
    n = max(len(errors), 1)
    cells.append("%5.2f %5.2f %5.2f" % (worst, sum(errors) / n, sum(halves) / n))
print("  ".join(cells))
END
}

if [ "${1:-}" = --long ]; then
	shift
	[ $# -gt 0 ] || set -- 1-20000 2-20000 4-60000 8-140000
	bursts base "$edges" 0 0 "./awkward -r ${ROUNDS:-3200}"
	echo "run       samples windows  us each   cost, cycles      start        1000 cycles or more  100 to 1000          25 to 100"
	for setting; do
		bursts "$setting" "$edges" "${setting%-*}" "${setting#*-}" "./awkward -r ${ROUNDS:-3200}"
		row "$setting"
	done
	exit
fi

bursts awkward "" 4 60000 "./awkward -r 1600"
truthful awkward --limit 100=1.5 --limit 41=2.5
holds awkward <<'END'
run, windows = report["run"], report["totals"]["windows"]
check(run["burst"] == 4, "burst %s" % run["burst"])
closed = windows["valid"] + sum(windows["rejected"].values())
check(abs(closed / report["totals"]["samples"] - 3) < 0.1,
      "%d windows of %d samples" % (closed, report["totals"]["samples"]))
check(run["check"]["holds"], "the functions do not add up to the totals: %s" % run["check"])
END
