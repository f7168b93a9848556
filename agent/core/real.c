// SPDX-License-Identifier: MIT
#include "agent/core/real.h"

#include <dlfcn.h>
#include <stdatomic.h>

static struct td_real real;
static atomic_bool resolved;

/* POSIX's way to turn dlsym()'s result into a function. */
#define RESOLVE(name) (*(void **)&real.name = dlsym(RTLD_NEXT, #name))

/* Two threads that do this at once store the same values. */
static void resolve(void)
{
	RESOLVE(pthread_create);
	RESOLVE(thrd_create);
	RESOLVE(_exit);
	RESOLVE(_Exit);
	RESOLVE(abort);
	RESOLVE(__register_atfork);
	RESOLVE(execve);
	RESOLVE(execvpe);
	RESOLVE(fexecve);
	RESOLVE(execveat);
	RESOLVE(posix_spawn);
	RESOLVE(posix_spawnp);
	RESOLVE(sigaction);
	RESOLVE(sigaltstack);
	RESOLVE(munmap);
	RESOLVE(signal);
	RESOLVE(__sysv_signal);
	RESOLVE(siginterrupt);
	RESOLVE(sigignore);
	RESOLVE(sigset);
	RESOLVE(sigprocmask);
	RESOLVE(pthread_sigmask);
	RESOLVE(sigwait);
	RESOLVE(sigwaitinfo);
	RESOLVE(sigtimedwait);
	RESOLVE(sigpending);
	RESOLVE(sigsuspend);
	RESOLVE(ppoll);
	RESOLVE(__ppoll_chk);
	RESOLVE(pselect);
	RESOLVE(epoll_pwait);
	RESOLVE(epoll_pwait2);
	RESOLVE(raise);
	RESOLVE(pthread_kill);
	RESOLVE(pthread_setname_np);
	RESOLVE(signalfd);
	RESOLVE(syscall);
	RESOLVE(prctl);
	RESOLVE(ptrace);
	RESOLVE(close);
	RESOLVE(close_range);
	RESOLVE(dlclose);
	RESOLVE(dup2);
	RESOLVE(dup3);
	RESOLVE(setuid);
	RESOLVE(seteuid);
	RESOLVE(setreuid);
	RESOLVE(setresuid);
	RESOLVE(setgid);
	RESOLVE(setegid);
	RESOLVE(setregid);
	RESOLVE(setresgid);
	RESOLVE(setgroups);
	RESOLVE(initgroups);
	RESOLVE(capset);
	RESOLVE(chroot);
	RESOLVE(unshare);
	RESOLVE(setns);
	atomic_store(&resolved, 1);
}

const struct td_real *td_real(void)
{
	if (!atomic_load(&resolved))
		resolve();
	return &real;
}
