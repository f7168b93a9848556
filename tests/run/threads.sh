#!/bin/sh
# SPDX-License-Identifier: MIT
# Each thread is there with its name, its number and its functions.
. "$(dirname "$0")/lib.sh"

agent "$prog/threads2" --truth
ended "exit 0" agent
expect "$(profile threads2)" "$(truth agent)" <<'END'
has_share("work_left", 2 / 3)
has_share("work_right", 1 / 3)
total = report["totals"]["samples"]
for true in truth:
    row = thread(true["name"])
    check(row["tid"] == true["tid"], "%s is thread %d, not %d" % (row["name"], true["tid"], row["tid"]))
    share_is(true["share"], row["samples"] / max(total, 1), "thread " + row["name"])
check(len(report["threads"]) == 3, "%d threads, not 3" % len(report["threads"]))
check(report["run"]["threads"] == 3, "the header counts %s threads" % report["run"]["threads"])
END

rm "$(profile threads2)"

# Those of a program that is killed have their names, too.
agent "$prog/threads2" --killed
ended "signal 9" agent
expect "$(profile threads2)" <<'END'
names = sorted(t["name"] for t in report["threads"])
check(names == ["left", "right", "threads2"], "threads are named %s" % names)
END
rm "$(profile threads2)"

compare "$prog/manythreads" 400
expect "$(profile manythreads)" <<'END'
share = function("short_work")["share"]
check(share > 0.8, "short_work has %.2f" % share)
check(report["run"]["threads"] == 401, "%s threads counted" % report["run"]["threads"])
check(sum(t["samples"] for t in report["threads"]) == report["totals"]["samples"],
      "samples of threads do not add up")
END
rm "$(profile manythreads)"

# 10,000 of them, each shorter than a long period: a small file, and the right share.
compare "$prog/manythreads" 10000 200
file=$(profile manythreads)
[ "$(wc -c <"$file")" -lt 4000000 ] || fail "10,000 threads: $(wc -c <"$file") bytes of profile"
expect "$file" <<'END'
share = function("short_work")["share"]
check(share > 0.6, "short_work has %.2f" % share)
check(report["run"]["threads"] == 10001, "%s threads counted" % report["run"]["threads"])
check(report["totals"]["samples"] > 1000, "%d samples of 2 s" % report["totals"]["samples"])
END
rm "$file"

# 1,000 at once, as far as descriptors and memory go: more than have an event each
# where RLIMIT_NOFILE is the usual 1,024.
for limit in "-n 1024" "-n 64" "-v 12000000"; do
	plain sh -c "ulimit $limit; exec \"\$@\"" sh "$prog/manythreads" 2000 1000 1000
	agent sh -c "ulimit $limit; exec \"\$@\"" sh "$prog/manythreads" 2000 1000 1000
	[ "$(grep -c '^tdagent: ' "$work/agent.err")" -le 1 ] || fail "1,000 at once: many lines"
	sed -i '/^tdagent: /d' "$work/agent.err"
	same "1,000 at once, ulimit $limit"
	# with 64 descriptors few of the threads are sampled, and the main one, which makes
	# them, weighs what that costs here
	[ "$limit" = "-n 64" ] && least=0.05 || least=0.6
	expect "$(profile manythreads)" <<END
share = function("short_work")["share"]
check(share > $least, "short_work has %.2f" % share)
check(report["run"]["threads"] == 2001, "%s threads counted" % report["run"]["threads"])
END
	rm -f "$work"/profiles/*
done

# A thread that a library started before the agent: ld.so runs the constructors
# of what is preloaded from the last to the first.
agent "LD_PRELOAD=$library $prog/.libs/early.so" "$prog/burn" 1500
ended "exit 0" agent
expect "$(profile burn)" <<'END'
has_share("early_work", 1 / 6, "early.so", points=2.0)
samples = function("early_work")["samples"]
early = [t for t in report["threads"] if 0 <= t["samples"] - samples < 10]
check(len(report["threads"]) == 2 and len(early) == 1, "threads: %s" % report["threads"])
check(all(t["name"] for t in report["threads"]), "a thread without a name: %s" % report["threads"])
END
rm "$(profile burn)"

# A thread that inherits a mask in which everything is blocked is seen; where the
# program has handlers of its own, its masks stay.
compare "$prog/masked"
expect "$(profile masked)" <<'END'
check(function("masked_work")["share"] > 0.8, "masked_work has %.2f" % function("masked_work")["share"])
END
rm "$(profile masked)"
compare "$prog/masked" handle

# The process ends, and threads of it are beginning and ending at the same moment.
for how in TDAGENT_LONG=100s TDAGENT_LONG=50us; do
	for i in $(seq 40); do
		$clean $preload $how "$prog/starts" leave 3 >"$work/agent.out" 2>&1 ||
			fail "starts leave, $how, run $i: $?, $(cat "$work/agent.out")"
	done
done
