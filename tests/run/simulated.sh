#!/bin/sh
# SPDX-License-Identifier: MIT
# The demonstration: what the simulated PMU's program declares for a function
# is what the report says of it, and everything says SIMULATED.
. "$(dirname "$0")/lib.sh"

agent TDAGENT_PMU=simulated "$prog/demo" --truth
ended "exit 0" agent
expect "$(profile demo)" "$(truth agent)" <<'END'
mixes_are(points=2.0)
for true in truth:
    has_share(true["name"], true["share"], points=2.0)
check(report["run"]["backend"] == "simulated", "backend " + report["run"]["backend"])
check(report["simulated"] is True, "JSON does not say simulated")
check(report["totals"]["slots"] > 0, "no slots")
END

for format in text csv; do
	guest report $clean "$tdagent" report --format=$format "$(profile demo)"
	ended "exit 0" report
	grep -qi simulated "$work/report.out" || fail "$format does not say SIMULATED"
done

# Nothing to simulate: a clear line, and the program runs.
rm -f "$work"/profiles/*
plain "$prog/burn" 100
agent TDAGENT_PMU=simulated "$prog/burn" 100
cmp -s "$work/plain.out" "$work/agent.out" || fail "output differs without a simulation"
ended "exit 0" agent

# The demonstration itself is the same with and without.
compare "$prog/demo" 2
