#!/bin/sh
# SPDX-License-Identifier: MIT
# Retire latencies (TDAGENT_LATENCY): from a ring whose records are known, and why there
# are none.
. "$(dirname "$0")/lib.sh"

# Nothing here samples them: one line says why, and the rest is as ever.
agent TDAGENT_LATENCY=no-such-event "$prog/burn" 100
ended "exit 0" agent
grep -q "no retire latencies: no event 'no-such-event'" "$work/agent.err" ||
	fail "an event that nobody knows: $(cat "$work/agent.err")"
expect "$(profile burn)" <<'END'
check(any("no retire latencies" in note for note in report["run"]["notes"]), "no note: %s" % report["run"]["notes"])
check("retire_latency" not in report["run"], "there is an event")
check(report["totals"]["samples"] > 10, "%d samples" % report["totals"]["samples"])
END
rm -f "$work"/profiles/*

[ "$(uname -m)" = x86_64 ] || { echo "the rest is x86's"; exit 0; }

# offset FUNCTION: in burn's file, a little behind its start.
offset()
{
	nm "$prog/burn" | sed -n "s/^0*\([0-9a-f]*\) t $1\$/\1/p"
}
file=$(readlink -f "$prog/burn")
sixty=$(offset burn_sixty) ten=$(offset burn_ten)
[ -n "$sixty" ] && [ -n "$ten" ] || fail "burn has no burn_sixty and burn_ten"
guest agent env PERIODS="$work/periods" "$prog/precise" "$file" "$sixty:40:300" "$ten:9:90" -- \
	$clean $preload TDAGENT_SECCOMP=trust TDAGENT_LATENCY=loads=r81d0@5000 "$file" 300
ended "exit 0" agent
[ -s "$work/agent.err" ] && fail "something on stderr: $(cat "$work/agent.err")"
expect "$(profile burn)" <<'END'
import math
run = report["run"].get("retire_latency", {})
check(run == {"event": "loads", "records": 390, "lost": 5}, "the run says %s" % run)
for name, latency, records in ("burn_sixty", 40, 300), ("burn_ten", 9, 90):
    found = function(name).get("retire_latency", {})
    check(found.get("records") == records, "%s: %s" % (name, found))
    check(abs(found.get("mean", 0) - latency) < 1e-9, "%s: %s" % (name, found))
    half = found.get("high", 0) - latency
    # one below, one above, one at the mean
    right = 1.96 * math.sqrt(2 / 3 / (records - 1))
    check(right <= half < 1.05 * right, "%s: %s, not %g" % (name, found, right))
check("retire_latency" not in function("burn_thirty"), "burn_thirty has one")
for f in report["functions"]:
    check(f["windows"]["valid"] <= f["samples"], "records are windows: %s" % f)
END
# A period begins anew whenever one is set: at the start, and when there were records.
awk '$1 < 3750 || $1 >= 6250 { exit 1 } END { exit NR != 2 }' "$work/periods" ||
	fail "not two periods, a quarter around 5000: $(tr '\n' ' ' <"$work/periods")"
guest prom $clean "$tdagent" export --format=openmetrics "$(profile burn)"
grep -qx 'tdagent_retire_latency_cycles_count{event="loads"} 390' "$work/prom.out" &&
	grep -qx "tdagent_retire_latency_cycles_sum{event=\"loads\"} $((40 * 300 + 9 * 90))" "$work/prom.out" ||
	fail "openmetrics: $(grep latency "$work/prom.out")"
guest csv $clean "$tdagent" report --format=csv "$(profile burn)"
grep '"burn_sixty"' "$work/csv.out" | grep -q ',300,40,39.9' || fail "csv: $(cat "$work/csv.out")"
guest text $clean "$tdagent" report "$(profile burn)"
grep -q 'Retire latency 40±' "$work/text.out" || fail "text: no latency of burn_sixty"
grep -q 'Retire latency: before loads, 390 records; 5 more had no room' "$work/text.out" ||
	fail "text: $(grep -i latency "$work/text.out")"
guest page $clean "$tdagent" report --format=html --output="$work/page.html" "$(profile burn)"
ended "exit 0" page
missing chromium "what the page shows of them" || {
	guest page $clean chromium --headless --no-sandbox --disable-gpu --dump-dom "file://$work/page.html"
	grep -q 'before loads</td><td class="num">40.0 ± [0-9.]* cycles, 300 records' "$work/page.out" ||
		fail "the page: $(grep -o 'before loads.\{80\}' "$work/page.out")"
}
