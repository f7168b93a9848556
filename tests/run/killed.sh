#!/bin/sh
# SPDX-License-Identifier: MIT
# A profile can be read while the program runs, and after kill -9.
#
#     killed.sh [--long]
#
# kills 15 processes at a random moment, or 1,000.
. "$(dirname "$0")/lib.sh"

samples()
{
	$clean "$tdagent" report --format=json "$1" 2>"$work/poll.err" |
		python3 -c 'import json, sys; print(json.load(sys.stdin)["totals"]["samples"])' 2>"$work/poll-json.err"
}

$clean $preload "$prog/burn" 60000 >"$work/agent.out" 2>"$work/agent.err" &
pid=$!
tries=0
while [ "$(samples "$work/profiles/burn.$pid" || echo 0)" -lt 800 ] 2>"$work/test.err"; do
	tries=$((tries + 1))
	[ $tries -lt 1200 ] || { fail "no 800 samples in a running program's profile"; break; }
	sleep 0.1
done
[ $tries -gt 0 ] || fail "the program was never seen running"
kill -9 $pid
wait $pid
[ $? -eq 137 ] || fail "the program was not killed"
$clean "$tdagent" report "$work/profiles/burn.$pid" | grep -q "^state  *killed or crashed" ||
	fail "the report does not say that it was killed"

expect "$work/profiles/burn.$pid" <<'END'
has_share("burn_sixty", 0.6)
has_share("burn_thirty", 0.3)
has_share("burn_ten", 0.1)
END

# While ended threads are folded into their sum: what a report sees of a running program
# is never more than what it sees a moment later.
reads=20
[ "${1:-}" != --long ] || reads=200
$clean $preload TDAGENT_LONG=5ms "$prog/manythreads" 100000000 50 >"$work/agent.out" 2>"$work/agent.err" &
pid=$!
python3 - "$reads" "$tdagent" "$work/profiles/manythreads.$pid" $pid <<'END' || fail "live reads: see above"
import json, os, signal, subprocess, sys, time
rounds, tool, path, pid = int(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4])

def samples():
    done = subprocess.run([tool, "report", "--format=json", path], capture_output=True, text=True)
    return json.loads(done.stdout)["totals"]["samples"]

tries = 0
while tries < 1200 and (not os.path.exists(path) or samples() < 20):
    tries += 1
    time.sleep(0.1)
bad = 0
def stopped():
    os.kill(pid, signal.SIGSTOP)
    seen = samples()
    os.kill(pid, signal.SIGCONT)
    return seen

for i in range(rounds):
    live = samples()
    still = stopped()
    if live > still:  # it may be in the middle of adding a thread up: see doc/formats.md
        time.sleep(0.0005)
        still = stopped()
    if live > still:
        bad += 1
        print("read %d: %d samples live, %d when stopped" % (i, live, still))
print("%d live reads, %d of them too large, %d samples at last" % (rounds, bad, still))
sys.exit(bad > 0 or still < 20)
END
kill -9 $pid
wait $pid

# In the middle of making the file: what there is of it is a profile.
if missing strace "a kill while the profile is made"; then
	:
elif ! strace -o "$work/trace" true 2>"$work/test.err"; then
	echo "a kill while the profile is made: not tested, strace cannot trace here"
else
	rm -f "$work"/profiles/*
	# shellcheck disable=SC2086 # a list of words
	guest made $clean strace -f -o "$work/trace" -e trace=fallocate -e inject=fallocate:signal=KILL \
		env $preload "$prog/burn" 300
	$clean "$tdagent" report "$work"/profiles/burn.* >"$work/made.report" 2>"$work/report.err" ||
		fail "killed while its profile was made: $(cat "$work/report.err")"
	grep -q "^samples  *0" "$work/made.report" || fail "killed while its profile was made: it has samples"

	# and if the kill cut its header: it does not stand in the way
	name=$(echo "$work"/profiles/burn.*)
	truncate -s 100 "$name"
	agent TDAGENT_OUTPUT="$name" "$prog/burn" 100
	$clean "$tdagent" report "$name" >"$work/made.report" 2>"$work/report.err" ||
		fail "a header that a kill has cut stands in the way: $(cat "$work/report.err" "$work/agent.err")"
fi

# At any moment: what a report has seen a moment before is in the file afterwards.
rounds=15
[ "${1:-}" != --long ] || rounds=1000
rm -f "$work"/profiles/*
python3 - "$rounds" "$tdagent" "$work" $clean $preload TDAGENT_LONG=200us "$prog/manythreads" 100000 50 \
	<<'END' || fail "random kills: see above"
import json, os, random, signal, subprocess, sys, time
rounds, tool, work, command = int(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4:]

def windows(path):
    done = subprocess.run([tool, "report", "--format=json", path], capture_output=True, text=True)
    if done.returncode:
        return None, done.stderr
    w = json.loads(done.stdout)["totals"]["windows"]
    return w["valid"] + sum(w["rejected"].values()), ""

def wait_for(path, few):
    """However long it takes to start on a busy machine, and to have seen something."""
    tries = 0
    while tries < 6000 and (not os.path.exists(path) or (few and (windows(path)[0] or 0) < few)):
        tries += 1
        time.sleep(0.01)

# the kernel hands over the windows that it cuts now and then
few = 1 if os.environ.get("TDAGENT_TEST_WINDOWS") == "vernier" else 10
random.seed(4)
read = bad = most = 0
for i in range(rounds):
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    path = "%s/profiles/manythreads.%d" % (work, child.pid)
    if i % 3:
        wait_for(path, few if i % 5 == 4 else 0)
    time.sleep(random.random() * random.choice((0.02, 0.1, 0.4)))
    before, why = windows(path) if os.path.exists(path) else (0, "")
    time.sleep(random.random() * 0.01)
    child.kill()
    if child.wait() != -signal.SIGKILL:
        sys.exit("round %d: not killed but %d" % (i, child.returncode))
    if not os.path.exists(path):
        continue
    # nothing but a name yet, or a header that the kill cut, or all of it
    after, why = windows(path)
    if after is None and not before and ("empty file" in why or "truncated in the header" in why):
        continue
    read += 1
    most = max(most, after or 0)
    if after is None or after < (before or 0):
        bad += 1
        print("round %d: %s windows before, %s after %s" % (i, before, after, why.strip()))
    os.unlink(path)
print("%d killed, %d profiles read, %d windows at most" % (rounds, read, most))
sys.exit(bad > 0 or read < rounds / 3 or most < few)
END
