#!/bin/sh
# SPDX-License-Identifier: MIT
# Thousands of profiles: sums are exact, and memory does not grow with their number.
. "$(dirname "$0")/lib.sh"

agent TDAGENT_CALLPATH=on TDAGENT_PMU=simulated "$prog/demo"
demo=$(profile demo)
mkdir "$work/few" "$work/many"
cat >"$work/many.py" <<'END'
import json, os, resource, subprocess, sys
tdagent, demo, work = sys.argv[1:4]
def fill(name, count):
    for i in range(count):
        os.link(demo, "%s/%s/%05d.tdp" % (work, name, i))
def run(*command):
    """What it prints, and its peak of memory in KiB."""
    child = os.path.join(work, "peak.py")
    open(child, "w").write(
        "import resource, subprocess, sys\n"
        "code = subprocess.call(sys.argv[2:])\n"
        "open(sys.argv[1], 'w').write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))\n"
        "sys.exit(code)\n")
    out = subprocess.check_output([sys.executable, child, work + "/peak", tdagent] + list(command), text=True)
    return out, int(open(work + "/peak").read())
fill("few", 300)
fill("many", 3000)
labels = [os.path.join(work, "many", "%05d.tdp" % i) for i in (1000, 2000)]
for rank, path in enumerate(labels):
    data = bytearray(open(demo, "rb").read())
    data[6304:6304 + 7] = b"rank=%d\0" % rank
    os.unlink(path)
    open(path, "wb").write(data)
one, peak_one = run("report", "--format=json", demo)
few, peak_few = run("report", "--format=json", work + "/few")
many, peak_many = run("report", "--format=json", work + "/many")
one, many = json.loads(one), json.loads(many)
print("peaks of reports: %d, %d, %d KiB of 1, 300, 3000 profiles" % (peak_one, peak_few, peak_many))
assert peak_many < 1.1 * peak_few and peak_many < 2 * peak_one
assert sum(p.get("profiles", 1) for p in many["processes"]) == 3000
assert sum(p["samples"] for p in many["processes"]) == 3000 * one["totals"]["samples"]
for key in "samples", "slots":
    assert many["totals"][key] == 3000 * one["totals"][key], key
rows = {(f["module"], f["name"]): f for f in many["functions"]}
for f in one["functions"]:
    row = rows[f["module"], f["name"]]
    assert row["samples"] == 3000 * f["samples"] and row["windows"]["valid"] == 3000 * f["windows"]["valid"], row
    assert row["total"]["samples"] == 3000 * f["total"]["samples"], row
threads = {}
for t in many["threads"]:
    threads[t["name"]] = threads.get(t["name"], 0) + t["samples"]
assert threads == {t["name"]: 3000 * t["samples"] for t in one["threads"]}, threads
assert any(n.startswith("3000 profiles are shown as 3 processes") for n in many["run"]["notes"]), many["run"]["notes"]
assert sorted(((p.get("profiles", 1), p.get("labels")) for p in many["processes"]), key=str) == \
    sorted([(1, {"rank": "0"}), (1, {"rank": "1"}), (2998, None)], key=str), many["processes"]

def folded(*command):
    stacks = {}
    out, peak = run("export", "--format=folded", *command)
    for line in out.splitlines():
        stack, value = line.rsplit(" ", 1)
        stacks[stack] = stacks.get(stack, 0) + int(value)
    return stacks, peak
one, peak_one = folded(demo)
_, peak_few = folded(work + "/few")
many, peak_many = folded(work + "/many")
print("peaks of exports: %d, %d, %d KiB" % (peak_one, peak_few, peak_many))
assert many == {stack: 3000 * value for stack, value in one.items()}
assert peak_many < 1.2 * peak_few and peak_many < 10 * peak_one
END
guest many $clean python3 "$work/many.py" "$tdagent" "$demo" "$work"
ended "exit 0" many
cat "$work/many.out"
exit 0
