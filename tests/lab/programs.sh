#!/bin/sh
# SPDX-License-Identifier: MIT
# Programs as they are installed, where there are counters: each writes and ends the same
# as without the agent, with a sample each 20 microseconds, by RDPMC's windows of
# PERF_METRICS and of event groups, and by the kernel's.
. "$(dirname "$0")/lib.sh"

! missing strace programs || exit 77
root=$guest_dir/root
mkdir -p "$root/tmp" "$root/proc" "$root/dev" "$root/sys"

# put FILE: the same path in the guest's root, and what it is a link to.
put()
{
	[ ! -e "$root$1" ] || return 0
	mkdir -p "$root$(dirname "$1")" && cp -L "$1" "$root$1"
	real=$(realpath "$1")
	[ "$real" = "$1" ] || put "$real"
}

# program NAME: the shell's commands on stdin, with all files that they look at here.
programs=
program()
{
	cat >"$guest_dir/$1.sh"
	missing "$1" "$1" && return
	(cd "$work" && guest "$1" $clean strace -f -qq -e trace=%file -o "$work/opened" \
		bash "$guest_dir/$1.sh" </dev/null)
	[ "$(cat "$work/$1.status")" = "exit 0" ] || { fail "$1: does not run here"; return; }
	sed -n '/ENOENT/!s/^[^"]*"\(\/[^"]*\)".*/\1/p' "$work/opened" | sort -u >"$work/files"
	while read -r file; do
		case $file in
		/proc/* | /dev/* | /sys/* | /tmp/* | "$work"/*) ;;
		*) [ ! -f "$file" ] || put "$file" ;;
		esac
	done <"$work/files"
	programs="$programs $1"
}

program bash <<'END'
add() { local i; for ((i = 0; i < 3000; i++)); do x=$((x + i)); done; }
add
trap 'echo caught' USR1
kill -USR1 $$
for i in 1 2 3; do (exit $i) & wait $!; echo $?; done
echo "$x" | cat
END
program awk <<'END'
awk 'BEGIN { for (i = 0; i < 50000; i++) { a[i % 500] += i; s = s i % 10; if (length(s) > 100) s = "" } print a[3], s }'
seq 3000 | sed -E 's/([0-9])([0-9]+)/\2\1/; /7$/d' | sort -n | tail -n 3
END
program perl <<'END'
perl -e 'for (1 .. 40000) { $h{$_ % 997} .= chr(65 + $_ % 26) } print join(",", map { length $h{$_} } sort keys %h), "\n";
	$pid = fork; exit 3 if !$pid; waitpid $pid, 0; print $? >> 8, "\n"; print `echo out`'
END
program python3 <<'END'
python3 -S -c '
import os, signal, threading
sums = []
threads = [threading.Thread(target=lambda k=k: sums.append(sum(range(20000 + k)))) for k in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(sorted(sums))
def deep(n): return deep(n + 1)
try: deep(0)
except RecursionError: print("too deep")
child = os.fork()
if child == 0: os._exit(6)
print(os.waitpid(child, 0)[1])
signal.signal(signal.SIGALRM, lambda *_: print("alarm"))
signal.setitimer(signal.ITIMER_REAL, 0.01)
signal.pause()' 2>&1
END
program ruby <<'END'
ruby --disable-gems -e 'def f(n) n < 2 ? n : f(n - 1) + f(n - 2) end
puts f(18)
p (0...5).map { |i| Thread.new { (1..2000 + i).sum } }.map(&:value)
def deep(n) deep(n + 1) end
begin; deep(0); rescue SystemStackError; puts "too deep"; end
f = Fiber.new { Fiber.yield 1; 2 }
p f.resume, f.resume, fork { exit 4 } && Process.wait2[1].exitstatus'
END
program gcc <<'END'
cd /tmp
for i in 1 2 3 4; do echo "int f$i(int n) { int s = 0; for (int i = 0; i < n; i++) s += i * i % $i; return s; }"; done |
	gcc -O2 -S -x c - -o - | md5sum
END
program sqlite3 <<'END'
sqlite3 :memory: 'create table t(a, b);
with recursive c(x) as (select 1 union all select x + 1 from c where x < 3000) insert into t select x, x * x % 97 from c;
create index i on t(b); select b, count(*), sum(a) from t group by b order by 2 desc, 1 limit 3;'
END
program openssl <<'END'
seq 20000 | openssl dgst -sha512
seq 100 | openssl enc -aes-256-cbc -pbkdf2 -iter 2000 -k key -nosalt | md5sum
END
program xz <<'END'
seq 30000 | xz -1 -T2 | xz -d | md5sum
END
program zstd <<'END'
seq 30000 | zstd -T2 -q | zstd -d -q | md5sum
END
program git <<'END'
cd "$(mktemp -d)"
export HOME=$PWD GIT_AUTHOR_DATE=2020-01-01T00:00:00Z GIT_COMMITTER_DATE=2020-01-01T00:00:00Z
git init -q . && seq 400 >file && git add file && git -c user.name=a -c user.email=b commit -qm message
git log --format=%H && git gc -q && git fsck && rm -rf "$PWD"
END

for file in bash env timeout; do put "$(command -v $file)"; done
put "$(ldd "$(command -v bash)" | sed -n 's/^[[:space:]]*\(\/[^ ]*ld-linux[^ ]*\) .*/\1/p')"
cp "$library" "$root/libtdagent.so"
ldd "$library" | sed -n 's/.* => \(\/[^ ]*\).*/\1/p' >"$work/files"
while read -r file; do put "$file"; done <"$work/files"

# In the guest: $kinds are WINDOWS; the largest profile of each run comes back.
cat >"$guest_dir/all.sh" <<END
mount -t proc proc /in/root/proc && mount --bind /dev /in/root/dev && mount -t sysfs sys /in/root/sys || exit 1
mkdir /out/profiles
for name in $programs; do
	cp /in/\$name.sh /in/root/tmp/run.sh
	for kind in plain \$kinds; do
		echo "\$name, \$kind"
		rm -rf /in/root/tmp/profiles
		mkdir /in/root/tmp/profiles
		preload="LD_PRELOAD=/libtdagent.so TDAGENT_WINDOWS=\$kind TDAGENT_LONG=20000 TDAGENT_SHORT=2000
			TDAGENT_REPORT=none TDAGENT_OUTPUT=/tmp/profiles/%e.%p"
		[ \$kind != plain ] || preload=
		env -i PATH=/usr/local/bin:/usr/bin:/bin HOME=/tmp LC_ALL=C \$preload \\
			chroot /in/root timeout 100 bash /tmp/run.sh >/out/\$kind.\$name 2>&1 </dev/null
		echo "status \$?" >>/out/\$kind.\$name
		[ \$kind = plain ] || mv "\$(ls -S /in/root/tmp/profiles/* | head -n 1)" /out/profiles/\$kind.\$name
	done
done
END

# compared MODEL BACKEND WINDOWS...
compared()
{
	model=$1 backend=$2
	shift 2
	lab "$model" "-m $model" "kinds='$*'; . /in/all.sh"
	[ "$(cat "$work/$model.status")" = "exit 0" ] || fail "$model: ended in $(tail -n 1 "$work/$model.out")"
	for name in $programs; do
		for kind; do
			cmp -s "$work/$model/plain.$name" "$work/$model/$kind.$name" || {
				fail "$model: $name, $kind: differs"
				diff "$work/$model/plain.$name" "$work/$model/$kind.$name" | head -n 10
			}
			"$tdagent" report --format=json "$work/$model/profiles/$kind.$name" >"$work/report.json" ||
				fail "$model: $name, $kind: no report"
			python3 - "$work/report.json" "$model: $name, $kind" "$backend" <<'END' || fail "$model: $name, $kind: see above"
import json, sys
report = json.load(open(sys.argv[1]))
backend, samples = report["run"]["backend"], report["totals"]["samples"]
print("%s: %s, %d samples" % (sys.argv[2], backend, samples))
sys.exit(backend != sys.argv[3] or samples == 0)
END
		done
	done
}

compared spr metrics rdpmc vernier
compared skx events rdpmc
