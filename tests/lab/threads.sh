#!/bin/sh
# SPDX-License-Identifier: MIT
# Threads, CPUs, and what happens to a thread inside a window.
. "$(dirname "$0")/lib.sh"

# beyond LABEL VERDICT: windows of this verdict (a pattern) that counted 200 cycles more
# than was asked for; without skid and edges it is some dozen.
beyond()
{
	"$tdagent" report --format=windows "$work/$1/profile" | awk -F, -v verdict="$2" '
		NR == 1 { for (i = 1; i <= NF; i++) if ($i == "\"slots\"") slots = i; next }
		$4 ~ verdict { all++ }
		$4 ~ verdict && $slots / 6 - $5 > 200 { long++ }
		END { print (all > 5000 ? long + 0 : "too few windows") }'
}

echo "== four threads on two CPUs"
measure threads "-s 2" 100000 1000 "-t 4 -r 500"
accurate threads --brief --windows 100 --enough 12
holds threads <<'END'
check(report["run"]["threads"] == 5, "%d threads" % report["run"]["threads"])
END

# A thread that is switched out just as its counters are zero comes back to another's:
# nothing of that is in any window, whatever became of it.
[ "$(beyond threads .)" = 0 ] || fail "threads: windows hold counts of others"

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
# A signal that was sent just before it was blocked does not say that it waited: what
# the agent cannot see, the reader rejects (stray).
[ "$(beyond blocked valid)" = 0 ] || fail "blocked: valid windows are far too long"
