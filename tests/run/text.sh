#!/bin/sh
# SPDX-License-Identifier: MIT
# The text report as people see it: the first screen, its other views, the pager
# and colours on a terminal, and the profile of a program that is still running.
. "$(dirname "$0")/lib.sh"

agent TDAGENT_PMU=simulated TDAGENT_CALLPATH=on TDAGENT_LONG=2ms "$prog/demo"
demo=$(profile demo)

# report STATUS ARGUMENT...: at 80 columns; $work/report.{out,err}
report()
{
	expected=$1
	shift
	guest report $clean COLUMNS=80 "$tdagent" report "$@"
	ended "exit $expected" "report"
}

shows() { grep -qE -e "$1" "$work/report.out" || fail "$2: no $1"; }
hides() { grep -qE -e "$1" "$work/report.out" && fail "$2: $1"; }

# The first screen says whom to trust and what limits the hot functions.
report 0 "$demo"
head -n 24 "$work/report.out" >"$work/screen"
for line in '^trust +MADE UP' '^top-down .*Retiring' ' 9[0-9]±[0-9]+\* Memory +follow_links' \
	' FetchLat +run_bytecode' ' Mispred +sort_orders' ' Core +divide_chain'; do
	grep -qE -e "$line" "$work/screen" || fail "first screen: no $line"
done
shows '^Memory +memory bound: .*' hints
shows '^How it was measured' facts
hides 'FetchBW 1' "level 1"
report 0 --level=2 "$demo"
shows 'FetchBW 1' --level=2
python3 - "$work/report.out" <<'END' || fail "see above"
import sys
for line in open(sys.argv[1], encoding="utf-8"):
    assert len(line.rstrip("\n")) <= 80, "wider than the page: " + line
END

# Which function has the most samples is the machine's affair; which is bound by memory is declared.
report 0 --tree --top=1 --sort=memory_bound "$demo"
shows '^The whole run, SIMULATED % of slots' --tree
shows '^follow_links: ' --tree
shows '^    memory bound +90\.[0-9]±[0-9.]+< +over 20  #{18}' --tree
shows '^  backend bound +9[0-9.]+±[0-9.]+\* +over 20' --tree

report 0 --callers --top=0 "$demo"
shows '^run_shift: [0-9]+ samples with all that it calls' --callers
python3 - "$work/report.out" <<'END' || fail "--callers: see above"
import sys
text = open(sys.argv[1], encoding="utf-8").read().split("\nCallers")[1]
callers = {}
for line in text.split("\nHow it")[0].split("\n")[1:]:
    if line.startswith(" ") and "%" in line:
        callers[name].append((float(line.split()[0]), line.split()[2]))
    elif " samples with" in line:
        name = line.split(":")[0]
        callers[name] = []
assert [c[1] for c in callers["sort_orders"]] == ["run_shift"], callers
# the other one is start_thread, if libc has symbols here
assert len(callers["run_shift"]) == 2 and "main" in [c[1] for c in callers["run_shift"]], callers
for name, rows in callers.items():
    assert 99 < sum(r[0] for r in rows) < 101, (name, rows)
    shares = [r[0] for r in rows]
    assert shares == sorted(shares, reverse=True), (name, rows)
END
agent TDAGENT_PMU=simulated TDAGENT_LONG=5ms "$prog/burn" 100
report 0 --callers "$(profile burn)"
shows 'None: the profile has no call paths' "--callers without"

# By thread: the complete totals.  By module: the functions' values, weighted.
report 0 --by=thread "$demo"
cp "$work/report.out" "$work/by-thread"
report 0 --threads "$demo"
cmp -s "$work/report.out" "$work/by-thread" || fail "--threads is not --by=thread"
report 0 --by=module "$demo"
cp "$work/report.out" "$work/by-module"
guest json $clean "$tdagent" report --format=json "$demo"
python3 - "$work/json.out" "$work/by-thread" "$work/by-module" <<'END' || fail "--by: see above"
import json, sys
report = json.load(open(sys.argv[1]))
names = "retiring", "bad_speculation", "frontend_bound", "backend_bound"
rows = [l.split() for l in open(sys.argv[2], encoding="utf-8")]
assert len(report["threads"]) == 2
for t in report["threads"]:
    (row,) = [r for r in rows if r[-1:] == [str(t["tid"])]]
    assert row[-2] == t["name"] and int(row[1]) == t["samples"], (row, t)
    for cell, name in zip(row[4:], names):
        assert abs(float(cell.rstrip("*<")) - 100 * t["topdown"][name]["value"]) < 0.06, (row, name)
