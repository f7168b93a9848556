#!/bin/sh
# SPDX-License-Identifier: MIT
# Periods from the usual to the absurd, and interrupts that come late.
. "$(dirname "$0")/lib.sh"

echo "== 999700/300, as in the kernel's strobing proposal"
measure strobing "" 999700 300 "-r 4000"
accurate strobing --brief --windows 100 --enough 12
holds strobing <<'END'
check(not any("cycles late" in n for n in report["run"]["notes"]), "skid where there is none")
END

echo "== the shortest periods"
lab tiny "" "$(with_agent 1000 64) ./phases -r 20 >/out/truth"
ended "exit 0" tiny
[ "$(grep -c "the long period is 10000 cycles" "$work/tiny.out")" -eq 1 ] && [ "$(wc -l <"$work/tiny.out")" -eq 1 ] ||
	fail "a period that is too short: not one line about it"
report_on tiny
holds tiny <<'END'
samples = report["totals"]["samples"]
check(samples > 500, "only %d samples" % samples)
interrupts = [t for t in truth if t["what"] == "machine"][0]["interrupts"]
# a window of 6 cycles asks for several in the handler, till the long period is set
check(interrupts < 8 * samples, "%d interrupts for %d samples" % (interrupts, samples))
check(report["run"]["long_period"] == 10000, "period %s" % report["run"]["long_period"])
check(any("10000 cycles" in n for n in report["run"]["notes"]), "no note")
END

echo "== interrupts 500 instructions late"
measure skid "" 100000 2000 "-r 1500 -k 500"
# a sample that comes late is another function's: shares are as good as the interrupt
accurate skid --brief --windows 100 --enough 5 --share 25
holds skid <<'END'
check(any("cycles late (median)" in n for n in report["run"]["notes"]), "no note about late interrupts")
END

echo "== interrupts 50 instructions late: what is shorter than three times that says so"
measure_program late "" 20000 300 "./awkward -r 1000 -k 50"
# phased has two halves: up to 4 points
truthful late --limit 200=4.5

echo "== windows that would be over before the program is reached"
lab brief "-m skx" "$(with_agent 20000 50) LD_LIBRARY_PATH=/in ./awkward -r 1600 >/out/truth"
ended "exit 0" brief
grep -q "windows of 50 cycles would hardly hold any of the program: their mean length is 74 cycles" "$work/brief.out" ||
	fail "a window that is too short: not a line about it"
report_on brief
# phased has two halves
truthful brief --limit 100=3
