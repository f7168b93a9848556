/* SPDX-License-Identifier: MIT */
/*
 * The libc functions behind our hooks.  Resolved once, at the agent's start or
 * at the first hooked call before it (another library's constructor).
 * Context: any after the first call; the first call is in normal context.
 */
#ifndef TD_CORE_REAL_H
#define TD_CORE_REAL_H

#include <pthread.h>
#include <signal.h>
#include <threads.h>

struct td_real {
	int (*pthread_create)(pthread_t *, const pthread_attr_t *, void *(*)(void *),
			      void *);
	int (*thrd_create)(thrd_t *, thrd_start_t, void *);
	void (*_exit)(int) __attribute__((noreturn));
	void (*_Exit)(int) __attribute__((noreturn));
	void (*abort)(void) __attribute__((noreturn));
	int (*execve)(const char *, char *const[], char *const[]);
	int (*execvpe)(const char *, char *const[], char *const[]);
	int (*fexecve)(int, char *const[], char *const[]);
	int (*execveat)(int, const char *, char *const[], char *const[], int);
	int (*sigaction)(int, const struct sigaction *, struct sigaction *);
	int (*sigprocmask)(int, const sigset_t *, sigset_t *);
	int (*pthread_sigmask)(int, const sigset_t *, sigset_t *);
	int (*sigwait)(const sigset_t *, int *);
	int (*sigwaitinfo)(const sigset_t *, siginfo_t *);
	int (*sigtimedwait)(const sigset_t *, siginfo_t *, const struct timespec *);
	int (*signalfd)(int, const sigset_t *, int);
	long (*syscall)(long, long, long, long, long, long, long);
	int (*prctl)(int, unsigned long, unsigned long, unsigned long, unsigned long);
	int (*close)(int);
	int (*dlclose)(void *);
	int (*close_range)(unsigned, unsigned, int);
	int (*dup2)(int, int);
	int (*dup3)(int, int, int);
};

const struct td_real *td_real(void);

#endif