lines = [l.split() for l in open(sys.argv[3], encoding="utf-8")]
(row,) = [l for l in lines if l[-1:] == ["demo"]]
own = [f for f in report["functions"] if f["module"].endswith("/demo")]
known = [f for f in own if "topdown" in f and f["topdown"]]
samples = sum(f["samples"] for f in known)
assert int(row[1]) == sum(f["samples"] for f in own), row
for cell, name in zip(row[4:], names):
    mean = sum(f["samples"] * f["topdown"][name]["value"] for f in known) / samples
    value, half = cell.rstrip("*<?").split("±")
    assert abs(float(value) - 100 * mean) < 0.51, (name, cell, mean)
    assert 0 < float(half) < 10, (name, cell)
(module,) = [m for m in report["modules"] if m["module"] == own[0]["module"]]
assert module["samples"] == int(row[1]), module
assert abs(module["known"] - samples / int(row[1])) < 1e-8, module
assert module["build_id"] == own[0]["build_id"]
assert sum(m["samples"] for m in report["modules"]) == report["totals"]["samples"]
for cell, name in zip(row[4:], names):
    value, half = cell.rstrip("*<?").split("±")
    n = module["topdown"][name]
    assert abs(float(value) - 100 * n["value"]) < 0.51, (name, cell, n)
    assert abs(float(half) - 50 * (n["high"] - n["low"])) < 0.51, (name, cell, n)
END
for by in thread module; do
	guest "$by" $clean "$tdagent" report --format=csv --by=$by "$demo"
	ended "exit 0" "$by"
done
python3 - "$work/json.out" "$work/thread.out" "$work/module.out" <<'END' || fail "--by with CSV: see above"
import csv, json, sys
report = json.load(open(sys.argv[1]))
def same_nodes(row, wanted, count):
    nodes = [key[:-6] for key in row if key.endswith("_value")]
    assert len(nodes) == count, nodes
    for node in nodes:
        for part in "value", "low", "high":
            cell, number = row[node + "_" + part], wanted.get("topdown", {}).get(node, {}).get(part)
            assert cell == "" if number is None else abs(float(cell) - number) < 1e-8, (node, part, cell, number)
    assert row["bottleneck"] == wanted.get("bottleneck", ""), row
    assert row["simulated"] == "SIMULATED"
rows = list(csv.DictReader(open(sys.argv[2])))
assert len(rows) == len(report["threads"]) == 2
for row, t in zip(rows, report["threads"]):
    assert (row["thread"], row["pid"], row["tid"], row["threads"]) == (t["name"], str(t["pid"]), str(t["tid"]), "1"), row
    assert int(row["samples"]) == t["samples"] and int(row["windows_valid"]) == t["windows"]["valid"], row
    assert abs(float(row["cpu_time_s"]) - t["cpu_time_s"]) < 1e-8, row
    same_nodes(row, t, 12)
rows = list(csv.DictReader(open(sys.argv[3])))
assert len(rows) == len(report["modules"])
for row, m in zip(rows, report["modules"]):
    assert (row["module"], int(row["samples"])) == (m["module"], m["samples"]), row
    assert abs(float(row["share"]) - m["share"]) < 1e-8 and abs(float(row["known"]) - m["known"]) < 1e-8, row
    same_nodes(row, m, 4)
END

# On a terminal: the pager, unless nobody wants one; colours, unless they are not
# wanted.  Into a file: neither.
cat >"$work/terminal.py" <<'END'
import os, pty, sys
pid, fd = pty.fork()
if pid == 0:
    os.execvp(sys.argv[2], sys.argv[2:])
output = b""
while True:
    try:
        data = os.read(fd, 4096)
    except OSError: # the last writer is gone
        break
    if not data:
        break
    output += data
