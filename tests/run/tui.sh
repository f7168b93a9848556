#!/bin/sh
# SPDX-License-Identifier: MIT
# The terminal browser as somebody uses it, in tmux: it moves, sorts, filters, opens
# functions and their callers, follows the terminal's size, and leaves it as it was.
. "$(dirname "$0")/lib.sh"

guest report $clean TERM=xterm "$tdagent" report --tui /dev/null
ended "exit 1" report
"$tdagent" report --help | grep -q -- --tui || fail "--help does not name --tui"
command -v tmux >/dev/null || skip "tmux is missing"

agent TDAGENT_PMU=simulated TDAGENT_CALLPATH=on "$prog/demo" 10
demo=$(profile demo)

# Without a terminal: one line, nothing else.
guest report $clean TERM=xterm "$tdagent" report --tui "$demo"
ended "exit 1" report
if grep -q "without ncurses" "$work/report.err"; then
	skip "this tdagent was built without ncurses"
fi
one_line report "must be a terminal"

mux="tmux -f /dev/null -S $work/tmux"
quit()
{
	$mux kill-server 2>/dev/null
	finish
}
trap quit EXIT
$clean TERM=xterm-256color $mux new-session -d -x 80 -y 24 "env LC_ALL=C.UTF-8 sh" || skip "tmux does not start here"

# screen TEXT WHAT: the extended regular expression comes up on the screen, and nothing
# is being drawn any more.
screen()
{
	for try in $(seq 200); do
		$mux capture-pane -p >"$work/drawn"
		grep -qE -e "$1" "$work/drawn" && cmp -s "$work/drawn" "$work/screen" && return
		mv "$work/drawn" "$work/screen"
		sleep 0.05
	done
	fail "$2: no $1 on the screen:"
	cat "$work/screen"
}
keys() { $mux send-keys "$@"; }
# The row below the titles.
first() { sed -n '4p' "$work/screen"; }

# which function has the most samples is the machine's affair
keys "$tdagent report --tui --sort=memory_bound $demo; echo left-\$?" Enter
screen "^ *Share%.*Limited by .*Function" "columns"
screen "SIMULATED" "columns"
screen "^\\+ +[0-9.]+ +[0-9.]+ +[RSFB]{12} Memory 9[0-9.]+±.*follow_links" "the list"
[ "$(awk '{ if (length($0) > 80) n++ } END { print n + 0 }' "$work/screen")" = 0 ] || fail "wider than the terminal"

keys Space
screen "^- .*follow_links" "opened"
screen "^ +memory bound +90[0-9.]*±[0-9.]+< .*\\.\\.\\." "its nodes"
keys Space
screen "^\\+ .*follow_links" "closed"

keys /
keys "bytecode"
screen "Filter: bytecode_ +1 of" "filter"
keys Enter
screen "1 of [0-9]+ with .bytecode" "filtered"
first | grep -q run_bytecode || fail "filter: the first row is $(first)"
keys Escape
screen "[0-9]+ functions " "no filter"

# sorting: what the screen says that rows are sorted by
sorting() { sed -n '3s/.*\( by .*\)/\1/p' "$work/screen"; }
# sorted_names OPTION...: the names on the screen come to be in the order of sort OPTION
sorted_names()
{
	for try in $(seq 200); do
		names=$(sed -n '4,20s/.* //p' "$work/screen" | grep .)
		[ "$names" = "$(echo "$names" | LC_ALL=C sort "$@")" ] && return
		sleep 0.05
		$mux capture-pane -p >"$work/screen"
	done
	fail "not sorted by name (sort $*): $names"
}

# by name, the other way round, and back
keys S
screen " by [A-Za-z]" "sorting"
for order in 1 2 3 4 5 6 7 8; do
	before=$(sorting)
	case $before in *" by name"*) break ;; esac
	keys s
	for try in $(seq 200); do
		screen " by [A-Za-z]" "sorting"
		[ "$(sorting)" = "$before" ] || break
	done
done
screen " by name" "sorted"
sorted_names
keys r
screen "by name, reversed" "reversed"
sorted_names -r

# into a function, on to its caller, and back
keys /
keys "follow"
keys Enter
screen "with .follow" "filtered"
keys Enter
screen "What limits it" "details"
screen "memory bound +90" "details"
keys Tab
screen "Called by" "the next function"
keys Enter
screen "^ run_shift" "the caller"
keys Escape
screen "^ follow_links" "back"
keys a
screen "follow_links.*(samples|windows)|demo.c|mov" "its lines"
# a pager is left by q; where there is none, they stay until Enter
if command -v less >/dev/null; then
	keys q
else
	keys Enter
fi
screen "^ follow_links" "back from the lines"

$mux resize-window -x 60 -y 15 2>/dev/null && {
	screen "What limits it" "smaller"
	[ "$(wc -l <"$work/screen")" -le 15 ] || fail "resized: $(wc -l <"$work/screen") lines"
	$mux resize-window -x 140 -y 40
	keys Escape
	screen "Windows +Top-down +.*Limited by" "larger"
	screen "memory bound 90" "larger"
}
keys "?"
screen "sort by the next" "help"
keys x
screen "Function" "back from help"
keys q
screen "left-0" "left"

# The lines of what was compiled at run time: by the same names as the list.
if ! command -v node >/dev/null; then
	echo "$test_name: --jitdump: not tested, missing: node (nodejs)"
	exit 0
fi
cd "$work" || exit 99
rm -f profiles/*
agent node --perf-prof -e 'function hot(n){let s=0;for(let i=0;i<n;i++)s+=(i*i)%7;return s}
let t=0;for(let k=0;k<20;k++)t+=hot(2e6);if(t<0)console.log(t)'
node=$(profile node)
mkdir dump
mv jit-*.dump dump
keys "clear; $tdagent report --tui --jitdump=$work/dump $node; echo gone-\$?" Enter
screen "JS:.*hot" "the list"
keys "/hot" Enter Enter
screen "^\\[anon\\] *$" "details"
keys a
screen "Compiled while the program ran" "lines of JIT code"
command -v less >/dev/null && keys q || keys Enter
screen "^\\[anon\\] *$" "back from the lines"
keys Escape q
screen "gone-0" "left"
