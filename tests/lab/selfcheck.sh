#!/bin/sh
# SPDX-License-Identifier: MIT
# The lab itself: counters and metrics against its truth, without the agent.
. "$(dirname "$0")/lib.sh"
cp "$builddir/tests/lab/selfcheck" "$guest_dir/"
check_model()
{
	model=$1
	lab $model "$2" "$3"
	ended "exit 0" $model
	sed "s/^/$model: /" "$work/$model.out"
	grep -q '^0 mismatches$' "$work/$model.out" || fail "$model is not what it says it is"
}

for model in spr icx skx ivb grt zen4; do
	check_model $model "-m $model" ./selfcheck
done
# each of its cores by itself
check_model large "-m hybrid -s 2" "taskset 1 ./selfcheck"
check_model small "-m hybrid -s 2" "taskset 2 ./selfcheck"
# a thread whose core another one shares
check_model shared "-m spr-smt" 'taskset 2 sh -c "while :; do :; done" >/dev/null 2>&1 & taskset 1 ./selfcheck'
