#!/bin/sh
# SPDX-License-Identifier: MIT
# The tests of C programs, built from Debian's sources without the agent and run
# without and with it: each test has the same result.  Part of `make check-long`.
#
#     suites.sh [xz] [libuv] [jemalloc]
#
# SUITES names a directory where sources and builds are kept from run to run.  What
# cannot be had is not tested, and is said.
. "$(dirname "$0")/lib.sh"

with_agent="LD_PRELOAD=$library TDAGENT_OUTPUT=$work/profiles/%e.%p TDAGENT_REPORT=none"
suites=${SUITES:-$work/suites}
tries=3 # some tests fail now and then by themselves
mkdir -p "$suites"

# source_of PACKAGE: unpacks it, once; $source is where.
source_of()
{
	source=$(find "$suites" -maxdepth 1 -type d -name "$1-*" | head -n 1)
	[ -n "$source" ] && return
	(cd "$suites" && apt-get source -qq "$1") >"$work/source.out" 2>&1
	source=$(find "$suites" -maxdepth 1 -type d -name "$1-*" | head -n 1)
	[ -n "$source" ]
}

# build COMMAND: in $source, once.
build()
{
	[ -e "$source/built" ] && return
	(cd "$source" && $clean sh -ec "$1") >"$work/build.out" 2>&1 && : >"$source/built"
}

# A suite's results, one "NAME RESULT" a line, by its own harness.
xz_results()
{
	rm -f "$source"/tests/*.trs
	(cd "$source" && timeout 600 $clean "$@" make -s check >"$work/suite.out" 2>&1)
	for file in "$source"/tests/*.trs; do
		echo "$(basename "$file" .trs) $(sed -n 's/^:global-test-result: //p' "$file")"
	done
}

# TAP; what stands behind a result may have times and addresses.
libuv_results()
{
	(cd "$source" && timeout 900 $clean UV_RUN_AS_ROOT=1 "$@" test/run-tests 2>"$work/suite.err" </dev/null) |
		sed -n 's/^\(ok\|not ok\) [0-9]* - \([^ ]*\)\( # SKIP\)\?.*/\2 \1\3/p'
}

# Each case of each program; those of the integration tests are run in several ways.
jemalloc_results()
{
	(cd "$source" && timeout 900 $clean "$@" make -s check 2>&1 </dev/null) |
		sed -n -e 's/^=== test\/\(.*\) ===$/@\1/p' -e 's/^\(test_[^:]*\): \(pass\|skip\|fail\).*/\1 \2/p' |
		awk '/^@/ { program = substr($1, 2); next }
			{ result = $NF == "pass" ? "ok" : $NF; $NF = ""; gsub(/ +/, ""); print program "/" $0, result }' | sort -u
}

# different NAME: the lines of one file that are not in the other.
different()
{
	sort -u "$work/$1.without" >"$work/without"
	sort -u "$work/$1.with" >"$work/with"
	comm -3 "$work/without" "$work/with"
}

# compare_suite NAME: the tests whose results differ each time.
compare_suite()
{
	stay=
	for try in $(seq $tries); do
		"$1_results" >"$work/$1.without"
		"$1_results" $with_agent >"$work/$1.with"
		different "$1" | awk '{ print $1 }' | sort -u >"$work/differ"
		[ -s "$work/differ" ] && echo "$1, time $try: $(tr '\n' ' ' <"$work/differ")"
		[ "$try" -eq 1 ] || comm -12 "$work/differ" "$work/stay" >"$work/both"
		[ "$try" -eq 1 ] && cp "$work/differ" "$work/both"
		mv "$work/both" "$work/stay"
		stay=$(cat "$work/stay")
		[ -n "$stay" ] || break
	done
}

# suite NAME PACKAGE BUILD...
suite()
{
	source_of "$2" || { echo "$1: not tested, no source of $2 (apt-get source)"; return; }
	build "$3" || { echo "$1: not tested, it does not build: $(tail -n 1 "$work/build.out")"; return; }
	compare_suite "$1"
	total=$(wc -l <"$work/$1.without")
	good=$(grep -c ' \(ok\|PASS\)$' "$work/$1.without")
	with=$(grep -c ' \(ok\|PASS\)$' "$work/$1.with")
	found=$(find "$work/profiles" -type f | wc -l)
	printf '%-8s %4d tests, %d good without, %d with, %d profiles; different: %s\n' \
		"$1" "$total" "$good" "$with" "$found" "${stay:-none}"
	[ -z "$stay" ] || fail "$1: $stay"
	[ "$total" -gt 5 ] || fail "$1: only $total tests"
	[ "$found" -gt 0 ] || fail "$1: no profile"
	rm -rf "$work/profiles"
	mkdir "$work/profiles"
}

[ $# -gt 0 ] || set -- xz libuv jemalloc
for name; do
	case $name in
	xz)
		suite xz xz-utils \
			'./configure -q --disable-nls --disable-doc CFLAGS=-O1; make -s; make -s check TESTS='
		;;
	libuv)
		suite libuv libuv1 \
			'sh autogen.sh; ./configure -q --disable-shared CFLAGS=-O1; make -s; make -s test/run-tests'
		;;
	jemalloc)
		suite jemalloc jemalloc './configure -q --with-version=VERSION --enable-prof EXTRA_CFLAGS=-O1
			make -s tests_unit tests_integration'
		;;
	*) fail "$name: no such suite" ;;
	esac
done
