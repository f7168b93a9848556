#!/bin/sh
# SPDX-License-Identifier: MIT
# Runtimes with threads, stacks, signals and code of their own: Go with cgo, the JVM,
# node.  What they print, and how they end, is the same with the agent.
#
#     runtimes.sh [--long]
#
# The short form runs Go's own command where that is a Go program with cgo (from Go 1.24 on
# it is static), as compiling one takes a while.
. "$(dirname "$0")/lib.sh"

long=
[ "${1:-}" != --long ] || long=yes

# runtime PATTERN COMMAND...: with each way of sampling; PATTERN: of its profiles.
runtime()
{
	pattern=$1
	shift
	plain "$@"
	[ "$(cat "$work/plain.status")" = "exit 0" ] || {
		echo "$pattern: not tested, it fails by itself: $(head -n 1 "$work/plain.err")"
		return
	}
	for variables in TDAGENT_LONG=200us ${long:+A=B TDAGENT_WINDOWS=vernier TDAGENT_CALLPATH=on}; do
		agent $variables "$@"
		same "$pattern, $variables"
		check_profiles "$pattern, $variables"
	done
	# SIGPROF and POSIX timers
	[ -z "$long" ] || {
		guest agent "$prog/deny" perf_event_open $clean $preload "$@"
		same "$pattern, perf denied"
		check_profiles "$pattern, perf denied"
	}
	echo "$pattern: ${long:+each of 5 ways of sampling: }samples of $threads threads"
}

# Each can be read; one has samples of more threads than one.
check_profiles()
{
	threads=0
	for file in $(profiles "$pattern"); do
		guest report $clean "$tdagent" report --format=json "$file"
		ended "exit 0" report
		n=$(python3 -c 'import json, sys
print(sum(t["samples"] > 0 for t in json.load(open(sys.argv[1]))["threads"]))' "$work/report.out")
		[ "$n" -le "$threads" ] || threads=$n
	done
	[ "$threads" -gt 1 ] || fail "$1: samples of $threads threads"
	rm -f "$work"/profiles/*
}

turns=3000000
[ -z "$long" ] || turns=60000000
missing java JVM || runtime java java "$here/runtimes/J.java" $turns 10000
missing node node || runtime node node "$here/runtimes/workers.js" $turns
if ! missing go Go; then
	static=
	ldd "$(command -v go)" >/dev/null 2>&1 || static=yes
	[ -n "$static" ] || runtime go env GOCACHE="$work/cache" GOFLAGS=-mod=mod go list std
	if [ -n "$long$static" ]; then
		(cd "$work" && $clean GOCACHE="$work/cache" GO111MODULE=off go build -o cgo "$here/runtimes/cgo.go") 2>"$work/go.err" ||
			fail "cgo.go does not build: $(head -n 3 "$work/go.err")"
		runtime cgo "$work/cgo"
	fi
fi
