# SPDX-License-Identifier: MIT
# Shared by the lab tests, on top of tests/run/lib.sh.  Source it first; run lab
# tests from the top of the build tree, as `make check-lab` does.
. "$(dirname "$0")/../run/lib.sh"

lab_tests=$here
here=$(cd "$here/../run" && pwd)
lab_dir=$("$lab_tests/where.sh")
[ -x "$lab_dir/qemu-system-x86_64" ] || skip "the lab is not built: make check-lab builds it"

guest_dir=$work/in
mkdir "$guest_dir"
# awkward is linked to a library that is not installed: libtool keeps both in .libs.
(cd "$builddir/tests/lab" && cp "$library" phases random .libs/awkward .libs/libawkward-far.so "$guest_dir/") ||
	{ echo "run make check-lab first"; exit 99; }

# lab LABEL OPTIONS COMMAND: boots the lab with run.sh's OPTIONS; what COMMAND
# writes to /out is in $work/LABEL, what it printed in $work/LABEL.out.
lab()
{
	# shellcheck disable=SC2086 # $2 is several words
	guest "$1" bash "$lab_tests/run.sh" -i -t 1000 $2 -o "$work/$1.tar" "$guest_dir" -- "$3"
	mkdir "$work/$1"
	[ ! -s "$work/$1.tar" ] || tar -xf "$work/$1.tar" -C "$work/$1"
	rm -f "$work/$1.tar"
}

# copy_libraries DIRECTORY FILE...: the libraries of FILEs are in DIRECTORY
copy_libraries()
{
	to=$1
	shift
	ldd "$@" | sed -n 's/.* => \(\/[^ ]*\).*/\1/p' | sort -u | xargs -I '{}' cp -L '{}' "$to/"
}

# with_command: ./tdagent and its libraries are in the guest, for LD_LIBRARY_PATH=/in.
with_command()
{
	cp "$tdagent" "$guest_dir/tdagent" || exit 99
	copy_libraries "$guest_dir" "$tdagent"
}

# with_agent LONG SHORT: the beginning of a command that is measured; the same
# samples every time, as far as the lab repeats itself.  $lab_windows: who cuts windows.
with_agent()
{
	echo "${lab_windows:+TDAGENT_WINDOWS=$lab_windows }TDAGENT_SEED=1 TDAGENT_REPORT=none TDAGENT_LONG=$1 TDAGENT_SHORT=$2 TDAGENT_OUTPUT=/out/profile" \
		"LD_PRELOAD=/in/libtdagent.so"
}

# measure LABEL OPTIONS LONG SHORT ARGUMENTS: phases under the agent, and its report.
measure()
{
	measure_program "$1" "$2" "$3" "$4" "./phases $5"
}

# measure_program LABEL OPTIONS LONG SHORT COMMAND: the same, of any program of the lab.
measure_program()
{
	lab "$1" "$2" "${lab_setup:-} $(with_agent "$3" "$4") LD_LIBRARY_PATH=/in $5 >/out/truth"
	ended "exit 0" "$1"
	[ ! -s "$work/$1.out" ] || { fail "$1: somebody said something:"; head "$work/$1.out"; }
	report_on "$1"
}

# report_on LABEL [OPTION...]: $work/LABEL.json, and LABEL.TID.json of each busy thread.
report_on()
{
	label=$1
	shift
	threads=
	"$tdagent" report --top=0 --format=json "$@" "$work/$label/profile" >"$work/$label.json" ||
		fail "$label: no report"
	for tid in $(sed -n 's/.*"what": "thread", "tid": \([0-9]*\), "insns": [0-9]\{8,\},.*/\1/p' \
		"$work/$label/truth"); do
		"$tdagent" report --top=0 --format=json --thread="$tid" "$@" "$work/$label/profile" \
			>"$work/$label.$tid.json" || fail "$label: no report of thread $tid"
		threads="$threads --thread $tid=$work/$label.$tid.json"
	done
}

