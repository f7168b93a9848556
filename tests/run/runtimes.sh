#!/bin/sh
# SPDX-License-Identifier: MIT
# Runtimes with threads, stacks, signals and code of their own: Go with cgo, the JVM,
# node.  What they print, and how they end, is the same with the agent.
#
#     runtimes.sh [--long]
#
# The short form runs Go's own command where that is a Go program with cgo (from Go 1.24 on
# it is static), as compiling one takes a while.
. "$(dirname "$0")/lib.sh"

long=
[ "${1:-}" != --long ] || long=yes

# runtime PATTERN COMMAND...: with each way of sampling; PATTERN: of its profiles.
runtime()
{
	pattern=$1
	shift
	plain "$@"
	[ "$(cat "$work/plain.status")" = "exit 0" ] || {
		echo "$pattern: not tested, it fails by itself: $(head -n 1 "$work/plain.err")"
		return
	}
	for variables in TDAGENT_LONG=200us ${long:+A=B TDAGENT_WINDOWS=vernier TDAGENT_CALLPATH=on}; do
		agent $variables "$@"
		same "$pattern, $variables"
		check_profiles "$pattern, $variables"
	done
	# SIGPROF and POSIX timers
	[ -z "$long" ] || {
		guest agent "$prog/deny" perf_event_open $clean $preload "$@"
		same "$pattern, perf denied"
		check_profiles "$pattern, perf denied"
	}
	echo "$pattern: ${long:+each of 5 ways of sampling: }samples of $threads threads"
}

# Each can be read; one has samples of more threads than one.
check_profiles()
{
	threads=0
	for file in $(profiles "$pattern"); do
		guest report $clean "$tdagent" report --format=json "$file"
		ended "exit 0" report
		n=$(python3 -c 'import json, sys
print(sum(t["samples"] > 0 for t in json.load(open(sys.argv[1]))["threads"]))' "$work/report.out")
		[ "$n" -le "$threads" ] || threads=$n
	done
	[ "$threads" -gt 1 ] || fail "$1: samples of $threads threads"
	rm -f "$work"/profiles/*
}

cat >"$work/J.java" <<'END'
public class J {
	static long work(int n, int turns) {
		long sum = n;
		for (int i = 0; i < turns; i++) {
			sum = sum * 31 + i;
			if (i % 100000 != 0)
				continue;
			try {
				int[] none = null;
				sum += none.length; // a SIGSEGV that the JVM makes an exception
			} catch (NullPointerException e) {
				sum++;
			}
			sum += new byte[1 << 16].length;
		}
		return sum;
	}

	public static void main(String[] arguments) throws Exception {
		int turns = Integer.parseInt(arguments[0]);
		Thread[] threads = new Thread[4];
		long[] results = new long[4];
		for (int k = 0; k < 4; k++) {
			final int n = k;
			threads[k] = new Thread(() -> results[n] = work(n, turns));
			threads[k].start();
		}
		for (int k = 0; k < 4; k++) {
			threads[k].join();
			System.out.println(results[k]);
		}
	}
}
END

cat >"$work/cgo.go" <<'END'
package main

/*
#include <stdint.h>
static uint64_t work(uint64_t n)
{
	uint64_t x = 1;
	for (uint64_t i = 0; i < n; i++)
		x = x * 6364136223846793005u + 1442695040888963407u;
	return x;
}
*/
import "C"
import (
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"sync"
	"syscall"
)

func main() {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGUSR1, syscall.SIGTRAP, syscall.SIGPROF)
	var all sync.WaitGroup
	sums := make([]uint64, 8)
	for g := range sums {
		all.Add(1)
		go func(g int) {
			defer all.Done()
			runtime.LockOSThread()
			for i := 0; i < 40; i++ {
				sums[g] += uint64(C.work(200000))
				for j := 0; j < 200000; j++ {
					sums[g] = sums[g]*31 + uint64(j)
				}
			}
		}(g)
	}
	for i := 0; i < 20; i++ {
		syscall.Kill(os.Getpid(), syscall.SIGUSR1)
		fmt.Println(<-signals)
	}
	all.Wait()
	fmt.Println(sums)
}
END

cat >"$work/workers.js" <<'END'
const { Worker, isMainThread, parentPort, workerData } = require("worker_threads");
function work(n) {
  let s = n;
  for (let i = 0; i < workerData.turns; i++) s = (s * 31 + i) % 1000003;
  return s;
}
if (isMainThread) {
  const turns = Number(process.argv[2]), results = [];
  for (let n = 0; n < 3; n++) {
    const worker = new Worker(__filename, { workerData: { n, turns } });
    worker.on("message", (s) => { results[n] = s; });
    worker.on("exit", (code) => { results[n] += " " + code; if (results.filter((r) => / /.test(r)).length === 3) console.log(results); });
  }
} else {
  parentPort.postMessage(work(workerData.n));
}
END

turns=3000000
[ -z "$long" ] || turns=60000000
missing java JVM || runtime java java "$work/J.java" $turns
missing node node || runtime node node "$work/workers.js" $turns
if ! missing go Go; then
	static=
	ldd "$(command -v go)" >/dev/null 2>&1 || static=yes
	[ -n "$static" ] || runtime go env GOCACHE="$work/cache" GOFLAGS=-mod=mod go list std
	if [ -n "$long$static" ]; then
		(cd "$work" && $clean GOCACHE="$work/cache" GO111MODULE=off go build -o cgo cgo.go) 2>"$work/go.err" ||
			fail "cgo.go does not build: $(head -n 3 "$work/go.err")"
		runtime cgo "$work/cgo"
	fi
fi
