#!/bin/sh
# SPDX-License-Identifier: MIT
# Every function's top-down is within 1 point of the emulator's truth, totals
# within 0.5, shares within chance.  --long: the whole matrix, some 10 minutes.
. "$(dirname "$0")/lib.sh"

# our_instructions LABEL: an empty window has nothing of the program, and each holds as many; but
# where the thread is switched out at the reset that is done again, and the way back from there
# is in the window (td_metrics_begin_again)
our_instructions()
{
	"$tdagent" report --format=windows "$work/$1/profile" | python3 -c 'import collections, csv, sys
found = collections.Counter(row["instructions"] for row in csv.DictReader(sys.stdin) if row["window"] == "empty")
usual, times = found.most_common(1)[0]
print("%d empty windows, %d with %s instructions of ours" % (sum(found.values()), times, usual))
sys.exit(times < 0.99 * sum(found.values()))' || fail "$1: not the same in 99 of 100 windows"
}

# compare_with_truth MODEL SHORT LONG ROUNDS FUNCTIONS: so many have 200 windows
compare_with_truth()
{
	echo
	echo "== $1: windows of $2 cycles, a sample every $3"
	measure "$1-$2-$3" "-m $1" "$3" "$2" "-r $4"
	accurate "$1-$2-$3" --enough "$5" --instructions 0.5
	our_instructions "$1-$2-$3"
}

if [ "${1:-}" = --long ]; then
	for model in spr icx; do
		compare_with_truth $model 300 100000 3000 12
		compare_with_truth $model 1000 100000 4000 12
		compare_with_truth $model 5000 100000 6000 12
		compare_with_truth $model 300 1000000 6000 12
		compare_with_truth $model 1000 1000000 8000 10
		compare_with_truth $model 5000 1000000 12000 5
	done
else
	compare_with_truth spr 300 100000 2000 12
	compare_with_truth icx 5000 100000 2000 6
fi
