#!/bin/sh
# SPDX-License-Identifier: MIT
# Our library serves the program nothing but what its map names, and takes nothing
# but from libc; other preloaded libraries work beside it, in either order, and so
# do an auditor, plugins that go past it, and the program's own libelf and libunwind.
. "$(dirname "$0")/lib.sh"

# bindings COMMAND...: each symbol that the dynamic linker bound, as
# "FROM TO NAME", base names only.
bindings()
{
	$clean $preload LD_DEBUG=bindings LD_BIND_NOW=1 "LD_DEBUG_OUTPUT=$work/bindings" \
		"$@" >"$work/agent.out" 2>"$work/agent.err" ||
		fail "$*: exit $?"
	cat "$work"/bindings.* | sed -n \
		's/.*binding file \([^ ]*\) \[0\] to \([^ ]*\) \[0\]:.* symbol `\([^'"'"']*\).*/\1 \2 \3/p' |
		sed 's,[^ ]*/,,g' | sort -u
	rm -f "$work"/bindings.*
}

sed -n 's/^\t\([a-zA-Z0-9_]*\);.*/\1/p' "$here/../../agent/libtdagent.map" | sort >"$work/exported"

# A program's libelf and libunwind, which are what `tdagent` and others are made with.
own=
if ${CC:-gcc} -std=gnu11 -D_GNU_SOURCE -g -O1 -I"$here/../.." -o "$work/ownlibs" \
	"$here/../prog/ownlibs.c" -lelf -lunwind 2>"$work/cc.err"; then
	own=$work/ownlibs
else
	echo "the program's own libelf and libunwind: not tested, $(head -n 1 "$work/cc.err")"
fi

for program in "$prog/throw" "$prog/loader $prog/.libs/thrower.so" "python3 -m this" ${own:+"$own"}; do
	# shellcheck disable=SC2086 # a command and its arguments
	bindings $program >"$work/bound"
	set -- $program
	[ "$(grep -c '^libtdagent.so ' "$work/bound")" -gt 20 ] || fail "$1: no bindings were seen"
	# a program may have its own copy of libc's variable
	awk '$1 == "libtdagent.so" && $2 != "libc.so.6" && $2 != "libtdagent.so" &&
		$3 != "environ" && $2 !~ /^ld-linux/' "$work/bound" >"$work/foreign"
	[ ! -s "$work/foreign" ] || fail "$1: ours are bound to others: $(head -n 3 "$work/foreign")"
	awk '$1 != "libtdagent.so" && $2 == "libtdagent.so" { print $3 }' "$work/bound" |
		sort -u | comm -23 - "$work/exported" >"$work/served"
	[ ! -s "$work/served" ] || fail "$1: served by us: $(head -n 3 "$work/served")"
	[ "$1" != "$own" ] || for theirs in libelf libunwind; do
		grep -q "^ownlibs $theirs\.so" "$work/bound" || fail "$1 has no $theirs"
	done
done

