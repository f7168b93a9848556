#!/bin/sh
# SPDX-License-Identifier: MIT
# Functions of some 30 instructions have no windows that are theirs alone; the
# totals of their callers are right, through all their call paths.
. "$(dirname "$0")/lib.sh"
cp "$builddir/tests/lab/callers" "$guest_dir/" || exit 99

# below LABEL DEPTH [OPTIONS OF THE LAB] [VARIABLE=value]: all below so many calls, a third
# of it below 40 more, which is no reason for more samples.  With several groups of
# events level 1 of totals is of all their windows.
below()
{
	lab "$1" "${3-}" "TDAGENT_CALLPATH=on ${4-} $(with_agent 30000 2000) ./callers -r 600 -d $2 -e 40 >/out/truth"
	ended "exit 0" "$1"
	report_on "$1"
	LABEL=$1 holds "$1" <<'END'
import os, re
LABEL = os.environ["LABEL"]
POINTS, POINTS2 = 1.0, 2.0
LEVEL1 = ("retiring", "bad_speculation", "frontend_bound", "backend_bound")
# of skx's events the lab makes no such heavy operations (README.md); `auto` has no level 2
LEFT_OUT = {"groups": ("heavy_operations",),
            "drilled": ("heavy_operations", "branch_mispredicts", "fetch_latency", "memory_bound")}
rows = {row["address"]: row for row in report["functions"] if row["module"].endswith("/callers")}
for true in truth:
    if true["what"] != "total":
        continue
    total = rows[true["address"]]["total"]
    check(total["windows"] >= 500, "%s: %d windows" % (true["name"], total["windows"]))
    for node, value in true["topdown"].items():
        if node in LEFT_OUT.get(LABEL, ()):
            check(LABEL != "drilled" or node == "heavy_operations" or node not in total["topdown"],
                  "%s of %s, from windows that are no sample" % (node, true["name"]))
            continue
        off = 100 * (total["topdown"][node]["value"] - value)
        limit = POINTS if node in LEVEL1 or not LABEL in LEFT_OUT else POINTS2
        print("%-8s %6d windows, %-18s %+5.2f points" % (true["name"], total["windows"], node, off))
        check(abs(off) <= limit, "total of %s: %+.2f points in %s" % (true["name"], off, node))
    check(total["windows"] <= total["opened"] <= 1.1 * total["windows"], "%s: %d windows of %d"
          % (true["name"], total["windows"], total["opened"]))
    share = true["slots"] / sum(t["slots"] for t in truth if t["what"] == "total")
    share_is(share, total["share"], "total of " + true["name"], points=0.5)
# no walk is in a period
periods = sum(t["slots"] for t in truth if t["what"] == "total") / (4 if LABEL in LEFT_OUT else 6) / 30000
check(3000 < report["totals"]["samples"] < periods, "%d samples in %.0f periods"
      % (report["totals"]["samples"], periods))
# at most what ends in code without tables
cut = [re.search(r"callers of (\d+) of", note) for note in report["run"]["notes"]]
cut = sum(int(found.group(1)) for found in cut if found)
check(cut <= 0.005 * report["totals"]["samples"], "%d paths are cut" % cut)
END
}

below shallow 0
below deep 60
below groups 0 "-m skx" TDAGENT_LEVEL=2
below drilled 0 "-m skx" TDAGENT_LEVEL=auto
