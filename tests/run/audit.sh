#!/bin/sh
# SPDX-License-Identifier: MIT
# `tdagent audit`: programs whose answer is known, and programs that must not notice.
. "$(dirname "$0")/lib.sh"

plain "$prog/visits" 1
guest audit $clean "$tdagent" audit --windows=1 -- "$prog/visits" 1
grep -q 'ptrace is forbidden\|traced by' "$work/audit.err" && skip "$(head -n 1 "$work/audit.err")"

# audit OPTIONS COMMAND...: the report goes to $work/audit.json.
audit()
{
	options=$1
	shift
	# shellcheck disable=SC2086 # $options is several words
	guest agent $clean "$tdagent" audit --format=json "--output=$work/audit.json" $options -- "$@"
}

# holds: Python statements on the report.
holds()
{
	cat >"$work/statements"
	python3 - "$work/audit.json" "$work/statements" <<'END' || fail "$1: see above"
import json, sys
report = json.load(open(sys.argv[1]))
bad = []
def check(condition, text):
    condition or bad.append(text)
def cells(name):
    found = [f for f in report["functions"] if f["name"] == name]
    check(found, "no function " + name)
    return {l["mean"]: l for l in found[0]["lengths"]} if found else {}
def sums(length, key, field):
    return sum(l[key][field] for f in report["functions"] for l in f["lengths"] if l["mean"] == length)
exec(open(sys.argv[2]).read())
print("\n".join(bad))
sys.exit(bool(bad))
END
}

# Two functions of 4 and 21 instructions that call each other never fill a window of
# 200 on average, but many of these begin and end in the same one; a loop fills all.
# Windows are what takes time: as many as the statements need, and no long programs.
plain "$prog/visits" 60
audit "--windows=60 --period=1ms --length=5,200" "$prog/visits" 60
same "visits"
holds visits <<'END'
run = report["run"]
check(run["moments"] >= 40, "%d moments" % run["moments"])
check(run["threads"] == 1 and run["exit_status"] == 0, str(run))
check(run["steps"] < 400 * run["moments"], "%(steps)d steps for %(moments)d moments" % run)
loop = cells("steady")
for length in loop:
    for rule in "same_function", "no_return", "no_call_or_return":
        check(loop[length][rule]["stayed"] >= 0.95 * loop[length]["windows"], "steady left: %s" % loop)
    check(loop[length]["no_return"]["elsewhere"] == 0, "steady elsewhere: %s" % loop)
for f in report["functions"]:
    if f["name"] not in ("helper", "alternate"):
        continue
    for l in f["lengths"]:
        same, quiet = l["same_function"], l["no_return"]
        none = l["no_call_or_return"]
        check(none["stayed"] == none["windows"] <= quiet["windows"], "called, and yet there: %s" % l)
        check(quiet["windows"] <= same["windows"] <= l["windows"], "parts larger than wholes: %s" % l)
        check(quiet["stayed"] == quiet["windows"], "no return, and yet left: %s" % l)
        if l["mean"] == 200:
            check(same["stayed"] < 0.3 * same["windows"] + 2, "%s stayed: %s" % (f["name"], l))
END
holds "many of helper's windows begin and end there" <<'END'
both = [l for f in report["functions"] for l in f["lengths"]
        if f["name"] in ("helper", "alternate") and l["mean"] == 200]
check(sum(l["same_function"]["windows"] for l in both) > 0.3 * sum(l["windows"] for l in both), str(both))
check(sum(l["same_function"]["elsewhere"] for l in both) > 0, "nothing elsewhere: %s" % both)
END

# Threads, a timer, SIGTRAP blocked and pending, the flags: nobody notices.
plain "$prog/visits" -s 200 20 3
audit "--windows=60 --period=1ms --length=1000" "$prog/visits" -s 200 20 3
same "threads and signals"
holds "threads and signals" <<'END'
check(report["run"]["threads"] == 3, "%(threads)d threads" % report["run"])
check(report["run"]["moments"] > 2, "%(moments)d moments" % report["run"])
END

