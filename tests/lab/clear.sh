#!/bin/sh
# SPDX-License-Identifier: MIT
# Where reading PERF_METRICS zeroes it (metrics_clear): the same figures, and no window
# is opened by a system call that zeroes.  make check-lab-clear.
. "$(dirname "$0")/lib.sh"
[ -s "$lab_dir/vmlinuz-trixie-backports" ] || skip "no kernel with metrics_clear is to be had"

# zeroed LABEL: how often the kernel has zeroed SLOTS for the program.
zeroed()
{
	grep -c '^W .* reg 30c val 0 ' "$work/$1.log"
}

lab_windows=rdpmc
for short in 300 1000; do
	echo "== windows of $short cycles"
	measure clear$short "-m spr-clear -l $work/clear$short.log" 100000 $short "-r 1500"
	accurate clear$short --windows 200 --enough 12 --brief
	{ echo "zeroed = $(zeroed clear$short)"; cat <<'END'; } | holds clear$short
windows = report["totals"]["windows"]["valid"]
print("%d valid windows, zeroed by the kernel %d times" % (windows, zeroed))
check("which zeroes them" in report["run"]["reason"], report["run"]["reason"])
check(windows > 5000, "too few windows")
check(zeroed < windows / 10, "a system call zeroes")
END
done

echo "== four threads on two CPUs"
measure threads "-m spr-clear -s 2" 100000 1000 "-t 4 -r 500"
accurate threads --brief --windows 100 --enough 12

echo "== the usual way, to see that it is told from the other"
measure plain "-m spr -l $work/plain.log" 100000 300 "-r 200"
{ echo "zeroed = $(zeroed plain)"; cat <<'END'; } | holds plain
check("which zeroes them" not in report["run"]["reason"], report["run"]["reason"])
check(zeroed >= report["totals"]["windows"]["valid"], "zeroed %d times" % zeroed)
END
