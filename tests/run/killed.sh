#!/bin/sh
# SPDX-License-Identifier: MIT
# A profile can be read while the program runs, and after kill -9.
. "$(dirname "$0")/lib.sh"

samples()
{
	$clean "$tdagent" report --format=json "$1" 2>"$work/poll.err" |
		python3 -c 'import json, sys; print(json.load(sys.stdin)["totals"]["samples"])' 2>"$work/poll-json.err"
}

$clean $preload "$prog/burn" 60000 >"$work/agent.out" 2>"$work/agent.err" &
pid=$!
tries=0
while [ "$(samples "$work/profiles/burn.$pid" || echo 0)" -lt 800 ] 2>"$work/test.err"; do
	tries=$((tries + 1))
	[ $tries -lt 300 ] || { fail "no 800 samples in a running program's profile"; break; }
	sleep 0.1
done
[ $tries -gt 0 ] || fail "the program was never seen running"
kill -9 $pid
wait $pid
[ $? -eq 137 ] || fail "the program was not killed"

expect "$work/profiles/burn.$pid" <<'END'
has_share("burn_sixty", 0.6)
has_share("burn_thirty", 0.3)
has_share("burn_ten", 0.1)
END
