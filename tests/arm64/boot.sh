#!/bin/bash
# SPDX-License-Identifier: MIT
# boot.sh [options] DIR -- COMMAND...
# Boots a stock Debian arm64 kernel in QEMU, with DIR's contents in /in, runs COMMAND
# there (sh, as root), prints what it writes and exits with its status; 99: the kernel
# panicked, 124: out of time.
#   -s N    CPUs (2)              -t SEC   time limit (600)
#   -i      one CPU, 1 instruction = 1 ns of guest time: instructions are counted, too
#   -n N    with -i: 1 instruction = 2^N ns
#   -c CPU  QEMU's model (max,pauth-impdef=on)
# The PMU is QEMU's PMUv3: it counts user-mode cycles (1 GHz) and interrupts.
here=$(cd "$(dirname "$0")" && pwd)
machine=$("$here/where.sh")
usage()
{
	sed -n '3,/^here=/{s/^# //p}' "$0" >&2
	exit 2
}

smp=2 limit=600 counted='' shift=0 cpu=max,pauth-impdef=on
accel='tcg,thread=multi' clock=''
while getopts s:t:in:c: option; do
	case $option in
	s) smp=$OPTARG ;;
	t) limit=$OPTARG ;;
	i) counted=1 ;;
	n) shift=$OPTARG ;;
	c) cpu=$OPTARG ;;
	*) usage ;;
	esac
done
shift $((OPTIND - 1))
[ $# -ge 3 ] && [ -d "$1" ] && [ "$2" = -- ] || usage
dir=$1
shift 2
[ -z "$counted" ] || { smp=1 accel='tcg,thread=single' clock="-icount shift=$shift,sleep=off"; }
[ -e "$machine/rootfs.cpio" ] || { echo "boot.sh: no machine in $machine: make check-arm64 makes it" >&2; exit 2; }

work=$(mktemp -d "${TMPDIR:-/tmp}/tdagent-arm64.XXXXXX") || exit 2
guest=
# the guest goes when we do; timeout passes the signal on
trap '[ -z "$guest" ] || kill "$guest" 2>/dev/null; rm -rf "$work"' EXIT
trap 'exit 99' HUP INT TERM
mkdir -p "$work/add/in"
cp -a "$dir/." "$work/add/in/"
printf '%s\n' "$*" >"$work/add/command"
(cd "$work/add" && find . | cpio -o -H newc --quiet -R 0:0) >"$work/add.cpio"
cat "$machine/rootfs.cpio" "$work/add.cpio" >"$work/initrd"
# shellcheck disable=SC2086 # $clock is several words
timeout "$limit" qemu-system-aarch64 -M virt -cpu "$cpu" -smp "$smp" -m 2048 -accel $accel \
	$clock -nodefaults -no-user-config -display none -no-reboot -monitor none \
	-chardev "file,id=con,path=$work/console" -serial chardev:con \
	-kernel "$machine/Image" -initrd "$work/initrd" \
	-append "console=ttyAMA0 quiet mitigations=off nokaslr panic=-1" </dev/null &
guest=$!
wait $guest
status=$?
tr -d '\r' <"$work/console" | sed '/^arm64: ended with [0-9]*$/d'
if grep -q 'Kernel panic' "$work/console"; then
	status=99
elif [ $status -eq 0 ]; then
	status=$(tr -d '\r' <"$work/console" | sed -n 's/^arm64: ended with //p')
fi
exit "${status:-99}"
