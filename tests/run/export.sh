#!/bin/sh
# SPDX-License-Identifier: MIT
# What `tdagent export` writes holds what the report holds, and the tools that it
# is for read it.  Where one of them is missing, a line says so.
. "$(dirname "$0")/lib.sh"

agent TDAGENT_PMU=simulated "$prog/demo"
ended "exit 0" agent
demo=$(profile demo)
agent TDAGENT_PMU=clock "$prog/threads2"
threads2=$(profile threads2)
agent TDAGENT_PMU=clock "$prog/burn" 300
burn=$(profile burn)

# export_to STATUS ARGUMENT...: runs it; $work/export.{out,err}
export_to()
{
	expected=$1
	shift
	guest export $clean "$tdagent" export "$@"
	ended "exit $expected" export
}

# check CHECK PROFILE FILE...: export.py
check()
{
	$clean "$tdagent" report --format=json "$2" >"$work/report.json"
	how=$1
	shift 2
	HOME=$work python3 "$here/export.py" "$how" "$work/report.json" "$@" || fail "$how: see above"
}

missing()
{
	echo "$test_name: not tested, missing: $*"
}

cd "$work" || exit 99
for profile in "$demo" "$threads2" "$burn"; do
	name=$(basename "$profile")
	for format in pb.gz speedscope.json folded csv json prom; do
		export_to 0 -o "$name.$format" "$profile"
	done
	check speedscope "$profile" "$name.speedscope.json"
	check folded "$profile" "$name.folded"
	check metrics "$profile" "$name.prom"
	for format in csv json; do
		$clean "$tdagent" report --format=$format "$profile" | cmp - "$name.$format" ||
			fail "$format is not the report's"
	done
done
demo_name=$(basename "$demo")
burn_name=$(basename "$burn")

# pprof: the numbers, its table, the difference to itself, its flame graph.
if command -v go >/dev/null && go tool pprof -help >/dev/null 2>&1; then
	pprof="$clean go tool pprof"
	for profile in "$demo" "$threads2" "$burn"; do
		name=$(basename "$profile")
		$pprof -raw "$name.pb.gz" >raw 2>raw.err || fail "pprof -raw: $(cat raw.err)"
		check raw "$profile" raw
		check web "$profile" "$name.pb.gz"
	done
	$pprof -top "$burn_name.pb.gz" >top 2>top.err
	sed -n 's/.*%[^%]*% *\([a-z_][a-z_]*\)$/\1/p' top | head -n 1 | grep -qx burn_sixty ||
		fail "pprof -top: $(cat top top.err)"
	$pprof -top -sample_index=SIMULATED_memory_bound "$demo_name.pb.gz" >top 2>&1
	sed -n 's/.*%[^%]*% *\([a-z_][a-z_]*\)$/\1/p' top | head -n 1 | grep -qx follow_links ||
		fail "pprof -top of a node: $(cat top)"
	$pprof -top -diff_base "$demo_name.pb.gz" "$demo_name.pb.gz" >top 2>&1
	grep -q '^Showing nodes accounting for 0, ' top || fail "pprof -diff_base: $(cat top)"
	export_to 0 -o twice.pb.gz "$burn" "$burn"
	$pprof -top -diff_base "$burn_name.pb.gz" twice.pb.gz >top 2>&1
	grep -q ' burn_sixty$' top || fail "pprof -diff_base of two: $(cat top)"
	$pprof -comments "$demo_name.pb.gz" 2>&1 | grep -q SIMULATED || fail "pprof: not SIMULATED"
else
	missing "go tool pprof (golang-go)"
fi

# speedscope itself, if somebody has it here: npm install speedscope.
if [ -n "${TDAGENT_SPEEDSCOPE:-}" ] && command -v chromium >/dev/null; then
	check browser "$demo" "$demo_name.speedscope.json" "$TDAGENT_SPEEDSCOPE"
else
	missing "speedscope (chromium, and TDAGENT_SPEEDSCOPE=node_modules/speedscope/dist/release)"
fi

# A flame graph made of the folded stacks, likewise: npm install stackvis.
if [ -n "${TDAGENT_STACKVIS:-}" ]; then
	"$TDAGENT_STACKVIS" collapsed flamegraph-svg <"$demo_name.folded" >demo.svg 2>svg.err ||
		fail "stackvis: $(cat svg.err)"
	samples=$(awk '/follow_links/ { n += $NF } END { print n + 0 }' "$demo_name.folded")
	grep -q "follow_links ($samples samples, " demo.svg || fail "the flame graph has not $samples samples of follow_links"
else
	missing "stackvis (TDAGENT_STACKVIS=node_modules/.bin/stackvis)"
fi

# OpenMetrics: two other readers.
if $clean python3 -c 'import prometheus_client' 2>/dev/null; then
	$clean python3 -c '
import sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families
assert len(list(text_string_to_metric_families(open(sys.argv[1]).read()))) > 10
' "$demo_name.prom" || fail "prometheus_client"
else
	missing "prometheus_client (python3-prometheus-client)"
fi
if command -v promtool >/dev/null; then
	# it wants times
	sed '/^#/!s/$/ 1700000000/' "$demo_name.prom" >times.prom
	promtool tsdb create-blocks-from openmetrics times.prom tsdb >promtool.err 2>&1 ||
		fail "promtool: $(cat promtool.err)"
else
	missing "promtool (prometheus)"
fi

