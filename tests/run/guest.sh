#!/bin/sh
# SPDX-License-Identifier: MIT
# The program is the guest of honour: what it writes, how it ends and what it
# finds is the same with and without the agent.
. "$(dirname "$0")/lib.sh"

for way in $("$prog/exits"); do
	compare "$prog/exits" "$way"
	for file in $(profiles exits); do
		expect "$file" <<END
check(report["totals"]["samples"] > 0, "nothing was measured before $way")
END
	done
	[ -n "$(profiles exits)" ] || fail "no profile after $way"
	rm -f "$work"/profiles/*
done

compare "$prog/sigs"
for pmu in clock simulated; do
	agent TDAGENT_PMU=$pmu TDAGENT_LONG=500us TDAGENT_SHORT=10us "$prog/sigs"
	same "sigs, $pmu"
done

# The same with the POSIX timer and SIGPROF.  While it blocks SIGPROF, the
# program's signal and the timer's are one to the kernel: that one line may differ.
guest agent "$prog/deny" perf_event_open $clean $preload "$prog/sigs"
sed -i '/^unblocked/d' "$work/plain.out" "$work/agent.out"
same "sigs, perf denied"

# Descriptors: the numbers that it gets, and what is in its files, though the
# report goes to descriptor 2, which is one of them.
for how in loop range from; do
	for first in 0 3; do
		mkdir "$work/plain" "$work/agent"
		(cd "$work/plain" && plain "$prog/closeall" $how $first)
		(cd "$work/agent" && agent TDAGENT_REPORT=stderr "$prog/closeall" $how $first)
		cmp -s "$work/plain.status" "$work/agent.status" || fail "closeall $how $first: status"
		diff -r "$work/plain" "$work/agent" >"$work/diff.err" ||
			fail "closeall $how $first: its files differ: $(head -n 5 "$work/diff.err")"
		# 30 ms of work before it closes all, 200 behind
		expect "$(profile closeall)" <<END
samples = report["totals"]["samples"]
check(samples > 90, "closeall $how $first: %d samples, none behind it?" % samples)
check(report["run"]["state"] == "exited", "closeall $how $first: " + report["run"]["state"])
END
		rm -r "$work/plain" "$work/agent" "$(profile closeall)"
	done
done

# It may forbid itself to read the time stamp counter, as clocks do.
compare "$prog/notsc"
expect "$(profile notsc)" <<'END'
check(report["totals"]["samples"] > 100, "only %d samples" % report["totals"]["samples"])
END
agent TDAGENT_WINDOWS=vernier "$prog/notsc"
same "notsc, vernier"
agent TDAGENT_REPORT=stderr "$prog/notsc"
grep -q '^samples ' "$work/agent.err" || fail "notsc: no report: $(head -n 1 "$work/agent.err")"

# 200 times, short: not a word, and always the same end.
for i in $(seq 200); do
	$clean $preload true || echo "run $i of true ended with $?"
done >"$work/true.out" 2>&1
[ ! -s "$work/true.out" ] || fail "200 times true: $(head -n 3 "$work/true.out")"
