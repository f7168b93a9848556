#!/bin/sh
# SPDX-License-Identifier: MIT
# In a container that forbids perf_event_open the POSIX timer takes over, and
# the report says why; where that is forbidden too, the program still runs.
. "$(dirname "$0")/lib.sh"

guest agent "$prog/deny" perf_event_open $clean $preload "$prog/burn" --truth 1500
ended "exit 0" agent
expect "$(profile burn)" "$(truth agent)" <<'END'
check(report["run"]["backend"] == "clock", "backend " + report["run"]["backend"])
check("timer" in report["run"]["trigger"].lower(), "trigger " + report["run"]["trigger"])
why = json.dumps(report["run"])
check("perf_event_open" in why, "the header does not say why: " + why)
for true in truth:
    has_share(true["name"], true["share"], points=2.0)
END
rm -f "$work"/profiles/*

plain "$prog/burn" 100
guest agent "$prog/deny" perf_event_open,timer_create $clean $preload "$prog/burn" 100
cmp -s "$work/plain.out" "$work/agent.out" || fail "output differs where all is denied"
ended "exit 0" agent
one_line agent tdagent
