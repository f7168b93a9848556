/* SPDX-License-Identifier: MIT */
/*
 * Runs a program some of whose system calls are answered by us.  It is not traced: it
 * sees nothing of us but the answers.  Ends with status 99 where that cannot be.
 */
#ifndef TD_TESTS_NOTIFY_H
#define TD_TESTS_NOTIFY_H

#include <linux/filter.h>
#include <linux/seccomp.h>

/* Answers a call by SECCOMP_IOCTL_NOTIF_SEND to `listener`, as `answer` then says; its
 * id is filled in, all else 0: the call returns 0. */
typedef void notify_fn(void *context, int listener, const struct seccomp_notif *call,
		       struct seccomp_notif_resp *answer);

/* Of calls for which `filter` (`length` instructions) returns
 * SECCOMP_RET_USER_NOTIF.  `command` may begin with NAME=value.  Returns what waitpid()
 * says of the program. */
int notify_run(struct sock_filter *filter, unsigned short length, char **command,
	       notify_fn *answer, void *context);

/* Ends as a program did that waitpid() says `status` of: exit status, or by the signal.
 */
int notify_end(int status);

/* The error of errno, and exit status 99. */
void notify_die(const char *what);

#endif
