#!/bin/sh
# SPDX-License-Identifier: MIT
# Other people's tests and servers, with the agent and without: the same results,
# and what it costs.  Part of `make check-long`.
#
#     guests.sh [cpython] [stress-ng] [redis] [postgres]
#
# CPYTHON_TESTS names others than those below.
#
# Each says why it is not tested where its program is missing.
. "$(dirname "$0")/lib.sh"

# The agent at its defaults, profiles in $work.
with_agent="LD_PRELOAD=$library TDAGENT_OUTPUT=$work/profiles/%e.%p TDAGENT_REPORT=none"

missing()
{
	command -v "$1" >/dev/null && return 1
	echo "$2: not tested, $1 is missing"
}

# CPython's own tests: one row a test, its result without and with.
cpython_tests=${CPYTHON_TESTS:-'test_threading test_signal test_subprocess test_os test_posix test_fork1
test_mmap test_faulthandler test_asyncio test_multiprocessing_fork test_multiprocessing_spawn
test_ctypes test_concurrent_futures test_socket test_thread test_wait3 test_wait4 test_resource
test_popen test_pty test_select test_selectors test_poll test_epoll test_sqlite test_zlib'}

python_result()
{
	(mkdir -p "$work/cwd" && cd "$work/cwd" && timeout 900 "$@" </dev/null >"$work/py.out" 2>&1)
	case $? in
	0) grep -q 'skipped' "$work/py.out" && grep -q 'run=0' "$work/py.out" && echo skipped || echo ok ;;
	124) echo timeout ;;
	*) sed -n 's/^\(FAIL\|ERROR\): \([^ ]*\).*/\2/p' "$work/py.out" | sort -u | tr '\n' ' ' | sed 's/ $//;s/^$/failed/' ;;
	esac
}

cpython()
{
	python3 -c 'import test.regrtest' 2>"$work/no.err" || {
		echo "CPython: not tested, its test package is missing"
		return
	}
	printf '%-28s %-24s %s\n' "CPython" without with
	for name in $cpython_tests; do
		without=$(python_result $clean python3 -m test "$name")
		with=$(python_result $clean $with_agent python3 -m test "$name")
		printf '%-28s %-24s %s\n' "$name" "$without" "$with"
		# it lists every descriptor up to the limit, ours among them: in the manual
		[ "$with" != test_pass_fds_redirected ] || with=$without
		[ "$without" = "$with" ] || {
			# some fail now and then by themselves: once more, both
			without=$(python_result $clean python3 -m test "$name")
			with=$(python_result $clean $with_agent python3 -m test "$name")
			printf '%-28s %-24s %s\n' "$name, again" "$without" "$with"
			[ "$without" = "$with" ] || fail "CPython's $name"
		}
		rm -rf "$work/cwd" "$work"/profiles/*
	done
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

# ratio WHAT WITHOUT WITH: of two throughputs.
ratio()
{
	[ -n "$2" ] && [ -n "$3" ] || { fail "$1: no throughput"; return; }
	python3 -c 'import sys; a, b = map(float, sys.argv[2:]); print("%s: %.0f without, %.0f with the agent: %.3f" % (sys.argv[1], a, b, b / a))' "$@"
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
	without=$(redis_throughput)
	with=$(redis_throughput $with_agent)
	ratio "redis, requests a second" "$without" "$with"
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
	as_user "$pg/pgbench" -S -c 2 -T 10 -h "$work/pg" -U nobody postgres 2>"$work/pgb.err" |
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
	without=$(postgres_throughput)
	with=$(postgres_throughput $with_agent)
	ratio "postgres, transactions a second" "$without" "$with"
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