open(sys.argv[1], "wb").write(output)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
END
# terminal [VARIABLE=value...] [ARGUMENT...]
terminal()
{
	python3 "$work/terminal.py" "$work/terminal" $clean TERM=xterm "$@" </dev/null ||
		fail "on a terminal: $*"
}
in_terminal() { grep -qa -e "$1" "$work/terminal"; }
cat >"$work/pager" <<'END'
#!/bin/sh
sed 's/^/paged: /'
END
chmod +x "$work/pager"
escape=$(printf '\033')
terminal TDAGENT_PAGER="$work/pager" PAGER=false "$tdagent" report "$demo"
in_terminal '^paged: trust' || fail "TDAGENT_PAGER is not used"
in_terminal "$escape\[" || fail "no colours through the pager"
terminal PAGER="$work/pager" NO_COLOR=1 "$tdagent" report "$demo"
in_terminal '^paged: trust' || fail "PAGER is not used"
in_terminal "$escape\[" && fail "colours in spite of NO_COLOR"
terminal PAGER="$work/pager" NO_COLOR=1 "$tdagent" report --color=always "$demo"
in_terminal "$escape\[" || fail "no colours in spite of --color=always"
terminal PAGER="$work/pager" "$tdagent" report --no-pager --color=never "$demo"
in_terminal 'paged' && fail "a pager in spite of --no-pager"
in_terminal "$escape\[" && fail "colours in spite of --color=never"
terminal PAGER="$work/missing" "$tdagent" report "$demo"
in_terminal '^trust' || fail "nothing where the pager is missing"
terminal PAGER='head -n 1' "$tdagent" report --format=text --top=0 --level=2 --tree "$demo"
terminal PAGER="$work/pager" "$tdagent" run --pmu=simulated -- "$prog/burn" 50
in_terminal 'paged' && fail "a pager behind a program that was run"
in_terminal '^trust' || fail "run: no report on the terminal"
guest file $clean PAGER="$work/pager" "$tdagent" report "$demo"
grep -q -e paged -e "$escape" "$work/file.out" && fail "pager or colours in a file"

# What a running program has done up to now, by its own id and by that of `run`.
cat >"$work/live.py" <<'END'
import json, os, subprocess, sys, time
tdagent, burn = sys.argv[1:3]
run = subprocess.Popen([tdagent, "run", "--report=none", "--long=1ms", "--output=" + sys.argv[3],
                        "--", burn, "1000000"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
def child():
    return int(open("/proc/%d/task/%d/children" % (run.pid, run.pid)).read().split()[0])
def live(pid):
    done = subprocess.run([tdagent, "report", "--format=json", "--live=%d" % pid],
                          capture_output=True, text=True)
    return json.loads(done.stdout) if done.returncode == 0 else None
first = None
while not first and run.poll() is None:
    first = live(run.pid)
pid = child()
second = live(pid)
while second["totals"]["samples"] <= first["totals"]["samples"]:
    second = live(pid)
assert second["run"]["state"] == "running" and second["run"]["pid"] == pid, second["run"]
os.kill(pid, 9)
run.wait()
END
guest live $clean python3 "$work/live.py" "$tdagent" "$prog/burn" "$work/live.tdp"
ended "exit 0" live
report 1 --live=$$
grep -q "process $$ has no profile" "$work/report.err" || fail "--live: not said why"

# wrong OPTION: one line that names it, and no report.
wrong()
{
	report 2 "$@" "$demo"
	[ "$(wc -l <"$work/report.err")" -eq 1 ] || fail "$1: not one line"
	grep -qF -e "${1%%=*}" "$work/report.err" || fail "$1: the line does not name it"
	[ ! -s "$work/report.out" ] || fail "$1: a report in spite of the error"
}
wrong --level=3
wrong --by=address
wrong --by
wrong --color=red
wrong --live=x
wrong --live=0
wrong --live=1
wrong --tree=1

# Several processes have no duration in common, and what has no such column no such order.
report 0 "$demo" "$demo"
shows '^run +first pid [0-9]+, [0-9-]+ [0-9:]+, [0-9]+ threads, ' "two profiles"
rm -f "$work"/profiles/burn.*
agent "$prog/burn" 100
report 0 --sort=backend_bound "$(profile burn)"
one_line report "there is no top-down here: by samples"
report 0 --sort=total "$(profile burn)"
one_line report "there are no call paths here: by samples"
report 0 "$(profile burn)"
shows '^ {11}[0-9]+ samples? only: a share of one half is' "few samples"
"$tdagent" repor 2>&1 | grep -q 'did you mean report?' || fail "repor is no command, and nothing is said"
