#!/bin/sh
# SPDX-License-Identifier: MIT
# Functions that own windows would mislead about: the answers are right, and so is what they
# say of their errors.
. "$(dirname "$0")/lib.sh"
cp "$builddir/tests/lab/ways" "$guest_dir/" || exit 99

# A third of the windows that the goals are for: the function of two ways was up to 4.2 points off in 85 runs,
# and each of them passed.  8.7 +- 0.1 in five of twelve when those own windows were believed that only begin
# with its short way, in one of thirteen while one of six cycles was, and in two of 85 while those were that
# have jumped to the long way but are, by offsets, still nearer to where they began.
# called2, of 42 cycles, has some five own windows.  Where it has one by chance, as in one of fifteen runs, it seems
# to be too short for an answer, and says so.
for seed in 1 2 3; do
	echo "== seed $seed"
	measure_program "ways$seed" "" 20000 300 "TDAGENT_SEED=$seed ./ways -r 1900"
	truthful "ways$seed" --limit 100=6 --limit 30=4 --inside 80 --unanswered 1
done
