#!/bin/sh
# SPDX-License-Identifier: MIT
# Every option of the table, as `tdagent run --help` prints it, is in the
# manual; the pages have no mistakes that man can find.
. "$(dirname "$0")/lib.sh"

tdagent=tools/tdagent
man=$top/doc/man
need $tdagent

# in_page OPTION PAGE: with \- for each minus, as man pages write it.
in_page()
{
	sed 's/\\-/-/g' "$man/$2" | grep -qE -e "$1([^A-Za-z_-]|\$)" || fail "$2 lacks $1"
}

in_page --progress tdagent-run.1
options=$($tdagent run --help | sed -n 's/^ *\(--[a-z-]*\)=.*/\1/p')
[ -n "$options" ] || fail "$tdagent run --help lists no options"
for option in $options; do
	in_page "$option" tdagent-run.1
	in_page "TDAGENT_$(echo "${option#--}" | tr a-z- A-Z_)" libtdagent.7
done
for option in $($tdagent report --help | sed -n 's/^ *\(--[a-z-]*\).*/\1/p'); do
	in_page "$option" tdagent-report.1
done
for command in annotate audit diff export import push; do
	for option in $($tdagent $command --help | sed -n 's/^ *\(-o, \)*\(--[a-z-]*\).*/\2/p'); do
		in_page "$option" tdagent-$command.1
	done
done
for command in $($tdagent --help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
	in_page "$command" tdagent.1
	grep -q "tdagent $command" "$top/README.md" || case $command in
	help | version) ;;
	*) fail "README.md lacks tdagent $command" ;;
	esac
done

# Each command has a page, and says what it can in 80 columns.
for command in $($tdagent --help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
	case $command in
	help | version) continue ;;
	esac
	[ -e "$man/tdagent-$command.1" ] || fail "tdagent-$command.1 is missing"
	$tdagent help "$command" >"$work/help" || fail "tdagent help $command: status $?"
	grep -q "^usage: tdagent $command" "$work/help" || fail "tdagent help $command: no usage"
	awk 'length($0) > 80' "$work/help" >"$work/wide"
	[ -s "$work/wide" ] && fail "tdagent help $command is wide: $(cat "$work/wide")"
done
$tdagent --help | awk 'length($0) > 80' | grep . && fail "tdagent --help is wide: see above"

command -v groff >/dev/null || { echo "groff is missing: pages not checked"; exit 0; }
for page in "$man"/*.[17]; do
	groff -man -ww -Tutf8 -z "$page" 2>"$work/log"
	[ -s "$work/log" ] && cat "$work/log" && fail "$(basename "$page"): see above"
done
exit 0