# accurate LABEL [OPTION...]: the last report against the truth, by accuracy.py.
accurate()
{
	label=$1
	shift
	# shellcheck disable=SC2086 # $threads is several words
	python3 "$lab_tests/accuracy.py" "$work/$label.json" "$work/$label/truth" $threads "$@" ||
		fail "$label: not accurate"
}

# truthful LABEL [OPTION...]: the last report against the truth, by truth.py.
truthful()
{
	label=$1
	shift
	python3 "$lab_tests/truth.py" "$work/$label.json" "$work/$label/truth" "$@" ||
		fail "$label: not the truth"
}

# holds LABEL: runs the Python statements on stdin on its report (expect.py).
holds()
{
	cat >"$work/statements"
	grep '^{' "$work/$1/truth" >"$work/truth" # not in the lab: nothing
	python3 "$here/expect.py" "$work/$1.json" "$work/statements" "$work/truth" ||
		fail "$1: see above"
}

# probes LABEL OPTIONS: what `tdagent probe` says there, in $work/LABEL.probe; after
# with_command
probes()
{
	lab "$1-probe" "$2" "cp libtdagent.so /lib/; LD_LIBRARY_PATH=/in ./tdagent probe >/out/probe"
	cp "$work/$1-probe/probe" "$work/$1.probe" || fail "$1: no probe"
}

# says LABEL WORDS: the probe has them
says()
{
	grep -qF -e "$2" "$work/$1.probe" && return
	fail "$1: tdagent probe does not say '$2':"
	cat "$work/$1.probe"
}

# says_not LABEL WORDS: the probe does not
says_not()
{
	grep -F -e "$2" "$work/$1.probe" && fail "$1: tdagent probe says '$2'"
}

# whole LABEL GROUPS: the trace says that so many groups counted, each all the time that it
# was on
whole()
{
	sed -n 's/^tdagent: group \([0-9]*\): enabled \([0-9]*\) ns, running \([0-9]*\) ns$/\1 \2 \3/p' \
		"$work/$1.out" "$work/$1.err" >"$work/times"
	awk '$2 == 0 || $2 != $3 { exit 1 }' "$work/times" || {
		fail "$1: a group was multiplexed:"
		cat "$work/times"
	}
	[ "$(wc -l <"$work/times")" -eq "$2" ] || fail "$1: $(wc -l <"$work/times") groups, not $2"
}

# traced LABEL OPTIONS LONG SHORT ROUNDS: phases with the agent's trace, and the report
traced()
{
	lab "$1" "$2" "${lab_setup:-} TDAGENT_DEBUG=threads $(with_agent "$3" "$4") ./phases -r $5 >/out/truth"
	ended "exit 0" "$1"
	report_on "$1"
}

# groups LABEL OPTIONS GROUPS [OPTION...]: level 2 of all functions in $rounds rounds, by
# so many groups.  Windows of other groups than the first are not in totals: with five
# groups four windows of five, which is 0.8 % of the time.
groups()
{
	label=$1
	number=$3
	echo
	echo "== $1"
	lab_setup=TDAGENT_LEVEL=2
	traced "$label" "$2" 100000 1000 "$rounds"
	lab_setup=
	whole "$label" "$number"
	shift 3
	accurate "$label" --windows 100 --enough 12 --points2 2 --totals2 "${totals2:-2.5}" --slots 1 "$@"
	holds "$label" <<'END'
run = report["run"]
check(run["backend"] == "events", "backend is %s: %s" % (run["backend"], run["reason"]))
check(all("memory_bound" in f["topdown"] for f in report["functions"]
          if f["windows"]["valid"] >= 100), "level 2 is missing")
END
}

# which of the truth's sums an event is
counted='{"branches": "branches", "branch-instructions": "branches", "branch-misses": "mispredicts", "br_misp": "mispredicts",
           "r08c4": "rets", "cpu/event=0xc4,umask=8/": "rets", "wrong": "mispredicts", "BR_MISP_RETIRED:ALL_BRANCHES": "mispredicts",
           "BR_MISP_RETIRED:ALL_AGAIN": "mispredicts", "prec": "insns", "again": "insns", "inst": "insns"}'

