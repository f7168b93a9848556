#!/bin/sh
# SPDX-License-Identifier: MIT
# Every function's top-down is within 1 point of the emulator's truth, totals
# within 0.5, shares within chance.  --long: the whole matrix, some 5 minutes.
. "$(dirname "$0")/lib.sh"

# compare_with_truth MODEL SHORT LONG ROUNDS FUNCTIONS: so many have 200 windows
compare_with_truth()
{
	echo
	echo "== $1: windows of $2 cycles, a sample every $3"
	measure "$1-$2-$3" "-m $1" "$3" "$2" "-r $4"
	accurate "$1-$2-$3" --enough "$5"
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
