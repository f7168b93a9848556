#!/bin/sh
# SPDX-License-Identifier: MIT
# The window log is made of the same windows as the sums: one by one they add up
# to what the report has of each function.
. "$(dirname "$0")/lib.sh"

cat >"$work/compare.py" <<'END'
import csv, json, sys
from collections import defaultdict

report = json.load(open(sys.argv[1]))
rows = list(csv.DictReader(open(sys.argv[2], newline="")))
wrong = []


def check(condition, message):
    if not condition:
        wrong.append(message)


def key(row, end):
    return row[end + "_function"], row[end + "_module"]


names = [n for n in rows[0] if n in report["totals"]["counters"]] if rows else []
logged = [n for n in names if any(r[n] for r in rows)]
check(len(rows) >= 20, "only %d windows in the log" % len(rows))
check("cpu_time" in logged, "no cpu_time in the log: %s" % logged)
valid = [r for r in rows if r["window"] == "valid"]
windows, sums = defaultdict(int), defaultdict(int)
for r in valid:
    check(key(r, "open") == key(r, "close"), "valid, but closed elsewhere: %s" % r)
    windows[key(r, "open")] += 1
    for n in logged:
        sums[key(r, "open"), n] += int(r[n])
for r in rows:
    check(r["window"] in ("valid", "other_function", "nested"), "logged: %s" % r["window"])
    check(int(r["requested"]) > 0, "nothing requested: %s" % r)
# where a hypervisor took the processor away, CPU time stands still for a while
short = [r for r in rows if int(r["cpu_time"]) < int(r["requested"])]
check(len(short) < 0.5 * len(rows), "%d of %d windows shorter than requested" % (len(short), len(rows)))
rejected = report["totals"]["windows"]["rejected"]
check(len(valid) == report["totals"]["windows"]["valid"], "%d valid windows in the log" % len(valid))
for cause in ("other_function", "nested"):
    n = sum(r["window"] == cause for r in rows)
    check(n == rejected.get(cause, 0), "%s: %d in the log" % (cause, n))

named = 0
for f in report["functions"]:
    k = f["name"], f["module"]
    if k not in windows:
        continue  # a name made of an address, which the log does not have
    named += windows[k]
    check(windows[k] == f["windows"]["valid"], "%s: %d windows in the log" % (f["name"], windows[k]))
    for n in logged:
        check(sums[k, n] == f["counters"][n]["sum"], "%s: %s is %d in the log" % (f["name"], n, sums[k, n]))
check(named >= 0.9 * len(valid), "%d windows of %d have a function" % (named, len(valid)))
for line in wrong[:20]:
    print("FAIL:", line)
sys.exit(1 if wrong else 0)
END

# fits PROFILE: its log against its report.
fits()
{
	guest report $clean "$tdagent" report --format=json "$1"
	ended "exit 0" report
	guest log $clean "$tdagent" report --format=windows "$1"
	ended "exit 0" log
	python3 "$work/compare.py" "$work/report.out" "$work/log.out" ||
		fail "$(basename "$1"): see above"
}

agent "$prog/burn" --truth 300
ended "exit 0" agent
fits "$(profile burn)"

agent TDAGENT_PMU=simulated "$prog/demo" 1
ended "exit 0" agent
fits "$(profile demo)"
[ "$(grep -vc '^SIMULATED,' "$work/log.out")" -eq 1 ] || fail "lines of the log do not say SIMULATED"

# Threads share one log.
agent "$prog/threads2"
ended "exit 0" agent
fits "$(profile threads2)"
[ "$(cut -d, -f3 "$work/log.out" | sort -u | wc -l)" -ge 3 ] || fail "windows of one thread only"

rm -f "$work"/profiles/*
# A killed program leaves what it had; a window may be in one and not the other.
$clean $preload "$prog/burn" 100000 >"$work/killed.out" 2>&1 &
pid=$!
for try in $(seq 600); do
	sleep 0.1
	guest log $clean "$tdagent" report --format=windows "$work/profiles"
	[ "$(grep -c "^,$pid,.*,valid," "$work/log.out")" -ge 50 ] && break
done
kill -KILL $pid
wait $pid 2>/dev/null
guest log $clean "$tdagent" report --format=windows "$work/profiles/burn.$pid"
ended "exit 0" log
[ "$(grep -c "^,$pid,$pid,valid," "$work/log.out")" -ge 50 ] || fail "the log is lost after SIGKILL"

# Each process has its own.
rm -f "$work"/profiles/*
agent "$prog/forker"
[ "$(profiles forker | wc -l)" -eq 3 ] || fail "$(profiles forker | wc -l) profiles, not 3"
for file in $(profiles forker); do
	fits "$file"
	[ "$(tail -n +2 "$work/log.out" | cut -d, -f2 | sort -u)" = "${file##*.}" ] ||
		fail "$(basename "$file"): windows of another process"
done