# Pipes, and several profiles.
gzip -c "$burn" | $clean "$tdagent" export --format=folded - >piped || fail "pipes"
cmp -s piped "$burn_name.folded" || fail "a pipe gives something else"
$clean "$tdagent" export --format=folded -o - - <"$burn" | cmp - piped || fail "standard input"
export_to 0 --format=folded "$burn" "$demo"
grep -q burn_sixty export.out && grep -q follow_links export.out || fail "two profiles"
export_to 0 --format=folded --thread=science "$demo"
grep -q '^science;hash_blocks ' export.out || fail "--thread: $(cat export.out)"
grep -q follow_links export.out && fail "--thread: another thread's function"
for filter in --thread --module; do
	export_to 1 --format=folded -o empty $filter=nobody "$demo"
	one_line export "$filter: "
	[ -e empty ] && fail "$filter=nobody: a file of nothing"
done
export_to 0 --format=openmetrics --label=rank=3 --label='version=a"b' "$burn"
grep -qF '{rank="3",version="a\"b"} ' export.out || fail "--label: $(cat export.out)"

# Each profile's own labels, in one export of both.
for rank in 1 2; do
	agent TDAGENT_LONG=1ms TDAGENT_REPORT=none TDAGENT_OUTPUT="$work/rank.$rank" \
		TDAGENT_LABELS="rank=r$rank,version=v 1.$rank" "$prog/burn"
	ended "exit 0" agent
done
export_to 0 --format=pprof -o ranks.pb.gz rank.1 rank.2
for text in rank r1 r2 version 'v 1.1' 'v 1.2'; do
	gzip -dc ranks.pb.gz | grep -aq "$text" || fail "labels: no $text"
done
$clean "$tdagent" report rank.1 rank.2 >both.txt
grep -qx 'labels     rank=r1, r2; version=v 1.1, v 1.2' both.txt || fail "labels: $(cat both.txt)"
$clean "$tdagent" report --format=json rank.1 rank.2 | python3 -c '
import json, sys
labels = [p["labels"] for p in json.load(sys.stdin)["processes"]]
assert labels == [{"rank": "r1", "version": "v 1.1"}, {"rank": "r2", "version": "v 1.2"}], labels
' || fail "labels: JSON"
if command -v go >/dev/null && go tool pprof -help >/dev/null 2>&1; then
	for rank in 1 2; do
		$clean "$tdagent" export --format=folded rank.$rank |
			awk '{ n += $NF } END { print n }' >one
		$clean go tool pprof -sample_index=samples -tagfocus="rank=r$rank" -raw \
			ranks.pb.gz 2>/dev/null | sed -n '/^Samples:/,/^Locations/p' |
			awk '/^ *[0-9]+ .*:/ { n += $1 } END { print n }' >focused
		grep -q '[1-9]' one && cmp -s one focused ||
			fail "rank $rank: $(cat focused) samples, not $(cat one)"
	done
fi

# wrong WORD ARGUMENT...: refused with one line that has the word.
wrong()
{
	word=$1
	shift
	guest export $clean "$tdagent" export "$@"
	ended "exit 2" export
	[ -s export.out ] && fail "$*: something on standard output"
	one_line export "$word"
}
wrong --format "$burn"
wrong "pprof, speedscope" --format=xml "$burn"
wrong --bogus --bogus "$burn"
wrong "needs a value" --format
wrong --value --format=pprof --value=slots "$burn"
wrong KEY=VALUE --format=pprof --label=x "$burn"
wrong KEY=VALUE --format=pprof --label=1x=y "$burn"
wrong control --format=pprof --label="x=$(printf 'a\tb')" "$burn"
wrong already --format=pprof --label=pid=1 "$burn"
wrong already --format=pprof --label=a=1 --label=a=2 "$burn"

# failed WORD ARGUMENT...: an error of one line that has the word.
failed()
{
	word=$1
	shift
	guest export $clean "$tdagent" export "$@"
	ended "exit 1" export
	one_line export "$word"
}
failed "this profile has samples, cpu" --format=folded --value=memory_bound "$burn"
failed none/file -o none/file --format=csv "$burn"
failed "No space left" --format=pprof -o /dev/full "$burn"
failed "No such file" --format=csv none
echo nonsense >bad
failed "not a tdagent profile" --format=csv bad
failed "not a tdagent profile" --format=csv - <bad

# A failure leaves what was there, and nothing beside it.
echo before >kept.folded
failed "this profile has" --value=slots -o kept.folded "$burn"
[ "$(cat kept.folded)" = before ] || fail "a failure destroyed the file"
ls | grep '\.folded\.' && fail "a failure left a file"
(
	ulimit -f 1 && trap '' XFSZ
	$clean "$tdagent" export -o kept.json "$demo" 2>full.err
) && fail "no room: no error"
grep -q kept.json full.err || fail "no room: $(cat full.err)"
[ -e kept.json ] && fail "no room: half a file"
ls | grep '^kept.json' && fail "no room: a file is left"
# Over a link: what is behind it is replaced; its rights are kept.
ln -s kept.folded link.folded
chmod 640 kept.folded
export_to 0 -o link.folded "$burn"
[ -L link.folded ] && cmp -s kept.folded "$burn_name.folded" || fail "a link was replaced"
[ "$(stat -c %a kept.folded)" = 640 ] || fail "the file's rights are others"
ln -s later.folded early.folded
export_to 0 -o early.folded "$burn"
[ -L early.folded ] && cmp -s later.folded kept.folded || fail "a link to nothing was replaced"

export_to 0 --help
for word in pprof speedscope folded openmetrics --label; do
	grep -qe "$word" export.out || fail "--help lacks $word"
done
exit 0
