#!/bin/sh
# SPDX-License-Identifier: MIT
# Every function's top-down is within 1 point of the emulator's truth, totals
# within 0.5, shares within chance.  --long: the whole matrix, some 5 minutes.
. "$(dirname "$0")/lib.sh"

# our_instructions LABEL: each empty window, which has nothing of the program, holds as many
our_instructions()
{
	"$tdagent" report --format=windows "$work/$1/profile" | python3 -c 'import csv, sys
found = [row["instructions"] for row in csv.DictReader(sys.stdin) if row["window"] == "empty"]
print("%d empty windows with %s instructions of ours" % (len(found), " or ".join(set(found))))
sys.exit(len(set(found)) != 1)' || fail "$1: not the same in each window"
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
