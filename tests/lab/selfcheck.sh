#!/bin/sh
# SPDX-License-Identifier: MIT
# The lab itself: counters and metrics against its truth, without the agent.
. "$(dirname "$0")/lib.sh"
cp "$builddir/tests/lab/selfcheck" "$guest_dir/"
for model in spr icx skx ivb grt; do
	lab $model "-m $model" ./selfcheck
	ended "exit 0" $model
	sed "s/^/$model: /" "$work/$model.out"
	grep -q '^0 mismatches$' "$work/$model.out" || fail "$model is not what it says it is"
done
