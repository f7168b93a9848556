#!/bin/sh
# SPDX-License-Identifier: MIT
# Real programs: same output and exit status with the agent as without, and a
# report that agrees with perf's.
#
#     real-programs.sh [--long]
#
# The short form is part of `make check`; `make check-real` runs the long one.
# Perf records the very run that the agent profiles: inputs, threads, addresses
# of JIT code and process ids are then the same for both, and what is left is
# sampling error.  Perf's samples in the agent's own code are left out.
. "$(dirname "$0")/lib.sh"

megabytes=6 rows=300000 loops=2000000 functions=80 node_rounds=60
if [ "${1:-}" = --long ]; then
	megabytes=40 rows=1000000 loops=8000000 functions=600 node_rounds=400
fi

have_perf=no
perf record -q -e cpu-clock:u -o "$work/perf.data" true 2>"$work/perf.err" && have_perf=yes
[ $have_perf = yes ] || echo "comparison with perf: not tested, $(head -n 1 "$work/perf.err")"

# real LABEL PROFILE COMMAND...: both runs in a directory of their own;
# outputs are stdout, stderr, status and the files left there.
real()
{
	label=$1 pattern=$2
	shift 2
	command -v "$1" >/dev/null || { echo "$label: not tested, $1 is missing"; return; }
	mkdir -p "$work/plain" "$work/agent"
	(cd "$work/plain" && plain "$@")
	if [ $have_perf = yes ]; then
		(cd "$work/agent" && guest agent perf record -q -e cpu-clock:u -F 997 \
			-o "$work/perf.data" -- $clean $preload "$@")
	else
		(cd "$work/agent" && agent "$@")
	fi
	[ -n "${normalise:-}" ] && for file in plain.out agent.out plain.err agent.err; do
		sed -i "$normalise" "$work/$file"
	done
	same "$label"
	diff -r "$work/plain" "$work/agent" >"$work/diff.err" || fail "$label: files differ"
	against_perf "$label" "$pattern"
	rm -rf "$work/plain" "$work/agent" "$work"/profiles/*
}

# The profile with most in it is the one to look at: cc1, not gcc or as.
against_perf()
{
	file=$(profiles "$2" | xargs ls -S | head -n 1)
	guest report $clean "$tdagent" report --format=json "$file"
	ended "exit 0" report
	[ $have_perf = yes ] || return
	perf script -i "$work/perf.data" --show-mmap-events -F comm,pid,tid,ip,dso \
		>"$work/perf.txt" 2>"$work/perf.err"
	python3 "$here/against-perf.py" "$1" "$work/report.out" "$work/perf.txt" ||
		fail "$1: shares differ from perf's"
}

# Words drawn at random, the same each time: compressible, not trivially so.
python3 - "$megabytes" >"$work/words" <<'END'
import random, sys
random.seed(1)
words = ["".join(random.choices("etaoinshrdlu", k=random.randint(2, 9))) for _ in range(4000)]
for _ in range(int(sys.argv[1])):
    sys.stdout.write(" ".join(random.choices(words, k=200000))[:1 << 20])
END

cat >"$work/fill.sql" <<END
create table t(id integer primary key, a integer, b text);
with recursive n(i) as (select 1 union all select i + 1 from n where i < $rows)
  insert into t select i, (i * 7919) % 10007, 'row ' || (i * 31 % 1009) from n;
create index t_a on t(a);
select count(*), sum(a) from t;
select b, count(*), avg(a) from t group by b order by 2 desc, 1 limit 5;
select count(*) from t x join t y on y.id = x.a where x.b like '%7';
END

cat >"$work/loop.py" <<END
import hashlib
def collatz(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps
print(max(collatz(n) for n in range(1, $loops // 40)))
h = hashlib.sha256()
for i in range($loops // 4):
    h.update(b"%d" % i * 30)
print(h.hexdigest())
END

cat >"$work/cpu.js" <<END
function sieve(n) {
  const composite = new Uint8Array(n);
  let primes = 0;
  for (let i = 2; i < n; i++) {
    if (composite[i]) continue;
    primes++;
    for (let j = i * 2; j < n; j += i) composite[j] = 1;
  }
  return primes;
}
function words(n) {
  const seen = new Map();
  for (let i = 0; i < n; i++) {
    const key = "k" + (i * 7919) % 5003;
    seen.set(key, (seen.get(key) || 0) + i);
  }
  return [...seen.values()].sort((a, b) => a - b)[17];
}
let sum = 0;
for (let i = 0; i < $node_rounds; i++) sum += sieve(400000) + words(40000);
console.log(sum);
END

python3 - "$functions" >"$work/large.c" <<'END'
import sys
for i in range(int(sys.argv[1])):
    print("""int work%d(int *a, int n) { int s = %d; for (int i = 0; i < n; i++) {
  switch (a[i] %% 7) { case 0: s += a[i] * %d; break; case 1: s ^= a[i] << 3; break;
  case 2: s -= a[i] / %d; break; case 3: a[i] = s; break; default: s = s * 31 + i; }
  if (s & %d) for (int k = i; k < n && a[k] > s; k++) s += a[k] ^ k; } return s; }"""
          % (i, i, i + 3, i % 13 + 2, 1 << i % 20))
END

echo "program   agent%  perf%  differ allowed function, module"
real xz xz xz -1 -T1 -c "$work/words"
real "xz -T2" xz xz -1 -T2 --block-size=1MiB -c "$work/words"
real zstd zstd zstd -q -9 -T2 -c "$work/words"
real sqlite3 sqlite3 sqlite3 :memory: ".read $work/fill.sql"
real python3 'python3*' python3 "$work/loop.py"
real node node node "$work/cpu.js"
real gcc cc1 gcc -O2 -c -o large.o "$work/large.c"
# What it measures differs from run to run, with or without an agent.
normalise='s/[0-9][0-9.]*k\{0,1\}/N/g'
real openssl openssl openssl speed -seconds 1 -bytes 8192 sha256
