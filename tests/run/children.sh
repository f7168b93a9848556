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

line='"$1" 100; "$1" 100 | cat; ("$1" 100); sh -c "$1 100"; true'
plain sh -c "$line" sh "$prog/burn"
agent TDAGENT_REPORT=stderr sh -c "$line" sh "$prog/burn"
cmp -s "$work/plain.out" "$work/agent.out" || fail "children: stdout differs"
[ "$(grep -cw burn_sixty "$work/agent.err")" -eq 0 ] || fail "a child printed its report"

agent TDAGENT_REPORT=stderr TDAGENT_CHILDREN=report sh -c '"$1" 300; true' sh "$prog/burn"
grep -q burn_sixty "$work/agent.err" || fail "CHILDREN=report: the child printed none"

rm -f "$work"/profiles/*
agent TDAGENT_CHILDREN=quiet sh -c '"$1" 100; "$1" 100; true' sh "$prog/burn"
[ "$(profiles burn | wc -l)" -eq 2 ] || fail "quiet: $(profiles burn | wc -l) profiles, not 2"
rm -f "$work"/profiles/*
agent TDAGENT_CHILDREN=off sh -c '"$1" 100; "$1" 100; true' sh "$prog/burn"
[ "$(profiles burn | wc -l)" -eq 0 ] || fail "off: $(profiles burn | wc -l) profiles, not 0"
