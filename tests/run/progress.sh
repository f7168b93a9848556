#!/bin/sh
# SPDX-License-Identifier: MIT
# tdagent run --progress: a line on a terminal, none elsewhere, and an unharmed program.
. "$(dirname "$0")/lib.sh"

cat >"$work/terminal.py" <<'END'
"""terminal.py OUT ERR COMMAND...: standard error is a terminal of 66 columns."""
import fcntl, os, pty, struct, subprocess, sys, termios
ours, theirs = pty.openpty()
fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 66, 0, 0))
with open(sys.argv[1], "w") as out:
    child = subprocess.Popen(sys.argv[3:], stdin=subprocess.DEVNULL, stdout=out, stderr=theirs)
os.close(theirs)
seen = b""
while True:
    try:
        data = os.read(ours, 4096)
    except OSError:
        break
    if not data:
        break
    seen += data
open(sys.argv[2], "wb").write(seen)
status = child.wait()
sys.exit(status if status >= 0 else 128 - status)
END

# on_terminal OPTION...: of a program that runs for some seconds and ends with 7.
on_terminal()
{
	python3 "$work/terminal.py" "$work/out" "$work/err" $clean TERM=xterm "$tdagent" run \
		--output="$work/profile" --pmu=simulated --long=1ms "$@" -- \
		sh -c 'exec "$0" 25 7' "$prog/demo"
	status=$?
}

guest agent $clean "$tdagent" run --progress --output="$work/first" -- "$prog/burn" 1200
ended "exit 0" agent
grep -q 'samples,\|[[:cntrl:]]\[K' "$work/agent.err" && fail "a file got a progress line"

on_terminal --progress
cp "$work/out" "$work/with"
python3 - "$work/err" "$status" <<'END' || fail "--progress: see above"
import re, sys
text = open(sys.argv[1], encoding="utf-8", newline="").read()
parts = text.split("\r")
lines = [p[:p.index("\x1b[K")] for p in parts if "\x1b[K" in p]
assert len(lines) >= 2 and lines[-1] == "", lines
times, samples, whole = [], [], False
for line in lines[:-1]:
    assert len(line) < 66, line
    # on a busy machine there is no profile yet in the first seconds, or the shell's
    m = re.match(r"tdagent: (\d+) s(?:( SIMULATED)?, (\d+) samples, (\d+) windows(; Retir \d+ B.*)?)?", line)
    assert m and (m[5] or m.end() == len(line)), line
    times.append(int(m[1]))
    whole = m[2] and m[5]
    if whole:
        samples.append(int(m[3]))
        assert 0 < int(m[4]) <= int(m[3]), line
assert whole, "the last line is '%s'" % line
assert times == sorted(times) and samples == sorted(samples), (times, samples)
assert "tdagent report" in parts[-1] or "tdagent report" in text.split("\x1b[K")[-1], "no report behind it"
END
# one that goes on without us: figures of what there was stay in the line
python3 "$work/terminal.py" "$work/out" "$work/gone" $clean TERM=xterm "$tdagent" run --progress \
	--output="$work/profile" --pmu=simulated --long=1ms -- \
	sh -c 'i=0; while [ $i -lt 2500000 ]; do i=$((i + 1)); done; exec env -i sleep 3'
tr '\r' '\n' <"$work/gone" | grep '^tdagent: ' | tail -1 | grep -q 's, [0-9]* samples, ' ||
	fail "a line lost its figures"

on_terminal
grep -q "$(printf '\033')\\[K" "$work/err" && fail "a line without --progress"
cmp -s "$work/out" "$work/with" || fail "--progress: the program wrote something else"
exit 0
