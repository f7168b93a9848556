#!/bin/sh
# SPDX-License-Identifier: MIT
# Other people's tests and servers, with the agent and without: the same results,
# and what it costs.  Part of `make check-long`.
#
#     guests.sh [cpython] [stress-ng] [redis] [postgres]
#
# CPYTHON_TESTS names some of CPython's test modules; otherwise all are run, two at a
# time.  PYTHON is whose (python3).  ROUNDS is how often a server's throughput is taken
# both ways (5).  CPYTHON_RECORD is a file that keeps the rows of modules, which are not run
# again.
#
# Each says why it is not tested where its program is missing.
. "$(dirname "$0")/lib.sh"

# The agent at its defaults, profiles in $work.
with_agent="LD_PRELOAD=$library TDAGENT_OUTPUT=$work/profiles/%e.%p TDAGENT_REPORT=none"

# CPython's own tests, compared case by case.
cpython()
{
	mkdir -p "$work/cpython"
	# shellcheck disable=SC2086 # a list of words
	$clean "${PYTHON:-python3}" "$here/cpython.py" --jobs 2 ${CPYTHON_RECORD:+--record "$CPYTHON_RECORD"} \
		"$work/cpython" "LD_PRELOAD=$library" TDAGENT_REPORT=none -- ${CPYTHON_TESTS:-}
	case $? in
	0 | 77) ;; # it says what is missing
	*) fail "CPython's tests" ;;
	esac
}

stress()
{
	missing stress-ng stress-ng && return
	printf '%-28s %-24s %s\n' stress-ng without with
	for name in signal fork clone pthread sigq vforkmany; do
		timeout 60 $clean stress-ng --temp-path "$work" --"$name" 2 --timeout 4 >"$work/s.out" 2>&1
		without=$?
		timeout 60 $clean $with_agent stress-ng --temp-path "$work" --"$name" 2 --timeout 4 >"$work/s.out" 2>&1
		with=$?
		printf '%-28s %-24s %s\n' "$name" "status $without" "status $with"
		[ $without -eq $with ] || fail "stress-ng --$name"
		rm -f "$work"/profiles/*
	done
}

# ratio WHAT THROUGHPUT: in turns without and with the agent; medians, and that of the
# ratios of each round.
ratio()
{
	rm -f "$work/throughput"
	for round in $(seq "${ROUNDS:-5}"); do
		case $((round % 2)) in
		1) without=$($2) with=$($2 $with_agent) ;;
		0) with=$($2 $with_agent) without=$($2) ;;
		esac
		echo "$without $with" >>"$work/throughput"
	done
	python3 - "$1" "$work/throughput" <<'END' || fail "$1: no throughput"
import statistics, sys
rounds = [[float(value) for value in line.split()] for line in open(sys.argv[2])]
without, with_agent = map(statistics.median, zip(*rounds))
ratios = sorted(b / a for a, b in rounds)
print("%s: %.0f without, %.0f with the agent: ratio %.3f (%.3f to %.3f, %d rounds)" % (
    sys.argv[1], without, with_agent, statistics.median(ratios), ratios[0], ratios[-1], len(rounds)))
END
}

redis_throughput()
{
	rm -f "$work/redis.sock"
	$clean "$@" redis-server --port 0 --unixsocket "$work/redis.sock" --save '' --dir "$work" \
		>"$work/redis.out" 2>&1 & # a simple command: its own pid
	server=$!
	tries=0
	while [ ! -S "$work/redis.sock" ] && [ $tries -lt 100 ]; do
		sleep 0.1
		tries=$((tries + 1))
	done
	redis-benchmark -s "$work/redis.sock" -t set,get -n 200000 -P 8 --csv 2>"$work/rb.err" |
		tr -d '"' | awk -F, '$1 == "SET" || $1 == "GET" { sum += $2 } END { if (sum) print sum / 2 }'
	kill $server
	wait $server || echo "redis-server ended by $?" >>"$work/redis.failed"
}

redis()
{
	missing redis-server redis && return
	ratio "redis, requests a second" redis_throughput
	[ ! -e "$work/redis.failed" ] || fail "redis: $(cat "$work/redis.failed")"
	[ -n "$(find "$work/profiles" -name 'redis*')" ] || fail "redis: no profile"
}

# as_user COMMAND...: postgres refuses to run as root.
as_user()
{
	if [ "$(id -u)" -eq 0 ]; then
		setpriv --reuid=nobody --regid=nogroup --clear-groups "$@"
	else
		"$@"
	fi
}

postgres_throughput()
{
	as_user $clean "$@" "$pg/postgres" -D "$work/pg/data" -k "$work/pg" -c listen_addresses= \
		>"$work/pg.out" 2>&1 &
	server=$!
	tries=0
	until as_user "$pg/pg_isready" -q -h "$work/pg" || [ $tries -gt 100 ]; do
		sleep 0.2
		tries=$((tries + 1))
	done
	as_user "$pg/pgbench" -q -i -s 2 -h "$work/pg" -U nobody postgres >"$work/pgi.out" 2>&1
	as_user "$pg/pgbench" -S -c 2 -T 5 -h "$work/pg" -U nobody postgres 2>"$work/pgb.err" |
		sed -n 's/^tps = \([0-9.]*\).*/\1/p'
	kill -INT "$(head -n 1 "$work/pg/data/postmaster.pid")"
	wait $server || echo "postgres ended by $?" >>"$work/pg.failed"
}

postgres()
{
	pg=$(ls -d /usr/lib/postgresql/*/bin 2>"$work/no.err" | tail -n 1)
	[ -x "$pg/initdb" ] || { echo "postgres: not tested, it is missing"; return; }
	chmod 755 "$work"
	mkdir -m 777 "$work/pg"
	chmod 777 "$work/profiles"
	as_user $clean "$pg/initdb" -U nobody -D "$work/pg/data" >"$work/initdb.out" 2>&1 || {
		fail "initdb: $(tail -n 1 "$work/initdb.out")"
		return
	}
	ratio "postgres, transactions a second" postgres_throughput
	[ ! -e "$work/pg.failed" ] || fail "$(cat "$work/pg.failed")"
	[ -n "$(find "$work/profiles" -name 'postgres*')" ] || fail "postgres: no profile"
}

[ $# -gt 0 ] || set -- cpython stress-ng redis postgres
for guest; do
	case $guest in
	cpython | redis | postgres) $guest ;;
	stress-ng) stress ;;
	*) fail "$guest: no such guest" ;;
	esac
done
