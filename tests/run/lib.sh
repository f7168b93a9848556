# SPDX-License-Identifier: MIT
# Shared by the end-to-end tests.  Source it first; run tests from the top of
# the build tree, as `make check` does.
#
# Each test has a directory of its own ($work), kept when it fails, and starts
# programs with an environment of its own.  No test asserts a time.
set -u

here=$(cd "$(dirname "$0")" && pwd)
builddir=$(pwd)
prog=$builddir/tests/prog
library=$builddir/agent/.libs/libtdagent.so
tdagent=$builddir/tools/tdagent
test_name=$(basename "$0" .sh)
failures=0

fail()
{
	echo "FAIL: $*"
	failures=$((failures + 1))
}

# skip WHY: for missing external programs only.
skip()
{
	echo "SKIP: $*"
	exit 77
}

# missing PROGRAM WHAT: says so if it is, and that WHAT is not tested then.
missing()
{
	command -v "$1" >/dev/null && return 1
	echo "$2: not tested, $1 is missing"
}

finish()
{
	status=$?
	trap - EXIT
	[ "$failures" -eq 0 ] || status=1
	case $status in
	0 | 77)
		rm -rf "$work"
		;;
	*)
		for log in "$work"/*.err "$work"/*.status; do
			[ -s "$log" ] && echo "--- $log" && head -n 20 "$log"
		done
		echo "kept: $work"
		;;
	esac
	exit $status
}

command -v python3 >/dev/null || skip "python3 is missing"
[ -e "$library" ] || { echo "$library is missing: run make first"; exit 99; }
work=$(mktemp -d "${TMPDIR:-/tmp}/tdagent-$test_name.XXXXXX") || exit 99
trap finish EXIT
trap 'exit 99' HUP INT TERM
mkdir "$work/profiles"

clean="env -i PATH=/usr/local/bin:/usr/bin:/bin HOME=$work LC_ALL=C"
# TDAGENT_TEST_WINDOWS=vernier make check: the other window engine.
# TDAGENT_TEST_PMU=clock make check: where there is a PMU; what tests say of time is the clock's.
preload="${TDAGENT_TEST_WINDOWS:+TDAGENT_WINDOWS=$TDAGENT_TEST_WINDOWS }${TDAGENT_TEST_PMU:+TDAGENT_PMU=$TDAGENT_TEST_PMU }LD_PRELOAD=$library TDAGENT_OUTPUT=$work/profiles/%e.%p TDAGENT_REPORT=none TDAGENT_LONG=1ms"

# guest LABEL COMMAND...: runs it; $work/LABEL.{out,err,status} hold what it
# wrote and how it ended, as "exit 3" or "signal 9".
guest()
{
	label=$1
	shift
	"$prog/witness" "$work/$label.status" "$@" >"$work/$label.out" 2>"$work/$label.err"
}

# plain|agent [VARIABLE=value...] COMMAND...: without and with the agent.
plain()
{
	guest plain $clean "$@"
}

agent()
{
	guest agent $clean $preload "$@"
}

# same WHAT: the last plain and agent runs wrote the same and ended alike.
same()
{
	for part in status out err; do
		cmp -s "$work/plain.$part" "$work/agent.$part" && continue
		fail "$1: $part differs with the agent"
		diff "$work/plain.$part" "$work/agent.$part" | head -n 10
	done
}

# compare COMMAND...: both runs, and the comparison.
compare()
{
	plain "$@"
	agent "$@"
	same "$*"
}

# ended HOW LABEL: e.g. "exit 0" agent
ended()
{
	[ "$(cat "$work/$2.status")" = "$1" ] ||
		fail "$2: ended by $(cat "$work/$2.status"), expected $1"
}

# one_line LABEL WORD: stderr is one line, and WORD is in it.
one_line()
{
	[ "$(wc -l <"$work/$1.err")" -eq 1 ] && grep -qF -e "$2" "$work/$1.err" && return
	fail "$1: stderr is not one line with '$2':"
	head -n 10 "$work/$1.err"
}

# profiles PROGRAM: the paths of its profiles.
profiles()
{
	find "$work/profiles" -type f -name "$1.*" | sort
}

# profile PROGRAM: the path of its only profile; where there is none, or more
# than one, a path that says so and that nothing can read.
profile()
{
	set -- "$1" $(profiles "$1")
	[ $# -eq 2 ] || set -- "$1" "$work/$(($# - 1))-profiles-of-$1"
	echo "$2"
}

# expect PROFILE [TRUTH]: runs the Python statements on stdin on its report;
# expect.py says what they may use.
expect()
{
	cat >"$work/statements"
	guest report $clean "$tdagent" report --format=json "$1"
	ended "exit 0" report
	python3 "$here/expect.py" "$work/report.out" "$work/statements" "${2:-/dev/null}" ||
		fail "$(basename "$1"): see above"
}

# truth LABEL: the JSON lines that a program printed about itself.
truth()
{
	grep '^{' "$work/$1.out" >"$work/truth"
	echo "$work/truth"
}
