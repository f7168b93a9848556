#!/bin/sh
# SPDX-License-Identifier: MIT
# The guest of honour under newer kernels, those that kernel.sh has got: when they deliver
# an event's signal is not what Linux 6.1 does.
. "$(dirname "$0")/lib.sh"

set -- "$lab_dir"/vmlinuz-*
[ -s "$1" ] || skip "no other kernel is to be had than Debian 12's"
for kernel; do
	TDAGENT_LAB_KERNEL=${kernel##*/vmlinuz-}
	export TDAGENT_LAB_KERNEL
	for test in guest wild; do
		echo "== $TDAGENT_LAB_KERNEL: $test.sh"
		sh "$lab_tests/$test.sh" || fail "$TDAGENT_LAB_KERNEL: $test.sh: see above"
	done
done
