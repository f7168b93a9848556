#!/bin/sh
# SPDX-License-Identifier: MIT
# Memory and file depend on the code that is hot, not on how long it runs: once the
# window log is full, neither grows.
#
#     constant.sh [--long]
#
# By a fast strobe, until as many windows were seen as two logs hold: with a
# log of 1 MiB (there is a limit to the address space), or, --long, with that of 16
# MiB; that is two hours of a thread at the default of 20 ms.
. "$(dirname "$0")/lib.sh"

space=$((18 << 20))
[ "${1:-}" != --long ] || space=-1

# constant PROGRAM [ARGUMENT...] [VARIABLE=value]: measures it, and ends it.
constant()
{
	python3 "$here/constant.py" "$work/profiles/measured" "$space" $clean $preload \
		"TDAGENT_OUTPUT=$work/profiles/measured" TDAGENT_PMU=clock TDAGENT_LONG=50us \
		"$@" >"$work/constant.out" 2>"$work/constant.err" || fail "$*: $(tail -n 1 "$work/constant.err")"
	cat "$work/constant.out"
	rm -f "$work"/profiles/*
}

constant TDAGENT_CALLPATH=on "$prog/burn" 1000000
# threads that come and go, without malloc's arenas for each
constant MALLOC_ARENA_MAX=1 "$prog/manythreads" 100000000 200
