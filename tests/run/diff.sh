#!/bin/sh
# SPDX-License-Identifier: MIT
# The diff command: what it finds between versions of a program, its exit
# status, its options, and what it refuses.
. "$(dirname "$0")/lib.sh"

mkdir "$work/a" "$work/b"

# version NAME [TDAGENT_X=Y] ARGUMENT...: one run of that version; its profile is
# $work/NAME.
version()
{
	name=$1
	shift
	rm -f "$work"/profiles/*
	case ${1-} in
	*=*) setting=$1 && shift ;;
	*) setting=TDAGENT_CALLPATH=off ;;
	esac
	agent TDAGENT_PMU=simulated TDAGENT_LONG=200us "$setting" "$prog/versions" "$@" 300
	ended "exit 0" agent
	mv "$(profile versions)" "$work/$name" || exit 1
}

# diff STATUS ARGUMENT...: runs it; $work/diff.{out,err}
diff()
{
	expected=$1
	shift
	guest diff $clean "$tdagent" diff "$@"
	ended "exit $expected" diff
}

# holds WHAT: runs the Python statements on stdin on diff's JSON.
holds()
{
	cat >"$work/statements"
	python3 - "$work/diff.out" "$work/statements" <<'END' || fail "$1: see above"
import json, sys
found = json.load(open(sys.argv[1]))
rows = {row["name"]: row for row in found["functions"]}
nodes = [key for key in rows["parse"] if key not in
         ("name", "module", "verdict", "samples", "windows", "share", "cost", "total")]
def verdicts(row):
    """What is said of its fractions, but "no evidence"."""
    return {n: row[n]["verdict"] for n in nodes if row[n]["verdict"] != "no evidence"}
exec(compile(open(sys.argv[2]).read(), "statements", "exec"))
END
}

# wrong ARGUMENT...: refused with one line that has the last argument's option.
wrong()
{
	diff 2 "$@"
	for last; do :; done
	one_line diff "${last%%=*}"
	[ -s "$work/diff.out" ] && fail "$*: a comparison in spite of the error"
}

shows() { grep -qe "$1" "$work/diff.out" || fail "$2: no $1"; }

version first
version second
version slow -p 3
version render -s 250
version without -s 0

# A profile and itself: nothing differs, whatever the noise.
diff 0 --noise=0 --threshold=0 "$work/first" "$work/first"
shows "no evidence of a difference" itself
shows "SIMULATED" itself

# Two runs: how the machine did is in their shares, not in the fractions.
guest diff $clean "$tdagent" diff --format=json "$work/first" "$work/second"
holds "two runs" <<'END'
for name in ("read_input", "parse", "render", "write_output"):
    row = rows[name]
    assert row["retiring"]["tested"], row
    assert not verdicts(row), row
    assert row["share"]["tested"] and not row["cost"]["tested"], row
assert found["simulated"] and found["runs"] == [1, 1], found
assert found["tests"] >= 4 * 13, found["tests"]
END

# 3 points from retiring to backend bound; shares left aside.
diff 1 --noise=100 --format=json "$work/first" "$work/slow"
holds "3 points" <<'END'
parse = rows["parse"]
assert parse["verdict"] == "worse" and found["functions"][0] is parse, parse
assert abs(parse["retiring"]["change"] + 0.03) < 0.003, parse
assert parse["retiring"]["low"] <= -0.03 <= parse["retiring"]["high"], parse
assert parse["retiring"]["p_adjusted"] < 0.05, parse
assert verdicts(parse) == {"retiring": "worse", "backend_bound": "worse",
                           "light_operations": "changed", "core_bound": "worse"}, parse
for name in ("read_input", "render", "write_output"):
    assert rows[name]["verdict"] == "no evidence", rows[name]
assert found["found"] == {"changed": 0, "better": 0, "worse": 1, "appeared": 0, "vanished": 0}
END
diff 1 --noise=100 --fail-on=worse "$work/first" "$work/slow"
shows "parse  \[versions\]" text
shows "Retiring .* worse (SIMULATED)" text
diff 0 --noise=100 --fail-on=none "$work/first" "$work/slow"
diff 0 --noise=100 --threshold=4 "$work/first" "$work/slow"
diff 0 --noise=100 --min-windows=100000 "$work/first" "$work/slow"
diff 0 --noise=100 --fail-on=worse "$work/slow" "$work/first"
diff 1 --noise=100 "$work/slow" "$work/first"
shows "1 better" "the other way round"

# Two and a half times the time: its share and time are worse, the others' only
# another share.
diff 1 --format=json "$work/first" "$work/render"
holds render <<'END'
assert rows["render"]["verdict"] == rows["render"]["share"]["verdict"] == "worse", rows["render"]
assert rows["render"]["cost"]["low"] > 0, rows["render"]
assert found["functions"][0] is rows["render"]
assert found["found"]["worse"] == 1 and found["cost_unit"] == "ns", found["found"]
END
diff 1 --format=csv "$work/render" "$work/without"
[ "$(grep -c ',"render",.*,share,.*,vanished$' "$work/diff.out")" -eq 1 ] || fail "render did not vanish"
diff 1 "$work/without" "$work/first"
shows "appeared" "the other way round"

# Several runs: files and directories of runs, and time is tested.
cp "$work/first" "$work/a/1" && cp "$work/second" "$work/b/1"
diff 0 --noise=100 --threshold=10 --format=json "$work/a" "$work/second" -- "$work/first" "$work/b"
holds "several runs" <<'END'
assert found["runs"] == [2, 2], found["runs"]
assert rows["parse"]["cost"]["tested"] and found["total"]["cost"]["tested"]
assert rows["parse"]["cost"]["before"] * 2 == rows["parse"]["cost"]["after"] * 2
END
diff 0 --noise=100 --threshold=10 "$work/a" "$work/second" -- "$work/first" "$work/b"
shows "2 runs, 2 processes" "several runs"

# With call paths callers are compared with all that they call.
version deep TDAGENT_CALLPATH=on
version deeper TDAGENT_CALLPATH=on -p 25
diff 1 --noise=100 --format=json "$work/deep" "$work/deeper"
holds "totals" <<'END'
main = rows["main"]
assert main["verdict"] == "no evidence", main
assert main["total"]["backend_bound"]["verdict"] == "worse", main["total"]["backend_bound"]
assert main["total"]["share"]["before"] > 0.95 and not main["total"]["share"]["tested"], main["total"]["share"]
assert found["found_total"]["worse"] >= 1 and rows["parse"]["verdict"] == "worse", found
END
diff 1 --noise=100 "$work/deep" "$work/deeper"
shows '^ *total Backend .*worse' "totals"
diff 0 --noise=100 "$work/first" "$work/deep"
grep -q 'total Backend' "$work/diff.out" && fail "totals without call paths on one side"

# Another name of the program is another module, unless we are told.
diff 0 --noise=100 --rename=versions=versions "$work/first" "$work/second"
diff 1 --format=json --rename=versions=other "$work/first" "$work/second"
grep -q '"name": "parse", "module": "other", "verdict": "vanished"' "$work/diff.out" || fail "--rename"
diff 1 --top=1 "$work/first" "$work/slow" --noise=100
shows "1 of [0-9]* functions shown" --top
diff 0 --output="$work/file" "$work/first" "$work/first"
[ -s "$work/diff.out" ] && fail "--output: something on stdout"
grep -q "tdagent diff" "$work/file" || fail "--output: nothing in the file"
diff 0 --output=- "$work/first" "$work/first"
cmp -s "$work/diff.out" "$work/file" || fail "--output=-: something else"
$clean "$tdagent" diff "$work/first" "$work/first" >/dev/full 2>"$work/full.err"
[ $? -eq 2 ] || fail "full: not exit status 2"
one_line full "standard output: No space left on device"

# What makes no sense, and what cannot be read: 2, and one line.
diff 0 --help
shows "--fail-on" help
wrong "$work/first" "$work/second" --bogus
wrong "$work/first" "$work/second" --threshold=x
wrong "$work/first" "$work/second" --threshold=101
wrong "$work/first" "$work/second" --noise=-1
wrong "$work/first" "$work/second" --fail-on=better
wrong "$work/first" "$work/second" --min-windows=1
wrong "$work/first" "$work/second" --rename=versions
wrong "$work/first" "$work/second" --format=xml
wrong "$work/first" "$work/second" --top=-1
wrong "$work/first" "$work/second" --top
diff 2
one_line diff "give two profiles"
diff 2 "$work/first"
one_line diff "give two profiles"
diff 2 "$work/first" "$work/second" "$work/slow"
one_line diff "give two profiles"
diff 2 "$work/first" --
one_line diff "give two profiles"
diff 2 "$work/first" "$work/none"
one_line diff "tdagent: $work/none: "
echo nonsense >"$work/bad"
diff 2 "$work/bad" "$work/first"
one_line diff "tdagent: $work/bad: not a tdagent profile"
diff 2 "$work/first" "$work/second" --output="$work/none/file"
one_line diff "$work/none/file"
diff 2 --output=/dev/full "$work/first" "$work/second"
rm -f "$work"/profiles/*
agent "$prog/burn" 100
diff 2 "$work/first" "$(profile burn)"
one_line diff "A is SIMULATED, B is real"
