#!/bin/sh
# SPDX-License-Identifier: MIT
# Each system call of the agent fails in turn: the program ends as it does alone,
# we say one line or none, and what is left of a profile can be read.
. "$(dirname "$0")/lib.sh"

# A child that tries the calls first would have its share of the failures.
preload="$preload TDAGENT_SECCOMP=trust"

# errno.h
eperm=1 eio=5 eagain=11 enomem=12 einval=22 emfile=24 enospc=28

# inject CALL ERROR N LABEL [NAME=value...] COMMAND...
inject()
{
	inject_label=$4
	inject_call="$1 $2 $3 $work/count"
	shift 4
	# shellcheck disable=SC2086 # several words
	$clean "$prog/inject" $inject_call "$@" \
		>"$work/$inject_label.out" 2>"$work/$inject_label.err"
	echo "exit $?" >"$work/$inject_label.status" # 128 + signal, too
	count=$(cat "$work/count")
}

unharmed()
{
	cmp -s "$work/plain.status" "$work/agent.status" &&
		cmp -s "$work/plain.out" "$work/agent.out" || {
		fail "$1: ended by $(cat "$work/agent.status"), not $(cat "$work/plain.status")"
		head -n 5 "$work/agent.out" "$work/agent.err"
	}
	[ "$(wc -l <"$work/agent.err")" -le 1 ] || {
		fail "$1: more than a line"
		head -n 5 "$work/agent.err"
	}
	[ ! -s "$work/agent.err" ] || grep -q '^tdagent' "$work/agent.err" ||
		fail "$1: $(cat "$work/agent.err")"
}

# readable WHAT: whatever profiles there are.
readable()
{
	for file in $(find "$work/profiles" -type f); do
		"$tdagent" report --format=json "$file" >"$work/report.out" 2>"$work/report.err" ||
			fail "$1: profile cannot be read: $(head -n 1 "$work/report.err")"
		read_back=$((read_back + 1))
		rm -f "$file"
	done
}

# each CALL ERROR: it fails in $victim, which ends by $code; those of the program itself,
# if any, do it no harm.
each()
{
	inject "$1" "$2" 0 plain $victim
	[ "$(cat "$work/plain.status")" = "exit 99" ] && skip "$(cat "$work/plain.err")"
	ended "exit $code" plain
	for n in $(seq 1 "$count"); do
		inject "$1" "$2" "$n" plain $victim
		ended "exit $code" plain
	done
	# shellcheck disable=SC2086
	inject "$1" "$2" 0 agent $preload $victim
	unharmed "$1, none failing"
	readable "$1, none failing"
	total=$count
	kinds=$((kinds + (total > 0)))
	for n in $(seq 1 "$total"); do
		# shellcheck disable=SC2086
		inject "$1" "$2" "$n" agent $preload $victim
		unharmed "$1 number $n of $total fails with $2"
		readable "$1 number $n of $total fails with $2"
		injected=$((injected + 1))
	done
}

injected=0 kinds=0 read_back=0
victim="$prog/quiet 4" code=3
each openat $emfile
each mmap $enomem
each munmap $enomem
each mprotect $enomem
each fallocate $enospc
each ftruncate $eio
each pwrite64 $enospc
each read $eio
each close $eio
each newfstatat $enomem
each fstat $eio
each readlink $einval
each mkdir $enospc
each getdents64 $enomem
each fcntl $emfile
each dup $emfile
each perf_event_open $emfile
each ioctl $einval
each timer_create $eagain
each prlimit64 $eperm
each rt_sigaction $einval
each uname $eperm
each prctl $einval
each gettid $eperm
each sched_getaffinity $eperm

# A child, whose file comes in the middle of its work.
victim="$prog/later briefly" code=0
each openat $emfile
each mmap $enomem
each fallocate $enospc
each pwrite64 $enospc
each fstat $eio
each fcntl $emfile

# Memory: the agent has it from malloc() for a thread that begins.
threads="$clean $preload LD_PRELOAD=$prog/.libs/nomalloc.so:$library NOMALLOC_COUNT=$work/count"
plain "$prog/manythreads" 16
guest agent $threads "$prog/manythreads" 16
same "manythreads beside nomalloc"
total=$(cat "$work/count")
[ "$total" -ge 16 ] || fail "only $total calls of malloc()"
for n in $(seq 1 "$total"); do
	guest agent $threads "NOMALLOC=$n" "$prog/manythreads" 16
	same "malloc() number $n of $total fails"
	readable "malloc() number $n of $total fails"
	injected=$((injected + 1))
done

echo "$injected failures of $kinds kinds of calls; $read_back profiles were read"
[ "$kinds" -ge 8 ] || fail "only $kinds kinds of calls were made at all"
[ "$read_back" -ge "$kinds" ] || fail "only $read_back profiles"
