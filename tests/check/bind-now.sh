#!/bin/sh
# SPDX-License-Identifier: MIT
# All symbols are bound at load time, since lazy binding takes locks in a
# handler, and no library but libc comes into the program with us.
. "$(dirname "$0")/lib.sh"

library=agent/.libs/libtdagent.so
need $library
readelf -dW $library >"$work/dynamic" || exit 99
grep -qE '\((BIND_NOW|FLAGS|FLAGS_1)\).*NOW|\(BIND_NOW\)' "$work/dynamic" ||
	fail "$library is bound lazily; link it with -Wl,-z,now"
grep -q TEXTREL "$work/dynamic" && fail "$library has text relocations"
for needed in $(sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' "$work/dynamic"); do
	case $needed in
	libc.so.6 | ld-linux-x86-64.so.2) ;;
	*) fail "$library brings $needed into the program" ;;
	esac
done
