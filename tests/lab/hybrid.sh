#!/bin/sh
# SPDX-License-Identifier: MIT
# Cores of two types, CPU 0 large and CPU 1 small, on which each function behaves
# otherwise: figures of each type against its truth, wherever the program runs.  With
# hyper-threading CPU 1 is the large core's other thread, and CPU 2 small.
. "$(dirname "$0")/lib.sh"

with_command

# hybrid LABEL COMMAND [WORDS]: it under the agent, and its profile; it says nothing, or one line
# with these words
hybrid()
{
	echo
	echo "== $1"
	lab "$1" "${lab_model:--m hybrid -s 2}" "${lab_setup:-TDAGENT_LEVEL=2} $(with_agent 100000 1000) $2 >/out/truth 2>/out/said"
	ended "exit 0" "$1"
	[ "$(wc -l <"$work/$1/said")" -eq $(($# - 2)) ] &&
		[ "$(grep -cF -e "${3-}" "$work/$1/said")" -eq $(($# - 2)) ] && return
	fail "$1: somebody said something else:"
	head "$work/$1/said"
}

# of_cores LABEL TYPE [OPTION...]: what it did on those cores
of_cores()
{
	label=$1
	cores=$2
	shift 2
	report_on "$label" --cores="$cores"
	accurate "$label" --cores "$cores" --functions-only --points2 1 "$@"
}

# only_on LABEL TYPE [OPTION...]: what it did, on cores of one type alone
only_on()
{
	label=$1
	cores=$2
	shift 2
	report_on "$label"
	accurate "$label" --cores "$cores" --functions-only --brief --windows 40 "$@"
}

hybrid migrating "./phases -c -x migrate -r 400"
for cores in large small; do
	of_cores migrating $cores --windows 20 --enough 10
	CORES=$cores holds migrating <<'END'
import os
run, totals = report["run"], report["totals"]
check(run["backend"] == "events", "backend is %s: %s" % (run["backend"], run["reason"]))
check(run["cores"] == os.environ["CORES"], "cores are " + run["cores"])
check("large cores (CPUs 0) and small ones (1)" in run["reason"], run["reason"])
check(any("samples are of its" in note for note in run["notes"]), "the others are not told")
cycles = sum(t["cycles"] for t in truth if t.get("cores") == run["cores"])
width = {"large": 6, "small": 5}[run["cores"]]
off = totals["slots"] / (cycles * width) - 1
check(abs(off) < 0.02, "%+.1f %% of the slots" % (100 * off))
END
done

echo
echo "== large and small threads at once"
hybrid threads "./phases -c -x migrate -t 3 -r 120"
for cores in large small; do
	of_cores threads $cores --brief --windows 20 --enough 8
done

echo
echo "== events that are asked for, on both"
lab_setup="TDAGENT_LEVEL=1 TDAGENT_EVENTS=branch-misses,wrong=r00c5,branches"
hybrid counted "./phases -c -x migrate -r 400"
lab_setup=
for cores in large small; do
	report_on counted --cores=$cores
	rates counted "branch-misses wrong branches" 6
done

# confined to one type from the start: its own best.  On small cores steady is like retire, 5 % backend
# bound, which is not divided, or 13 %, which is: theirs flag it from 10 % on, large ones from 20 %.
lab_setup=TDAGENT_LEVEL=auto
divided=no
for moved in "" "-x retire:8"; do
	label=pinned${moved:+-divided}
	hybrid "$label" "taskset 2 ./phases -c $moved -r 200"
	only_on "$label" small --enough 10
	DIVIDED=$divided holds "$label" <<'END'
import os
run = report["run"]
check("gracemont" in run["reason"] and "only on CPUs 1" in run["reason"], run["reason"])
steady = next(t["address"] for t in truth if t["what"] == "function" and t["name"] == "steady")
top = next(f["topdown"] for f in report["functions"] if f["address"] == steady)
check(("memory_bound" in top) == (os.environ["DIVIDED"] == "yes"), "steady is divided, or not: %s" % top)
END
	divided=yes
done
# ... and of so many groups that what the kernel says of a process is longer than most
cp "$prog/member" "$guest_dir/" || exit 99
hybrid pinned-large "taskset 1 ./member 3000 ./phases -c -r 200"
only_on pinned-large large --enough 10
holds pinned-large <<'END'
run = report["run"]
check(run["backend"] == "metrics" and "only on CPUs 0" in run["reason"], run["reason"])
END

# A filter on system calls that refuses moves, or ends who tries: what may run on one type alone
# needs none, and of both the one is measured that it is on while the agent looks.
cp "$prog/deny" "$guest_dir/" || exit 99
for how in refused ended; do
	deny="./deny sched_setaffinity"
	[ $how = refused ] || deny="./deny -k sched_setaffinity"
	lab_setup="$deny env TDAGENT_LEVEL=1"
	hybrid $how "./phases -c -r 200" "neither sampled nor counted: a filter"
	report_on $how
	cores=small
	grep -q '"backend": "metrics"' "$work/$how.json" && cores=large
	of_cores $how $cores --brief --windows 40 --enough 10
	lab_setup="taskset 2 $lab_setup"
	hybrid $how-small "./phases -c -r 200"
	only_on $how-small small --enough 10
	lab_setup="taskset 1 ${lab_setup#taskset 2 }"
	hybrid $how-large "./phases -c -r 200"
	only_on $how-large large --enough 10
	holds $how-large <<'END'
check("by RDPMC" in report["run"]["reason"], report["run"]["reason"])
END
done

# In three runs functions were within 0.04 points, 5 to 7 of the 12 told apart and the
# others by their own windows; totals had half widths of up to 7.2 points, and slots 0.4 % too
# many.  Without windows that others were in as well functions were 0.18 points off.
echo
echo "== hyper-threading: level 1 of both types comes from formulas"
lab_model="-m hybrid-smt"
lab_setup=TDAGENT_LEVEL=1
hybrid smt "./phases -c -x migrate2 -r 400"
for cores in large small; do
	of_cores smt $cores --brief --windows 20 --enough 12 --points 0.15 --points2 0.15
	CORES=$cores holds smt <<'END'
import os
run, totals = report["run"], report["totals"]
check(run["backend"] == "events", "backend is %s: %s" % (run["backend"], run["reason"]))
check(run["cores"] == os.environ["CORES"], "cores are " + run["cores"])
check("large cores (CPUs 0-1) and small ones (2)" in run["reason"], run["reason"])
shared = [note for note in run["notes"] if "two hardware threads" in note]
check(len(shared) == (run["cores"] == "large"), "notes of another thread: %s" % shared)
here = [t for t in truth if t.get("cores") == run["cores"]]
declared = [t["address"] for t in here if t["what"] == "function"]
evidence = [f.get("evidence") for f in report["functions"] if f["address"] in declared]
check(len(evidence) == 12 and evidence.count("separated") >= 3 and
      set(evidence) <= {"own", "separated"}, "functions are told apart by %s" % evidence)
slots = sum(t["slots"] for t in here)
off = totals["slots"] / slots - 1
check(abs(off) < 0.01, "%+.1f %% of the slots" % (100 * off))
check(run["cores"] == "small" or "memory_bound" not in totals["topdown"], "level 2 was counted, too")
for node in ("retiring", "bad_speculation", "frontend_bound", "backend_bound"):
    value, true = totals["topdown"][node], sum(t["topdown"][node] for t in here) / slots
    half = (value["high"] - value["low"]) / 2
    check(abs(value["value"] - true) < 2.5 * half < 0.25, "%s of totals: %.2f +- %.2f %%, the truth is %.2f" %
          (node, 100 * value["value"], 100 * half, 100 * true))
END
	rates smt inst 1
done
hybrid smt-pinned "taskset 4 ./phases -c -r 200"
only_on smt-pinned small --enough 12 --points 0.15
holds smt-pinned <<'END'
run, totals = report["run"], report["totals"]
check("gracemont" in run["reason"] and "only on CPUs 2" in run["reason"], run["reason"])
check("in several of them" not in run["reason"], "level 1 is of several groups: " + run["reason"])
check("retiring" in totals["topdown"], "there are no totals: %s" % totals)
END
lab_model=

# The vernier's rings are of one type of cores: the report says what it has not seen.
lab_setup=TDAGENT_WINDOWS=vernier
hybrid vernier "./phases -c -x migrate -r 300" "neither sampled nor counted"
only_on vernier large --enough 8
holds vernier <<'END'
run = report["run"]
check(run["windows_by"] == "vernier" and run["backend"] == "metrics", run["reason"])
check(any("small cores (CPUs 1) is neither sampled nor counted" in note for note in run["notes"]), run["notes"])
END
# Nobody reads the large cores' registers where the program may be on a small one by then.
lab_setup=TDAGENT_PMU=metrics
hybrid metrics "./phases -c -x migrate -r 300" "neither sampled nor counted"
only_on metrics large --enough 8
holds metrics <<'END'
run = report["run"]
check(run["backend"] == "metrics" and "may move to small cores" in run["reason"], run["reason"])
END
# CPU 1 as if it were of a third type: where the program may go there nobody reads registers
# that it lacks, and somebody says that it is not measured.
devices=/sys/bus/event_source/devices
lab_setup="mkdir /tmp/pmu; for pmu in core atom; do mkdir /tmp/pmu/cpu_\$pmu; for file in type cpus rdpmc events format; do cp -r $devices/cpu_\$pmu/\$file /tmp/pmu/cpu_\$pmu; done; done"
lab_setup="$lab_setup; cp -r /tmp/pmu/cpu_atom /tmp/pmu/cpu_lowpower; echo >/tmp/pmu/cpu_atom/cpus; mount -o bind /tmp/pmu $devices;"
hybrid low-power "./phases -c -x migrate -r 300" "what ran on the low-power cores (CPUs 1) is neither sampled nor counted"
only_on low-power large --enough 8
holds low-power <<'END'
run = report["run"]
check(run["backend"] == "metrics" and "may move to small cores" in run["reason"], run["reason"])
END
lab_setup="TDAGENT_WINDOWS=vernier TDAGENT_LEVEL=1"
hybrid vernier-small "taskset 2 ./phases -c -r 300"
only_on vernier-small small --enough 8
holds vernier-small <<'END'
run = report["run"]
check(run["windows_by"] == "vernier" and "gracemont" in run["reason"], run["reason"])
check(not any("neither sampled" in note for note in run["notes"]), run["notes"])
END

echo
echo "== tdagent probe"
probes hybrid "-m hybrid -s 2"
says hybrid "--pmu=auto     events"
says hybrid "large cores (CPUs 0) and small ones (1)"
says hybrid "works, 4 of level 1's 4 events fit"
says hybrid "PERF_METRICS is not taken, for small cores (CPUs 1) have none"
