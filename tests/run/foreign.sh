#!/bin/sh
# SPDX-License-Identifier: MIT
# Programs that would end because of us, as profiled ones start them: another C library's,
# and AddressSanitizer's.  They run without us; all others with us.
. "$(dirname "$0")/lib.sh"

cat >"$work/says.c" <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv)
{
	const char *list = getenv("LD_PRELOAD");
	for (volatile int i = 0; i < 20000000; i++)
		;
	return printf("%d arguments, %s\n", argc, list && strstr(list, "libm.so") ? "libm" : "alone") < 0;
}
END

# compile NAME OPTION...
compile()
{
	name=$1
	shift
	${CC:-gcc} -std=gnu11 "$@" -o "$work/$name" "$work/says.c" 2>"$work/cc.err"
}

# started WHAT PROGRAM PROFILES [LIBRARY]: the same as without us, and so many profiles;
# and so it is beside a LIBRARY.
started()
{
	for beside in "" ${4:-}; do
		plain ${beside:+LD_PRELOAD=$beside} "$prog/execs" "$work/$2"
		[ "$(grep -c ': 0$' "$work/plain.out")" -eq 12 ] || fail "$1: does not run in 12 ways"
		agent ${beside:+"LD_PRELOAD=$library $beside"} "$prog/execs" "$work/$2"
		same "$1, ${beside:-alone}"
		[ "$(profiles "$2" | wc -l)" -eq "$3" ] || fail "$1: $(profiles "$2" | wc -l) profiles, not $3"
		rm -f "$work"/profiles/*
	done
}

compile usual || { cat "$work/cc.err"; exit 99; }
started "a usual program" usual 12 libm.so.6

# musl's, as far as its file says: its loader has that name.
loader=$(ldd "$work/usual" | sed -n 's/^[[:space:]]*\(\/[^ ]*ld-linux[^ ]*\) .*/\1/p')
cp "$loader" "$work/ld-musl-any.so.1"
compile other "-Wl,--dynamic-linker=$work/ld-musl-any.so.1" || { cat "$work/cc.err"; exit 99; }
started "another C library's" other 0 libm.so.6

# We are there twice.
agent "LD_PRELOAD=$library:$library" "$prog/execs" "$work/other"
[ "$(grep -c ': 0$' "$work/agent.out")" -eq 12 ] || fail "twice: does not run in 12 ways"
rm -f "$work"/profiles/*

guest agent $clean "$tdagent" run -- "$work/other"
ended "exit 126" agent
one_line agent "uses another C library (its loader is $work/ld-musl-any.so.1)"

if compile sanitized -fsanitize=address && ldd "$work/sanitized" | grep -q libasan; then
	started "AddressSanitizer's" sanitized 0
	runtime=$(ldd "$work/sanitized" | sed -n 's/^[[:space:]]*libasan[^ ]* => \([^ ]*\).*/\1/p')
	guest agent $clean "$tdagent" run -- "$work/sanitized"
	ended "exit 126" agent
	one_line agent "set LD_PRELOAD=$(basename "$runtime")"
	# with its runtime before us it can have us
	agent "LD_PRELOAD=$runtime:$library" "$prog/execs" "$work/sanitized"
	[ "$(profiles sanitized | wc -l)" -eq 12 ] || fail "behind the runtime: $(profiles sanitized | wc -l) profiles"
else
	echo "AddressSanitizer: not tested, $(head -n 1 "$work/cc.err")"
fi
