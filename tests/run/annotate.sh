#!/bin/sh
# SPDX-License-Identifier: MIT
# A function by lines and instructions: what binutils say of the same addresses,
# with the windows of the log; debug information from a server only if asked for.
. "$(dirname "$0")/lib.sh"

agent TDAGENT_PMU=simulated TDAGENT_LONG=1ms "$prog/demo"
ended "exit 0" agent
demo=$(profile demo)
cd "$work" || exit 99
command -v objdump >/dev/null && command -v addr2line >/dev/null || skip "binutils are missing"

# annotate STATUS ARGUMENT...
annotate()
{
	expected=$1
	shift
	guest annotate $clean COLUMNS=80 "$tdagent" annotate "$@"
	ended "exit $expected" annotate
}

$clean "$tdagent" report --format=windows "$demo" >windows.csv
cat >check.py <<'END'
import csv, json, os, re, subprocess, sys
name, module, functions = sys.argv[1:4]
found = json.load(open("annotate.out"))
f = found["function"]
assert f["name"] == name and os.path.realpath(f["module"]) == os.path.realpath(module), f
# the log of windows
opened, valid, logged = {}, 0, 0
for row in csv.DictReader(open("windows.csv")):
    logged += 1
    start = int(row["open_address"], 0)
    if os.path.realpath(row["open_module"]) == os.path.realpath(module) and f["start"] <= start < f["end"]:
        address = start + int(row["open_offset"], 0)
        opened[address] = opened.get(address, 0) + 1
        valid += row["window"] == "valid"
assert found["logged"] == logged and f["opened"] == sum(opened.values()) > 100 and f["valid"] == valid, (f, logged, valid)
at = {i["address"]: i for i in found["instructions"]}
assert {a: i["opened"] for a, i in at.items() if i["opened"]} == opened, "instructions"
assert sum(l["opened"] for l in found["lines"]) == f["opened"], "lines"
# binutils
code = subprocess.check_output(["objdump", "-d", "--no-show-raw-insn", "-M", "intel",
    "--start-address=%d" % f["start"], "--stop-address=%d" % f["end"], module], text=True)
theirs = {int(m[1], 16): m[2] for m in re.finditer(r"^ +([0-9a-f]+):\t(\S+)", code, re.M)}
assert list(at) == list(theirs), "addresses"
same = sum(i["text"].split()[0] == theirs[a] for a, i in at.items())
assert same > 0.9 * len(at), (same, len(at))
by_clang = b"clang version" in open(module, "rb").read()
for address in opened:
    lines = subprocess.check_output(["addr2line", "-i", "-f", "-e", module, hex(address)], text=True).splitlines()
    names, places = lines[::2], [re.sub(r" \(discriminator.*", "", l) for l in lines[1::2]]
    ours = at[address]["frames"]
    if places[0].endswith("?"): # the compiler's own
        assert not ours, (ours, places)
        continue
    ours_places = ["%s:%d" % (os.path.normpath(x["file"]), x["line"]) for x in ours]
    places = [os.path.normpath(p.rsplit(":", 1)[0]) + ":" + p.rsplit(":", 1)[1] for p in places]
    if by_clang: # binutils 2.40 see none of its inlined functions
        assert ours_places[0] == places[0], (ours, places)
        continue
    assert ours_places == places, (ours, places)
    assert [x.get("function") for x in ours] == names, (ours, names)
# the values are the program's own
truth = dict(zip(("retiring", "bad_speculation", "frontend_bound", "backend_bound"), json.loads(functions)))
best = max(found["lines"], key=lambda l: l["opened"])
for node, value in truth.items():
    shown = best["topdown"][node]
    assert shown["low"] - 0.01 <= value <= shown["high"] + 0.01, (node, shown, value)
END
for function in 'follow_links [0.04,0.01,0.02,0.93]' 'sort_orders [0.34,0.41,0.13,0.12]'; do
	annotate 0 --format=json "${function% *}" "$demo"
	python3 check.py "${function% *}" "$prog/demo" "${function#* }" || fail "$function: see above"
done

# As text: the source line that is hot, its instructions, nothing wider than the page.
annotate 0 follow_links "$demo"
grep -qE '^ *[0-9.]+±[0-9.]+ +[0-9]+ +4±[0-9]+ +1±[0-9]+ +2±[0-9]+ +9[23]±[0-9]+\* +[0-9]+  (for|next|at|link)' annotate.out ||
	grep -qE '\* +[0-9]+  ' annotate.out || fail "no hot line: $(cat annotate.out)"
