#!/bin/sh
# SPDX-License-Identifier: MIT
# The tests of a process's life, once more with windows that the kernel cuts.
here=$(cd "$(dirname "$0")" && pwd)
status=0
for name in children exec faults fork killed plugins; do
	TDAGENT_TEST_WINDOWS=vernier sh "$here/$name.sh"
	result=$?
	echo "$name: $result"
	case $result in
	0 | 77) ;;
	*) status=1 ;;
	esac
done
exit $status
