#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs all tests, from whatever state: installs what they need (Debian,
# Ubuntu), builds, `make check`.  The last line counts them; the exit status is
# 0 if none failed.
set -u

cd "$(dirname "$0")" || exit 1

rm -f build/test-suite.log
sh bootstrap.sh --build --tests && VERBOSE=1 make -C build -s check
status=$?

# count WORD...: of the summary that automake wrote.
count()
{
	sum=0
	for word; do
		n=$(sed -n "s/^# $word: *//p" build/test-suite.log 2>/dev/null)
		sum=$((sum + ${n:-0}))
	done
	echo $sum
}

if [ ! -e build/test-suite.log ]; then
	echo "check.sh: the build failed, no test was run" >&2
	echo "0 passed, 1 failed, 0 skipped"
	exit 1
fi
grep -hE '^SKIP: |: not tested, ' build/tests/*/*.log
echo "$(count PASS XFAIL) passed, $(count FAIL ERROR XPASS) failed, $(count SKIP) skipped"
exit $status
