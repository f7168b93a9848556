#!/bin/sh
# SPDX-License-Identifier: MIT
# What a program sees of the library is its export map, no more and no less.
. "$(dirname "$0")/lib.sh"

library=agent/.libs/libtdagent.so
need $library
nm -D --defined-only $library | awk '{ sub(/@.*/, "", $3); print $3 }' | sort -u >"$work/exported"
sed 's/#.*//' "$top/agent/libtdagent.map" | tr -s ' \t{' '\n' |
	awk '/^local:/ { exit } /;$/ { sub(/;/, ""); print }' | sort -u >"$work/mapped"
[ -s "$work/mapped" ] || fail "agent/libtdagent.map has no global names"
for name in $(comm -23 "$work/exported" "$work/mapped"); do
	fail "$name is exported and not in agent/libtdagent.map"
done
for name in $(comm -13 "$work/exported" "$work/mapped"); do
	fail "$name is in agent/libtdagent.map and not exported (TD_EXPORT missing?)"
done
