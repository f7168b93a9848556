#!/bin/sh
# SPDX-License-Identifier: MIT
# What `perf record` sampled as one group, imported: functions that are longer than
# perf's period come out as they are.
. "$(dirname "$0")/lib.sh"

perf=$(command -v perf) || skip "perf is missing"
mkdir "$guest_dir/lib"
cp -L "$perf" "$guest_dir/perf"
cp -L "$tdagent" "$guest_dir/tdagent"
copy_libraries "$guest_dir/lib" "$perf" "$tdagent"
strip "$guest_dir/perf" "$guest_dir/tdagent" "$guest_dir"/lib/*

nodes="topdown-retiring,topdown-bad-spec,topdown-fe-bound,topdown-be-bound"
# import LABEL OPTIONS RATE EVENTS ARGUMENTS: phases under perf, which may take RATE
# samples a second, imported there
import()
{
	lab "$1" "$2" "export LD_LIBRARY_PATH=/in/lib
		echo $3 >/proc/sys/kernel/perf_event_max_sample_rate
		echo 0 >/proc/sys/kernel/perf_cpu_time_max_percent
		./perf record -q --sample-cpu -e '{$4}:Su' -c 5000 -o /tmp/perf.data ./phases $5 >/out/truth &&
		./tdagent import --perf=./perf -o /out/profile /tmp/perf.data"
	ended "exit 0" "$1"
	report_on "$1"
}

# All but blend, steady, memory, divide and core are hardly longer than a period, or
# shorter: there the rule of the same function mixes functions.
echo "== level 1"
import level1 "-m icx" 10000000 "slots,cpu-cycles,$nodes" "-r 200"
accurate level1 --brief --windows 1000 --enough 5

echo "== level 2, throttled: not all is counted, but what is"
deeper="topdown-heavy-ops,topdown-br-mispredict,topdown-fetch-lat,topdown-mem-bound"
import level2 "-m spr" 50000 "slots,cpu-cycles,$nodes,$deeper" "-r 200"
accurate level2 --brief --windows 500 --enough 5 --functions-only
holds level2 <<'END'
run = report["run"]
check(run["backend"] == "metrics" and run["level"] == 2, run["backend"])
check(run["trigger"] == "perf record" and run["period_unit"] == "cycles", run["trigger"])
check(report["totals"]["windows"]["rejected"].get("counters", 0) > 10, "nothing was throttled")
END
