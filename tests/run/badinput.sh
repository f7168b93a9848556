#!/bin/sh
# SPDX-License-Identifier: MIT
# Bad input of every kind: one clear line on stderr, and an unharmed program.
. "$(dirname "$0")/lib.sh"

plain "$prog/burn" 50

# unharmed WHAT WORD: the program ran as ever, one line says why not more.
unharmed()
{
	cmp -s "$work/plain.out" "$work/agent.out" || fail "$1: output differs"
	cmp -s "$work/plain.status" "$work/agent.status" ||
		fail "$1: ended by $(cat "$work/agent.status")"
	one_line agent "$2"
}

for setting in LONG=banana LONG= LONG=-1 LONG=1 LONG=1fortnight LONG=99999999999999999999 \
	SHORT=soon SHORT=1s JITTER=101 JITTER=-1 PMU=gpu OUTPUT=%q CHILDREN=all \
	DEBUG=everything SEED=x LNOG=1ms; do
	agent "TDAGENT_$setting" "$prog/burn" 50
	unharmed "$setting" "TDAGENT_${setting%%=*}"
done

# No option alone: each is fine, together they are not, also in different units.
agent TDAGENT_LONG=1ms TDAGENT_SHORT=2ms "$prog/burn" 50
unharmed "SHORT > LONG" "TDAGENT_SHORT: 2ms is longer"
agent TDAGENT_LONG=100us TDAGENT_SHORT=100000000 "$prog/burn" 50
unharmed "SHORT > LONG in cycles" "TDAGENT_SHORT was longer"

mkdir -m 500 "$work/closed"
echo "somebody's letter" >"$work/letter"
cp "$work/letter" "$work/letter.before"
set -- /nonexistent/directory/profile /dev/full "$work" "$work/letter"
[ -w "$work/closed" ] || set -- "$@" "$work/closed/profile"
for output; do
	agent "TDAGENT_OUTPUT=$output" "$prog/burn" 50
	unharmed "output to $output" "$output"
done
cmp -s "$work/letter" "$work/letter.before" || fail "output to a letter: it was changed"
agent "TDAGENT_OUTPUT=$work" "$prog/burn" 50
unharmed "output to a directory" "Is a directory"
# A bad option keeps its default: after the line the report follows.
agent TDAGENT_REPORT=%q "$prog/burn" 50
[ "$(grep -c '^tdagent: ' "$work/agent.err")" -eq 1 ] || fail "REPORT=%q: not one line"
sed -i 1q "$work/agent.err"
unharmed REPORT=%q TDAGENT_REPORT

agent TDAGENT_REPORT=/nonexistent/directory/report "$prog/burn" 50
unharmed "report to a missing directory" /nonexistent/directory/report

# A limit on the size of files: no SIGXFSZ for the program.
(ulimit -f 8 && agent "$prog/burn" 50)
unharmed "file size limit" "file size limit"

# A full file system: no SIGBUS for the program.
full='mount -t tmpfs -o size=64k none "$1" && head -c 60k /dev/zero >"$1/filler" && shift && exec "$@"'
mkdir "$work/full"
if unshare -m true 2>"$work/unshare.err"; then
	guest agent unshare -m sh -c "$full" sh "$work/full" $clean $preload \
		"TDAGENT_OUTPUT=$work/full/%e.%p" "$prog/burn" 50
	unharmed "full file system" "$work/full"
else
	echo "a full file system: not tested, no permission to mount"
fi

# Profiles: one sound one, and what can become of it.
rm -f "$work"/profiles/*
cp "$prog/burn" "$work/burn"
agent "$work/burn" 300
sound=$(profile burn)

# refused NAME: the report of $work/NAME fails with one line that names it.
refused()
{
	guest report $clean "$tdagent" report "$work/$1"
	ended "exit 1" report
	one_line report "$1"
	[ -s "$work/report.out" ] && fail "$1: a report in spite of the error"
}

head -c 100 "$sound" >"$work/short"
refused short
: >"$work/empty"
refused empty
head -c 100000 /dev/zero >"$work/zeros"
refused zeros
cp "$prog/burn" "$work/elf"
refused elf
{ head -c 8 "$sound" && printf '\377\0\0\0' && tail -c +13 "$sound"; } >"$work/newer"
refused newer
grep -qi version "$work/report.err" || fail "newer: the line does not speak of versions"
refused missing
refused profiles-that-are-not-there

# Cut in the middle: what is there is reported, and that something is missing.
head -c 20000 "$sound" >"$work/cut"
guest report $clean "$tdagent" report "$work/cut"
cat "$work/report.out" "$work/report.err" >"$work/both"
grep -qiE 'cut|missing|damaged|truncated' "$work/both" || fail "cut: nothing says so"

# The binary is another one by now, or gone: names are missing, never wrong.
cp "$prog/threads2" "$work/burn"
expect "$sound" <<'END'
check(report["totals"]["samples"] > 0, "no samples")
check(not functions("burn_sixty"), "a name from a file that is not there any more")
check(any("burn" in note for note in report["run"]["notes"]), "no note: %s" % report["run"]["notes"])
END
[ "$(wc -l <"$work/report.err")" -le 1 ] || fail "changed binary: more than one line"
rm "$work/burn"
expect "$sound" <<'END'
check(report["totals"]["samples"] > 0, "no samples")
check(any("burn" in note for note in report["run"]["notes"]), "no note: %s" % report["run"]["notes"])
END
[ "$(wc -l <"$work/report.err")" -le 1 ] || fail "missing binary: more than one line"
