#!/bin/sh
# SPDX-License-Identifier: MIT
# JIT code has the names that its compiler wrote for perf.
. "$(dirname "$0")/lib.sh"

agent TDAGENT_LONG=200us "$prog/jit"
ended "exit 0" agent
jit=$(profile jit)
pid=${jit##*.}
map=/tmp/perf-$pid.map
cd "$work" || exit 99
[ ! -e "$map" ] || skip "$map is somebody else's"
trap 'code=$?; rm -f "$map"; (exit $code); finish' EXIT

expect "$jit" <<'END'
rows = [f for f in functions() if f["name"].startswith("[jit")]
check(rows and sum(f["samples"] for f in rows) > 20, "no JIT code: %s" % [f["name"] for f in functions()])
open("/tmp/perf-%d.map" % report["run"]["pid"], "w").writelines(
    "%x 100000 compiled %d of %d\n" % (int(f["name"].split("0x")[1].rstrip("]"), 16), i, len(rows))
    for i, f in enumerate(rows))
open("samples.txt", "w").write(repr([f["samples"] for f in rows]))
END
expect "$jit" <<'END'
rows = [f for f in functions() if f["name"].startswith("compiled ")]
before = eval(open("samples.txt").read())
check(sorted(f["samples"] for f in rows) == sorted(before), "%s, not %s" % ([f["samples"] for f in rows], before))
check(not any(f["name"].startswith("[jit") for f in functions()), "JIT code without a name")
END
guest report $clean "$tdagent" report "$jit"
grep -qF '[jit ...]' "$work/report.out" && fail "names are missing that are there"
# A module's name has brackets, and no glob matches them; --tui gives it to annotate.
guest report $clean "$tdagent" report --module='[anon]' "$jit"
grep -q 'compiled ' "$work/report.out" || fail "--module=[anon]: $(cat "$work/report.out")"
guest report $clean "$tdagent" annotate --module='[anon]' "compiled 0 of $(wc -l <"$map")" "$jit"
ended "exit 0" report
# A map that is older than the process was another one's.
touch -d 2001-01-01 "$map"
expect "$jit" <<'END'
check(any(f["name"].startswith("[jit") for f in functions()), "an old map was used")
END
guest report $clean "$tdagent" report "$jit"
grep -qF '[jit ...]: code made at run time' "$work/report.out" || fail "no word of missing names"
# Somebody else's link is not followed.
mv "$map" "$work/real" && touch "$work/real" && ln -s "$work/real" "$map"
expect "$jit" <<'END'
check(any(f["name"].startswith("[jit") for f in functions()), "a link was followed")
END

if command -v node >/dev/null; then
	rm -f "$map"
	agent node --perf-basic-prof -e 'function hot(n){let s=0;for(let i=0;i<n;i++)s+=(i*i)%7;return s}
let t=0;for(let k=0;k<20;k++)t+=hot(2e6);if(t<0)console.log(t)'
	node=$(profile node)
	expect "$node" <<'END'
named = [f for f in functions() if "hot" in f["name"] and f["name"].startswith("JS:")]
check(named, "no hot(): %s" % [f["name"] for f in functions()][:8])
END
	rm -f "/tmp/perf-${node##*.}.map"

	rm -f "$node"
	# A jitdump, in the current directory, in another one, and as a file.
	agent node --perf-prof -e 'function hot(n){let s=0;for(let i=0;i<n;i++)s+=(i*i)%7;return s}
let t=0;for(let k=0;k<20;k++)t+=hot(2e6);if(t<0)console.log(t)'
	node=$(profile node)
	dump=jit-${node##*.}.dump
	[ -e "$dump" ] || fail "node wrote no $dump"
	cat >named.py <<'END'
rows = [f for f in functions() if f["name"].startswith("JS:") and "hot" in f["name"]]
check(sum(f["samples"] for f in rows) > 20, "no hot(): %s" % [f["name"] for f in functions()][:8])
END
	expect "$node" <named.py
	mkdir other
	mv "$dump" other
	expect "$node" <<'END'
check(not any(f["name"].startswith("JS:") for f in functions()), "names without a jitdump")
END
	for path in other "other/$dump"; do
		"$tdagent" report --top=0 --jitdump="$path" "$node" >text
		grep -q 'JS:.*hot' text || fail "--jitdump=$path: $(cat text)"
		"$tdagent" export --format=folded --jitdump="$path" "$node" >text
		grep -q 'JS:.*hot' text || fail "export --jitdump=$path: $(cat text)"
	done
	"$tdagent" export --format=folded --jitdump=other "$node" |
		sed -n 's/.*\(JS:[^;]*hot.*\) [0-9]*$/\1/p' | head -n 1 >name
	"$tdagent" report --jitdump=other --format=json "$node" >with.json
	"$tdagent" annotate --jitdump=other --format=json "$(cat name)" "$node" >one.json ||
		fail "annotate: $(cat name)"
	"$tdagent" annotate --jitdump="other/$dump" "$(cat name)" "$node" >text
	grep -q '^Compiled while the program ran' text || fail "annotate: $(cat text)"
	"$tdagent" annotate "$(cat name)" "$node" >text 2>&1 && fail "annotate: a name without a dump"
	python3 - "$(cat name)" <<'END' || fail "annotate --jitdump: see above"
import json, sys
report, one = json.load(open("with.json")), json.load(open("one.json"))
f = [f for f in report["functions"] if f["name"] == sys.argv[1]][0]
opened = one["function"]["opened"]
# a sample on the edge of two functions' chunks is the larger one's in the report
# and one whose window was never opened, for the signal was blocked, is in the report alone
valid, samples = f["windows"]["valid"], f["samples"]
assert 0.9 * valid - 3 <= opened <= 1.1 * samples + 3, (valid, opened, samples)
assert sum(i["opened"] for i in one["instructions"]) == opened and len(one["instructions"]) > 1
END
	cp "$node" other.profile
	"$tdagent" diff --jitdump=other --format=json "$node" other.profile >diff.json
	grep -q '"JS:.*hot' diff.json || fail "diff --jitdump: $(head -c 2000 diff.json)"
	"$tdagent" push --jitdump=other --dry-run http://localhost:1 "$node" >body
	python3 -c 'import base64, gzip, json, sys
body = json.load(open("body"))
pprof = base64.b64decode(body["series"][0]["samples"][0]["rawProfile"])
sys.stdout.buffer.write(gzip.decompress(pprof))' | grep -aq 'JS:.*hot' || fail "push --jitdump"
else
	echo "$test_name: not tested, missing: node (nodejs)"
fi
exit 0