grep -q 'SIMULATED' annotate.out || fail "does not say SIMULATED"
grep -qE '^ +\.\.\.$' annotate.out || fail "cold instructions are shown"
annotate 0 --all follow_links "$demo"
grep -qE '^ +\.\.\.$' annotate.out && fail "--all: not all"
python3 - <<'END' || fail "see above"
for line in open("annotate.out", encoding="utf-8"):
    assert line.startswith(("module", "/", "    ;")) or len(line.rstrip("\n")) <= 80, "wider than the page: " + line
END
# two profiles are added up
annotate 0 --format=json follow_links "$demo"
cp annotate.out once
annotate 0 --format=json follow_links "$demo" "$demo"
python3 -c '
import json
one, two = json.load(open("once")), json.load(open("annotate.out"))
assert 2 * one["function"]["opened"] == two["function"]["opened"]
' || fail "two profiles"

# The lines of all functions: windows as in the log, lines as of binutils.
cat >lines.py <<'END'
import csv, os, re, subprocess, sys
module = os.path.realpath(sys.argv[1])
logged, opened, valid = 0, {}, {}
for row in csv.DictReader(open("windows.csv")):
    logged += 1
    if os.path.realpath(row["open_module"]) == module:
        address = int(row["open_address"], 0) + int(row["open_offset"], 0)
        opened[address] = opened.get(address, 0) + 1
        valid[address] = valid.get(address, 0) + (row["window"] == "valid")
answer = subprocess.check_output(["addr2line", "-e", module] + [hex(a) for a in opened], text=True)
theirs = {}
for address, place in zip(opened, answer.splitlines()):
    name, number = re.sub(r" \(discriminator.*", "", place).rsplit(":", 1)
    if number == "?":
        continue
    count = theirs.setdefault("%s:%s" % (os.path.normpath(name), number), [0, 0])
    count[0] += valid[address]
    count[1] += opened[address]
rows, order, total = {}, [], 0
for line in open("lines.out", encoding="utf-8"):
    m = re.match(r" *([0-9.]+)±[0-9.]+ +(\d+)/(\d+) .*?  (\S+:\d+ \S+|.* is known\)|\[no file\])$", line)
    if m:
        total += int(m[3])
        order.append(int(m[3]))
        assert abs(float(m[1]) - 100 * int(m[3]) / logged) < 0.051, line
        place = m[4].split()[0]
        if place.rsplit(":", 1)[0].endswith("/demo.c"):
            rows[os.path.normpath(place)] = [int(m[2]), int(m[3])]
            if m[4].endswith(" follow_links") and int(m[3]) > 50:
                value, half = re.findall(r"(\d+)±(\d+)", line)[-1]
                assert abs(int(value) - 93) <= int(half) + 1, line
ours = {p: c for p, c in theirs.items() if p.rsplit(":", 1)[0].endswith("/demo.c")}
assert len(ours) > 5 and rows == ours, (rows, ours)
assert total == logged and order == sorted(order, reverse=True), (total, logged, order)
END
guest lines $clean "$tdagent" report --by=line --top=0 "$demo"
ended "exit 0" lines
grep -q 'follow_links$' lines.out || fail "--by=line: no line of follow_links: $(cat lines.out)"
python3 lines.py "$prog/demo" || fail "--by=line: see above"
guest csv $clean "$tdagent" report --by=line --format=csv "$demo"
ended "exit 0" csv
guest json $clean "$tdagent" report --by=line --format=json "$demo"
ended "exit 0" json
python3 - lines.out csv.out json.out <<'END' || fail "--by=line with CSV and JSON: see above"
import csv, json, os, re, sys
report = json.load(open(sys.argv[3]))
lines, rows = report["lines"], list(csv.DictReader(open(sys.argv[2])))
assert report["functions"] and len(lines) == len(rows) > 5
for line, row in zip(lines, rows):
    assert row["simulated"] == "SIMULATED"
    for key in "file", "line", "function", "module", "opened", "valid", "bottleneck":
        assert row[key] == str(line.get(key, "")), (key, row, line)
    assert abs(float(row["share"]) - line["share"]) < 1e-8, (row, line)
    for node, value in line.get("topdown", {}).items():
        assert abs(float(row[node + "_low"]) - value["low"]) < 1e-8, (node, row, line)
def key(file, line):
    return "%s:%s" % (file, line)
text = {}
for l in open(sys.argv[1], encoding="utf-8"):
    m = re.match(r" *[0-9.]+±[0-9.]+ +(\d+)/(\d+) .*?  (\S+:\d+)( |$)", l)
    if m:
        text[m[3]] = (int(m[1]), int(m[2]))