# rates LABEL NAMES [PERCENT]: what the report says of these events is no farther from the
# truth, function by function.  Of a rare one in some 50 windows chance is more than that, and
# the interval says so: 2.5 times as much, up to ten of 1,000 cycles (runs had 3.4 +- 4.4, not 1, and 9.9 +- 6.8, not 12)
# or a tenth.
rates()
{
	PERCENT=${3:-3} NAMES=$2 COUNTED=$counted holds "$1" <<'END'
import json, os
counted = json.loads(os.environ["COUNTED"])
cores = (None, report["run"].get("cores"))
functions = {t["address"]: t for t in truth if t["what"] == "function" and t.get("cores") in cores}
percent = float(os.environ["PERCENT"])
found = 0
for f in report["functions"]:
    t = functions.get(f["address"])
    if not t or f["windows"]["valid"] < 50:
        continue
    found += 1
    for name in os.environ["NAMES"].split():
        value = f["events"][name]["per_cycle"]
        rate = value["value"]
        expected = t[counted[name]] / t["cycles"]
        # a return is seldom in a window that nobody leaves
        if counted[name] == "rets":
            check(rate < expected + 0.002, "%s: %g returns a cycle" % (t["name"], rate))
        else:
            chance = min(max(0.01, 0.1 * expected), 2.5 * (value["high"] - value["low"]) / 2)
            check(abs(rate - expected) < max(chance, percent / 100 * expected + 0.001),
                  "%s: %g %s a cycle, not %g" % (t["name"], rate, name, expected))
check(found > 6, "%d functions" % found)
END
}

# intervals LABEL NAMES [WIDE]: of functions of 40 cycles a visit and more, those of these events
# hold the truth, but for some; how many may be wider than 0.2 of it on either side.
intervals()
{
	NAMES=$2 WIDE=${3:-6} COUNTED=$counted holds "$1" <<'END'
import json, os
counted = json.loads(os.environ["COUNTED"])
functions = {t["address"]: t for t in truth if t["what"] == "function" and t["visit"] >= 40}
for name in os.environ["NAMES"].split():
    told = [(functions[f["address"]][counted[name]] / functions[f["address"]]["cycles"], f["events"][name]["per_cycle"])
            for f in report["functions"]
            if f["address"] in functions and f["samples"] >= 100 and name in f.get("events", {})]
    out = ["%.3f, not %.3f to %.3f" % (t, v["low"], v["high"]) for t, v in told if not v["low"] <= t <= v["high"]]
    check(len(told) > 25 and len(out) < 0.2 * len(told), "%s: of %d intervals these do not hold: %s" % (name, len(told), out))
    wide = [v for t, v in told if v["high"] - v["low"] > 0.4 * t]
    check(name != "inst" or len(wide) < int(os.environ["WIDE"]), "%d wide intervals" % len(wide))
END
}

# is_wanted MODEL SETTING: $wanted has the one or both, or nothing
is_wanted()
{
	case " ${wanted:-$1} " in
	*" $1 "* | *" $1-$2 "*) ;;
	*) return 1 ;;
	esac
}

# settings MODEL [OPTION...]: 32,000 windows of 1,000 cycles over all groups, of functions as
# they are, with two mixes, with cost of returns to user mode, with both
settings()
{
	model=$1
	shift
	for setting in plain noise edges both; do
		is_wanted "$model" "$setting" || continue
		noise='' edges=''
		case $setting in noise | both) noise=" -n 40,400" ;; esac
		case $setting in edges | both) edges=" -e 50~50,0,500,5500,4000" ;; esac
		echo
		echo "== $model-$setting"
		lab_setup=TDAGENT_LEVEL=2
		measure "$model-$setting" "-m $model$edges" 20000 1000 "-r 900$noise"
		lab_setup=
		accurate "$model-$setting" --windows 100 --enough 12 --points2 2 --functions-only "$@"
	done
}
