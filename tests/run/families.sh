#!/bin/sh
# SPDX-License-Identifier: MIT
# Children by vfork(), posix_spawn() and clone() of all kinds, which may share the
# agent's memory with their parent; forks that take longer than a period; and trees of
# many short processes.
. "$(dirname "$0")/lib.sh"

for way in $("$prog/families"); do
	plain "$prog/families" "$way"
	for variables in TDAGENT_LONG=200us TDAGENT_WINDOWS=vernier; do
		agent $variables "$prog/families" "$way"
		same "$way, $variables"
		[ -n "$(profiles families)" ] || fail "$way, $variables: no profile"
		rm -f "$work"/profiles/*
	done
	# SIGPROF and POSIX timers
	guest agent "$prog/deny" perf_event_open $clean $preload "$prog/families" "$way"
	same "$way, perf denied"
	rm -f "$work"/profiles/*
done

# A tree, as make's: not a word, and one summary of all that had a sample.
tree='for i in 1 2 3 4 5 6 7 8; do (for k in 1 2 3 4 5; do
	sh -c "true | cat"; "$1" 20; done; echo "$i"); done'
compare sh -c "$tree" sh "$prog/burn"
guest report $clean "$tdagent" report --format=json "$work/profiles"
ended "exit 0" report
cat >"$work/statements" <<'END'
burns = [p for p in report["processes"] if p["program"].endswith("/burn")]
check(sum(p.get("profiles", 1) for p in burns) == 40, "burn: %s" % burns)
check(functions("burn_sixty", "burn"), "no burn_sixty in the summary")
END
python3 "$here/expect.py" "$work/report.out" "$work/statements" /dev/null || fail "tree: see above"
