// SPDX-License-Identifier: MIT
/* Waits under a mask of their own: where that lets our signal through which is blocked
 * otherwise, one of ours that has come meanwhile would end the wait. */
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>

#include "agent/core/masks.h"
#include "agent/core/real.h"
#include "agent/hook/hook.h"

TD_EXPORT int sigsuspend(const sigset_t *mask)
{
	td_masks_before_wait(mask);
	return td_real()->sigsuspend(mask);
}

TD_EXPORT int ppoll(struct pollfd *fds, nfds_t n, const struct timespec *timeout,
		    const sigset_t *mask)
{
	td_masks_before_wait(mask);
	return td_real()->ppoll(fds, n, timeout, mask);
}

/* The same of who was built with _FORTIFY_SOURCE. */
TD_EXPORT int __ppoll_chk(struct pollfd *fds, nfds_t n, const struct timespec *timeout,
			  const sigset_t *mask, size_t size);
int __ppoll_chk(struct pollfd *fds, nfds_t n, const struct timespec *timeout,
		const sigset_t *mask, size_t size)
{
	td_masks_before_wait(mask);
	return td_real()->__ppoll_chk(fds, n, timeout, mask, size);
}

TD_EXPORT int pselect(int n, fd_set *in, fd_set *out, fd_set *others,
		      const struct timespec *timeout, const sigset_t *mask)
{
	td_masks_before_wait(mask);
	return td_real()->pselect(n, in, out, others, timeout, mask);
}

TD_EXPORT int epoll_pwait(int fd, struct epoll_event *events, int n, int timeout,
			  const sigset_t *mask)
{
	td_masks_before_wait(mask);
	return td_real()->epoll_pwait(fd, events, n, timeout, mask);
}

TD_EXPORT int epoll_pwait2(int fd, struct epoll_event *events, int n,
			   const struct timespec *timeout, const sigset_t *mask)
{
	td_masks_before_wait(mask);
	return td_real()->epoll_pwait2(fd, events, n, timeout, mask);
}
