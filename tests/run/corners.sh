#!/bin/sh
# SPDX-License-Identifier: MIT
# What few programs do and a profiler is easily hurt by: signals in all ways,
# registers, stacks, threads, filters on system calls, small limits.
. "$(dirname "$0")/lib.sh"

# drop_note LABEL WORD: the one line of ours, which must be there, goes.
drop_note()
{
	grep -q "^tdagent: .*$2" "$work/$1.err" || fail "$3: no line with '$2'"
	sed -i "0,/^tdagent: .*$2/{/^tdagent: .*$2/d}" "$work/$1.err"
}

# corner WAY [VARIABLE=value...]
corner()
{
	way=$1
	shift
	agent "$@" "$prog/corners" "$way"
	case $way in
	confined* | strict) drop_note agent "confines itself" "$way" ;;
	little) drop_note agent "alternate signal stack" "$way" ;;
	descriptor) drop_note agent "from a descriptor" "$way" ;;
	esac
	same "$way $*"
	[ -n "$(profiles corners)" ] || fail "$way: no profile"
	: >"$work/reports"
	for file in $(profiles corners); do
		"$tdagent" report --format=json "$file" >"$work/report.out" 2>"$work/report.err" ||
			fail "$way: profile cannot be read: $(head -n 1 "$work/report.err")"
		cat "$work/report.out" >>"$work/reports"
	done
	case $way in
	held) sampled=behind_the_wait ;;
	left) sampled='work_in_the_wait behind_the_jump' ;;
	raised) sampled=behind_the_signal ;;
	little) sampled=behind_the_little ;;
	unmapped) sampled=behind_the_unmapped ;;
	overwritten) sampled=behind_the_child ;;
	*) sampled='' ;;
	esac
	# what came while nobody listened is said to be lost
	[ "$way $*" != "opened " ] || grep -q '"blocked": [1-9]' "$work/reports" || fail "$way: nothing is lost"
	[ "$way $*" != "brink " ] || grep -q '"stack": [1-9]' "$work/reports" || fail "$way: nothing is lost"
	for function in $sampled; do
		grep -q "\"$function" "$work/reports" || fail "$way $*: no sample in $function"
	done
	rm -f "$work"/profiles/*
}

for way in $("$prog/corners"); do
	plain "$prog/corners" "$way"
	corner "$way"
	case $way in
	registers | faults | jumps | held | left | threads)
		corner "$way" TDAGENT_LONG=200us TDAGENT_SHORT=10us
		;;
	waiting | confined | opened | brink)
		corner "$way" TDAGENT_WINDOWS=vernier
		;;
	loading | cancelled)
		corner "$way" "TDAGENT_REPORT=$work/$way" TDAGENT_CHILDREN=report
		;;
	esac
	case $way in
	sleepers | waiting | confined | brink)
		# SIGPROF and POSIX timers
		guest agent "$prog/deny" perf_event_open $clean $preload "$prog/corners" "$way"
		[ $way != confined ] || drop_note agent "confines itself" "$way, perf denied"
		same "$way, perf denied"
		;;
	esac
done
rm -f "$work"/profiles/*

# System calls that are signals to the program: ours would be, too.
plain "$prog/dispatched"
if grep -q '^taken' "$work/plain.out"; then
	agent "$prog/dispatched"
	drop_note agent "user dispatch" dispatched
	same dispatched
	expect "$(profile dispatched)" <<'END'
check(report["totals"]["samples"] > 10, "%d samples before" % report["totals"]["samples"])
check(report["run"]["state"] == "exited", "the state is " + report["run"]["state"])
END
	rm -f "$work"/profiles/*
else
	cat "$work/plain.out"
fi

# A daemon outlives who started it: the pipe ends with it.
compare sh -c '"$1" daemon | cat' sh "$prog/corners"
set -- $(profiles corners)
[ $# -eq 2 ] || fail "$# profiles of a daemon and of who started it"
# One ends within daemon(), where nobody can say so; the other does most of the work.
for file in "$@"; do
	"$tdagent" report "$file" | grep -q '^state .*by daemon()' && left=$file && continue
	expect "$file" <<'END'
check(report["run"]["state"] == "exited", "the daemon: " + report["run"]["state"])
check(report["totals"]["samples"] > 20, "the daemon: %d samples" % report["totals"]["samples"])
END
done
[ -n "${left:-}" ] || fail "whoever called daemon() is not said to have left"

# Small limits, each of them.  A line of ours may say what is missing.
if command -v prlimit >/dev/null; then
	for limit in nofile=16 nofile=5 fsize=4096 memlock=0 stack=65536 as=30720000 data=3000000 \
		data=60000000 sigpending=0 \
		"msgqueue=0 --locks=0 --nproc=1 --cpu=100 --rss=0 --core=0 --nice=0 --rtprio=0 --rttime=1000"; do
		# shellcheck disable=SC2086 # the last is several
		plain prlimit --$limit "$prog/corners" threads
		# a file at once: descriptors are counted
		agent TDAGENT_CHILDREN=report prlimit --$limit "$prog/corners" threads
		[ "$(grep -c '^tdagent: ' "$work/agent.err")" -le 1 ] || fail "limit $limit: many lines"
		sed -i '/^tdagent: /d' "$work/agent.err"
		same "limit $limit"
		# the program's last descriptor is not ours, not even for a moment
		[ "$limit" != nofile=5 ] || "$tdagent" report $(profiles corners) |
			grep -q "^trigger .*POSIX" || fail "limit $limit: perf events"
		rm -f "$work"/profiles/*
	done
else
	echo "small limits: not tested, prlimit (util-linux) is missing"
fi

# A disk that becomes full while the profile is mapped, one that is full, and one to read.
full='mount -t tmpfs -o $1 none "$2" && shift && cd "$1" && shift && "$@"; echo "status $?"'
mkdir "$work/small"
plain "$prog/corners" registers
echo "status 0" >>"$work/plain.out"
for options in size=4k size=72k ro; do
	guest agent unshare -rm sh -c "$full" sh $options "$work/small" \
		$clean $preload "TDAGENT_OUTPUT=$work/small/p" "$prog/corners" registers
	if grep -q unshare "$work/agent.err"; then
		echo "full disk: not tested, $(head -n 1 "$work/agent.err")"
		break
	fi
	sed -i '/^tdagent: cannot write the profile/d' "$work/agent.err"
	same "a disk mounted with $options"
done

# The directory of the profiles goes while the program runs.  rm is not measured: its own
# profile may be in the directory before that is empty.
mkdir "$work/gone"
plain sh -c 'rm -rf "$1"; exec "$2" jumps' sh "$work/gone" "$prog/corners"
mkdir "$work/gone"
agent "TDAGENT_OUTPUT=$work/gone/%e.%p" sh -c \
	'i=0; while [ $i -lt 30000 ]; do i=$((i + 1)); done; LD_PRELOAD= rm -rf "$1"; exec "$2" jumps' \
	sh "$work/gone" "$prog/corners"
[ "$(grep -c '^tdagent: ' "$work/agent.err")" -le 1 ] || fail "no directory: many lines"
sed -i '/^tdagent: cannot write the profile/d' "$work/agent.err"
same "the directory is removed"
