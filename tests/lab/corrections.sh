#!/bin/sh
# SPDX-License-Identifier: MIT
# Dropped uops and machine clears, which the registers put in the wrong place:
# the generation's formulas give the truth.
. "$(dirname "$0")/lib.sh"

for model in spr icx; do
	echo "== $model"
	measure $model "-m $model" 100000 2000 "-r 1500 -d"
	accurate $model --windows 100 --enough 12
done
# the registers have no level 2 there, and the header says who would
holds icx <<'END'
run = report["run"]
check(run["backend"] == "metrics" and "TDAGENT_LEVEL=2 counts it by groups" in run["reason"],
      "%s, the reason is '%s'" % (run["backend"], run["reason"]))
END
