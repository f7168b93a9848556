#!/bin/sh
# SPDX-License-Identifier: MIT
# The report at exit: on stderr, stdout untouched, and one only, however many
# children there were.
. "$(dirname "$0")/lib.sh"

plain "$prog/burn" 300
agent TDAGENT_REPORT=stderr "$prog/burn" 300
cmp -s "$work/plain.out" "$work/agent.out" || fail "stdout is not the program's own"
grep -q burn_sixty "$work/agent.err" || fail "no report on stderr"

agent "TDAGENT_REPORT=$work/report-%e" "$prog/burn" 300
same "report to a file"
grep -q burn_sixty "$work/report-burn" || fail "no report in the file"

# The program may be elsewhere by then.
rm -f "$work"/profiles/*
work_and_go='i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done; cd /'
(cd "$work/profiles" && agent TDAGENT_OUTPUT=./%e.%p TDAGENT_REPORT=stderr sh -c "$work_and_go")
grep -q '^program ' "$work/agent.err" || fail "no report after chdir()"
[ "$(find "$work/profiles" -type f | wc -l)" -eq 1 ] || fail "no profile where it was asked for"

# A percent sign in TMPDIR is none of ours.
mkdir "$work/100%p"
agent "TMPDIR=$work/100%p" TDAGENT_OUTPUT= "$prog/burn" 100
[ -n "$(find "$work/100%p/tdagent-$(id -u)" -name 'burn.*.tdp')" ] || fail "no profile in TMPDIR"

line='"$1" 100; "$1" 100 | cat; ("$1" 100); sh -c "$1 100"; true'
plain sh -c "$line" sh "$prog/burn"
agent TDAGENT_REPORT=stderr sh -c "$line" sh "$prog/burn"
cmp -s "$work/plain.out" "$work/agent.out" || fail "children: stdout differs"
[ "$(grep -cw burn_sixty "$work/agent.err")" -eq 0 ] || fail "a child printed its report"

# nor does one whose parent has gone
agent TDAGENT_REPORT=stderr setsid -w sh -c 'sh -c "{ sleep 0.3; exec $1 300; } &"; sleep 1; true' sh "$prog/burn"
[ "$(grep -cw burn_sixty "$work/agent.err")" -eq 0 ] || fail "a child without a parent printed its report"
[ -n "$(profiles burn)" ] || fail "a child without a parent has no profile"

# /proc may be that of the PID namespace that was left, with its numbers: no child of this one
# prints a report, nor is another's thread taken for its own.
work_in='unshare -rpf sh -c "\"\$1\" 300; \"\$1\" 300; true" sh "$1"'
plain sh -c "$work_in" sh "$prog/burn"
agent TDAGENT_CHILDREN=report sh -c "$work_in" sh "$prog/burn"
if grep -q '^unshare:' "$work/plain.err"; then
	echo "another PID namespace: not tested, $(head -n 1 "$work/plain.err")"
else
	same "another PID namespace"
	agent TDAGENT_REPORT=stderr sh -c "$work_in" sh "$prog/burn"
	[ "$(grep -cw burn_sixty "$work/agent.err")" -eq 0 ] || fail "a child in another PID namespace printed its report"
fi

# A pipeline's first program leads the group of the others, and is nobody's parent.
bash -c 'set -m; "$@" | "$@"' bash $clean $preload TDAGENT_REPORT=stderr "$prog/burn" 300 >"$work/agent.out" 2>"$work/agent.err"
[ "$(grep -c '^tdagent report' "$work/agent.err")" -eq 2 ] || fail "a pipeline of two has not two reports"

# A child prints no report either where its parent shows another environment than it was given
rm -f "$work"/profiles/*
agent TDAGENT_REPORT=stderr "$prog/titled" title "exec $prog/burn 300"
ended "exit 0" agent
[ "$(grep -cw burn_sixty "$work/agent.err")" -eq 0 ] || fail "a child of one with a title printed its report"
[ "$(profiles burn | wc -l)" -eq 1 ] || fail "$(profiles burn | wc -l) profiles of it"
rm -f "$work"/profiles/*
agent TDAGENT_CHILDREN=off "$prog/titled" title "exec $prog/burn 100"
[ "$(profiles burn | wc -l)" -eq 0 ] || fail "title, off: the child has a profile"

# or none, being another user's, who needs a library that he may read.
open=$work/open
mkdir "$open"
cp "$library" "$prog/burn" "$prog/titled" "$open"
chmod 755 "$work"
chmod 1777 "$work/profiles"
his="LD_PRELOAD=$open/libtdagent.so"
if [ "$(id -u)" -ne 0 ] || ! "$open/titled" user "test -x $open/burn"; then
	echo "another user: not tested, needs root and a TMPDIR for everybody"
else
	rm -f "$work"/profiles/*
	agent $his TDAGENT_REPORT=stderr "$open/titled" user "exec $open/burn 300"
	ended "exit 0" agent
	# it finds no command that would print its report, and says that; nor does the child
	[ "$(grep -c ^tdagent: "$work/agent.err")" -eq 1 ] || fail "a child of another user is not quiet"
	[ "$(profiles burn | wc -l)" -eq 1 ] || fail "$(profiles burn | wc -l) profiles of another user's"
	rm -f "$work"/profiles/*
	agent $his TDAGENT_CHILDREN=off "$open/titled" user "exec $open/burn 100"
	[ "$(profiles burn | wc -l)" -eq 0 ] || fail "user, off: the child has a profile"
	# who handles whatever signal there is need not be profiled
	for who in supervisor shell; do
		plain "$open/titled" $who "exec env $preload $his TDAGENT_REPORT=stderr $open/burn 300"
		[ "$(grep -c ^tdagent: "$work/plain.err")" -eq 1 ] || fail "a $who's child took it for profiled"
	done

	# where he may not write profiles, one line says so
	chmod 755 "$work/profiles"
	agent $his "$open/titled" user "$open/burn 100; $open/burn 100"
	ended "exit 0" agent
	one_line agent "children have no profiles: $work/profiles/ cannot be written any more: Permission denied"
	agent $his TDAGENT_CHILDREN=off "$open/titled" user "exec $open/burn 100"
	[ ! -s "$work/agent.err" ] || fail "off: $(cat "$work/agent.err")"
fi

agent TDAGENT_REPORT=stderr TDAGENT_CHILDREN=report sh -c '"$1" 300; true' sh "$prog/burn"
grep -q burn_sixty "$work/agent.err" || fail "CHILDREN=report: the child printed none"

rm -f "$work"/profiles/*
agent TDAGENT_CHILDREN=quiet sh -c '"$1" 100; "$1" 100; true' sh "$prog/burn"
[ "$(profiles burn | wc -l)" -eq 2 ] || fail "quiet: $(profiles burn | wc -l) profiles, not 2"
rm -f "$work"/profiles/*
agent TDAGENT_CHILDREN=off sh -c '"$1" 100; "$1" 100; true' sh "$prog/burn"
[ "$(profiles burn | wc -l)" -eq 0 ] || fail "off: $(profiles burn | wc -l) profiles, not 0"
