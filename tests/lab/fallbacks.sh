#!/bin/sh
# SPDX-License-Identifier: MIT
# Where the registers cannot be had: the same by another way, or the clock, and
# the header says why.
. "$(dirname "$0")/lib.sh"

# falls_back LABEL OPTIONS REASON: a profile by the clock, without top-down
falls_back()
{
	measure "$1" "$2" 1ms 100us "-r 300"
	REASON=$3 holds "$1" <<'END'
run = report["run"]
check(run["backend"] == "clock", "backend is %s" % run["backend"])
check(os.environ["REASON"] in run["reason"], "the reason is '%s'" % run["reason"])
check(report["totals"]["samples"] > 10, "%d samples" % report["totals"]["samples"])
check("topdown" not in report["totals"], "there is top-down")
check(not any("topdown" in f for f in report["functions"]), "a function has top-down")
END
}

echo "== as an ordinary user"
measure paranoid2 "-u 1000 -p 2" 100000 1000 "-r 700"
accurate paranoid2 --brief --windows 100 --enough 10
falls_back paranoid3 "-u 1000 -p 3" "perf_event_open refused"

echo "== RDPMC switched off: read(), if asked for, and back by sigreturn"
lab_windows=rdpmc
for model in spr icx; do
	measure $model-read "-m $model -r 0" 100000 2000 "-r 700"
	accurate $model-read --brief --windows 100 --enough 10
	holds $model-read <<'END'
reason = report["run"]["reason"]
check("read()" in reason and "back in user mode" not in reason, "the reason is '%s'" % reason)
END
done
lab_windows=

echo "== RDPMC switched off: the kernel cuts the windows"
measure kernel "-m spr -r 0" 100000 2000 "-r 700"
accurate kernel --brief --windows 100 --enough 10 --slots 1
holds kernel <<'END'
check(report["run"]["windows_by"] == "vernier", "windows by " + report["run"]["windows_by"])
check("RDPMC is off" in report["run"]["reason"], "the reason is '%s'" % report["run"]["reason"])
END

echo "== cores of two types, as /sys says: only the large ones are measured"
lab_setup="mkdir -p /tmp/d/cpu_atom /tmp/d/cpu_core;
	cp -r /sys/bus/event_source/devices/cpu/. /tmp/d/cpu_core/ 2>/tmp/cp;
	echo 0-7 >/tmp/d/cpu_core/cpus; echo 8-15 >/tmp/d/cpu_atom/cpus; echo 10 >/tmp/d/cpu_atom/type;
	mount -o bind /tmp/d /sys/bus/event_source/devices;"
measure hybrid "-m spr" 100000 1000 "-r 700"
lab_setup=
accurate hybrid --brief --windows 100 --enough 10
holds hybrid <<'END'
check("only on CPUs 0-7" in report["run"]["reason"], "the reason is '%s'" % report["run"]["reason"])
END

# A file that promises what the kernel does not do, a field that it does not know, and a
# PMU without PEBS.
echo "== a strobe_period that does nothing: two events cut the windows"
lab strobe "-m spr -r 0" "mkdir -p /tmp/d/cpu;
	cp -r /sys/bus/event_source/devices/cpu/. /tmp/d/cpu/ 2>/tmp/cp;
	echo config2:0-31 >/tmp/d/cpu/format/strobe_period;
	mount -o bind /tmp/d /sys/bus/event_source/devices;
	TDAGENT_DEBUG=core TDAGENT_LATENCY=instructions $(with_agent 100000 2000) ./phases -r 700 >/out/truth"
ended "exit 0" strobe
grep -q "strobe_period, but periods do not alternate" "$work/strobe.out" ||
	fail "strobe: nothing says that periods do not alternate"
grep -q "an event with two periods: Argument list too long" "$work/strobe.out" ||
	fail "strobe: nobody tried a second period in perf_event_attr"
grep -q "no retire latencies: the PMU samples no instruction precisely" "$work/strobe.out" ||
	fail "strobe: nothing says why there are no retire latencies"
report_on strobe
accurate strobe --brief --windows 100 --enough 10 --slots 1
holds strobe <<'END'
check(report["run"]["windows_by"] == "vernier", "windows by " + report["run"]["windows_by"])
check("alternates" not in report["run"]["reason"], "the reason is '%s'" % report["run"]["reason"])
END

echo "== a bare chroot: without /sys groups of events count, which are known"
lab_setup="umount /sys;"
measure chroot "-m spr" 100000 2000 "-r 700"
lab_setup=
accurate chroot --brief --windows 100 --enough 10
holds chroot <<'END'
check(report["run"]["backend"] == "events", "backend is " + report["run"]["backend"])
check("/sys is not there" in report["run"]["reason"], "the reason is '%s'" % report["run"]["reason"])
END

echo "== without the registers"
falls_back none "-m none" "no slots and topdown events"
