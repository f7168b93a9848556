#!/bin/sh
# SPDX-License-Identifier: MIT
# What perf recorded, as a profile: the same shares as perf's, and one line for
# everything that cannot be.  Top-down: tests/lab/import.sh.
. "$(dirname "$0")/lib.sh"

cd "$work" || exit 99

# import STATUS ARGUMENT...: runs it; $work/import.{out,err}
import()
{
	expected=$1
	shift
	guest import $clean "$tdagent" import "$@"
	ended "exit $expected" import
}

# wrong STATUS WORD ARGUMENT...: refused with one line that has the word.
wrong()
{
	status=$1
	word=$2
	shift 2
	import "$status" "$@"
	[ -s import.out ] && fail "$*: something on standard output"
	one_line import "$word"
}

# A perf that prints what we want.
cat >perf <<'END'
#!/bin/sh
case "$*" in
*--header-only*) cat "$FAKE.header" ;;
*buildid-list*) echo "0a0bff /none/a" ;;
*) cat "$FAKE.script" ;;
esac
END
chmod +x perf
export FAKE=$work/fake
clean="$clean FAKE=$FAKE"
cat >fake.header <<'END'
# captured on    : Sat Nov 21 05:31:55 2026
# hostname : there
# os release : 6.1.0
# cpudesc : A CPU
# cmdline : /usr/bin/perf record -e {slots,cpu-cycles,topdown-retiring}:S ./a
# event : name = slots:u, , id = { 1 }, sample_type = IP|TID|TIME|READ|ID|CPU
# event : name = cpu-cycles:u, , id = { 2 }, { sample_period, sample_freq } = 1000, sample_type = IP|TID|TIME|READ|ID|CPU
# event : name = topdown-retiring:u, , id = { 3 }, sample_type = IP|TID|TIME|READ|ID|CPU
END
sed -i '/^# cmdline/s/$/ /' fake.header # as perf ends a command
map='PERF_RECORD_MMAP2 7/7: [0x10000(0x1000) @ 0x1000 fe:00 1 2]: r-xp /none/a'
{
	printf '               a 7/7 [000] 1.000000000: %s\n' "$map"
	for time in 1 2 3; do
		for count in '6000       slots:u' '1000  cpu-cycles:u' '3000 topdown-retiring:u'; do
			printf '               a 7/7 [000] 2.00000000%d:   %s:   10110 f+0x10\n' $time "$count"
		done
	done
} >fake.script
import 0 --perf=./perf -o fake.tdp fake
expect fake.tdp <<'END'
row = report["functions"][0]
check(len(report["functions"]) == 1 and row["samples"] == 3, report["functions"])
check(row["windows"]["valid"] == 2 and row["topdown"]["retiring"]["value"] == 0.5, row)
check(row["address"] == "0x1100" and row["build_id"] == "0a0bff", row)
run = report["run"]
check((run["host"], run["kernel"], run["cpu"]) == ("there", "6.1.0", "A CPU"), run)
check(run["command"].endswith(":S ./a"), run)
check((run["backend"], run["trigger"], run["long_period"]) == ("metrics", "perf record", 1000), run)
check(report["totals"]["slots"] == 18000, report["totals"])
END
guest report $clean "$tdagent" report fake.tdp
grep -q 'windows from sample to sample, on average 1000 cycles' report.out || fail "$(cat report.out)"
guest export $clean "$tdagent" export --format=folded --value=retiring fake.tdp
[ "$(cat export.out)" = "a;a+0x1100 9000" ] || fail "export: $(cat export.out)"
import 0 --perf=./perf -o - fake
cmp -s import.out fake.tdp || fail "standard output has another profile"

# Each thread has blocks of its own in a profile, which has room for some thousand.
mv fake.script few.script
seq 9000 | awk '{ printf "%16s 7/%d [000] 2.000000000:   1000  cpu-cycles:u:   10110 f+0x10\n", "a", $1 }' >fake.script
wrong 1 "more threads and functions than a profile holds" --perf=./perf -o no.tdp fake
mv few.script fake.script

sed -i 's/|READ//' fake.header
wrong 1 "not sampled as one group" --perf=./perf -o no.tdp fake
sed -i 's/|TIME/|TIME|READ/; s/slots:u, ,/&{ sample_period, sample_freq } = 5,/' fake.header
wrong 1 "not sampled as one group" --perf=./perf -o no.tdp fake
sed -i '/slots/d' fake.header
wrong 1 "header lacks" --perf=./perf -o no.tdp fake
: >fake.script
wrong 1 "no samples" --perf=./perf -o no.tdp fake
: >fake.header
wrong 1 "no event" --perf=./perf -o no.tdp fake
wrong 1 "is not there" --perf=./none fake
wrong 1 "cannot read it" --perf=false fake
[ -e no.tdp ] && fail "a profile in spite of the error"
wrong 2 unknown --bogus
wrong 2 "needs a value" -o
wrong 2 "one file" a b
import 0 --help
grep -q -e --perf import.out || fail "--help lacks --perf"

# The real perf, if it may record here.
if ! command -v perf >/dev/null || ! perf record -q -o try.data true >/dev/null 2>&1; then
	echo "$test_name: not tested, missing: perf, or the right to record"
	exit 0
fi
$clean perf record -q --sample-cpu -e '{task-clock:u,page-faults:u}:S' -c 1000000 \
	-o burn.data "$prog/burn" 1000 >record.out 2>&1 || fail "perf record: $(cat record.out)"
import 0 burn.data
expect burn.data.tdp <<'END'
for name, share in (("burn_sixty", 0.6), ("burn_thirty", 0.3), ("burn_ten", 0.1)):
    has_share(name, share, module="burn", points=2)
run = report["run"]
check((run["backend"], run["trigger"], run["period_unit"]) == ("clock", "perf record", "ns"), run)
check(run["notes"] == [], run["notes"])
row = function("burn_sixty")
check(row["windows"]["valid"] > row["samples"] / 2, row["windows"])
check(row.get("build_id"), "no build-id")
spent = sum(f["cpu_time_s"] for f in report["functions"])
check(abs(spent - report["totals"]["cpu_time_s"]) < 0.02 * spent, "%s of %s s" % (spent, report["totals"]))
END
# perf itself: the same samples by function
$clean perf script -i burn.data -G -F event,ip,sym 2>/dev/null |
	sed -n 's/.*task-clock.* \(burn_[a-z]*\)$/\1/p' | sort | uniq -c | sort -k 2 |
	awk '{ print $2 "," $1 }' >perf.counts
$clean "$tdagent" report --format=csv --sort=name burn.data.tdp |
	sed -n 's/^,"\(burn_[a-z]*\)","[^"]*",[^,]*,\([0-9]*\),.*/\1,\2/p' >our.counts
diff perf.counts our.counts || fail "perf counts other samples"
exit 0
