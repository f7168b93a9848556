// SPDX-License-Identifier: MIT
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
