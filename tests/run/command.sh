#!/bin/sh
# SPDX-License-Identifier: MIT
# `tdagent run`: options, exit status and signals pass through; what cannot be
# profiled is refused in one line.
. "$(dirname "$0")/lib.sh"

run()
{
	guest agent $clean "$tdagent" run --report=none "--output=$work/profiles/%e.%p" "$@"
}

for way in $("$prog/exits"); do
	plain "$prog/exits" "$way"
	run -- "$prog/exits" "$way"
	same "run exits $way"
done

rm -f "$work"/profiles/*
run --long=1ms -- "$prog/burn" --truth 1000
ended "exit 0" agent
expect "$(profile burn)" "$(truth agent)" <<'END'
for true in truth:
    has_share(true["name"], true["share"])
check(report["run"]["long_period"] == 1000000, "long_period %s" % report["run"]["long_period"])
END

# The report: to stderr, where nothing of the program's output changes, to a file,
# and for a program that nothing could be told any more.
plain "$prog/burn" 300
guest agent $clean TMPDIR="$work" "$tdagent" run --long=1ms -- "$prog/burn" 300
ended "exit 0" agent
cmp -s "$work/plain.out" "$work/agent.out" || fail "report on stderr: stdout differs"
grep -q burn_sixty "$work/agent.err" || fail "no report on stderr"
guest agent $clean TMPDIR="$work" "$tdagent" run --long=1ms "--report=$work/of-%e" -- "$prog/burn" 300
cmp -s "$work/plain.out" "$work/agent.out" || fail "report to a file: stdout differs"
grep -q burn_sixty "$work/of-burn" || fail "no report in the file"
grep -q burn_sixty "$work/agent.err" && fail "a report on stderr, too"
guest agent $clean TMPDIR="$work" "$tdagent" run --long=1ms -- "$prog/exits" kill
ended "signal 9" agent
grep -q some_work "$work/agent.err" || fail "no report of a killed program"

# A signal to `run` reaches the program and ends both alike.
rm -f "$work"/profiles/*
$clean "$tdagent" run --report=none "--output=$work/profiles/%e.%p" -- "$prog/burn" 60000 \
	>"$work/agent.out" 2>"$work/agent.err" &
run_pid=$!
tries=0
until [ -n "$(profiles burn)" ] || [ $tries -ge 100 ]; do
	tries=$((tries + 1))
	sleep 0.1
done
kill -TERM $run_pid
wait $run_pid
status=$?
[ $status -eq 143 ] || fail "SIGTERM to run: status $status"

# refused WORD PROGRAM...: one line, exit 1 or 2, the program does not run.
refused()
{
	word=$1
	shift
	run -- "$@"
	one_line agent "$word"
	case $(cat "$work/agent.status") in
	"exit 0" | signal*) fail "$*: not refused" ;;
	esac
	[ -s "$work/agent.out" ] && fail "$*: it ran"
}

refused static "$prog/static" 50
refused "no C library" "$prog/alone"
# and started without us it is left alone: in one line, and without one as a child
plain "$prog/alone"
ended "exit 7" plain
agent "$prog/alone"
ended "exit 7" agent
cmp -s "$work/plain.out" "$work/agent.out" || fail "alone: stdout differs"
one_line agent "no C library"
compare sh -c "$prog/alone; echo \$?"
cp "$prog/burn" "$work/setuid"
chmod u+s "$work/setuid"
refused setuid "$work/setuid" 50
refused nonexistent /nonexistent/program
refused "$work" "$work"
echo "no program" >"$work/text"
refused "$work/text" "$work/text"

# Events by libpfm4's names, as of a Skylake: the program gets them as raw ones.
as_skylake="$clean LIBPFM_FORCE_PMU=skl"
guest agent $as_skylake "$tdagent" list CYCLE_ACTIVITY:STALLS_TOTAL no_such_event
ended "exit 1" agent
if grep -q 'without libpfm4' "$work/agent.err"; then
	echo "libpfm4's names: not tested, this build has no libpfm4"
else
	one_line agent "no event 'no_such_event'"
	[ "$(cat "$work/agent.out")" = CYCLE_ACTIVITY:STALLS_TOTAL=r40004a3 ] ||
		fail "libpfm4: $(cat "$work/agent.out")"
	guest agent $as_skylake "$tdagent" run --report=none "--output=$work/profiles/%e.%p" \
		--events=branches,CYCLE_ACTIVITY:STALLS_TOTAL,r08c4,UOPS_ISSUED:ANY:c=1:i=1 -- \
		sh -c 'echo $TDAGENT_EVENTS'
	[ "$(cat "$work/agent.out")" = branches,CYCLE_ACTIVITY:STALLS_TOTAL=r40004a3,r08c4,UOPS_ISSUED:ANY:c=1:i=1=r180010e ] ||
		fail "libpfm4: the program gets $(cat "$work/agent.out")"
	guest agent $clean LIBPFM_FORCE_PMU=skx "$tdagent" list FRONTEND_RETIRED:L1I_MISS \
		UOPS_ISSUED:ANY:c=1:i=1=r180010e
	printf 'FRONTEND_RETIRED:L1I_MISS=r1c6:12\nUOPS_ISSUED:ANY:c=1:i=1=r180010e\n' |
		cmp -s - "$work/agent.out" || fail "libpfm4: $(cat "$work/agent.out")"
	for bad in UOPS_ISSUED:ANY:k UOPS_ISSUED:ANY:nonsense=1 no_such_event:c=1; do
		guest agent $as_skylake "$tdagent" run --events=$bad -- true
		ended "exit 2" agent
		one_line agent "'$bad'"
	done
	# of another processor: no slip, and the report has it
	guest agent $as_skylake "$tdagent" run --report=none \
		"--output=$work/profiles/%e.%p" --events=RETIRED_OPS -- true
	ended "exit 0" agent
	grep -q "no event 'RETIRED_OPS'" "$work/agent.err" || fail "$(cat "$work/agent.err")"
	guest agent $as_skylake "$tdagent" run --report=none "--output=$work/profiles/%e.%p" \
		--latency=MEM_INST_RETIRED:ALL_LOADS@20000 -- sh -c 'echo $TDAGENT_LATENCY'
	[ "$(cat "$work/agent.out")" = MEM_INST_RETIRED:ALL_LOADS=r81d0@20000 ] ||
		fail "libpfm4: the program gets $(cat "$work/agent.out")"
fi

# A usage error is exit 2, and help goes to stdout.
guest agent $clean "$tdagent" run --banana -- "$prog/burn"
ended "exit 2" agent
one_line agent "unknown option"
guest agent $clean "$tdagent" run --lnog=1ms -- "$prog/burn"
one_line agent "did you mean --long?"
guest agent $clean TDAGENT_LONG=soon "$tdagent" run -- "$prog/burn"
ended "exit 2" agent
one_line agent "TDAGENT_LONG: 'soon'"
guest agent $clean TDAGENT_LONG=soon "$tdagent" run --long=1ms --help
ended "exit 0" agent
[ -s "$work/agent.out" ] && [ ! -s "$work/agent.err" ] || fail "help is not on stdout"
for bad in --fromat=json --format=xml --format somewhere; do
	guest agent $clean "$tdagent" probe "$bad"
	ended "exit 2" agent
	one_line agent "tdagent probe: $bad"
done
guest agent $clean "$tdagent" probe
ended "exit 0" agent
# it says what a run says
for name in report probe; do
	[ $name = probe ] || set -- report --format=json "$(profile burn)"
	[ $name = report ] || set -- probe --format=json
	guest $name $clean "$tdagent" "$@"
	ended "exit 0" $name
done
python3 - "$work/report.out" "$work/probe.out" <<'END' || fail "probe: see above"
import json, sys
run, probe = (json.load(open(path)) for path in sys.argv[1:])
for key in "backend", "trigger", "reason", "level":
    if probe[key] != run["run"][key]:
        sys.exit("%s: probe says '%s', a run '%s'" % (key, probe[key], run["run"][key]))
END
