#!/bin/sh
# SPDX-License-Identifier: MIT
# Counters and their interrupts on aarch64: read by the agent's instructions where
# the kernel allows it, and not where it does not.
. "$(dirname "$0")/lib.sh"

failures=0
# says WHAT PATTERN: a line of the last output.
says()
{
	grep -qE "$2" "$work/log" && return
	echo "FAIL: $1: no line '$2'"
	failures=$((failures + 1))
}

access=/proc/sys/kernel/perf_user_access
guest -- "echo 1 >$access; ./tests/arm64/counters && echo 0 >$access && ./tests/arm64/counters" \
	>"$work/log" || failures=1
cat "$work/log"
says "user access on" '^cycles: user access, [1-9][0-9]* for'
says "user access off" '^cycles: no user access'
says "interrupts" '^cycles: [1-9][0-9]* interrupts for'

# Instructions are counted where an instruction is a nanosecond, and exactly.
guest -i -- "echo 1 >$access; ./tests/arm64/counters instructions 8" >"$work/log" || failures=1
cat "$work/log"
says "instructions" '^instructions: user access, 200000[0-9]{2} for 20000000 instructions'
exit $((failures != 0))
