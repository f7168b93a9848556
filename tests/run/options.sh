#!/bin/sh
# SPDX-License-Identifier: MIT
# Each option of each command with a wrong value, without one, and with one that it
# does not take: one line that names it, exit status 2, nothing on standard output.
. "$(dirname "$0")/lib.sh"

agent TDAGENT_LONG=1ms TDAGENT_REPORT=none TDAGENT_OUTPUT="$work/sound" "$prog/burn" 50
ended "exit 0" agent
cd "$work" || exit 99

# COMMAND OPTION VALUE: what it does not take; "*": it takes any text.
cat >wrong <<'END'
run long banana
run short 1fortnight
run jitter 101
run burst 17
run pmu gpu
run level 3
run events *
run latency cycles@none
run windows all
run return home
run labels rank
run output %q
run report %q
run callpath perhaps
run children all
run seccomp banana
run seed x
run debug everything
report top -1
report sort size
report module *
report thread *
report jitdump none/jit.dump
report min-share 101
report min-windows few
report format xml
report output none/file
report live 0
report by address
report level 3
report color red
report cores medium
annotate module *
annotate cores medium
annotate jitdump none/jit.dump
annotate format csv
annotate output none/file
export format xml
export output none/file
export value slots
export thread *
export module *
export cores medium
export jitdump none/jit.dump
export label rank
push store ftp
push name *
push label rank
push tenant *
push timeout 0
push cores medium
push jitdump none/jit.dump
import output *
import perf none/perf
diff threshold x
diff fail-on all
diff noise 101
diff min-windows 1
diff rename old
diff cores medium
diff jitdump none/jit.dump
diff top -1
diff format xml
diff output none/file
audit windows 0
audit length x
audit period x
audit seed x
audit top -1
audit format csv
audit output none/file
END

# operands COMMAND: with which it would work.
operands()
{
	case $1 in
	run | audit) echo "-- $prog/burn 50" ;;
	annotate) echo "burn_sixty sound" ;;
	push) echo "http://127.0.0.1:1 sound" ;;
	import) echo sound ;;
	diff) echo "sound sound" ;;
	*) echo sound ;;
	esac
}

# refused STATUS NAME COMMAND ARGUMENT...
refused()
{
	status=$1
	name=$2
	shift 2
	guest tool $clean "$tdagent" "$@"
	grep -qx "exit $status" tool.status || fail "$*: $(cat tool.status), not $status"
	[ -s tool.out ] && fail "$*: something on standard output"
	one_line tool "$name"
	grep -q "^tdagent" tool.err || fail "$*: $(cat tool.err)"
}

options=0
for command in run report annotate export push import diff audit; do
	"$tdagent" $command --help |
		sed -n 's/^ *\(-[a-z], \)*\(--[a-z-]*\)\(=\)*.*/\2 \3/p' >options
	[ -s options ] || fail "$command --help lists no options"
	rest=$(operands $command)
	while read -r option value; do
		options=$((options + 1))
		[ "$option" = --help ] && continue
		if [ -z "$value" ]; then
			refused 2 "$option" $command "$option=x" $rest
			continue
		fi
		refused 2 "$option" $command "$option"
		bad=$(sed -n "s/^$command ${option#--} //p" wrong)
		[ -n "$bad" ] || fail "$command $option has no wrong value in this test"
		[ "$bad" = "*" ] && continue
		status=2
		name=$option
		case $command-$option in
		run-*) ;;
		audit---output) status=125 name=$bad ;;
		diff---output) name=$bad ;;
		*---output | *---perf | export---value) status=1 name=$bad ;;
		esac
		set --
		[ "$command" = export ] && [ "$option" != --format ] && set -- --format=folded
		refused $status "$name" $command "$@" "$option=$bad" $rest
	done <options
	refused 2 --no-such-option $command --no-such-option $rest
done
[ "$options" -gt 60 ] || fail "only $options options were seen"
[ -e none ] && fail "somebody made a directory"

# What two options say together: each as it was given.
refused 2 "--short: 1ms is longer than --long, 100us" run --short=1ms --long=100us -- true
env TDAGENT_SHORT=1ms "$tdagent" run --long=100us -- true 2>mixed && fail "1ms of 100us"
grep -q "TDAGENT_SHORT: 1ms is longer than --long" mixed || fail "$(cat mixed)"

