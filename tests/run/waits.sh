#!/bin/sh
# SPDX-License-Identifier: MIT
# No wait of the program ends by EINTR, or early, because of us: 18 kinds of waits, most of
# which no handler's SA_RESTART continues, after work that ends anywhere in a period.
. "$(dirname "$0")/lib.sh"

rounds=25
[ "${1:-}" != --long ] || rounds=1000

plain "$prog/waits" $rounds
[ "$(grep -c 'woken 0 times$' "$work/plain.out")" -eq 18 ] || echo "without the agent: $(grep -v 'woken 0' "$work/plain.out")"
for variables in TDAGENT_LONG=500us "TDAGENT_LONG=200us TDAGENT_SHORT=10us" TDAGENT_CALLPATH=on TDAGENT_WINDOWS=vernier; do
	agent $variables "$prog/waits" $rounds
	same "$variables"
	expect "$(profile waits)" <<'END'
check(report["totals"]["samples"] > 10, "%d samples" % report["totals"]["samples"])
END
	rm -f "$work"/profiles/*
done

# SIGPROF and POSIX timers
guest agent "$prog/deny" perf_event_open $clean $preload TDAGENT_LONG=500us "$prog/waits" $rounds
same "perf denied"
