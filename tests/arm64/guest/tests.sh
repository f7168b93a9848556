#!/bin/sh
# SPDX-License-Identifier: MIT
# tests.sh TEST...: in the guest, from the top of the build tree: runs each as `make
# check` does, says how it ended and how many seconds it took.
top=/in/top
failed=0
for test; do
	command="sh $top/$test"
	[ ! -x "$test" ] || command=./$test
	start=$(date +%s)
	# half a minute of a fast machine is more than five here
	srcdir=$top timeout 1200 $command >log 2>&1
	status=$?
	seconds=$(($(date +%s) - start))
	case $status in
	0) echo "PASS: $test ($seconds s)" ;;
	77) echo "$(grep -m 1 '^SKIP' log || echo "SKIP: $test")" ;;
	*)
		failed=$((failed + 1))
		echo "FAIL: $test ($status, $seconds s)"
		tail -n 60 log
		;;
	esac
done
exit $((failed != 0))
