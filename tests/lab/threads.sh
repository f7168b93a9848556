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
