#!/bin/sh
# SPDX-License-Identifier: MIT
# The demonstration: what the simulated PMU's program declares for a function
# is what the report says of it, and everything says SIMULATED.
. "$(dirname "$0")/lib.sh"

agent TDAGENT_PMU=simulated "$prog/demo" --truth
ended "exit 0" agent
expect "$(profile demo)" "$(truth agent)" <<'END'
mixes_are(points=2.0)
shares_are(points=2.0)
check(report["run"]["backend"] == "simulated", "backend " + report["run"]["backend"])
check(report["simulated"] is True, "JSON does not say simulated")
check(report["totals"]["slots"] > 0, "no slots")
totals_agree()
for of in report["processes"] + report["threads"]:
    buckets = of["timeline"]["buckets"]
    check(sum(b["samples"] for b in buckets) == of["samples"], "timeline lacks samples")
    check(sum(b.get("slots", 0) for b in buckets) <= of["slots"], "timeline has more slots than there are")
    check(of["topdown"]["retiring"]["value"] > 0, "no totals")
END

# Bursts: three windows of a sample count, samples and totals are what they were.
rm -f "$work"/profiles/*
agent TDAGENT_PMU=simulated TDAGENT_BURST=4 TDAGENT_CALLPATH=on "$prog/demo" --truth
ended "exit 0" agent
expect "$(profile demo)" "$(truth agent)" <<'END'
mixes_are(points=2.0)
shares_are(points=2.0)
samples, windows = report["totals"]["samples"], report["totals"]["windows"]
check(report["run"]["burst"] == 4, "burst %s" % report["run"]["burst"])
closed = windows["valid"] + sum(windows["rejected"].values())
# on a busy machine a burst often ends early; an idle one has 2.9 of three
check(1.2 * samples < closed <= 3 * samples, "%d windows of %d samples" % (closed, samples))
check(function("run_shift")["total"]["samples"] <= samples, "paths count samples again")
totals_agree()
END

for format in text csv; do
	guest report $clean "$tdagent" report --format=$format "$(profile demo)"
	ended "exit 0" report
	grep -qi simulated "$work/report.out" || fail "$format does not say SIMULATED"
done

guest report $clean "$tdagent" report --timeline "$(profile demo)"
ended "exit 0" report
grep -q "^Timeline of pid .* SIMULATED" "$work/report.out" || fail "no timeline"
grep -q "$(printf '\033')" "$work/report.out" && fail "colour in a file"

# Nothing to simulate: a clear line, and the program runs.
rm -f "$work"/profiles/*
plain "$prog/burn" 100
agent TDAGENT_PMU=simulated "$prog/burn" 100
cmp -s "$work/plain.out" "$work/agent.out" || fail "output differs without a simulation"
ended "exit 0" agent

# The demonstration itself is the same with and without.
compare "$prog/demo" 2
