#!/bin/sh
# SPDX-License-Identifier: MIT
# vernier.sh: in the guest, where an instruction is 32 cycles: windows by the kernel, which
# `auto` takes if user mode may not read the counters.
. "$(dirname "$0")/../../run/lib.sh"
here=$(cd "$(dirname "$0")/../../run" && pwd)

echo 0 >/proc/sys/kernel/perf_user_access
agent TDAGENT_LONG=3200000 TDAGENT_SHORT=64000 "$prog/burn" --truth 3000
ended "exit 0" agent
expect "$(profile burn)" "$(truth agent)" <<'END'
run, totals = report["run"], report["totals"]
check(run["windows_by"] == "vernier", "windows by " + run["windows_by"])
check("as the kernel reads them, for user access is off" in run["reason"], "the reason is '%s'" % run["reason"])
check(run["backend"] == "events", "backend is " + run["backend"])
for true in truth:
    has_share(true["name"], true["share"])
check(totals["samples"] > 500, "%d samples" % totals["samples"])
# 1 to 4 % are no good for other reasons than their length.
windows = totals["windows"]
late, good = windows["rejected"].get("late", 0), windows["valid"]
check(good + late > 0.92 * totals["samples"], "%d samples, but windows: %s" % (totals["samples"], windows))
# Lengths that go beyond twice TDAGENT_SHORT before the next tick: of twelve steps drawn at random,
# 4 % of all windows in the mean, 25 % once in a thousand runs (simulated), half of them never.
check(late < 0.5 * totals["samples"], "%d of %d are late" % (late, totals["samples"]))
check(not totals.get("lost"), "lost: %s" % totals.get("lost"))
burns = [f for f in report["functions"] if f["name"].startswith("burn_")]
check(len(burns) == 3, "%d functions" % len(burns))
for f in burns:
    rate = f["events"]["inst"]["per_cycle"]["value"]
    check(abs(32 * rate - 1) < 0.01, "%s: %g instructions a cycle" % (f["name"], rate))
END
rm "$(profile burn)"

# User mode may read them: the strobe is what auto takes.
echo 1 >/proc/sys/kernel/perf_user_access
agent TDAGENT_LONG=3200000 TDAGENT_SHORT=64000 "$prog/burn" 300
expect "$(profile burn)" <<'END'
check(report["run"]["windows_by"] == "rdpmc", "windows by " + report["run"]["windows_by"])
END
