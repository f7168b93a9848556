#!/bin/sh
# SPDX-License-Identifier: MIT
# Periods: what was asked for, and what the report says was used.
. "$(dirname "$0")/lib.sh"

# 0 is no window, and no period in cycles either.
plain "$prog/burn" 100
agent TDAGENT_SHORT=0 "$prog/burn" 100
same "no windows"
expect "$(profile burn)" <<'END'
windows = report["totals"]["windows"]
check(report["totals"]["samples"] > 0, "no samples")
check(windows["valid"] == 0 and not windows["rejected"], "windows: %s" % windows)
check(report["run"]["short_period"] == 0, "short period %d" % report["run"]["short_period"])
check(report["run"]["notes"] == [], "notes: %s" % report["run"]["notes"])
END
rm -f "$work"/profiles/*

agent TDAGENT_LONG=1000000 "$prog/burn" 100
one_line agent "cycles were turned into time"
expect "$(profile burn)" <<'END'
period = report["run"]["long_period"]
check(report["run"]["period_unit"] == "ns", "unit " + report["run"]["period_unit"])
check(100000 <= period <= 10000000, "1000000 cycles are %d ns" % period)
END
