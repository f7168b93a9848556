#!/bin/sh
# SPDX-License-Identifier: MIT
# A program that nobody wrote for the lab: perl, whose functions are short and many, each
# of which behaves by chance.  Those that are told apart are near the truth, and say how
# near.
#
#     borrowed.sh [SEED]       of the mixes
. "$(dirname "$0")/lib.sh"
command -v readelf >/dev/null || skip "readelf is missing"
perl=$(readlink -f "$(command -v perl)") || skip "perl is missing"

cat >"$guest_dir/work.pl" <<'END'
my (%count, @words);
my $state = 1;
for my $round (1 .. $ARGV[0]) {
	for (1 .. 300) {
		$state = ($state * 1103515245 + 12345) & 0x7fffffff;
		push @words, join "", map { chr 97 + ($state >> $_) % 26 } 3, 9, 14, 20;
	}
	$count{$_}++ for @words;
	my @sorted = sort { $count{$b} <=> $count{$a} || $a cmp $b } grep { /^[a-m].*[^x]$/ } @words;
	my $text = join " ", @sorted;
	$text =~ s/(\w+) (\w+)/$2-$1/g;
	$state ^= length($text) + unpack "%32C*", $text;
	@words = ();
}
print "$state\n";
END
cp "$perl" "$guest_dir/perl"
cp "$builddir/tests/lab/.libs/libborrowed.so" "$guest_dir/" || exit 99
copy_libraries "$guest_dir" "$perl" "$guest_dir/libborrowed.so"

# The functions in which it is, by the clock, as the unwind table has them.
TDAGENT_LONG=200us TDAGENT_REPORT=none TDAGENT_OUTPUT="$work/host" LD_PRELOAD="$library" \
	"$perl" "$guest_dir/work.pl" 150 >"$work/plain" || fail "perl does not run here"
"$tdagent" report --top=0 --format=json "$work/host" >"$work/host.json"
readelf --debug-dump=frames "$perl" 2>/dev/null |
	sed -n 's/.* FDE .*pc=\([0-9a-f]*\)\.\.\([0-9a-f]*\).*/\1 \2/p' >"$work/frames"
python3 - "$work/host.json" "$work/frames" >"$guest_dir/functions" <<'END'
import json, sys
stop = {int(a, 16): int(b, 16) for a, b in map(str.split, open(sys.argv[2]))}
rows = [(int(f["address"], 16), f["name"].replace(" ", "_")) for f in json.load(open(sys.argv[1]))["functions"]
        if f["module"].endswith("/perl") or "/perl5" in f["module"]]
rows = sorted(row for row in rows if row[0] in stop)
for i, (start, name) in enumerate(rows):
    end = min([stop[start]] + [row[0] for row in rows[i + 1:i + 2]])
    print("%x %x %s" % (start, end - start, name))
END
echo "$(wc -l <"$guest_dir/functions") functions of $perl"

# borrowed LABEL OPTIONS SEED LIMIT...: of truth.py
borrowed()
{
	echo "== $1"
	lab "$1" "$2" "LAB_NOISE=$noise LAB_FUNCTIONS=/in/functions LAB_TRUTH=/out/truth LAB_SEED=$3 TDAGENT_LEVEL=1 \
		$(with_agent 30000 300 | sed 's,LD_PRELOAD=,&/in/libborrowed.so:,') LD_LIBRARY_PATH=/in ./perl work.pl 300"
	ended "exit 0" "$1"
	report_on "$1"
	label=$1
	shift 3
	truthful "$label" --samples 200 --but Perl_runops_standard "$@"
}

# By the emulator's blocks (run.sh -b 0) functions had up to 2.6 times their samples, and one of
# 8 cycles a visit was told apart, 42 points off.  The loop that calls all operations is in their
# place for some cycles each: where it had an answer by four counters it was 35 +- 3 points off
# (doc/accuracy.md).  Which functions the clock finds is chance: in four runs 97 to 99 % of the
# intervals held.
noise=0,0
borrowed metrics "-m spr" "${1:-1}" --limit 100=2 --limit 25=8 --unanswered 4 --shares 25=5 --inside 85
borrowed groups "-m skx" "${1:-2}" --limit 100=2 --limit 25=15 --limit 0=40 --unanswered 40 --shares 25=5 --inside 75

# What batches do not show: functions that behave in two ways, and interrupts that are late by
# how fast instructions are.  Of two or three hundred samples a function may be known to 30
# points, and the limits are for less.
noise=40,400
borrowed both "-m spr -e 50~50,0,500,5500,4000,0,300,4500,3000" "${1:-3}" --limit 100=6 --limit 25=12 --short 20 \
	--unanswered 6 --samples 400 --shares 25=5 --inside 85
