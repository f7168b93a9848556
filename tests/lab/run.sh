#!/bin/bash
# SPDX-License-Identifier: MIT
# run.sh [options] DIR -- COMMAND...
# Boots the lab machine with DIR's contents in /in, runs COMMAND there (sh),
# prints its output (stdout and stderr) and exits with its exit status; 99: the
# kernel panicked, 124: out of time.  What the command leaves in /out comes back
# as a tar with -o.
#   -m spr|icx|skx|ivb|grt|zen4|none   CPU and PMU (spr)
#      spr-nometrics   a hypervisor hides PERF_METRICS and the fixed counter of slots
#      spr-filtered    likewise, and it lets architectural events alone count
#      hybrid   large (spr) and small (grt) cores in turn: even and odd CPUs, with -s 2
#      spr-smt, icx-smt, skx-smt, ivb-smt, zen4-smt   CPUs 0 and 1 are the two threads of a core; with -i
#      hybrid-smt   CPUs 0 and 1 are a large core's threads, of which 1 takes nothing, 2 is a small core
#      spr-clear    spr whose RDPMC can zero the metrics, under a kernel of trixie-backports
#   -s N      CPUs (1)            -i   1 instruction = 1 ns of guest time: repeatable
#   -u UID    run COMMAND as this user (root)
#   -p N      perf_event_paranoid -r N   cpu/rdpmc
#   -w        keep the NMI watchdog (it takes a cycles counter)
#   -t SEC    time limit (600)    -o FILE   tar of /out
#   -e EDGE   cost of every return to user mode, of every process:
#             cycles[~jitter %],ret,bad,fe,be[,heavy,brmis,fetchlat,mem] (level 1 adds up to 10000)
#   -b N      interrupts come within N instructions of the program ($LABPMU_BLOCK, else 1, as on a
#             processor; 0: at the end of a block of the emulator, which takes two thirds of the time)
#   -S SEED   of ranges with two mixes, of the jitter, of what events have begun at a write (1)
#   -l FILE   log of user RDPMCs, PMIs and writes of the metrics
#   -d        dmesg to stderr     -c FILE   keep the console log
# The lab is in $TDAGENT_LAB, see where.sh.  $TDAGENT_LAB_KERNEL: the Debian whose kernel it
# boots, of those that kernel.sh has got (else Debian 12's).
here=$(cd "$(dirname "$0")" && pwd)
lab=$("$here/where.sh")
usage()
{
	sed -n '3,/^here=/{s/^# //p}' "$0" >&2
	exit 2
}

model=spr smp=1 threads=1 block=${LABPMU_BLOCK:-1} clock='' uid=0 paranoid='' rdpmc='' watchdog=0 limit=600 out='' dmesg='' console=''
while getopts m:s:iu:p:r:wt:o:e:b:S:l:dc: option; do
	case $option in
	m) model=$OPTARG ;;
	s) smp=$OPTARG ;;
	i) clock='-icount shift=0,sleep=off -seed 1 -rtc base=2026-01-01T00:00:00,clock=vm' ;;
	u) uid=$OPTARG ;;
	p) paranoid=$OPTARG ;;
	r) rdpmc=$OPTARG ;;
	w) watchdog=1 ;;
	t) limit=$OPTARG ;;
	o) out=$(realpath -m "$OPTARG") ;;
	e) export LABPMU_EDGE=$OPTARG ;;
	b) block=$OPTARG ;;
	S) export LABPMU_SEED=$OPTARG ;;
	l) LABPMU_LOG=$(realpath -m "$OPTARG"); export LABPMU_LOG ;;
	d) dmesg=1 ;;
	c) console=$(realpath -m "$OPTARG") ;;
	*) usage ;;
	esac
