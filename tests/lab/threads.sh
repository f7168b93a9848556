#!/bin/sh
# SPDX-License-Identifier: MIT
# Threads, CPUs, and what happens to a thread inside a window.
. "$(dirname "$0")/lib.sh"

echo "== four threads on two CPUs"
measure threads "-s 2" 100000 1000 "-t 4 -r 500"
accurate threads --brief --windows 100 --enough 12
holds threads <<'END'
check(report["run"]["threads"] == 5, "%d threads" % report["run"]["threads"])
END

# A thread that is switched out just as its counters are zero comes back to another's:
# without skid and edges no window is more than some dozen cycles longer than asked for.
"$tdagent" report --format=windows "$work/threads/profile" | awk -F, '
	NR == 1 { for (i = 1; i <= NF; i++) if ($i == "\"slots\"") slots = i; next }
	$slots / 6 - $5 > 200 { strays++ }
	END {
		printf "%d windows, %d of them with counts of others\n", NR - 1, strays
		exit !(slots && NR > 5000 && !strays)
	}' || fail "threads: windows are too long"

echo "== sleeps and migrations inside windows"
measure disturbed "-s 2" 50000 2000 "-t 2 -r 700 -x sleep -x migrate"
accurate disturbed --brief --windows 100 --enough 10
holds disturbed <<'END'
check(report["totals"]["windows"]["rejected"].get("switched", 0) > 10,
      "no window with a switch was rejected")
END

echo "== signals blocked inside windows"
measure blocked "" 50000 1000 "-r 700 -x block"
accurate blocked --brief --windows 100 --enough 10
holds blocked <<'END'
check(report["totals"]["windows"]["rejected"].get("blocked", 0) > 10,
      "no window with the signal blocked was rejected")
END