# What they answer while they are sampled, also when we unwind ourselves.
if [ -n "$own" ]; then
	plain "$own"
	grep -qx 'frames: 11' "$work/plain.out" || fail "ownlibs: $(cat "$work/plain.out")"
	for paths in off on; do
		agent TDAGENT_CALLPATH=$paths TDAGENT_LONG=200us "$own"
		same "the program's own libelf and libunwind, call paths $paths"
	done
	rm -f "$work"/profiles/*
fi

# deep: bound past us, and what we miss by that is not much.
plain "$prog/loader" --deep "$prog/.libs/deep.so" "$prog/.libs/thrower.so"
grep -qx 'plugin: 211' "$work/plain.out" || fail "deep: $(cat "$work/plain.out")"
rm -f "$work"/profiles/*
agent "$prog/loader" --deep "$prog/.libs/deep.so" "$prog/.libs/thrower.so"
same "RTLD_DEEPBIND"
expect "$(profile loader)" <<'END'
check(function("deep_work")["module"].endswith("/deep.so"), "deep_work")
END
rm -f "$work"/profiles/*

# An auditor sees all of our bindings, and has a libc of its own.
plain "LD_AUDIT=$prog/.libs/auditor.so" "$prog/corners" nesting
agent "LD_AUDIT=$prog/.libs/auditor.so" "AUDITOR_LOG=$work/audited" "$prog/corners" nesting
same "LD_AUDIT"
grep -qxF "object $library" "$work/audited" || fail "LD_AUDIT: the auditor did not see us"
grep -q '^bindings [1-9]' "$work/audited" || fail "LD_AUDIT: it saw no bindings"
[ -n "$(profiles corners)" ] || fail "LD_AUDIT: no profile"
rm -f "$work"/profiles/*

# Exceptions through a plugin keep their unwinder, with call paths, too.
compare "$prog/loader" "$prog/.libs/thrower.so"
agent TDAGENT_CALLPATH=on TDAGENT_LONG=200us "$prog/loader" "$prog/.libs/thrower.so"
same "exceptions of a plugin, call paths"

# beside LIBRARY...: those that are here, before and after ours.
for other in libjemalloc.so.2 libtcmalloc.so.4 libprofiler.so.0; do
	if ! ldconfig -p | grep -qw "$other"; then
		echo "beside $other: not tested, it is missing"
		continue
	fi
	for way in nesting; do
		plain "LD_PRELOAD=$other" "$prog/corners" $way
		agent "LD_PRELOAD=$other $library" "$prog/corners" $way
		same "$other before ours, $way"
		agent "LD_PRELOAD=$library $other" "$prog/corners" $way
		same "$other after ours, $way"
	done
done

# gperftools' profiler at work, whose signal is SIGPROF: both have their samples.
taken=
both_profile()
{
	ended "exit 0" agent
	cmp -s "$work/plain.out" "$work/agent.out" || fail "$1: output differs"
	mv "$work/agent.err" "$work/their.err"
	theirs=$(sed -n 's,^PROFILE: interrupts/evictions/bytes = \([0-9]*\)/.*,\1,p' "$work/their.err")
	# 50 of them, where the machine is not busy
	[ "${theirs:-0}" -gt 5 ] || fail "$1: it took ${theirs:-no} samples"
	grep -q '^tdagent: not profiling: SIGPROF is taken' "$work/their.err" && [ "$1" = "$taken" ] && return
	expect "$(profile burn)" <<'END'
check(report["totals"]["samples"] > 20, "%d samples" % report["totals"]["samples"])
END
	rm -f "$work"/profiles/*
}

if ldconfig -p | grep -qw libprofiler.so.0; then
	plain "$prog/burn" 500
	for order in "libprofiler.so.0 $library" "$library libprofiler.so.0"; do
		agent "LD_PRELOAD=$order" "CPUPROFILE=$work/theirs" "$prog/burn" 500
		both_profile "gperftools, ${order%% *} first"
		# both want SIGPROF, and we start after who is behind us: then they have it
		taken="gperftools, $library first, perf denied"
		guest agent "$prog/deny" perf_event_open $clean $preload "LD_PRELOAD=$order" \
			"CPUPROFILE=$work/theirs" "$prog/burn" 500
		both_profile "gperftools, ${order%% *} first, perf denied"
	done
fi

# A sanitized program: ASan insists on being the first.
for sanitizer in address thread; do
	if ! ${CC:-gcc} -std=gnu11 -D_GNU_SOURCE -fsanitize=$sanitizer -g -O1 -I"$here/../.." \
		-o "$work/sanitized" "$here/../prog/threads2.c" -pthread 2>"$work/cc.err"; then
		echo "-fsanitize=$sanitizer: not tested, $(head -n 1 "$work/cc.err")"
		continue
	fi
	runtime=$(ldd "$work/sanitized" | sed -n 's/^[[:space:]]*lib[at]san[^ ]* => \([^ ]*\).*/\1/p')
	plain "$work/sanitized"
	agent "LD_PRELOAD=$runtime $library" "$work/sanitized"
	same "-fsanitize=$sanitizer"
	[ -n "$(profiles sanitized)" ] || fail "-fsanitize=$sanitizer: no profile"
	rm -f "$work"/profiles/*
	guest agent $clean "LD_PRELOAD=$runtime" "$tdagent" run --report=none \
		"--output=$work/profiles/%e.%p" -- "$work/sanitized"
	sed -i '/^tdagent run: profile: /d' "$work/agent.err"
	same "-fsanitize=$sanitizer by the command"
	[ -n "$(profiles sanitized)" ] || fail "-fsanitize=$sanitizer: no profile by the command"
	rm -f "$work"/profiles/sanitized.*
done

# valgrind does not know perf's signals and dies of one: it has the program for itself.
if ! missing valgrind valgrind; then
	plain valgrind -q --tool=none "$prog/burn" 100
	agent valgrind -q --tool=none "$prog/burn" 100
	ended "$(cat "$work/plain.status")" agent
	one_line agent "valgrind runs the program"
	rm -f "$work"/profiles/*
fi
