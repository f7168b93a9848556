// SPDX-License-Identifier: MIT
#include "agent/core/confined.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#include "agent/sigsafe/proc.h"
#include "agent/sigsafe/syscall.h"

#define FILTERS 2 /* SECCOMP_MODE_FILTER */

struct call {
	long number;
	long argument[4];
};

/* What we and libc for us call, so that it fails or does nothing.  Filters look at
 * numbers, and at arguments that are no addresses: these are the ones that we use. */
static const struct call calls[] = {
	{SYS_prctl, {PR_SET_DUMPABLE, 0}}, /* first: no core of who is killed */
	{SYS_prctl, {PR_GET_NAME, 0}},
	{SYS_bind, {-1, 0, 0}},
	{SYS_clock_getres, {CLOCK_MONOTONIC_COARSE, 0}},
	{SYS_clock_gettime, {CLOCK_THREAD_CPUTIME_ID, 0}},
	{SYS_close, {-1}},
	{SYS_dup3, {-1, -1, 0}},
	{SYS_execve, {0, 0, 0}},
	{SYS_faccessat, {AT_FDCWD, 0, 0}},
	{SYS_fallocate, {-1, 0, 0, 1}},
	{SYS_fcntl, {-1, F_DUPFD_CLOEXEC, 0}},
	{SYS_fcntl, {-1, F_SETFD, 0}},
	{SYS_fcntl, {-1, F_GETFL, 0}},
	{SYS_fcntl, {-1, F_SETFL, O_ASYNC}},
	{SYS_fcntl, {-1, F_GETSIG, 0}},
	{SYS_fcntl, {-1, F_SETSIG, 0}},
	{SYS_fcntl, {-1, F_SETOWN_EX, 0}},
	{SYS_fstat, {-1, 0}},
	{SYS_getcwd, {0, 0}},
	{SYS_getdents64, {-1, 0, 0}},
	{SYS_geteuid, {0}},
	{SYS_getpid, {0}},
	{SYS_getppid, {0}},
	{SYS_getrusage, {RUSAGE_THREAD, 0}},
	{SYS_gettid, {0}},
	{SYS_kill, {INT_MIN, 0}},
	{SYS_madvise, {0, 0, MADV_DONTFORK}},
	{SYS_memfd_create, {0, MFD_CLOEXEC}},
	{SYS_mkdirat, {AT_FDCWD, 0, 0700}},
	{SYS_mmap, {0, 0, PROT_READ | PROT_WRITE, MAP_SHARED}},
	{SYS_munmap, {0, 0}},
	{SYS_nanosleep, {0, 0}},
	{SYS_newfstatat, {AT_FDCWD, 0, 0, 0}},
	{SYS_openat, {AT_FDCWD, 0, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644}},
	{SYS_prlimit64, {0, RLIMIT_NOFILE, 0, 0}},
	{SYS_process_vm_readv, {0, 0, 0, 0}},
	{SYS_pwrite64, {-1, 0, 0, 0}},
	{SYS_read, {-1, 0, 0}},
	{SYS_readlinkat, {AT_FDCWD, 0, 0, 0}},
	{SYS_recvfrom, {-1, 0, 0, 0}},
	{SYS_rt_sigaction, {0, 0, 0, 8}},
	{SYS_rt_sigpending, {0, 8}},
	{SYS_rt_sigprocmask, {SIG_BLOCK, 0, 0, 8}},
	{SYS_rt_sigqueueinfo, {0, 0, 0}},
	{SYS_rt_sigtimedwait, {0, 0, 0, 8}},
	{SYS_rt_tgsigqueueinfo, {-1, -1, 0, 0}},
	{SYS_sched_yield, {0}},
	{SYS_sendmsg, {-1, 0, 0}},
	{SYS_setsockopt, {-1, 0, 0, 0}},
	{SYS_socket, {-1, 0, 0}},
	{SYS_tgkill, {-1, -1, 0}},
	{SYS_timer_create, {-1, 0, 0}},
	{SYS_timer_delete, {-1}},
	{SYS_timer_settime, {-1, 0, 0, 0}},
	{SYS_uname, {0}},
	{SYS_unlinkat, {AT_FDCWD, 0, 0}},
	{SYS_wait4, {-1, 0, WNOHANG, 0}},
	{SYS_write, {-1, 0, 0}},
#ifdef SYS_mkdir /* libc takes the older ones where they are */
	{SYS_access, {0, 0}},
	{SYS_mkdir, {0, 0700}},
	{SYS_readlink, {0, 0, 0}},
	{SYS_unlink, {0}},
#endif
};

static const struct call perf_calls[] = {
	{SYS_perf_event_open, {0, 0, -1, -1}},
	{SYS_ioctl, {-1, PERF_EVENT_IOC_ENABLE, 0}},
	{SYS_ioctl, {-1, PERF_EVENT_IOC_DISABLE, 0}},
	{SYS_ioctl, {-1, PERF_EVENT_IOC_RESET, 0}},
	{SYS_ioctl, {-1, PERF_EVENT_IOC_REFRESH, 0}},
	{SYS_ioctl, {-1, (long)PERF_EVENT_IOC_PERIOD, 0}},
	{SYS_ioctl, {-1, PERF_EVENT_IOC_SET_OUTPUT, -1}},
	{SYS_ioctl, {-1, (long)PERF_EVENT_IOC_ID, 0}},
};

/* To say that nothing else is possible, and only once in a tree of processes. */
static const struct call say_calls[] = {
	{SYS_fstat, {-1, 0}},
	{SYS_getppid, {0}},
	{SYS_write, {-1, 0, 0}},
};

/* To try what cores of a hybrid's other type count. */
static const struct call move_calls[] = {
	{SYS_prctl, {PR_SET_DUMPABLE, 0}},
	{SYS_sched_getaffinity, {0, 0, 0}},
	{SYS_sched_setaffinity, {0, 0, 0}},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void make(const struct call *call, size_t n)
{
	for (; n > 0; n--, call++)
		td_syscall4(call->number, call->argument[0], call->argument[1],
			    call->argument[2], call->argument[3]);
}

/* Does a process that makes these calls live on?  A child that sends no signal at its
 * end, and that waits of the program's do not find. */
static bool survives(const struct call *first, size_t n, const struct call *more,
		     size_t others)
{
	int status = -1;
	long pid = td_syscall6(SYS_clone, 0, 0, 0, 0, 0, 0), error;

	if (pid == 0) {
		make(first, n);
		make(more, others);
		td_syscall1(SYS_exit_group, 0);
	}
	if (pid < 0)
		return false;
	do
		error = td_syscall4(SYS_wait4, pid, &status, __WALL, NULL);
	while (error == -EINTR);
	return error == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool td_confined_by_filter(void)
{
	static char text[4096];
	const char *at;

	if (td_proc_read("/proc/self/status", text, sizeof(text)) <= 0)
		return false;
	at = strstr(text, "\nSeccomp:");
	return at && atoi(at + 9) == FILTERS;
}

enum td_confinement td_confined_look(void)
{
	if (survives(calls, COUNT(calls), perf_calls, COUNT(perf_calls)))
		return TD_CONFINED_NOT;
	if (survives(calls, COUNT(calls), NULL, 0))
		return TD_CONFINED_NO_PERF;
	if (survives(say_calls, COUNT(say_calls), NULL, 0))
		return TD_CONFINED;
	return TD_CONFINED_MUTE;
}

bool td_confined_may_move(void)
{
	return !td_confined_by_filter() ||
	       survives(move_calls, COUNT(move_calls), NULL, 0);
}
