#!/bin/sh
# SPDX-License-Identifier: MIT
# The guest of honour where there are counters: what programs write that watch their
# signals, registers, waits, threads and children is the same without the agent, with
# RDPMC's windows and with the kernel's.  So is what runtimes do with faults of their
# code, and with threads.
. "$(dirname "$0")/lib.sh"

(cd "$prog" && cp corners families sigs waits "$guest_dir/") || exit 99

runs='corners:registers corners:sleepers corners:faults corners:jumps corners:nesting corners:waiting corners:held corners:left corners:raised corners:coroutines corners:brink corners:threads
families:vforks families:vforks_blocked families:clones sigs: waits:10'

mkdir "$guest_dir/lib"

# started NAME COMMAND: one more run
started()
{
	printf '#!/bin/sh\nLD_LIBRARY_PATH=/in/lib exec %s\n' "$2" >"$guest_dir/$1"
	chmod +x "$guest_dir/$1"
	runs="$runs $1:"
}

runtimes=$here/runtimes
if ! missing javac JVM; then
	jvm=$(dirname "$(dirname "$(readlink -f "$(command -v java)")")")
	mkdir "$guest_dir/jvm"
	tar -C "$jvm" -chf - --exclude=src.zip bin/java conf lib | tar -C "$guest_dir/jvm" -xf -
	javac -d "$guest_dir" "$runtimes/J.java" || fail "J.java does not compile"
	copy_libraries "$guest_dir/lib" "$jvm/bin/java" "$jvm/lib/libjava.so" "$jvm/lib/server/libjvm.so"
	java='/in/jvm/bin/java -Xmx64m -cp /in'
	started jvm-interprets "$java -Xint J 8000 20"
	started jvm-compiles "$java -XX:TieredStopAtLevel=1 J 10000 5"
fi
if ! missing node node; then
	cp "$(command -v node)" "$guest_dir/node"
	cp "$runtimes/workers.js" "$guest_dir/"
	copy_libraries "$guest_dir/lib" "$guest_dir/node"
	started node-workers "/in/node /in/workers.js 5000"
fi

# In the guest: each run three times, its output and status in /out/KIND.PROGRAM:ARGUMENT.
# What hangs for ten to twenty seconds, where all take a tenth to one, is ended, and where
# its threads were is in /out/hanging.
cat >"$guest_dir/watch.sh" <<'END'
while sleep 10; do
	now=$(cat /tmp/now)
	if [ "$now" = "$last" ]; then
		echo "$now hangs:"
		for process in /proc/[0-9]*; do
			case $(readlink "$process/exe") in /in/*) ;; *) continue ;; esac
			for thread in "$process"/task/*; do
				echo "$thread: $(cut -d ' ' -f 2-3 "$thread/stat"), $(cat "$thread/syscall")," \
					$(grep -E '^(SigPnd|ShdPnd|SigBlk)' "$thread/status"; head -n 3 "$thread/stack")
			done
			grep -m 1 libtdagent "$process/maps"
			kill -9 "${process#/proc/}"
		done
	fi
	last=$now
done >/out/hanging 2>&1
END
cat >"$guest_dir/all.sh" <<END
cd /in
mkdir /out/profiles
sh watch.sh &
for run in $(echo $runs); do
	long=200000
	case \$run in # a signal at a bad moment ends a wait, or stands for theirs: rare enough
	*faults* | *raised* | jvm*) long=20000 ;;
	*sleepers* | waits* | sigs*) long=2000000 ;;
	esac
	set -- \${run#*:}
	for kind in plain metrics vernier; do
		echo "\$run, \$kind" | tee /tmp/now
		windows=rdpmc preload=LD_PRELOAD=/in/libtdagent.so
		[ \$kind != plain ] || preload=
		[ \$kind != vernier ] || windows=vernier
		env \$preload TDAGENT_WINDOWS=\$windows TDAGENT_LONG=\$long TDAGENT_SHORT=2000 \\
			TDAGENT_REPORT=none TDAGENT_OUTPUT=/out/profiles/\$kind.\$run.%p \\
			./\${run%%:*} "\$@" >/out/\$kind.\$run 2>&1
		echo "status \$?" >>/out/\$kind.\$run
	done
done
kill \$!
END
lab guests "" "sh /in/all.sh"
how=$(cat "$work/guests.status")
if [ "$how" != "exit 0" ]; then
	fail "guests: ended by $how, in $(tail -n 1 "$work/guests.out")"
	exit 1
fi
[ ! -s "$work/guests/hanging" ] || fail "$(cat "$work/guests/hanging")"

for run in $runs; do
	for kind in metrics vernier; do
		cmp -s "$work/guests/plain.$run" "$work/guests/$kind.$run" || {
			fail "$run, $kind: differs"
			diff "$work/guests/plain.$run" "$work/guests/$kind.$run" | head -n 10
		}
		file=$(find "$work/guests/profiles" -name "$kind.$run.*" | xargs ls -S | head -n 1)
		"$tdagent" report --format=json "$file" >"$work/report.json" 2>"$work/report.err" ||
			fail "$run, $kind: $(head -n 1 "$work/report.err")"
		python3 - "$work/report.json" $kind <<'END' || fail "$run, $kind: see above"
import json, sys
report = json.load(open(sys.argv[1]))
backend, samples = report["run"]["backend"], report["totals"]["samples"]
print("%s: %s, %d samples" % (sys.argv[2], backend, samples))
sys.exit(backend != "metrics" or samples == 0)
END
	done
done
