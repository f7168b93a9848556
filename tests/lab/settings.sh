#!/bin/sh
# SPDX-License-Identifier: MIT
# Periods from the usual to the absurd, and interrupts that come late.
. "$(dirname "$0")/lib.sh"

echo "== 999700/300, as in the kernel's strobing proposal"
measure strobing "" 999700 300 "-r 4000"
accurate strobing --brief --windows 100 --enough 12

echo "== the shortest periods"
measure tiny "" 1000 64 "-r 20"
holds tiny <<'END'
samples = report["totals"]["samples"]
check(samples > 1000, "only %d samples" % samples)
interrupts = [t for t in truth if t["what"] == "machine"][0]["interrupts"]
check(interrupts < 20 * samples, "%d interrupts for %d samples" % (interrupts, samples))
END

echo "== interrupts 500 instructions late"
measure skid "" 100000 2000 "-r 1500 -k 500"
# a sample that comes late is another function's: shares are as good as the interrupt
accurate skid --brief --windows 100 --enough 5 --sigma 15
