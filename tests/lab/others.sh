#!/bin/sh
# SPDX-License-Identifier: MIT
# Beside those who want the same counters, and in agreement with perf stat.
. "$(dirname "$0")/lib.sh"

echo "== the NMI watchdog"
measure watchdog "-w" 100000 1000 "-r 700"
accurate watchdog --brief --windows 100 --enough 10

perf=$(command -v perf) || skip "perf is missing: perf stat was not compared"
mkdir "$guest_dir/lib"
cp -L "$perf" "$guest_dir/perf"
copy_libraries "$guest_dir/lib" "$perf"
strip "$guest_dir/perf" "$guest_dir"/lib/*
# the agent's user-mode view needs perf without the kernel: as an ordinary user
stat="LD_LIBRARY_PATH=/in/lib ./perf stat --topdown -x, -o /out/perf"

echo "== perf stat --topdown, alone"
for model in spr icx; do
	measure $model-agent "-m $model -u 1000 -p 2" 1000000 1000 "-r 1000"
	lab $model-perf "-m $model -u 1000 -p 2" "$stat ./phases -r 1000 >/out/truth"
	ended "exit 0" $model-perf
	python3 "$lab_tests/perf.py" "$work/$model-agent.json" "$work/$model-perf/perf" ||
		fail "$model: perf stat does not agree"
done

echo "== perf stat --topdown came first: its group has SLOTS, groups of events are left"
lab second "-u 1000 -p 2" "$stat env $(with_agent 100000 1000) ./phases -r 500 >/out/truth"
ended "exit 0" second
report_on second
holds second <<'END'
run = report["run"]
check(run["backend"] == "events" and "no register" in run["reason"],
      "%s, because %s" % (run["backend"], run["reason"]))
END
accurate second --brief --windows 100 --enough 10

echo "== perf stat --topdown comes while we measure: each gets a part of the time"
lab first "-u 1000 -p 2" "$(with_agent 100000 1000) ./phases -r 2500 >/out/truth &
	process=\$!; sleep 0.3; $stat -p \$process sleep 1; wait \$process"
ended "exit 0" first
report_on first
accurate first --brief --windows 100 --enough 10 --functions-only
holds first <<'END'
check(report["totals"]["windows"]["rejected"].get("counters", 0) +
      report["totals"]["windows"]["rejected"].get("switched", 0) > 10, "nobody fought")
END
