#!/bin/sh
# SPDX-License-Identifier: MIT
# Profiles of a hybrid processor: each command reads what was sampled on cores of one
# type, takes --cores, and says that there is more.
. "$(dirname "$0")/lib.sh"

# hybrid NAME THREAD...: a profile whose threads of these names were on small cores.
hybrid()
{
	name=$1
	shift
	cp "$whole" "$work/$name" && "$prog/onsmall" "$work/$name" "$@" ||
		fail "$name was not made"
}

agent "$prog/threads2"
ended "exit 0" agent
whole=$(profile threads2)
hybrid both right
hybrid small threads2 left right

# shows LABEL WITH WITHOUT: standard output of the last guest command.
shows()
{
	ended "exit 0" "$1"
	grep -q "$2" "$work/$1.out" || fail "$1: no $2"
	! grep -q "$3" "$work/$1.out" || fail "$1: $3 as well"
}

rest='samples are of.* the small ones: --cores=small'
guest text $clean "$tdagent" report "$work/both"
shows text work_left work_right
grep -q '^ *cores *the large ones' "$work/text.out" || fail "text: no cores"
grep -q 'samples are of its small' "$work/text.out" || fail "text: no note"
guest text $clean "$tdagent" report --cores=small "$work/both"
shows text work_right work_left
grep -q 'samples are of its large' "$work/text.out" || fail "text: no note of the large"

# command LABEL WORDS...: of a format without notes, with and without --cores.
both_ways()
{
	label=$1
	shift
	guest "$label" $clean "$tdagent" "$@" "$work/both"
	shows "$label" work_left work_right
	one_line "$label" 'samples are of the small ones: --cores=small'
	guest "$label" $clean "$tdagent" "$@" --cores=small "$work/both"
	shows "$label" work_right work_left
	one_line "$label" 'samples are of the large ones: --cores=large'
}

both_ways csv report --format=csv
both_ways windows report --format=windows
both_ways folded export --format=folded
both_ways speedscope export --format=speedscope

guest prom $clean "$tdagent" export --format=openmetrics --cores=small "$work/both"
shows prom 'tdagent_run_info{.*cores="small"' 'cores="large"'
guest push $clean "$tdagent" push --dry-run http://localhost:4040 "$work/both"
ended "exit 0" push
one_line push "samples are of the small ones"
guest small $clean "$tdagent" push --dry-run --cores=small http://localhost:4040 "$work/both"
ended "exit 0" small
! cmp -s "$work/push.out" "$work/small.out" || fail "push: the same of both types"

guest annotate $clean "$tdagent" annotate work_right "$work/both"
ended "exit 1" annotate
guest annotate $clean "$tdagent" annotate --cores=small work_right "$work/both"
shows annotate 'samples are of the large ones: --cores=large' work_left
guest annotate $clean "$tdagent" annotate --cores=small --format=json work_right "$work/both"
shows annotate '"cores": "small"' work_left

guest diff $clean "$tdagent" diff --fail-on=none "$work/both" "$work/both"
shows diff work_left work_right
tr '\n' ' ' <"$work/diff.out" | tr -s ' ' | grep -q "samples of A and .* of B are of the small ones: --cores=small" ||
	fail "diff: $(cat "$work/diff.out")"
guest diff $clean "$tdagent" diff --fail-on=none --cores=small "$work/both" "$work/both"
shows diff work_right work_left
guest diff $clean "$tdagent" diff --fail-on=none --format=csv "$work/both" "$work/both"
shows diff work_left work_right
grep -q "^tdagent diff: A: this is what ran on the large cores" "$work/diff.err" ||
	fail "diff: csv says nothing of it"
guest diff $clean "$tdagent" diff --fail-on=none "$work/both" "$work/small"
shows diff "A is what ran on large cores, B on small ones" "no such note"

# Several at once are of the same cores: the large ones, if anything ran there.
mkdir "$work/all" "$work/none"
cp "$work/small" "$work/all/1"
cp "$work/both" "$work/all/2"
cp "$work/small" "$work/none/1"
cp "$work/small" "$work/none/2"
guest text $clean "$tdagent" report "$work/all"
shows text work_left work_right
guest text $clean "$tdagent" report "$work/small" "$work/both"
shows text work_left work_right
guest text $clean "$tdagent" report "$work/none"
shows text work_right "samples are of"
guest diff $clean "$tdagent" diff --fail-on=none "$work/small" "$work/both" -- "$work/both" "$work/both"
shows diff work_left work_right

# Of other processors nothing is left out, and nothing said.
guest csv $clean "$tdagent" report --format=csv --cores=small "$whole"
ended "exit 0" csv
grep -q work_left "$work/csv.out" && grep -q work_right "$work/csv.out" && [ ! -s "$work/csv.err" ] ||
	fail "cores of one type: $(cat "$work/csv.err")"
