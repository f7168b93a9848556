#!/bin/sh
# SPDX-License-Identifier: MIT
# Functions that own windows would mislead about: the answers are right, and so is what they
# say of their errors.
. "$(dirname "$0")/lib.sh"
cp "$builddir/tests/lab/ways" "$guest_dir/" || exit 99

# A third of the windows that the goals are for: the function of two ways was 0.7 to 4.2 points off in
# twelve runs, 90 to 96 % of all inside; 8.7 +- 0.1 in five of twelve when those own windows were believed
# that only begin with its short way, and in one of thirteen while one of six cycles was.  One that has just
# jumped from there to the long way, by offsets still nearer to where it began, is believed yet: one run of
# four since.  So two runs of three must hold.
off=0
for seed in 1 2 3; do
	echo "== seed $seed"
	measure_program "ways$seed" "" 20000 300 "TDAGENT_SEED=$seed ./ways -r 1900"
	(failures=0 && truthful "ways$seed" --limit 100=6 --limit 30=4 --inside 80 && exit "$failures") ||
		off=$((off + 1))
done
[ "$off" -le 1 ] || fail "$off of three runs are not the truth"
