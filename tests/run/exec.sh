#!/bin/sh
# SPDX-License-Identifier: MIT
# A process that goes through several programs has a profile of each.
. "$(dirname "$0")/lib.sh"

work_a_while='i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done'
printf '%s\nexec sh "$1" "$2"\n' "$work_a_while" >"$work/first"
printf '%s\nexec "$1" 200\n' "$work_a_while" >"$work/second"

compare sh "$work/first" "$work/second" "$prog/burn"
shell=$(basename "$(readlink -f "$(command -v sh)")")
set -- $(profiles "$shell") $(profile burn)
[ $# -eq 3 ] || fail "$# profiles, not 3: $*"
for file; do
	expect "$file" <<'END'
check(report["totals"]["samples"] > 0, "no samples of " + report["run"]["program"])
END
done
cat >"$work/chain" <<'END'
images = report["processes"]
check(len(images) == 3, "%d images" % len(images))
check(len(set(i["pid"] for i in images)) == 1, "pids: %s" % [i["pid"] for i in images])
check([i["state"] for i in images] == ["exec", "exec", "exited"], "states: %s" % [i["state"] for i in images])
check(sum(i["samples"] for i in images) == report["totals"]["samples"], "samples do not add up")
check(len(functions("burn_sixty", "burn")) == 1, "the last image is missing")
END
guest report $clean "$tdagent" report --format=json "$@"
ended "exit 0" report
python3 "$here/expect.py" "$work/report.out" "$work/chain" /dev/null || fail "chain: see above"

# `tdagent run` shows the chain in one report.
guest agent $clean "$tdagent" run --long=1ms -- sh "$work/first" "$work/second" "$prog/burn"
ended "exit 0" agent
grep -q burn_sixty "$work/agent.err" || fail "run: no report of the last image"
grep -q "$shell" "$work/agent.err" || fail "run: no report of the first image"
