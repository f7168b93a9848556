#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs all tests, from whatever state: installs what they need (Debian,
# Ubuntu), builds, `make check`; with --lab `make check-lab` as well, which first
# builds the emulator if need be (4 minutes); with --arm64 agent and tools are built for
# aarch64, too, where a cross compiler can be had.  The last line counts the tests; the
# exit status is 0 if none failed.
set -u

cd "$(dirname "$0")" || exit 1

# count WORD...: of the summaries that automake wrote.
count()
{
	sum=0
	for word; do
		for n in $(sed -n "s/^# $word: *//p" build/*-suite.log 2>/dev/null); do
			sum=$((sum + n))
		done
	done
	echo $sum
}

# suite TARGET LOG: runs it; without a log nothing was tested, which is a failure.
broken=0
suite()
{
	rm -f "build/$2"
	VERBOSE=1 make -C build -s "$1" || status=1
	[ -e "build/$2" ] && return
	echo "check.sh: make $1 did not get as far as the tests" >&2
	broken=$((broken + 1))
}

# Where output is cut, its end is what is seen: of each test that failed its last lines
# and what they call a failure.
why_failed()
{
	for result in $(grep -lE '^:test-result: (FAIL|ERROR|XPASS)' build/tests/*/*.trs 2>/dev/null); do
		log=${result%.trs}.log
		echo "== ${log#build/}"
		{ grep -hE '^FAIL: |^FAIL |:[FE]:' "$log" | tail -n 20; tail -n 5 "$log"; } | cut -c 1-300
	done
}

# A build for aarch64: counts as one test.
built=0 skipped=0
cross_build()
{
	if ! bash tests/arm64/build.sh "$(sh tests/arm64/where.sh)"; then
		echo "SKIP: build for aarch64: no cross compiler and libraries, see above"
		skipped=1
	elif (cd build && sh ../tests/arm64/cross.sh all); then
		echo "PASS: build for aarch64"
		built=1
	else
		echo "FAIL: build for aarch64"
		status=1 broken=$((broken + 1))
	fi
}

lab='' arm64=''
for argument; do
	case $argument in
	--lab) lab=yes ;;
	--arm64) arm64=yes ;;
	*) echo "check.sh: $argument: no such option; write --lab or --arm64" >&2; exit 2 ;;
	esac
done
status=0
rm -f build/*-suite.log build/tests/*/*.trs # those of an earlier run
if sh bootstrap.sh --build --tests; then
	suite check test-suite.log
	[ -z "$lab" ] || suite check-lab lab-suite.log
	[ -z "$arm64" ] || cross_build
else
	echo "check.sh: the build failed, no test was run" >&2
	status=1 broken=1
fi
grep -hE '^SKIP: |: not tested, ' build/tests/*/*.log
why_failed
echo "$(($(count PASS XFAIL) + built)) passed, $(($(count FAIL ERROR XPASS) + broken)) failed, $(($(count SKIP) + skipped)) skipped"
exit $status
