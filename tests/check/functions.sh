#!/bin/sh
# SPDX-License-Identifier: MIT
# No function is longer than 80 lines, unless long-functions.txt says why; no
# file longer than 800.
. "$(dirname "$0")/lib.sh"

cd "$top" || exit 99
files=$(sources agent decoder tools tests/prog tests/unit)
for file in $files; do
	lines=$(wc -l <"$file")
	[ "$lines" -le 800 ] || fail "$file has $lines lines; 800 is the limit"
done
ctags --version 2>/dev/null | grep -q Universal || skip "Universal Ctags is missing"
# shellcheck disable=SC2086 # no blanks in our file names
ctags -x --_xformat='%F %N %{end} %n' --kinds-C=f $files |
	awk '$3 - $4 >= 80 { print $1, $2, $3 - $4 + 1 }' >"$work/long"
while read -r file name lines; do
	grep -qE "^$file $name # ." "$check/long-functions.txt" ||
		fail "$file: $name() has $lines lines; 80 is the limit (long-functions.txt)"
done <"$work/long"
exit 0
