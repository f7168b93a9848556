/* SPDX-License-Identifier: MIT */
/*
 * The libc functions behind our hooks.  Resolved once, at the agent's start or
 * at the first hooked call before it (another library's constructor).
 * Context: any after the first call; the first call is in normal context.
 */
#ifndef TD_CORE_REAL_H
#define TD_CORE_REAL_H

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/types.h>
#include <threads.h>

struct td_real {
	int (*pthread_create)(pthread_t *, const pthread_attr_t *, void *(*)(void *),
			      void *);
	int (*thrd_create)(thrd_t *, thrd_start_t, void *);
	void (*_exit)(int) __attribute__((noreturn));
	void (*_Exit)(int) __attribute__((noreturn));
	void (*abort)(void) __attribute__((noreturn));
	int (*__register_atfork)(void (*)(void), void (*)(void), void (*)(void), void *);
	int (*execve)(const char *, char *const[], char *const[]);
	int (*execvpe)(const char *, char *const[], char *const[]);
	int (*fexecve)(int, char *const[], char *const[]);
	int (*execveat)(int, const char *, char *const[], char *const[], int);
	int (*posix_spawn)(pid_t *, const char *, const posix_spawn_file_actions_t *,
			   const posix_spawnattr_t *, char *const[], char *const[]);
	int (*posix_spawnp)(pid_t *, const char *, const posix_spawn_file_actions_t *,
			    const posix_spawnattr_t *, char *const[], char *const[]);
	int (*sigaction)(int, const struct sigaction *, struct sigaction *);
	int (*sigaltstack)(const stack_t *, stack_t *);
	int (*munmap)(void *, size_t);
	sighandler_t (*signal)(int, sighandler_t);
	sighandler_t (*__sysv_signal)(int, sighandler_t);
	int (*siginterrupt)(int, int);
	int (*sigignore)(int);
	sighandler_t (*sigset)(int, sighandler_t);
	int (*sigprocmask)(int, const sigset_t *, sigset_t *);
	int (*pthread_sigmask)(int, const sigset_t *, sigset_t *);
	int (*sigwait)(const sigset_t *, int *);
	int (*sigwaitinfo)(const sigset_t *, siginfo_t *);
	int (*sigtimedwait)(const sigset_t *, siginfo_t *, const struct timespec *);
	int (*sigpending)(sigset_t *);
	int (*sigsuspend)(const sigset_t *);
	int (*ppoll)(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *);
	int (*__ppoll_chk)(struct pollfd *, nfds_t, const struct timespec *,
			   const sigset_t *, size_t);
	int (*pselect)(int, fd_set *, fd_set *, fd_set *, const struct timespec *,
		       const sigset_t *);
	int (*epoll_pwait)(int, struct epoll_event *, int, int, const sigset_t *);
	int (*epoll_pwait2)(int, struct epoll_event *, int, const struct timespec *,
			    const sigset_t *);
	int (*raise)(int);
	int (*pthread_kill)(pthread_t, int);
	int (*pthread_setname_np)(pthread_t, const char *);
	int (*signalfd)(int, const sigset_t *, int);
	long (*syscall)(long, long, long, long, long, long, long);
	int (*prctl)(int, unsigned long, unsigned long, unsigned long, unsigned long);
	long (*ptrace)(int, pid_t, void *, void *);
	int (*close)(int);
	int (*dlclose)(void *);
	int (*close_range)(unsigned, unsigned, int);
	int (*dup2)(int, int);
	int (*dup3)(int, int, int);
	int (*setuid)(uid_t);
	int (*seteuid)(uid_t);
	int (*setreuid)(uid_t, uid_t);
	int (*setresuid)(uid_t, uid_t, uid_t);
	int (*setgid)(gid_t);
	int (*setegid)(gid_t);
	int (*setregid)(gid_t, gid_t);
	int (*setresgid)(gid_t, gid_t, gid_t);
	int (*setgroups)(size_t, const gid_t *);
	int (*initgroups)(const char *, gid_t);
	int (*capset)(void *, const void *);
	int (*chroot)(const char *);
	int (*unshare)(int);
	int (*setns)(int, int);
};

const struct td_real *td_real(void);

#endif
