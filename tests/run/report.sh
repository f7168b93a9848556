#!/bin/sh
# SPDX-License-Identifier: MIT
# The report command: what it reads, its options, and what it says of wrong ones.
. "$(dirname "$0")/lib.sh"

agent "$prog/burn" 200
sound=$(profile burn)
tmp=$work/tmp
own=$tmp/tdagent-$(id -u)
mkdir -p "$own"

# report STATUS ARGUMENT...: runs it; $work/report.{out,err}
report()
{
	expected=$1
	shift
	guest report $clean TMPDIR="$tmp" "$tdagent" report "$@"
	ended "exit $expected" report
}

# wrong OPTION: is refused with one line that names it.
wrong()
{
	report 2 "$1" "$sound"
	[ "$(wc -l <"$work/report.err")" -eq 1 ] || fail "$1: not one line"
	grep -qF -e "${1%%=*}" "$work/report.err" || fail "$1: the line does not name it"
	[ -s "$work/report.out" ] && fail "$1: a report in spite of the error"
}

shows() { grep -qe "$1" "$work/report.out" || fail "$2: no $1"; }
hides() { grep -qe "$1" "$work/report.out" && fail "$2: $1"; }

wrong --bogus
wrong --top=x
wrong --top=-1
wrong --sort=size
wrong --format=xml
wrong --min-share=101
wrong --top

report 0 --help
shows '--min-share' help
report 0 --top=1 "$sound"
shows burn_sixty --top
hides burn_ten --top
report 0 --min-share=50 "$sound"
shows burn_sixty --min-share
hides burn_thirty --min-share
report 0 --module='no*' "$sound"
hides burn_sixty --module
report 0 --format=csv --sort=name "$sound"
[ "$(sed -n 's/^,"\(burn_[a-z]*\)".*/\1/p' "$work/report.out" | tr '\n' ' ')" = \
	"burn_sixty burn_ten burn_thirty " ] || fail "--sort=name"

report 0 --output="$work/file" "$sound"
[ -s "$work/report.out" ] && fail "--output: something on stdout"
grep -q burn_sixty "$work/file" || fail "--output: no report in the file"
report 1 --output="$work/none/file" "$sound"
report 1 --output=/dev/full "$sound"
cp "$work/file" "$work/before"
(ulimit -f 0 && trap '' XFSZ && $clean "$tdagent" report --output="$work/file" "$sound" 2>/dev/null) &&
	fail "--output: no room, and no error"
cmp -s "$work/file" "$work/before" || fail "--output: a failure left half a file"
report 0 --output=- "$sound"
cmp -s "$work/report.out" "$work/file" || fail "--output=-: another report"
[ -e - ] && fail "--output=-: a file of that name"
$clean "$tdagent" report "$sound" >/dev/full 2>"$work/full.err" && fail "full: no error"
one_line full "standard output: No space left on device"

# A name in a directory may be anybody's: no control characters for the terminal.
mkdir "$work/names"
head -c 100 "$sound" >"$work/names/$(printf 'a\033[31mb')"
report 1 "$work/names"
one_line report 'names/a?[31mb: truncated'

# A thread that is none is not one that did little.
report 0 --thread=nobody "$sound"
shows "no thread of that id or name" --thread=nobody
hides "too little CPU time" --thread=nobody

# Samples of unlike periods are added up as they are, and the report says so.
agent TDAGENT_LONG=5ms "$prog/burn" 100
unlike=$(profiles burn | grep -vxF "$sound")
report 0 "$sound" "$sound"
hides "other periods" "equal periods"
report 0 "$sound" "$unlike"
shows "other periods" "unlike periods"
rm -f "$unlike"

# People get the first 20, programs all.
agent TDAGENT_LONG=200us "$prog/functions"
many=$(profile functions)
report 0 "$many"
[ "$(grep -c 'work_[0-9]' "$work/report.out")" -le 20 ] || fail "text: more than 20 functions"
report 0 --format=csv "$many"
[ "$(grep -c '"work_[0-9]' "$work/report.out")" -eq 25 ] || fail "csv: not all 25 functions"
expect "$many" <<'END'
names = [f["name"] for f in functions() if f["name"].startswith("work_")]
check(len(names) == 25, "JSON has %d functions, not 25" % len(names))
END

# One bad file among good ones: said, and the others are reported.
echo nonsense >"$work/bad"
report 1 "$work/bad" "$sound"
shows burn_sixty "bad and good"
grep -qF "$work/bad: not a tdagent profile" "$work/report.err" || fail "bad: not said"

# The default directory: its newest profile, but none of anybody else's.
report 1
echo nonsense >"$own/newer.tdp"
cp "$sound" "$own/a.tdp"
report 0
shows burn_sixty "default directory"
gzip -c "$sound" >"$own/b.tdp.gz"
report 0 --format=json "$own"
python3 - "$work/report.out" "$sound" <<'END' || fail "directory: see above"
import json, sys
report = json.load(open(sys.argv[1]))
assert len(report["processes"]) == 2, report["processes"]
assert report["totals"]["samples"] == 2 * report["run"]["samples"]
END
mv "$own" "$tmp/else" && ln -s else "$own"
report 1