# What is no event is said before the program starts; what this machine does not count is
# no slip.
for events in no-such-event=--events no-such-event,cycles=--events a=r1,b=r2,a=r3=--events \
	=r12=--events r1ffffffffffffffffff=--events page-faults=--events cycles:k=--events \
	cpu/event=1=--events no-such-event@20000=--latency; do
	option=${events##*=}
	refused 2 "$option: " run "$option=${events%=*}" --output=none -- touch started
	[ -e started ] && fail "$option=${events%=*}: the program was started"
done
refused 2 "no room from 'r11'" run --events=r1,r2,r3,r4,r5,r6,r7,r8,r9,ra,rb,rc,rd,re,rf,r10,r11 -- true
refused 2 "'two?lines'" run --events="$(printf 'two\nlines')" -- true
env TDAGENT_EVENTS=no-such-event "$tdagent" run -- touch started 2>mixed && fail "TDAGENT_EVENTS"
grep -q "no event 'no-such-event'" mixed && [ ! -e started ] || fail "TDAGENT_EVENTS: $(cat mixed)"
guest tool $clean "$tdagent" run --events=LLC-stores,cycles:u,armv8_pmuv3_9/event=1/ --report=none \
	--output="$work/events" -- "$prog/burn" 50
ended "exit 0" tool
[ "$(grep -c "armv8_pmuv3_9/event=1/" tool.err)" -eq 1 ] || fail "--events: $(cat tool.err)"
# and by hand the agent says it
env LD_PRELOAD="$library" TDAGENT_EVENTS=no-such-event TDAGENT_OUTPUT="$work/hand" true 2>mixed
grep -q "no event 'no-such-event'" mixed || fail "by hand: $(cat mixed)"

# Names as they are given to such a program; and what cannot be counted here is marked.
"$tdagent" list cache-misses foo=r12 cycles:u >listed || fail "list: $(cat listed)"
printf 'cache-misses\nfoo=r12\ncycles:u\n' | cmp -s - listed || fail "list: $(cat listed)"
refused 1 "no event 'no-such-event'" list no-such-event
"$tdagent" list >listed || fail "list"
if "$tdagent" probe --format=json | grep -q '"perf_cycles": "works"'; then
	grep -qx '  cycles' listed || fail "list: cycles: $(cat listed)"
else
	grep -q '^  cycles  *(refused)$' listed || fail "list: cycles is not marked"
	[ "$(grep -c ' are refused: ' listed)" -eq 1 ] || fail "list does not say why"
fi

# notes PROFILE LINE: the report has a note that begins so, as text and as JSON.
notes()
{
	"$tdagent" report --format=json "$1" >notes.json
	"$tdagent" report "$1" | tr -s ' \n' ' ' >notes.text
	grep -qF "$2" notes.text || fail "$1: '$2' is not in the text"
	python3 - "$2" <<'END' || fail "$1: see above"
import json, sys
notes = json.load(open("notes.json"))["run"]["notes"]
sys.exit(0 if any(note.startswith(sys.argv[1]) for note in notes) else "no '%s' in %s" % (sys.argv[1], notes))
END
}

# It stays with the profile, as what was found before there was one, of a child as well, which
# says nothing.
notes events "TDAGENT_EVENTS: 'armv8_pmuv3_9/event=1/': "
agent TDAGENT_EVENTS=no-such-event TDAGENT_OUTPUT="$work/%e" sh -c '"$1" 50; true' sh "$prog/burn"
[ "$(grep -c "no event 'no-such-event'" agent.err)" -eq 1 ] || fail "a quiet child: $(cat agent.err)"
notes burn "TDAGENT_EVENTS: no event 'no-such-event'"

# What nobody counts is said.
for pmu in clock simulated; do
	guest tool $clean "$tdagent" run --pmu=$pmu --events=branches --level=2 --report=none \
		--output="$work/unused" -- "$prog/burn" 50
	ended "exit 0" tool
	notes unused "TDAGENT_EVENTS is not counted: TDAGENT_PMU=$pmu"
	notes unused "TDAGENT_LEVEL=2 has no effect, there is no top-down: TDAGENT_PMU=$pmu"
done
guest tool $clean "$tdagent" run --events=branches --report=none --output="$work/some" -- "$prog/burn" 50
"$tdagent" report --format=json some | grep -q '"backend": "events"' ||
	notes some "TDAGENT_EVENTS is not counted: "

refused 2 format probe --format=xml
refused 2 --bogus probe --bogus
refused 2 --bogus list --bogus
refused 2 no-such-command no-such-command
refused 2 no-such-command help no-such-command
exit 0
