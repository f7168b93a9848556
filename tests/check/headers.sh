#!/bin/sh
# SPDX-License-Identifier: MIT
# Each header compiles alone, twice in a row; another processor's for that one only.  Whoever
# calls the functions of one is told from where (HACKING.md, "Style").
. "$(dirname "$0")/lib.sh"

for header in $(sources agent decoder tools | grep '\.h$' | native); do
	printf '#include "%s"\n#include "%s"\n' "$header" "$header" >"$work/alone.c"
	$compile -Wall -Wextra -fsyntax-only "$work/alone.c" >"$work/log" 2>&1 &&
		[ ! -s "$work/log" ] && continue
	cat "$work/log"
	fail "$header does not compile alone"
done
for header in $(sources agent decoder tools | grep '\.h$'); do
	grep -qE '^[a-z].*\btd_[a-z0-9_]+\(' "$top/$header" || continue
	grep -qE 'Context( of all)?:' "$top/$header" || fail "$header does not say in which context"
done
exit 0