# ended_alike COMMAND...: with the audit as without.
ended_alike()
{
	plain "$@"
	audit "--windows=40 --period=1ms --length=300" "$@"
	same "audit of $*"
}
for way in return3 exit _exit abort kill segv; do
	"$prog/exits" "$way" >"$work/known" 2>&1
	[ $? -eq 2 ] || ended_alike "$prog/exits" "$way"
done
# on a busy machine the first one may come before the stop
ended_alike sh -c '(while sleep 0.3; do kill -CONT $$; done) & kill -STOP $$; echo continued; kill $!; wait'
ended_alike sh -c 'trap "echo got it" TRAP USR1; kill -TRAP $$; kill -USR1 $$; exit 7'
ended_alike sh -c 'for i in 1 2 3; do sh -c "exit $i"; echo $?; done; kill -TERM $$'
ended_alike "$prog/static" 200
ended_alike "$prog/sigs"
ended_alike "$prog/manythreads" 200

# The exec'd program is followed, forked ones run free.
audit "--windows=40 --period=1ms --length=100" sh -c "exec $prog/visits 20"
holds "exec" <<'END'
check(any(f["name"] == "steady" for f in report["functions"]), "nothing of the program after exec")
END
audit "--windows=40 --period=1ms --length=100" sh -c "$prog/visits 20; exit 0"
holds "fork" <<'END'
check(not any(f["module"] == "visits" for f in report["functions"]), "a forked program was stepped")
END

# Signals that are sent to the audit reach the program.
audit --period=1ms timeout -s TERM 0.3 "$tdagent" audit --period=2ms -- "$prog/burn" 60000
ended "exit 124" agent

# The report is on standard error, after what the program says there.
guest agent $clean "$tdagent" audit --period=1ms --windows=20 --length=100 --top=1 -- "$prog/visits" 20
ended "exit 0" agent
[ "$(wc -l <"$work/agent.out")" -eq 1 ] || fail "standard output is not the program's alone"
grep -q '^all functions' "$work/agent.err" || fail "no report on standard error"
grep -q 'not cycles' "$work/agent.err" || fail "the report does not say what it is"
guest agent $clean "$tdagent" audit -- true
ended "exit 0" agent
grep -q 'No window' "$work/agent.err" || fail "a program without windows: nothing says so"

# refused WORD STATUS ARGUMENT...: one line, and the program does not run.
refused()
{
	word=$1 want=$2
	shift 2
	guest agent $clean "$tdagent" audit "$@"
	one_line agent "$word"
	ended "exit $want" agent
	[ -s "$work/agent.out" ] && fail "$*: it ran"
}
for bad in --windows=0 --windows=x --length= --length=0 --length=1,,2 --length=1,2,3,4,5,6,7,8,9 \
	--length=1000001 --period=0ms --period=9us --period=100 --period=soon --seed=-1 --top=all --format=xml \
	--output=; do
	refused "${bad%%=*}" 2 "$bad" -- echo hello
done
refused --banana 2 --banana -- echo hello
refused --length 2 --length
refused "no program" 2 --windows=3
refused nonexistent 127 -- /nonexistent/program
refused "$work" 126 -- "$work"
refused /nonexistent/directory 125 --output=/nonexistent/directory/file -- echo hello
cp "$prog/burn" "$work/setuid"
chmod u+s "$work/setuid"
refused setuid 126 -- "$work/setuid" 50
# ptrace is forbidden, or it is somebody else's already
guest agent $clean "$prog/deny" ptrace "$tdagent" audit -- echo hello
one_line agent "ptrace is forbidden"
ended "exit 125" agent
if command -v strace >/dev/null && strace -o /dev/null true 2>/dev/null; then
	guest agent strace -f -o /dev/null $clean "$tdagent" audit -- echo hello
	one_line agent "traced by process"
	ended "exit 125" agent
fi
guest agent $clean "$tdagent" audit --help
ended "exit 0" agent
[ -s "$work/agent.out" ] && [ ! -s "$work/agent.err" ] || fail "help is not on stdout"
