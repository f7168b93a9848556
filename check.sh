#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs all tests, from whatever state: installs what they need (Debian,
# Ubuntu), builds, `make check`; with --lab `make check-lab` as well, which first
# builds the emulator if need be (4 minutes).  The last line counts the tests; the
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

status=0
rm -f build/*-suite.log
if sh bootstrap.sh --build --tests; then
	suite check test-suite.log
	[ "${1:-}" != --lab ] || suite check-lab lab-suite.log
else
	echo "check.sh: the build failed, no test was run" >&2
	status=1 broken=1
fi
grep -hE '^SKIP: |: not tested, ' build/tests/*/*.log
echo "$(count PASS XFAIL) passed, $(($(count FAIL ERROR XPASS) + broken)) failed, $(count SKIP) skipped"
exit $status
