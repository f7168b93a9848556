#!/bin/sh
# SPDX-License-Identifier: MIT
# Call paths in exports: each function's own samples and its totals are the
# report's, windows and slots add up, and callers stand in the right order.
. "$(dirname "$0")/lib.sh"

agent TDAGENT_CALLPATH=on TDAGENT_PMU=simulated TDAGENT_SHORT=20us "$prog/paths" --truth
ended "exit 0" agent
paths=$(profile paths)
agent TDAGENT_CALLPATH=on TDAGENT_PMU=simulated "$prog/demo"
demo=$(profile demo)

cd "$work" || exit 99
cat >stacks.py <<'END'
import json, re, sys
report = json.load(open(sys.argv[1]))
rows = {}
for f in report["functions"]:
    row = rows.setdefault(f["name"], {"samples": 0, "windows": 0, "totals": []})
    row["samples"] += f["samples"]
    row["windows"] += f["windows"]["valid"]
    row["totals"].append(f["total"]["samples"])
def read(path):
    stacks = []
    for line in open(path):
        stack, value = line.rsplit(" ", 1)
        stacks.append((stack.split(";"), int(value)))
    return stacks
def own(stacks, name):
    return sum(v for s, v in stacks if s[-1] == name)
samples, windows, slots = (read(path) for path in sys.argv[2:5])
threads = {t["name"] for t in report["threads"]}
assert all(s[0] in threads for s, _ in samples), samples
assert max(len(s) for s, _ in samples) >= 5, "no stacks"
for name, row in rows.items():
    assert own(samples, name) == row["samples"], (name, own(samples, name), row)
    assert own(windows, name) == row["windows"], (name, own(windows, name), row)
    total = sum(v for s, v in samples if name in s[1:])
    # functions of one name may call each other (pthread_create, ours and libc's): such a stack is in both totals
    assert max(row["totals"]) <= total <= sum(row["totals"]), (name, total, row)
whole = report["totals"]["slots"]
assert abs(sum(v for _, v in slots) - whole) <= 1e-6 * whole + len(slots), "slots"
for wanted in sys.argv[5:]:
    assert any(wanted in ";".join(s) for s, _ in samples), wanted
END
# same_as_report PROFILE STACK...
same_as_report()
{
	profile=$1
	shift
	$clean "$tdagent" report --format=json "$profile" >report.json || fail "report"
	for value in samples windows slots; do
		$clean "$tdagent" export --value=$value -o $value.folded "$profile" || fail "$value"
	done
	python3 stacks.py report.json samples.folded windows.folded slots.folded "$@" ||
		fail "$(basename "$profile"): see above"
}
same_as_report "$demo" "main;run_shift;sort_orders" ";run_shift;hash_blocks"
same_as_report "$paths" "main;parts;"
# a recursion is a stack, and counts once in the total: see above
grep -q 'recurse;recurse;recurse' samples.folded || fail "no recursion"

# One thread's; functions of one module with their callers in others.
$clean "$tdagent" export --format=folded --thread=science "$demo" >science.folded
grep -v '^science;' science.folded && fail "--thread: another thread"
grep -q ';[^;]*;run_shift;hash_blocks ' science.folded || fail "--thread: no stack"
$clean "$tdagent" export --format=folded --module=demo "$demo" >demo.folded
grep -q '__libc_start_main;[^;]*;main;run_shift' demo.folded || fail "--module: no callers"

$clean "$tdagent" export -o demo.speedscope.json "$demo"
python3 - demo.speedscope.json <<'END' || fail "speedscope: see above"
import json, sys
whole = json.load(open(sys.argv[1]))
frames = [f["name"] for f in whole["shared"]["frames"]]
stacks = [[frames[i] for i in s] for s in whole["profiles"][0]["samples"]]
# libc has not symbols of all its functions everywhere
assert any(s[0] == "science" and len(s) > 3 and s[-2:] == ["run_shift", "hash_blocks"] for s in stacks), stacks
END

if command -v go >/dev/null && go tool pprof -help >/dev/null 2>&1; then
	$clean "$tdagent" export -o demo.pb.gz "$demo"
	$clean go tool pprof -sample_index=samples -top -cum demo.pb.gz >top 2>top.err ||
		fail "pprof: $(cat top.err)"
	python3 - report.json top "$demo" "$tdagent" <<'END' || fail "pprof: see above"
import json, subprocess, sys
report = json.loads(subprocess.check_output([sys.argv[4], "report", "--format=json", sys.argv[3]]))
table = {l.split()[-1]: l.split() for l in open(sys.argv[2]) if l.count("%") >= 3 and "flat%" not in l}
for f in report["functions"]:
    if f["name"] in ("run_shift", "main", "sort_orders"):
        row = table[f["name"]]
        assert int(row[0]) == f["samples"] and int(row[3]) == f["total"]["samples"], (row, f["total"])
END
else
	echo "$test_name: not tested, missing: go tool pprof (golang-go)"
fi
exit 0
