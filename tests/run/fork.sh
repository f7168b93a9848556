#!/bin/sh
# SPDX-License-Identifier: MIT
# A fork: each process has its own profile, with its own work and nothing of
# the others'.
. "$(dirname "$0")/lib.sh"

compare "$prog/forker"
rm -f "$work"/profiles/*
agent "$prog/forker" --truth
ended "exit 0" agent
[ "$(profiles forker | wc -l)" -eq 3 ] || fail "$(profiles forker | wc -l) profiles, not 3"

for name in parent_work quick_child_work plain_child_work; do
	pid=$(sed -n "s/.*\"$name\": \([0-9]*\).*/\1/p" "$work/agent.out")
	expect "$work/profiles/forker.$pid" <<END
check(report["run"]["pid"] == $pid, "pid %s, not $pid" % report["run"]["pid"])
share = function("$name")["share"]
check(share > 0.85, "$name has %.2f" % share)
others = [f["name"] for f in functions() if f["name"].endswith("_work") and f["name"] != "$name"]
check(not others, "work of others: %s" % others)
END
done

compare "$prog/forker"

# A library that is there before us waits for its thread before each fork and behind it.
rm -f "$work"/profiles/*
library_of_forks=$prog/.libs/forklib.so
for children in quiet report; do
	guest plain timeout -s KILL 60 $clean "LD_PRELOAD=$library_of_forks" "$prog/forker"
	guest agent timeout -s KILL 60 $clean $preload "LD_PRELOAD=$library $library_of_forks" \
		TDAGENT_CHILDREN=$children "$prog/forker"
	same "a library with a thread, children $children"
	[ "$(profiles forker | wc -l)" -eq 3 ] ||
		fail "a library with a thread, children $children: $(profiles forker | wc -l) profiles"
	rm -f "$work"/profiles/*
done

# A child has what its parent had, and no descriptor more: the last of four has the first's
# and one at most that has not been closed yet.
rm -f "$work"/profiles/*
agent "$prog/leftovers" fork
ended "exit 0" agent
sed -n 's/.*"descriptors": \([0-9]*\),.*/\1/p' "$work/agent.out" |
	awk 'NR == 1 { first = $1 } { last = $1 } END { exit NR != 4 || last - first > 1 }' ||
	{ fail "parents leave something:"; cat "$work/agent.out"; }
