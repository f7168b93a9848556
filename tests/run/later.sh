#!/bin/sh
# SPDX-License-Identifier: MIT
# A child has no file until its first sample: none if there is no sample, and in time
# if something is about to make it impossible.
. "$(dirname "$0")/lib.sh"

# child STATUS ARGUMENT...: $pid is its pid.
child()
{
	expected=$1
	shift
	rm -f "$work"/profiles/*
	# shellcheck disable=SC2086
	agent $more "$prog/later" "$@"
	ended "exit 0" agent
	read -r pid status <"$work/agent.out" || { pid=0 status=none; }
	case $status in
	$expected) ;;
	*) fail "later $1: the child ended with $status" ;;
	esac
}

# has_work NAME FILE: its samples are there, and it says whose they are.
has_work()
{
	[ -e "$2" ] || { fail "$1: the child has no profile"; ls "$work/profiles"; return; }
	expect "$2" <<END
check(report["run"]["pid"] == $pid, "pid %s, not $pid" % report["run"]["pid"])
check("later" in report["run"]["command"], "command: " + report["run"]["command"])
check(function("$1")["share"] > 0.8, "$1 has %.2f" % function("$1")["share"])
END
}

# the first sample comes anywhere in the first long period
more=TDAGENT_LONG=10s
child 0 nothing
[ -z "$(profiles "later.$pid")" ] && [ ! -e "$work/profiles/later.$pid" ] || fail "nothing: there is a profile"
child 0 exec /bin/true
[ "$(find "$work/profiles" -name "*.$pid*" | wc -l)" -eq 0 ] || fail "exec: $(ls "$work/profiles")"
more=
child 0 work
has_work child_work "$work/profiles/later.$pid"
child -9 killed
has_work child_work "$work/profiles/later.$pid"
child 0 thread
has_work thread_work "$work/profiles/later.$pid"

# Somebody else's file, made after the name was chosen; the first sample may come first, each
# time where the machine is slow and the period short.
more=TDAGENT_LONG=10ms
child '[03]' taken "$work/profiles/later."
tries=1
while [ "$status" = 3 ] && [ $tries -lt 5 ]; do
	child '[03]' taken "$work/profiles/later."
	tries=$((tries + 1))
done
[ "$(cat "$work/profiles/later.$pid")" = "the program's own" ] || fail "taken: the program's file is gone"
has_work child_work "$work/profiles/later.$pid.$pid"

# One name for all: the parent's is taken.
more="TDAGENT_OUTPUT=$work/profiles/one.tdp"
child 0 work
has_work child_work "$work/profiles/one.$pid.tdp"

# No address space to spare: the file is made at once.
more=
agent sh -c 'ulimit -v 1000000; exec "$@"' sh "$prog/later" work
[ "$(profiles later | wc -l)" -ge 1 ] || fail "little address space: no profile"

if [ "$(id -u)" -eq 0 ]; then
	chmod 755 "$work"
	chmod 700 "$work/profiles"
	child 0 user
	has_work child_work "$work/profiles/later.$pid"
	mkdir "$work/root"
	child 0 root "$work/root"
	has_work child_work "$work/profiles/later.$pid"
else
	echo "not root: setuid and chroot were not tried"
fi