done
shift $((OPTIND - 1))
export LABPMU_BLOCK=$block
[ "$block" != 0 ] || unset LABPMU_BLOCK
[ $# -ge 3 ] && [ -d "$1" ] && [ "$2" = -- ] || usage
dir=$1
shift 2
suite=${TDAGENT_LAB_KERNEL:-}
case $model in
hybrid-smt) model=hybrid threads=2 smp=3 ;;
*-smt) model=${model%-smt} threads=2 smp=2 ;;
esac
case $model in
spr) cpu=Icelake-Server-noTSX,model=143,stepping=8,lab-pmu=1 ;;
spr-clear) cpu=Icelake-Server-noTSX,model=143,stepping=8,lab-pmu=513 suite=trixie-backports ;;
spr-nometrics) cpu=Icelake-Server-noTSX,model=143,stepping=8,lab-pmu=257 ;;
spr-filtered) cpu=Icelake-Server-noTSX,model=143,stepping=8,lab-pmu=1281 ;;
hybrid) cpu=Icelake-Server-noTSX,model=151,stepping=2,lab-pmu=7 ;;
zen4) cpu=EPYC-Milan,model=17,stepping=1,lab-pmu=6 ;;
icx) cpu=Icelake-Server-noTSX,model=106,stepping=6,lab-pmu=2 ;;
skx) cpu=Skylake-Server-noTSX-IBRS,model=85,stepping=4,lab-pmu=3 ;;
ivb) cpu=IvyBridge,model=62,stepping=4,lab-pmu=4 ;;
grt) cpu=Icelake-Server-noTSX,model=190,stepping=0,lab-pmu=5 ;;
none) cpu=Icelake-Server-noTSX,model=143,stepping=8 ;;
*) usage ;;
esac
cores=$(((smp + threads - 1) / threads))
[ $threads = 1 ] || cpu=${cpu%=*}=$((${cpu##*=} | 2048))
[ -x "$lab/qemu-system-x86_64" ] || { echo "run.sh: no lab in $lab: make check-lab builds it" >&2; exit 2; }

kernel=$lab/${suite:+vmlinuz-$suite}
[ -n "$suite" ] || kernel=$lab/vmlinux
[ -s "$kernel" ] || { echo "run.sh: no kernel of $suite in $lab: tests/lab/kernel.sh gets it" >&2; exit 2; }

work=$(mktemp -d "${TMPDIR:-/tmp}/tdagent-lab.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/add/lab" "$work/add/in"
cp -aL "$dir"/. "$work/add/in/"
printf '%s\n' "$*" >"$work/add/lab/cmd"
cat >"$work/add/lab/env" <<END
LAB_UID=$uid
LAB_PARANOID=$paranoid
LAB_RDPMC=$rdpmc
LAB_DMESG=$dmesg
END
(cd "$work/add" && find . | cpio -o -H newc --quiet -R 0:0) >"$work/add.cpio"
cat "$lab/rootfs.cpio" "$work/add.cpio" >"$work/initrd"
console=${console:-$work/console}
# By a clock that runs on, a busy host may not manage the ten ticks in which the kernel looks
# whether interrupts come; then it panics ("IO-APIC + timer doesn't work").
[ -n "$clock" ] || unchecked=no_timer_check
# thread=single: the emulator's tables have no locks
# shellcheck disable=SC2086 # $clock is several words
LABPMU_OUT=${out:-/dev/null} timeout "$limit" "$lab/qemu-system-x86_64" -L "$lab/fw" -M pc \
	-nodefaults -no-user-config -display none -accel tcg,thread=single,tb-size=512 $clock \
	-cpu "$cpu" -smp "$smp,maxcpus=$((cores * threads)),sockets=1,cores=$cores,threads=$threads" -m 1024 -chardev "file,id=con,path=$console" -serial chardev:con \
	-no-reboot -monitor none -kernel "$kernel" -initrd "$work/initrd" \
	-append "console=ttyS0 quiet mitigations=off nokaslr panic=-1 nmi_watchdog=$watchdog ${unchecked:-}" \
	</dev/null 2> >(grep -v "TCG doesn't support requested feature" >&2)
status=$?
if grep -q 'Kernel panic' "$console" 2>/dev/null; then
	tail -n 40 "$console" >&2
	status=99
fi
exit $status