assert text == {key(l["file"], l["line"]): (l["valid"], l["opened"]) for l in lines if "file" in l}, text
assert os.path.isabs(lines[0]["file"]) and "follow_links" in [l.get("function") for l in lines]
END
guest few $clean "$tdagent" report --by=line --format=csv --top=3 "$demo"
head -4 csv.out | cmp -s - few.out || fail "--by=line --format=csv --top=3: $(cat few.out)"
guest lines $clean COLUMNS=80 "$tdagent" report --by=line --top=3 --module=demo "$demo"
[ "$(grep -cE '^ *[0-9.]+±.* demo\.c:[0-9]+ ' lines.out)" -eq 3 ] || fail "--by=line --top=3: $(cat lines.out)"
guest lines $clean "$tdagent" report --by=line --module=none "$demo"
grep -qE '^ *[0-9.]+±' lines.out && fail "--by=line --module=none: lines"
guest lines $clean "$tdagent" report --by=line --thread=1 "$demo"
ended "exit 2" lines
one_line lines --by=line

# Debug information in a file of its own, which only a server has.
mkdir bin && cp "$prog/demo" bin/split && objcopy --only-keep-debug bin/split split.debug &&
	strip -g bin/split || fail "strip"
cat >server.py <<'END'
import http.server, sys
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        open("asked", "a").write(self.path + "\n")
        body = open("split.debug", "rb").read() if self.path.endswith("/debuginfo") else None
        self.send_response(200 if body else 404)
        self.send_header("Content-Length", str(len(body or b"")))
        self.end_headers()
        self.wfile.write(body or b"")
    def log_message(self, *_):
        pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
open("port.new", "w").write(str(server.server_address[1]))
import os
os.rename("port.new", "port")
server.serve_forever()
END
agent TDAGENT_PMU=simulated TDAGENT_LONG=1ms "$work/bin/split"
split=$(profile split)
annotate 0 follow_links "$split"
grep -q '^No lines: ' annotate.out || fail "lines without debug information"
python3 server.py &
server=$!
while [ ! -e port ] && kill -0 $server 2>/dev/null; do sleep 0.05; done
url=DEBUGINFOD_URLS=http://127.0.0.1:$(cat port)
guest quiet $clean "$url" "$tdagent" annotate follow_links "$split"
[ ! -e asked ] || fail "a server was asked without --debuginfod"
guest asked $clean "$url" DEBUGINFOD_CACHE_PATH="$work/cache" "$tdagent" annotate --debuginfod follow_links "$split"
if [ -e asked ]; then
	grep -q '^No lines: ' asked.out && fail "--debuginfod: no lines"
	grep -q 'demo\.c' asked.out || fail "--debuginfod: $(cat asked.out)"
else
	echo "$test_name: not tested, missing: libdebuginfod (libdebuginfod1)"
fi
kill $server
wait $server 2>/dev/null
# Units that have no table by address, as clang makes them.
objcopy -R .debug_aranges "$prog/demo" bin/split || fail "objcopy"
annotate 0 follow_links "$split"
grep -q 'demo\.c$' annotate.out || fail "no lines without .debug_aranges: $(cat annotate.out)"
# A file's name may be anything: no control characters for the terminal.
python3 -c '
before = open("bin/split", "rb").read()
after = before.replace(b"demo.c\0", b"d\033mo.c\0")
assert after != before
open("bin/split", "wb").write(after)
' || fail "no name in the debug information"
annotate 0 follow_links "$split"
grep -q 'd?mo\.c (the source is not here)$' annotate.out || fail "another name: $(cat -v annotate.out)"
grep -q '; d?mo\.c:[0-9]*$' annotate.out || fail "another name of an instruction"
grep -q "$(printf '\033')" annotate.out && fail "a control character of a file's name"

# What cannot be shown says why.
annotate 1 no_such_function "$demo"
one_line annotate no_such_function
agent TDAGENT_PMU=simulated TDAGENT_SHORT=0 "$prog/burn" 100
annotate 1 burn_sixty "$(profile burn)"
one_line annotate "no log of windows"
guest lines $clean "$tdagent" report --by=line "$(profile burn)"
ended "exit 0" lines
grep -q '^No lines: the profile has no log' lines.out || fail "--by=line without windows"
annotate 2
one_line annotate FUNCTION
annotate 2 --format=xml follow_links "$demo"
one_line annotate --format
annotate 2 --bogus follow_links
one_line annotate --bogus
annotate 1 -o none/file follow_links "$demo"
one_line annotate none/file
exit 0
